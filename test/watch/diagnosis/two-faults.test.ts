import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Facts, KnownTarget } from '../../../src/model/facts.ts';
import type { Fault } from '../../../src/model/observation.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { type ClientName, DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import {
  addressOf,
  diagnosed,
  diagnosedNode,
  diagnosedService,
  type Given,
  listCauses,
  NOW,
  named,
  STOPPED,
} from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'] as const;
const timeout: Fault = { kind: 'timeout', address: 'n', afterMs: 5_000, received: false };
const refused: Fault = { kind: 'refused', address: 'n' };

/** What a fault does to its node, and what it does to the others. */
interface NodeFault {
  readonly problem: string;
  readonly given: (name: string) => Given;
  /** The others lose it as a peer. */
  readonly isGone?: true;
  /** It does not vote. */
  readonly isMute?: true;
}

const FAULTS: readonly NodeFault[] = [
  { problem: 'container_down', given: () => ({ container: STOPPED, fault: refused }), isGone: true, isMute: true },
  {
    problem: 'container_paused',
    given: () => ({ container: { running: false, status: 'paused' }, fault: timeout }),
    isMute: true,
  },
  { problem: 'node_hanging', given: () => ({ fault: timeout }), isMute: true },
  { problem: 'node_down', given: () => ({ fault: refused }), isGone: true, isMute: true },
  { problem: 'node_stalled', given: () => ({ height: 950, stalledMs: 200_000 }), isMute: true },
  { problem: 'node_behind', given: () => ({ height: 900 }), isMute: true },
  {
    problem: 'node_partitioned',
    given: () => ({ height: 950, stalledMs: 200_000, peers: [] }),
    isGone: true,
    isMute: true,
  },
  {
    problem: 'other_chain',
    given: () => ({ height: 7, stalledMs: 200_000, peers: [], chain: { genesis: '0xother' } }),
    isGone: true,
    isMute: true,
  },
  { problem: 'height_not_credible', given: () => ({ height: 1_000_000 }) },
];

/** What the others see of the nodes that are gone or mute. */
function around(name: string, broken: ReadonlyMap<string, NodeFault>): Given {
  const peers = NAMES.filter((other) => other !== name && broken.get(other)?.isGone === undefined);
  return { peers };
}

const serviceFaults = {
  'container_down stats': diagnosedService('stats', { container: STOPPED, fault: refused }),
  'service_down stats': diagnosedService('stats', { fault: timeout }),
  'container_paused stats': diagnosedService('stats', {
    container: { running: false, status: 'paused' },
    fault: timeout,
  }),
} as const;

const nodeFault = fc.record({ name: fc.constantFrom(...NAMES), fault: fc.constantFrom(...FAULTS) });
const serviceFault = fc.constantFrom(...(Object.keys(serviceFaults) as (keyof typeof serviceFaults)[]));

const subnetWith = (broken: ReadonlyMap<string, NodeFault>) =>
  NAMES.map((name) => {
    const fault = broken.get(name);
    const seen = around(name, broken);
    return diagnosedNode(name, NAMES, fault === undefined ? seen : { ...seen, ...fault.given(name) });
  });

test('of two faults of different nodes both causes are found, the risk where no more may fail, and nothing else', () => {
  fc.assert(
    fc.property(nodeFault, nodeFault, (one, other) => {
      fc.pre(one.name !== other.name);
      const broken = new Map([one, other].map(({ name, fault }) => [name, fault] as const));
      const causes = [...broken].map(([name, { problem }]) => `${problem} ${name}`);
      // Five of seven must vote.
      const isAtRisk = one.fault.isMute && other.fault.isMute;
      const expected = [...causes, ...(isAtRisk ? ['quorum_at_risk'] : [])];
      expect(named(subnetWith(broken)).toSorted()).toEqual(expected.toSorted());
    }),
    { numRuns: 400 },
  );
});

test('of a fault of a node and one of a service both causes are found, and nothing else', () => {
  fc.assert(
    fc.property(nodeFault, serviceFault, ({ name, fault }, service) => {
      const targets = [...subnetWith(new Map([[name, fault]])), serviceFaults[service]];
      expect(named(targets).toSorted()).toEqual([`${fault.problem} ${name}`, service].toSorted());
    }),
    { numRuns: 200 },
  );
});

test('three nodes that do not vote halt a subnet of seven, whatever each of them has', () => {
  const stalls =
    ({ given }: NodeFault) =>
    (name: string): Given => ({ ...given(name) });
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...NAMES], { minLength: 3, maxLength: 3 }),
      fc.infiniteStream(fc.constantFrom(...FAULTS.slice(0, 4))),
      (names, faults) => {
        const broken = new Map(names.map((name) => [name, faults.next().value as NodeFault] as const));
        const targets = NAMES.map((name) => {
          const fault = broken.get(name);
          const seen = { ...around(name, broken), stalledMs: 200_000 };
          return diagnosedNode(name, NAMES, fault === undefined ? seen : { ...seen, ...stalls(fault)(name) });
        });
        const causes = [...broken].map(([name, { problem }]) => `${problem} ${name}`);
        expect(named(targets).toSorted()).toEqual([...causes, 'subnet_halted'].toSorted());
      },
    ),
    { numRuns: 200 },
  );
});

