import { describe, expect, it } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import { indexProblems, type Problem } from '../../../src/model/problem.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import { foldChain } from '../../../src/watch/rules/fold-node.ts';
import { diagnosed, diagnosedNode, diagnosedService, listCauses, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const OLD = { chainId: 5551, genesis: '0x7f83aaaaaaaa' };
const NEW = { chainId: 5552, genesis: '0xa6d1bbbbbbbb' };
const REFUSED = { kind: 'refused', address: 'http://n' } as const;

/** A node whose height fell from 176 to 6 as its chain became another one, so long ago. */
function replaced(name: string, agoMs: number, fallenMs = agoMs, stalledMs = 2_000): KnownTarget {
  const { target, facts } = diagnosedNode(name, NAMES, { height: 6, stalledMs, chain: NEW });
  const { node } = facts;
  if (node?.latest === undefined) return { target, facts };
  const fall = { from: 176, to: 6, at: NOW - fallenMs, repeated: false };
  const before = diagnosedNode(name, NAMES, { chain: OLD }).facts.node?.chain;
  const said = { ...node.observation, chain: { ...NEW, missing: {} } };
  const chain = foldChain(before, said, NOW - agoMs);
  const known = chain && node.chain && { ...node.chain, replaced: chain.replaced };
  return {
    target,
    facts: { ...facts, node: { ...node, latest: { ...node.latest, fall }, ...(known && { chain: known }) } },
  };
}
const found = (targets: readonly KnownTarget[]) =>
  diagnosed(targets).filter(({ problem }) => ['chain_replaced', 'head_regression', 'other_chain'].includes(problem));

it('what the first nodes say that answer after a restart of all is not said of the network', () => {
  const silent = (name: string) => diagnosedNode(name, NAMES, { chain: OLD, fault: REFUSED });
  const after = (answering: number) =>
    found(NAMES.map((name, index) => (index < answering ? replaced(name, 30_000) : silent(name)))).map(
      ({ problem }) => problem,
    );
  expect(after(2)).not.toContain('chain_replaced');
  expect(after(3)).toContain('chain_replaced');
});

it('a network that was replaced is one statement, and nobody was killed', () => {
  expect(found(NAMES.map((name) => replaced(name, 30_000)))).toMatchObject([
    {
      problem: 'chain_replaced',
      summary: 'the network was replaced by a new one',
      evidence:
        '4 of 4 nodes have the genesis block 0xa6d1bbbb… instead of 0x7f83aaaa… and the chain id 5552 instead of 5551',
      begunAt: NOW - 30_000,
    },
  ]);
});

/** A node at this height that was seen to fall, so long ago; without a fall, what it had before was not credible any more. */
function begun(name: string, height: number, fall?: { readonly from: number; readonly agoMs: number }): KnownTarget {
  const one = diagnosedNode(name, NAMES, { height, chain: OLD });
  const { node } = one.facts;
  if (node?.latest === undefined || fall === undefined) return one;
  const seen = { from: fall.from, to: 3, at: NOW - fall.agoMs, repeated: false };
  return { ...one, facts: { ...one.facts, node: { ...node, latest: { ...node.latest, fall: seen } } } };
}

it('a network that begins the same chain again is replaced too, as no node has the blocks to take', () => {
  const fall = { from: 6_744, agoMs: 30_000 };
  const all = (height: number, from = fall.from, agoMs = fall.agoMs) =>
    NAMES.map((name) => begun(name, height, name === 'n2' ? { from, agoMs } : undefined));
  expect(found(all(9))).toMatchObject([
    {
      problem: 'chain_replaced',
      evidence:
        'all 4 nodes that answer began again from the first block: the chain is at block 9, and was at 6744, with the same genesis block',
      begunAt: NOW - fall.agoMs,
    },
  ]);
  expect(found(all(9))[0]?.fix).toBe(
    'if that was done on purpose, there is nothing to do; if not, find out who removed the data of the nodes, and restore it',
  );
  expect(found([...all(9), diagnosedService('relayer')])[0]?.fix).toMatch(
    /^if that was done on purpose, deploy the checkpoint contract for the new chain and name it in the inventory; if not/,
  );
  const problemsOf = (targets: readonly KnownTarget[]) => found(targets).map(({ problem }) => problem);
  expect(problemsOf(all(6_443))).toEqual(['chain_replaced']);
  expect(problemsOf(all(6_444))).toEqual(['head_regression']);
  expect(problemsOf(all(9, 303))).toEqual(['head_regression']);
  expect(problemsOf(all(9, fall.from, 10 * 60_000))).toEqual([]);
  // One that does not answer may have them, two of four are not enough to make a chain.
  const gone = (name: string) => diagnosedNode(name, NAMES, { fault: REFUSED, chain: OLD });
  expect(problemsOf([...all(9).slice(0, 3), gone('n4')])).toEqual(['chain_replaced']);
  const two = [...all(9).slice(0, 2), gone('n3'), gone('n4')];
  expect(problemsOf(two)).toEqual(['head_regression']);
  expect(found(two)[0]).toMatchObject({
    evidence: expect.stringContaining('It began with an empty data folder, and no node that answers has the blocks'),
    fix: 'wait until the others answer: if none of them has the blocks, the network begins anew',
  });
  expect(found(all(6_444))[0]?.evidence).toContain('so it takes all blocks from the others again');
});

/** A node that was started again 20 s ago, whose log shows the chain that began again, and which does not answer yet. */
function printing(name: string, height: number): KnownTarget {
  const container = { startedAt: NOW - 20_000 };
  const before = { height: 176, stalledMs: 90_000, chain: OLD };
  const { target, facts } = diagnosedNode(name, NAMES, { ...before, fault: REFUSED, container });
  const node = { height, heightBefore: 176, advancedAt: NOW - 2_000, startedAt: NOW - 19_000 };
  return { target, facts: { ...facts, logs: { sources: {}, patterns: {}, node } } };
}

/** One that has answered since with a block above it, and no longer does. */
function goneAgain(name: string, height: number): KnownTarget {
  const { target, facts } = replaced(name, 30_000);
  const observation = { answered: false, latest: { ok: false, fault: REFUSED } } as const;
  const latest = facts.node?.latest && { ...facts.node.latest, number: height, advancedAt: NOW - 1_000 };
  return { target, facts: { ...facts, node: { ...facts.node, observation, latest } } as typeof facts };
}

it('a network that was replaced is no other one while some of its nodes are silent', () => {
  const gone = NAMES.slice(1).map((name) => goneAgain(name, 8));
  const evidence = expect.stringMatching(/^4 of 4 nodes have the genesis block 0xa6d1bbbb… instead of 0x7f83aaaa…/);
  expect(found([replaced('n1', 30_000), ...gone])).toMatchObject([{ problem: 'chain_replaced', evidence }]);
  const old = diagnosedNode('n4', NAMES, { chain: OLD });
  expect(found([replaced('n1', 30_000), ...gone.slice(0, 2), old])).not.toMatchObject([{ problem: 'chain_replaced' }]);
});

describe('a halt of the network before', () => {
  const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS };
  const [explains, causes]: [[], []] = [[], []];
  const times = { since: NOW - 338_000, seenAt: NOW - 2_000 };
  const findHalts = (known: readonly KnownTarget[], about = '176', isKnown = false) => {
    const replacement = {
      problem: 'chain_replaced',
      state: 'suspected',
      ...times,
      explains,
      causes,
    } as unknown as Problem;
    const halt = {
      problem: 'subnet_halted',
      state: 'open',
      about,
      ...times,
      fix: '',
      explains,
      causes,
    } as unknown as Problem;
    const view = viewSubnet(
      { ...subnet, targets: known.map(({ target }) => target) },
      judgeTargets(known, NOW),
      NOW,
      {},
      indexProblems(isKnown ? [halt, replacement] : [halt]),
    );
    return listCauses(view, [halt]).filter(({ problem }) => problem === 'subnet_halted');
  };
  const halts = (...given: Parameters<typeof findHalts>) => findHalts(...given).map(({ evidence }) => evidence);
  // Of two of four nobody knows yet.
  const silent = (name: string): KnownTarget => {
    const { target, facts } = diagnosedNode(name, NAMES, { stalledMs: 90_000, chain: OLD, fault: REFUSED });
    return { target, facts: { ...facts, logs: undefined } };
  };
  const ofTwo = (fallenMs: number, stalledMs: number, about?: string) =>
    halts(
      [
        ...NAMES.slice(0, 2).map((name) => replaced(name, 30_000, fallenMs, stalledMs)),
        ...[silent('n3'), silent('n4')],
      ],
      about,
    );

  it('is over with the first block of the new one, whose age is that of its own chain', () => {
    expect(ofTwo(30_000, 2_000)).toEqual([]);
    expect(ofTwo(60_000, 59_000)).toEqual([
      'no block after 6 for 59s; 2 of 4 masternodes can vote, 3 needed, without n3 (does not answer), n4 (does not answer)',
    ]);
    expect(halts(NAMES.map((name) => replaced(name, 30_000)))).toEqual([]);
  });

  it('is over also where only logs, or nodes that are away again, have shown that block', () => {
    const others = NAMES.slice(1).map((name) => printing(name, 8));
    expect(halts([replaced('n1', 30_000), ...others])).toEqual([]);
    expect(halts([replaced('n1', 30_000), goneAgain('n2', 8), silent('n3'), silent('n4')])).toEqual([]);
  });

  it('is over as soon as the chain is known to be replaced, whatever the logs of before show', () => {
    const known = NAMES.map((name) => {
      const { target, facts } = replaced(name, 30_000, 30_000, 2_000);
      const node = { height: 176, advancedAt: NOW - 338_000 };
      return { target, facts: { ...facts, logs: { sources: {}, patterns: {}, node } } } as KnownTarget;
    });
    expect(halts(known)).toEqual([expect.stringMatching(/^no block after 176 for 5m 38s/)]);
    expect(halts(known, '176', true)).toEqual([]);
  });

  it('goes on with what is seen now, until the new one has a block or has stood for long itself', () => {
    /** Four nodes that were started so long ago, the last of which answers or not yet. */
    const begins = (agoMs: number, isLastUp: boolean) => {
      const known = NAMES.map((name) => {
        const isUp = isLastUp || name !== 'n4';
        const given = { height: 0, stalledMs: agoMs / 3, chain: NEW, container: { startedAt: NOW - agoMs } };
        const { target, facts } = diagnosedNode(name, NAMES, isUp ? given : { ...given, height: 176, fault: REFUSED });
        const latest = facts.node?.latest && { ...facts.node.latest, risen: false };
        return { target, facts: { ...facts, logs: undefined, node: { ...facts.node, latest } } } as KnownTarget;
      });
      return findHalts(known, '176', true).map(({ about, evidence, fix }) => [about, evidence, fix]);
    };
    const seen = 'no block after 176 for 5m 38s; 0 of 4 masternodes can vote, 3 needed, and 4 have just started';
    expect(begins(15_000, false)).toEqual([
      ['176', `${seen}; n4 does not answer yet`, 'wait until n4 answers, a minute at most, and restart no other node'],
    ]);
    expect(begins(15_000, true)).toEqual([['176', seen, expect.stringMatching(/^if no block has come by /)]]);
    expect(begins(84_000, true)).toEqual([
      ['0', 'no block after 0 for 28s; 4 of 4 masternodes can vote, 3 needed', expect.any(String)],
    ]);
  });

  it('is not over where the chain has lost less than half of its blocks, or had begun before', () => {
    expect(ofTwo(30_000, 2_000, '13')).toEqual([]);
    expect(ofTwo(30_000, 2_000, '12')).toEqual([expect.stringMatching(/^no block after 6 for 5m 38s/)]);
  });
});

it('one node on another chain than before is that alone, and was not killed either', () => {
  const others = NAMES.slice(1).map((name) => diagnosedNode(name, NAMES, { height: 200, chain: OLD }));
  expect(found([replaced('n1', 30_000), ...others]).map(({ problem }) => problem)).toEqual(['other_chain']);
});

it('that is said for ten minutes, and a fall of the height after it is a loss again', () => {
  expect(found(NAMES.map((name) => replaced(name, 11 * 60_000)))).toEqual([]);
  const lossOf = (fallenMs: number) =>
    judgeTargets([replaced('n1', 11 * 60_000, fallenMs)], NOW)[0]?.shownFailures.map(({ name }) => name);
  expect(lossOf(20_000)).toEqual(['head_regression']);
  expect(lossOf(11 * 60_000)).toEqual([]);
});
