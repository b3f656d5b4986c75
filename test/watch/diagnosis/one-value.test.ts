import { expect, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { Headline } from '../../../src/model/headline.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { findHeadline } from '../../../src/watch/diagnosis/find-headline.ts';
import { diagnosedNode, type Given, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];

/** Four masternodes, some of which differ from one that is well. */
const nodes = (given: Readonly<Record<string, Given>>): readonly KnownTarget[] =>
  NAMES.map((name) => diagnosedNode(name, NAMES, given[name]));

/** `peersFailFor`: how long the checks of the peers have failed; `askedAgo`: how long ago the last probe of `n4` began. */
function diagnose(targets: readonly KnownTarget[], peersFailFor = NOW, askedAgo = 0, before = NO_PROBLEMS) {
  const subnet = {
    ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
    targets: targets.map(({ target }) => target),
  };
  const judged = judgeTargets(targets, NOW).map((state) => ({
    ...state,
    checks: state.checks.map((check) => ({
      ...check,
      ...(check.check === 'peers' && { since: NOW - peersFailFor }),
      ...(check.check === 'latest_block' && state.target.name === 'n4' && { durationSeconds: askedAgo / 1_000 }),
    })),
  }));
  return diagnoseSubnet(subnet, judged, before, NOW);
}

test('a node that stands still or catches up counts the same for the quorum, the members, the headline and the risk', () => {
  const said = (given: Given) => {
    const { quorum, members, headline, problems } = diagnose(nodes({ n4: given }));
    const risk = problems.find(({ problem }) => problem === 'quorum_at_risk');
    return [quorum?.voting, members.map(({ vote }) => vote).join(), headline?.detail.split('.')[0], risk?.evidence];
  };
  const without = (why: string) => [
    3,
    'votes,votes,votes,silent',
    '3 of 4 masternodes can vote, 3 needed',
    `3 of 4 masternodes vote and 3 are needed, without n4, because n4 is ${why}`,
  ];
  expect(said({ height: 900, stalledMs: 40_000 })).toEqual(without('stalled at block 900'));
  expect(said({ height: 900 })).toEqual(without('behind the other nodes'));
  expect(said({ height: 995 })).toEqual([
    4,
    'votes,votes,votes,votes',
    '4 of 4 masternodes can vote, 3 needed',
    undefined,
  ]);
});

test('a node that has just started and does not answer counts nowhere as voting, though its log has shown a new block', () => {
  const said = (...started: readonly string[]) => {
    const begun = started.map((name) => {
      const { target, facts } = diagnosedNode(name, NAMES, {
        fault: { kind: 'refused', address: name },
        container: { startedAt: NOW - 20_000 },
      });
      const logs = { ...facts.logs, node: { height: 1_001, advancedAt: NOW - 18_000, level: 4 } };
      return { target, facts: { ...facts, logs } } as KnownTarget;
    });
    const { quorum, members, headline } = diagnose([...nodes({}).slice(0, -started.length), ...begun]);
    return [quorum?.starting, members.map(({ vote }) => vote).join(), headline?.detail.split('.')[0]];
  };
  expect(said('n4')).toEqual([
    1,
    'votes,votes,votes,unknown',
    '3 of 4 masternodes can vote, 3 needed, and 1 has just started',
  ]);
  expect(said('n3', 'n4')).toEqual([
    2,
    'votes,votes,unknown,unknown',
    '2 of 4 masternodes can vote, 3 needed, and 2 have just started',
  ]);
});

test('a node on a branch of its own has no vote that counts', () => {
  const mark = (hash: string): Given => ({ chain: { block: { number: 960, hash } } });
  const [same, other] = [mark('0xaaaaaaaaaa'), mark('0xbbbbbbbbbb')];
  const { quorum, members, headline } = diagnose(nodes({ n1: same, n2: same, n3: same, n4: other }));
  expect(quorum?.voting).toBe(3);
  expect(members.map(({ vote }) => vote).join()).toBe('votes,votes,votes,silent');
  expect([headline?.sentence, headline?.detail.split('.')[0]]).toEqual([
    'devnet is forked',
    '3 of 4 masternodes can vote, 3 needed',
  ]);
});

test('two nodes that catch up leave as many votes as the blocks show that have come without them, and nobody knows whose', () => {
  const { quorum, members, problems } = diagnose(nodes({ n3: { height: 900 }, n4: { height: 900 } }));
  expect(quorum).toEqual({ total: 4, required: 3, voting: 3 });
  expect(members.map(({ vote }) => vote)).toEqual(['votes', 'votes', 'unknown', 'unknown']);
  expect(problems.map(({ problem, summary }) => `${problem}: ${summary}`)).toContain(
    'quorum_at_risk: no further node may fail',
  );
});

test('a peer is missing only once each node has been asked since: one of them may have gone', () => {
  const short = nodes({ n1: { peers: ['n2', 'n3'] }, n2: { peers: ['n1', 'n3'] } });
  const missing = (failFor: number, askedAgo: number) =>
    diagnose(short, failFor, askedAgo)
      .problems.filter(({ problem }) => problem === 'peers_missing')
      .map(({ summary }) => summary);
  expect(missing(3_000, 4_000)).toEqual([]);
  expect(missing(4_000, 3_000)).not.toEqual([]);
  // One that is not asked for so long is waited for no more.
  expect(missing(19_000, 40_000)).toEqual([]);
  expect(missing(20_000, 40_000)).toEqual(missing(4_000, 3_000));
});

test('no reserve is promised while a problem is suspected that may have cost it', () => {
  const targets = judgeTargets(nodes({}), NOW);
  const [down] = diagnose(nodes({ n1: { fault: { kind: 'refused', address: 'http://n1' } } })).problems.filter(
    ({ problem }) => problem === 'node_down',
  );
  const suspected = down as Problem;
  expect(suspected.state).toBe('suspected');
  const told = (voting: number, problems: readonly Problem[]) => {
    const { sentence, detail } = findHeadline('devnet', targets, problems, {
      quorum: { total: 4, required: 3, voting },
      hasRisen: true,
    });
    return [sentence, detail];
  };
  expect(told(4, [])).toEqual(['devnet is healthy: it can lose 1 more node', '4 of 4 masternodes can vote, 3 needed.']);
  expect(told(4, [suspected])).toEqual([
    'devnet is running, but a possible problem is being checked',
    'Suspected: n1 does not answer. By their last answers, 4 of 4 masternodes can vote, 3 needed.',
  ]);
  // What is suspected of a service costs no vote.
  expect(told(4, [{ ...suspected, component: 'relayer', summary: 'the relayer hangs' }])[1]).toBe(
    'Suspected: the relayer hangs. 4 of 4 masternodes can vote, 3 needed.',
  );
  const quiet = { quorum: { total: 4, required: 3, voting: 4 }, hasRisen: true, quietMs: 17_000 };
  expect(findHeadline('devnet', targets, [suspected], quiet)).toMatchObject({
    standing: 'warn',
    sentence: 'devnet is running, but its last block came 17s ago',
  });
  expect(told(3, [suspected])[0]).toBe('devnet is running with no spare vote');
  // Those that have just started are not counted then either.
  const seven = { quorum: { total: 7, required: 5, voting: 7, starting: 1 }, hasRisen: true };
  const before = 'By their last answers, 6 of 7 masternodes can vote, 5 needed, and 1 has just started.';
  expect(findHeadline('devnet', targets, [suspected], seven).detail).toBe(`Suspected: n1 does not answer. ${before}`);
  // Nor is a subnet that recovers said to have all votes.
  const clears: Problem = { ...suspected, state: 'clearing', name: 'n2', summary: 'n2 does not answer' };
  expect(findHeadline('devnet', targets, [clears, suspected], seven).detail).toContain(before);
  const other: Problem = { ...suspected, component: 'relayer' };
  expect(findHeadline('devnet', targets, [clears, other], seven).detail).toMatch(/^6 of 7 masternodes can vote, /);
  expect(findHeadline('devnet', targets, [clears, other, suspected], seven).detail).toContain(before);
  // Beside what is found of a service, what makes it doubtful is said.
  const wallet: Problem = { ...other, state: 'open', summary: 'the wallet is empty', fix: 'send coins' };
  expect(findHeadline('devnet', targets, [wallet, suspected], seven).detail).toBe(
    `${before} Send coins. Suspected: n1 does not answer.`,
  );
});

test('no masternode is promised to be spare that may not vote', () => {
  const targets = judgeTargets(nodes({}), NOW);
  const told = (voting: number, doubtful: number, total = 7) => {
    const required = total === 7 ? 5 : 3;
    const known = { quorum: { total, required, voting, doubtful }, hasRisen: true };
    const { sentence, detail } = findHeadline('devnet', targets, [], known);
    return [sentence, detail];
  };
  expect(told(7, 0)).toEqual(['devnet is healthy: it can lose 2 more nodes', '7 of 7 masternodes can vote, 5 needed.']);
  expect(told(7, 1)).toEqual([
    'devnet is running: it can lose 1 more node',
    '6 or 7 of 7 masternodes can vote, 5 needed.',
  ]);
  expect(told(7, 2)).toEqual(['devnet is running', '5 to 7 of 7 masternodes can vote, 5 needed.']);
  expect(told(4, 1, 4)).toEqual(['devnet is running', '3 or 4 of 4 masternodes can vote, 3 needed.']);
});

test('a subnet without a block for longer than usual is not called healthy, and says when the last one came', () => {
  const told = (stalledMs: number) => {
    const { sentence, detail } = diagnose(
      nodes(Object.fromEntries(['n1', 'n2', 'n3', 'n4'].map((name) => [name, { stalledMs }]))),
    ).headline as Headline;
    return [sentence, detail];
  };
  const votes = '4 of 4 masternodes can vote, 3 needed.';
  expect(told(14_000)).toEqual(['devnet is healthy: it can lose 1 more node', votes]);
  expect(told(15_000)).toEqual(['devnet is running, but its last block came 15s ago', votes]);
  // The block is as old as the first node shows it, whenever the others have it.
  const spread = (first: Given) =>
    diagnose(nodes({ n1: first, n2: { stalledMs: 9_000 }, n3: first, n4: first })).headline;
  expect(spread({ stalledMs: 20_000 })).toMatchObject({
    standing: 'warn',
    sentence: expect.stringMatching(/ 20s ago$/),
  });
});

test('a block that too few masternodes have for another one is not the last block, and ends no pause', () => {
  const behind = { stalledMs: 20_000, height: 999 };
  const told = (given: Readonly<Record<string, Given>>, change = (known: KnownTarget): KnownTarget => known) =>
    diagnose(nodes({ ...Object.fromEntries(NAMES.map((name) => [name, { stalledMs: 9_000 }])), ...given }).map(change))
      .headline?.sentence;
  const [late, healthy] = [
    'devnet is running, but its last block came 20s ago',
    'devnet is healthy: it can lose 1 more node',
  ];
  expect(told({ n1: behind, n3: behind, n4: behind })).toBe(late);
  // Two may have made one each, of the same number.
  expect(told({ n3: behind, n4: behind })).toBe(late);
  expect(told({ n4: behind })).toBe(healthy);
  // Whoever was asked a moment before is a block behind.
  const pace = { stalledMs: 14_000, height: 999 };
  expect(told({ n1: pace, n3: pace, n4: pace })).toBe(healthy);
  const asked = ({ target, facts }: KnownTarget): KnownTarget => {
    const latest = facts.node?.latest && { ...facts.node.latest, lastGoodAt: NOW - 6_000 };
    return { target, facts: { ...facts, node: { ...facts.node, latest } } } as KnownTarget;
  };
  expect(told({ n3: behind, n4: behind }, (known) => (known.target.name === 'n4' ? asked(known) : known))).toBe(
    healthy,
  );
  // A log shows the block before the next answer.
  const printing = ({ target, facts }: KnownTarget): KnownTarget =>
    ({ target, facts: { ...facts, logs: { ...facts.logs, node: { height: 1_000, advancedAt: NOW } } } }) as KnownTarget;
  expect(told({ n3: behind, n4: behind }, printing)).toBe(healthy);
});

test('the first block after a halt is the last one, also before two thirds of the masternodes have it', () => {
  const behind = { stalledMs: 80_000, height: 999 };
  const told = (overMs: number) => {
    const [halt] = diagnose(nodes(Object.fromEntries(NAMES.map((name) => [name, behind])))).problems as [Problem];
    expect(halt.summary).toBe('the subnet is halted');
    const over: Problem = { ...halt, state: 'clearing', seenAt: NOW - overMs, clearingSince: NOW - overMs };
    const targets = nodes({ n1: behind, n2: { stalledMs: overMs }, n3: behind, n4: behind });
    return diagnose(targets, NOW, 0, { problems: [over], ended: [] }).headline?.sentence;
  };
  expect(told(14_000)).toBe('devnet is recovering');
  // If it comes to no other one, it may be lost again.
  expect(told(14_001)).toBe('devnet is running, but its last block came 1m 20s ago');
});

test('the last block is as old in the headline as in the halt that follows', () => {
  const stands = (stalledMs: number) => {
    const timestamp = (NOW - stalledMs - 6_000) / 1_000;
    const known = nodes(Object.fromEntries(NAMES.map((name) => [name, { stalledMs }]))).map((one) => {
      const { node } = one.facts;
      const latest = node?.latest && { ...node.latest, timestamp };
      return { ...one, facts: { ...one.facts, node: { ...node, latest } } } as KnownTarget;
    });
    return diagnose(known);
  };
  expect(stands(26_000).headline?.sentence).toBe('devnet is running, but its last block came 32s ago');
  expect(stands(28_000).problems[0]?.evidence).toMatch(/^no block after 1000 for 34s; /);
});

test('the risk names what keeps a node from voting, and not what else is wrong with it', () => {
  const hangs: Given = { fault: { kind: 'timeout', address: 'http://n4', afterMs: 5_000, received: false } };
  const line = {
    means: 'error',
    count: 1,
    at: NOW - 20_000,
    order: 1,
    what: 'its secret is wrong',
    own: false,
  } as const;
  const known = nodes({ n4: hangs }).map((one) => ({
    ...one,
    facts: {
      ...one.facts,
      logs: one.facts.logs && {
        ...one.facts.logs,
        ...(one.target.name === 'n4' && { patterns: { stats_unauthorized: line } }),
      },
    },
  })) as readonly KnownTarget[];
  const { problems } = diagnose(known);
  expect(problems.map(({ problem, name }) => [problem, name])).toContainEqual(['stats_refused', 'n4']);
  expect(problems.find(({ problem }) => problem === 'quorum_at_risk')?.evidence).toBe(
    '3 of 4 masternodes vote and 3 are needed, without n4, because n4 hangs',
  );
});

test('right after the start of subnetd nobody counts on the key that a node with a wrong one should have', () => {
  const targets = nodes({ n4: { chain: { address: '0xother' } } });
  const told = (answersFor: number) => {
    const states = judgeTargets(targets, NOW).map((state) => ({
      ...state,
      checks: state.checks.map((one) => (one.check === 'latest_block' ? { ...one, since: NOW - answersFor } : one)),
    }));
    const settings = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS };
    const subnet = { ...settings, targets: targets.map(({ target }) => target) };
    return diagnoseSubnet(subnet, states, NO_PROBLEMS, NOW).headline?.detail;
  };
  // The turns were counted 30 s ago, and two cycles of them take 16 s, with two that time out 36.
  expect(told(65_999)).toMatch(/^3 or 4 of 4 masternodes can vote, 3 needed/);
  expect(told(66_000)).toMatch(/^4 of 4 masternodes can vote, 3 needed/);
});