test('a halt is found although one node claims heights that rise, and no honest node is blamed', () => {
  const names = NAMES.slice(0, 4);
  const stalled = names.map((name) =>
    diagnosedNode(name, names, name === 'n1' ? { height: 1_000_000, stalledMs: 1_000 } : { stalledMs: 200_000 }),
  );
  expect(named(stalled)).toEqual(['height_not_credible n1', 'subnet_halted']);
  const [halt] = diagnosed(stalled).filter(({ problem }) => problem === 'subnet_halted');
  expect(halt?.evidence).toBe('no block after 1000 for 3m 20s; 4 of 4 masternodes can vote, 3 needed');
});

test('finality that is stalled is found although one node claims to commit', () => {
  const names = NAMES.slice(0, 4);
  const committed = (height: number, agoMs: number) => ({
    ...{ number: height, risen: true, lastGoodAt: NOW, advancedAt: NOW - agoMs, riseDueSince: NOW - agoMs },
  });
  const targets = names.map((name) => {
    const isLiar = name === 'n1';
    const node = diagnosedNode(name, names, isLiar ? { height: 1_000_000 } : {});
    const facts = { ...node.facts.node, committed: isLiar ? committed(999_998, 1_000) : committed(940, 90_000) };
    return { ...node, facts: { ...node.facts, node: facts as Facts['node'] } };
  });
  expect(named(targets)).toEqual(['height_not_credible n1', 'finality_stalled']);
});

test('a halted subnet is not said to commit no blocks beside that', () => {
  const names = NAMES.slice(0, 4);
  const since = (stalledMs: number, stopped: readonly string[] = []) =>
    named(
      names.map((name) => {
        if (stopped.includes(name))
          return diagnosedNode(name, names, {
            stalledMs,
            fault: { kind: 'refused', address: name },
            container: STOPPED,
          });
        const node = diagnosedNode(name, names, { stalledMs });
        const { latest } = node.facts.node ?? {};
        const committed = latest && { ...latest, number: 998, advancedAt: NOW - 90_000, riseDueSince: NOW - 90_000 };
        return { ...node, facts: { ...node.facts, node: { ...node.facts.node, committed } as Facts['node'] } };
      }),
    );
  expect(since(20_000)).toEqual(['finality_stalled']);
  expect(since(40_000)).toEqual(['subnet_halted']);
  // Nor while too few vote, before the halt is known.
  expect(since(20_000, ['n3', 'n4'])).toEqual(['container_down n3', 'container_down n4', 'quorum_at_risk']);
});

test('nodes that have not been seen to go on after a halt yet are not said to be missing', () => {
  const targets = NAMES.slice(0, 4).map((name, place) =>
    diagnosedNode(name, NAMES.slice(0, 4), {
      ...(place < 2 ? { height: 1_002, stalledMs: 1_000 } : { stalledMs: 60_000 }),
    }),
  );
  const subnet = { name: 'devnet', consensus: 'XDPoS', targets: targets.map(({ target }) => target) };
  const view = viewSubnet({ ...subnet, settings: DEFAULT_SETTINGS }, judgeTargets(targets, NOW), NOW);
  const halt = { problem: 'subnet_halted', state: 'clearing', explains: [] } as unknown as Problem;
  const problemsOf = (before: readonly Problem[]) => listCauses(view, before).map(({ problem }) => problem);
  expect(problemsOf([halt])).not.toContain('quorum_at_risk');
  expect(problemsOf([])).toContain('quorum_at_risk');
});

test('blocks that come again after a halt are not said to be never committed while the halt clears', () => {
  const targets = NAMES.map((name) => {
    const node = diagnosedNode(name, NAMES);
    const { latest } = node.facts.node ?? {};
    const committed = latest && { ...latest, number: 998, advancedAt: NOW - 90_000, riseDueSince: NOW - 90_000 };
    return { ...node, facts: { ...node.facts, node: { ...node.facts.node, committed } } as KnownTarget['facts'] };
  });
  const subnet = { name: 'devnet', consensus: 'XDPoS', targets: targets.map(({ target }) => target) };
  const view = viewSubnet({ ...subnet, settings: DEFAULT_SETTINGS }, judgeTargets(targets, NOW), NOW);
  const halt = { problem: 'subnet_halted', state: 'clearing', explains: [] } as unknown as Problem;
  expect(listCauses(view, [halt])).toEqual([]);
  expect(listCauses(view)).toMatchObject([{ problem: 'finality_stalled' }]);
});

test('a healthy subnet of any size has no problem, and neither has one whose peers and addresses are unknown', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 9 }), fc.boolean(), (count, isBlind) => {
      const names = Array.from({ length: count }, (_, index) => `n${index + 1}`);
      const chain = isBlind
        ? { address: undefined, nodeId: undefined, peerIds: undefined, masternodes: undefined }
        : {};
      expect(named(names.map((name) => diagnosedNode(name, names, { chain })))).toEqual([]);
    }),
  );
});

test('a masternode whose votes nobody has and whose rounds bring no block does not vote; one that only missed the quorum does', () => {
  const pool = { voteRounds: 8, neverSigned: [addressOf('n2')], timeouts: 0, timeoutRound: 0 };
  const rounds = [1_999, 1_992].map((round) => ({ round, miner: addressOf('n2') }));
  const missedRounds = { epochBlock: 0, epochRound: 0, rounds, byMiner: { [addressOf('n2')]: 2 } };
  const all = (chain: Given['chain']) => NAMES.map((name) => diagnosedNode(name, NAMES, { chain }));
  expect(named(all({ pool, missedRounds }))).toEqual(['node_not_voting n2']);
  expect(named(all({ pool }))).toEqual([]);
  // A pool may name them in another order, and one that has a vote of n2 shows that it votes.
  const others = ['n3', 'n2'].map(addressOf);
  const last = (neverSigned: readonly string[]) => [
    ...all({ pool: { ...pool, neverSigned: ['n2', 'n3'].map(addressOf) }, missedRounds }).slice(0, -1),
    diagnosedNode('n7', NAMES, { chain: { pool: { ...pool, neverSigned }, missedRounds } }),
  ];
  expect(named(last(others))).toEqual(['node_not_voting n2']);
  expect(named(last(others.slice(0, 1)))).toEqual([]);
  expect(named(all({ missedRounds }))).toEqual([]);
});

test('a node that gives no vote as it lacks a snapshot is to sync again, since a restart brings none back', () => {
  const pool = { voteRounds: 8, neverSigned: [addressOf('n2')], timeouts: 0, timeoutRound: 0 };
  const rounds = [1_999, 1_992].map((round) => ({ round, miner: addressOf('n2') }));
  const missedRounds = { epochBlock: 0, epochRound: 0, rounds, byMiner: { [addressOf('n2')]: 2 } };
  const fixOf = (agoMs: number, client: ClientName) => {
    const nodes = NAMES.map((name) => diagnosedNode(name, NAMES, { client, chain: { pool, missedRounds } }));
    const lacking = { means: 'note', count: 3, at: NOW - agoMs, order: 1, what: 'w', own: false } as const;
    const targets = nodes.map((node) => {
      if (node.target.name !== 'n2') return node;
      const logs = { ...(node.facts.logs as NonNullable<Facts['logs']>), patterns: { snapshot_missing: lacking } };
      return { ...node, facts: { ...node.facts, logs } };
    });
    const found = diagnosed(targets).find(({ problem }) => problem === 'node_not_voting');
    return [found?.evidence.split('; ')[1], found?.fix];
  };
  expect(fixOf(59_000, 'xdposchain')).toEqual([
    'its log says that it lacks the snapshot of a gap block',
    'stop n2, move only XDC/chaindata out of its data folder, and start it to sync again: a restart does not bring that snapshot back',
  ]);
  expect(fixOf(60_000, 'xdposchain')).toEqual([undefined, expect.stringMatching(/then restart it$/)]);
});

test('a fork names the minority, and none when the sides are equal', () => {
  const mark = (hash: string) => ({ chain: { block: { number: 960, hash } } });
  const sides = (count: number) =>
    NAMES.slice(0, 4).map((name, index) =>
      diagnosedNode(name, NAMES.slice(0, 4), mark(index < count ? '0xaaaaaaaaaa' : '0xbbbbbbbbbb')),
    );
  expect(named(sides(4))).toEqual([]);
  expect(named(sides(3))).toEqual(['chain_forked']);
  // Of heights that are asked one after another, the newest hash of each node.
  const marked = (...hashes: readonly (readonly string[])[]) =>
    named(
      sides(4).map((one, index) => {
        const { facts } = one;
        const marks = (hashes[index] ?? []).map((hash, place) => ({ number: 960 + 32 * place, hash }));
        const chain = { ...facts.node?.chain, marks };
        return { ...one, facts: { ...facts, node: { ...facts.node, chain } } } as typeof one;
      }),
    );
  // Who has the same block above again has come back, whether all were asked for that one yet or not.
  expect(marked(['a', 'c'], ['a', 'c'], ['a', 'c'], ['b', 'c'])).toEqual([]);
  expect(marked(['b', 'c'], ['a', 'c'], ['a', 'c'], ['a'])).toEqual([]);
  expect(marked(['a', 'c'], ['a', 'c'], ['a', 'c'], ['b', 'd'])).toEqual(['chain_forked']);
  expect(marked(['a', 'c'], ['a'], ['a'], ['b', 'd'])).toEqual(['chain_forked']);
  expect(marked(['a', 'c'], ['a', 'd'], ['a', 'c'], ['b', 'c'])).toEqual(['chain_forked']);
});
