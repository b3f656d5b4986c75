import { expect, test } from 'vitest';
import type { Facts, KnownTarget } from '../../../src/model/facts.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { type ProblemName, problemCatalog } from '../../../src/model/problem-catalog.ts';
import type { RestartAnswer } from '../../../src/model/restart-answer.ts';
import type { Epoch, SubnetState } from '../../../src/model/snapshot.ts';
import type { CheckName } from '../../../src/model/verdict.ts';
import { judgeRestart } from '../../../src/watch/diagnosis/judge-restart.ts';
import { addressOf, diagnosedNode, type Given, NOW, STOPPED } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';

const FOUR = ['n1', 'n2', 'n3', 'n4'];
const SEVEN = [...FOUR, 'n5', 'n6', 'n7'];
const AGO = (ms: number) => NOW - ms;

type Case = readonly [what: string, state: SubnetState, node: string, answer: Omit<RestartAnswer, 'headroom'>];

/** The state of a subnet whose nodes were all probed `probedMs` ago. */
function stateWith(
  given: Readonly<Record<string, Given>> = {},
  { names = FOUR, change = (known: KnownTarget): KnownTarget => known, probedMs = 2_000 } = {},
): SubnetState {
  const state = stateOf(names.map((name) => change(diagnosedNode(name, names, given[name]))));
  return {
    ...state,
    targets: state.targets.map((target) => ({
      ...target,
      checks: target.checks.map((check) => ({ ...check, lastRun: AGO(probedMs), since: AGO(3_600_000) })),
    })),
  };
}

const withFacts = (name: string, change: (facts: Facts) => Facts) => (known: KnownTarget) =>
  known.target.name === name ? { ...known, facts: change(known.facts) } : known;

const withProblem = (state: SubnetState, problem: ProblemName, over: Partial<Problem> = {}): SubnetState => {
  const { severity, alert } = problemCatalog[problem];
  const one: Problem = {
    ...{ problem, severity, alert, state: 'open', since: AGO(20_000), seenAt: NOW, summary: `it is ${problem}` },
    ...{ evidence: '', fix: '', explains: [], causes: [] },
    ...over,
  };
  return { ...state, problems: [...state.problems, one] };
};

const started = (ms: number) => ({ container: { startedAt: AGO(ms) } });
const askedAt = (name: string, ms: number) =>
  withFacts(name, ({ node, ...facts }) => ({
    ...facts,
    ...(node?.chain && { node: { ...node, chain: { ...node.chain, at: AGO(ms) } } }),
  }));
/** Its container crashed so long ago, and Docker has started it again each time. */
const crashing = (name: string, ...ago: readonly number[]) =>
  withFacts(name, ({ container, ...facts }) => {
    const [last = 0, ...earlier] = ago.map(AGO).toReversed();
    const crashed = { lastRestartBy: 'policy', lastRestartAt: last, earlierCrashes: earlier.toReversed() } as const;
    return { ...facts, ...(container && { container: { ...container, ...crashed } }) };
  });
/** A state at block 1,000, whose next epoch begins with this block at the latest. */
const withLatest = (state: SubnetState, nextFirstBlock: number): SubnetState => ({
  ...state,
  reference: 1_000,
  ...(state.epoch && { epoch: { ...state.epoch, nextFirstBlock, isNextAtLatest: true } }),
});

/** A state at block 1,000, whose next masternodes are chosen at this block. */
const withChoice = (choiceBlock: number, given: Readonly<Record<string, Given>> = {}): SubnetState => {
  const state = stateWith(given);
  return { ...state, ...(state.epoch && { epoch: { ...state.epoch, choiceBlock } }) };
};
/** A state at block 1,000, whose epoch began at this block. */
const withFirst = (firstBlock: number, given: Readonly<Record<string, Given>> = {}): SubnetState => {
  const state = stateWith(given);
  const place = { number: 1, firstBlock, choiceBlock: firstBlock + 450, nextFirstBlock: firstBlock + 900 };
  return { ...state, ...(state.epoch && { epoch: { ...state.epoch, ...place } }) };
};
const newEpoch = (block: number) =>
  `epoch 1 began at block ${block} with the snapshot of block ${block - 450}; a masternode that has lost it does not vote, which shows by block ${block + 30}`;
const THREE_VOTE = '3 other masternodes vote, 3 needed';
const nearChoice = (block: number) =>
  `a restart near block ${block}, where the chain chooses its next masternodes, may cost n1 the snapshot of them; wait for block ${block + 6}`;

const withoutContainers = (known: KnownTarget): KnownTarget => {
  const { container: _, ...facts } = known.facts;
  const { container: __, ...target } = known.target;
  return { target: target as KnownTarget['target'], facts };
};
const withoutContainer = (name: string) =>
  withFacts(name, ({ container, ...facts }) => ({
    ...facts,
    ...(container && { container: { ...container, observation: { kind: 'missing' } } }),
  }));
const masters = (over: object) => ({
  chain: {
    masternodes: { number: 2_000, round: 2_000, active: FOUR.map(addressOf), standby: [], penalised: [], ...over },
  },
});
const silentOf = (name: string) => ({
  chain: {
    pool: { voteRounds: 8, neverSigned: [addressOf(name)], timeouts: 0, timeoutRound: 0 },
    missedRounds: {
      epochBlock: 0,
      epochRound: 0,
      rounds: [1_999, 1_995, 1_991].map((round) => ({ round, miner: addressOf(name) })),
      byMiner: { [addressOf(name)]: 3 },
    },
  },
});
/** Its turn in this round brought no block, which alone says nothing of its votes. */
const missedBy = (name: string, round: number): Given => {
  const rounds = [round, 1_000].map((one) => ({ round: one, miner: addressOf(name) }));
  return { chain: { missedRounds: { epochBlock: 0, epochRound: 0, rounds, byMiner: { [addressOf(name)]: 2 } } } };
};
const all = (given: Given, names: readonly string[] = FOUR) => Object.fromEntries(names.map((name) => [name, given]));
/** It was silent for so long that it has lost its peers, and answers again. */
const backFromSilence = (name: string) =>
  withFacts(name, ({ node, ...facts }) => ({
    ...facts,
    ...(node && { node: { ...node, returned: { at: AGO(20_000), silentSince: AGO(40_000) } } }),
  }));
const refused = { fault: { kind: 'refused', address: 'x' } } as const;
const yes = (reason: string, required = 3, voting = 4) => ({ safe: true, known: true, reason, required, voting });
const no = (reason: string, required = 3, voting = 4) => ({ safe: false, known: true, reason, required, voting });
const nobodyKnows = (reason: string, required?: number, voting?: number) => ({
  ...{ safe: false, known: false, reason },
  ...(required !== undefined && { required, voting }),
});

/** The state when the masternodes that no node has named vote no more. */
const withoutKey = ({ epoch, ...state }: SubnetState): SubnetState => ({
  ...state,
  ...(epoch && {
    epoch: {
      ...epoch,
      masternodes: epoch.masternodes.map((one) => (one.name === undefined ? { ...one, vote: 'silent' as const } : one)),
    },
  }),
});

const CASES: readonly Case[] = [
  ['all four vote', stateWith(), 'n1', yes('3 other masternodes vote, 3 needed')],
  [
    'another one is stopped',
    stateWith({ n2: { ...refused, container: STOPPED } }),
    'n1',
    no('only 2 other masternodes can be counted on, 3 needed: the container of n2 does not run', 3, 3),
  ],
  [
    'it is stopped itself',
    stateWith({ n2: { ...refused, container: STOPPED } }),
    'n2',
    yes('the container of n2 does not run, so a restart costs no vote', 3, 3),
  ],
  [
    'another one went down a moment ago, with votes to spare',
    stateWith({ n2: { ...refused, container: { ...STOPPED, finishedAt: AGO(4_000) } } }, { names: SEVEN }),
    'n1',
    no('n2 went down 4s ago', 5, 6),
  ],
  [
    'another one is stopped for long, with votes to spare',
    stateWith({ n2: { ...refused, container: STOPPED } }, { names: SEVEN }),
    'n1',
    yes('5 other masternodes vote, 5 needed', 5, 6),
  ],
  [
    'another one was just started',
    stateWith({ n2: started(12_000) }),
    'n1',
    no('n2 was started 12s ago and must run for a minute'),
  ],
  [
    'another one is being stopped',
    stateWith(
      {},
      {
        change: withFacts('n3', ({ container, ...facts }) => ({
          ...facts,
          ...(container && { container: { ...container, lastStopRequest: { id: 'n3', at: AGO(3_000) } } }),
        })),
      },
    ),
    'n1',
    no('n3 is being stopped'),
  ],
  [
    'another one was made again, and has no container meanwhile',
    stateWith(
      { n3: refused },
      {
        names: SEVEN,
        change: withFacts('n3', ({ container, ...facts }) => ({
          ...facts,
          ...(container && {
            container: { ...container, observation: { kind: 'missing' }, lastExit: { code: 137, at: AGO(5_000) } },
          }),
        })),
      },
    ),
    'n1',
    no('n3 went down 5s ago', 5, 6),
  ],
  [
    'another one crashes again and again, and has just ended once more',
    stateWith(
      { n3: { ...refused, container: { running: false, status: 'restarting', finishedAt: AGO(4_000) } } },
      { change: crashing('n3', 50_000, 30_000, 10_000), names: SEVEN },
    ),
    'n1',
    yes('5 other masternodes vote, 5 needed', 5, 6),
  ],
  [
    'another one has run for two minutes, and was not asked for its votes since',
    stateWith({ n2: started(120_000) }, { change: askedAt('n2', 90_000) }),
    'n1',
    no('n2 has not been asked for its votes since the first minute after its start'),
  ],
  [
    'another one has run for two minutes, and lacks a peer',
    stateWith({ n2: { ...started(120_000), peers: ['n1', 'n3'] } }),
    'n1',
    no('n2 has 2 of 3 peers 2m after its start'),
  ],
  [
    'another one has run for two minutes, and lacks the peer that was silent a moment ago',
    stateWith({ n2: { ...started(120_000), peers: ['n1', 'n3'] } }, { change: backFromSilence('n4') }),
    'n1',
    yes('3 other masternodes vote, 3 needed'),
  ],
  [
    'another one has run for two minutes, and lacks the peer that was just started',
    stateWith({ n2: { ...started(120_000), peers: ['n1', 'n4'] }, n3: started(5_000) }),
    'n1',
    no('n3 was started 5s ago and must run for a minute'),
  ],
  [
    'another one has run for two minutes and votes again',
    stateWith({ n2: started(120_000) }),
    'n1',
    yes('3 other masternodes vote, 3 needed'),
  ],
  [
    'another one runs since its restart and does not vote',
    stateWith({ ...all(silentOf('n2')), n2: { ...silentOf('n2'), ...started(300_000) } }),
    'n1',
    no('only 2 other masternodes can be counted on, 3 needed: n2 runs but does not vote', 3, 3),
  ],
  [
    'another one refuses subnetd, and may well vote',
    stateWith({ n2: { fault: { kind: 'status', status: 401 } } }),
    'n1',
    nobodyKnows('only 2 other masternodes can be counted on, 3 needed: n2 cannot be seen from here', 3, 4),
  ],
  [
    'another one has missed its last turn, as after a restart of subnetd while it does not vote',
    stateWith(all(missedBy('n2', 1_997))),
    'n1',
    nobodyKnows(
      'only 2 other masternodes can be counted on, 3 needed: n2 made no block in the last of its turns that were counted',
      3,
      3,
    ),
  ],
  [
    'another one has had a turn since',
    stateWith(all(missedBy('n2', 1_996))),
    'n1',
    yes('3 other masternodes vote, 3 needed'),
  ],
  [
    'another one has missed its last turn, with votes to spare',
    stateWith(all(missedBy('n2', 1_997), SEVEN), { names: SEVEN }),
    'n1',
    yes('5 other masternodes vote, 5 needed', 5, 6),
  ],
  [
    'it runs and does not vote itself',
    stateWith(all(silentOf('n2'))),
    'n2',
    yes('3 other masternodes vote, 3 needed', 3, 3),
  ],
  [
    'another one is behind',
    stateWith({ n2: { height: 960 } }),
    'n1',
    no('only 2 other masternodes can be counted on, 3 needed: n2 is behind the other nodes', 3, 3),
  ],
  [
    'another one is behind, and no problem says so yet',
    { ...stateWith({ n2: { height: 960 } }), problems: [] },
    'n1',
    no('only 2 other masternodes can be counted on, 3 needed: n2 is 40 blocks behind', 3, 3),
  ],
  [
    'another one has had no new block, and no problem says so yet',
    { ...stateWith({ n2: { stalledMs: 40_000, height: 998 } }), problems: [] },
    'n1',
    no('only 2 other masternodes can be counted on, 3 needed: n2 has had no new block for 40s', 3, 3),
  ],
  [
    'another one whose log has shown its next block since it was asked',
    {
      ...stateWith(
        { n2: { stalledMs: 40_000, passedMs: undefined } },
        {
          change: withFacts('n2', ({ logs, ...facts }) => ({
            ...facts,
            ...(logs?.node && { logs: { ...logs, node: { ...logs.node, height: 1_001, advancedAt: AGO(1_000) } } }),
          })),
        },
      ),
      problems: [],
    },
    'n1',
    yes('3 other masternodes vote, 3 needed', 3, 4),
  ],
  [
    'another one does not answer',
    stateWith({ n2: refused }),
    'n1',
    no('only 2 other masternodes can be counted on, 3 needed: n2 does not answer', 3, 3),
  ],
  [
    'it does not answer itself, and may vote',
    stateWith({ n2: refused }),
    'n2',
    yes('3 other masternodes vote, 3 needed', 3, 3),
  ],
  [
    'it crashes again and again',
    stateWith({ n2: refused }, { change: crashing('n2', 40_000, 30_000, 20_000) }),
    'n2',
    yes('n2 crashes again and again, so a restart costs no vote', 3, 3),
  ],
  [
    'it has crashed twice, which two reasons may have',
    stateWith({ n2: refused }, { change: crashing('n2', 40_000, 20_000) }),
    'n2',
    yes('3 other masternodes vote, 3 needed', 3, 3),
  ],
  [
    'two others have one key, which is one vote',
    stateWith({ n4: { chain: { address: addressOf('n3') } } }),
    'n1',
    nobodyKnows(
      'only 2 other masternodes can be counted on, 3 needed: 1 masternode of 4 has no node in the inventory, and n3 and n4 run with one key; give each node its own key',
      3,
      3,
    ),
  ],
  [
    'another one has a key that is of no masternode',
    stateWith({ n4: { chain: { address: '0xother' } } }),
    'n1',
    nobodyKnows(
      'only 2 other masternodes can be counted on, 3 needed: 1 masternode of 4 has no node in the inventory, and n4 runs with the key of no masternode; give each node its own key',
      3,
      4,
    ),
  ],
  [
    'it is connected to no network, while another one has just been started',
    stateWith({ n1: { ...refused, container: { lostNetwork: 'docker_net' } }, n2: started(2_000) }),
    'n1',
    yes('n1 is connected to no network, so a restart costs no vote', 3, 2),
  ],
  [
    'it does not answer and nobody has asked it since',
    stateWith({}, { probedMs: 90_000 }),
    'n2',
    nobodyKnows('no other masternode can be counted on, 3 needed: no probe of n1 has ended for 1m 30s', 3, 4),
  ],
  [
    'Docker has no container of it, but it answers: the inventory may name a wrong one',
    stateWith({ n2: refused }, { change: withoutContainer('n1') }),
    'n1',
    no('only 2 other masternodes can be counted on, 3 needed: n2 does not answer', 3, 3),
  ],
  [
    'Docker has no container of another one that answers: the inventory may name a wrong one',
    stateWith({}, { change: withoutContainer('n2') }),
    'n1',
    yes('3 other masternodes vote, 3 needed'),
  ],
  [
    'Docker has no container of it, and it does not answer',
    stateWith({ n1: refused, n2: refused }, { change: withoutContainer('n1') }),
    'n1',
    yes('n1 has no container, so a restart costs no vote', 3, 2),
  ],
  [
    'a new epoch has begun, and the masternodes are those of the one before',
    { ...stateWith(all(masters({ penalised: [addressOf('n4')] }))), reference: 2_700 },
    'n4',
    nobodyKnows('a new epoch has begun, and no node has named its masternodes yet'),
  ],
  [
    'by rounds, the epoch may begin at an earlier block than that by which it must',
    withLatest(stateWith(all(masters({}))), 1_006),
    'n4',
    nobodyKnows('epoch 3 begins with block 1006 at the latest, in 6 blocks, and no node has named its masternodes yet'),
  ],
  [
    'by rounds, the next epoch is still some blocks away',
    withLatest(stateWith(all(masters({}))), 1_007),
    'n4',
    yes('3 other masternodes vote, 3 needed', 3, 4),
  ],
  [
    'it is penalised',
    stateWith(all(masters({ active: ['n1', 'n2', 'n3'].map(addressOf), penalised: [addressOf('n4')] }))),
    'n4',
    yes('n4 is penalised and does not vote, so a restart costs no vote', 3, 3),
  ],
  [
    'another one is penalised, so that all others are needed',
    stateWith(all(masters({ active: ['n1', 'n2', 'n3'].map(addressOf), penalised: [addressOf('n4')] }))),
    'n1',
    no('3 of 3 masternodes must vote, so no block comes while one restarts', 3, 3),
  ],
  [
    'it is on standby',
    stateWith(all(masters({ active: ['n1', 'n2', 'n3'].map(addressOf), standby: [addressOf('n4')] }))),
    'n4',
    yes('n4 is on standby and does not vote, so a restart costs no vote', 3, 3),
  ],
  [
    'it is not a masternode',
    stateWith(all(masters({ active: ['n1', 'n2', 'n3'].map(addressOf) }))),
    'n4',
    yes('n4 is not a masternode, so a restart costs no vote', 3, 3),
  ],
  [
    'a masternode is not in the inventory',
    stateWith(all(masters({ active: [...['n1', 'n2', 'n3'].map(addressOf), '0xelsewhere'] })), {
      names: ['n1', 'n2', 'n3'],
    }),
    'n1',
    nobodyKnows(
      'only 2 other masternodes can be counted on, 3 needed: 1 masternode of 4 is not in the inventory; add its node',
      3,
      4,
    ),
  ],
  [
    'no node has the key of a masternode',
    withoutKey(
      stateWith(all(masters({ active: [...['n1', 'n2', 'n3'].map(addressOf), '0xelsewhere'] })), {
        names: ['n1', 'n2', 'n3'],
      }),
    ),
    'n1',
    no(
      'only 2 other masternodes can be counted on, 3 needed: 0xelsewher… does not vote, and no node has its key',
      3,
      4,
    ),
  ],
  [
    'another one is down since subnetd started, so its address is not known',
    stateWith({ n2: { ...refused, chain: { address: undefined } } } as Readonly<Record<string, Given>>),
    'n1',
    nobodyKnows(
      'only 2 other masternodes can be counted on, 3 needed: n2 does not answer, and n2 has not said by which address it votes',
      3,
      3,
    ),
  ],
  [
    'another one is down since subnetd started, and the masternode that can only be its own has no vote in any pool',
    stateWith({
      ...all(silentOf('n2'), ['n1', 'n3', 'n4']),
      n2: { ...refused, chain: { address: undefined } },
    } as Readonly<Record<string, Given>>),
    'n1',
    no('only 2 other masternodes can be counted on, 3 needed: n2 does not answer', 3, 3),
  ],
  [
    'another one has not said by which address it votes',
    stateWith({ n2: { chain: { address: undefined } } } as Readonly<Record<string, Given>>),
    'n1',
    nobodyKnows(
      'only 2 other masternodes can be counted on, 3 needed: n2 has not said by which address it votes',
      3,
      4,
    ),
  ],
  [
    'Docker does not answer',
    stateWith(
      {},
      {
        change: withFacts('n2', ({ container, ...facts }) => ({
          ...facts,
          ...(container && {
            container: {
              ...container,
              observation: { kind: 'docker-unreachable', why: { address: '/var/run/docker.sock', code: 'ENOENT' } },
            },
          }),
        })),
      },
    ),
    'n1',
    nobodyKnows(
      'only 2 other masternodes can be counted on, 3 needed: Docker does not answer, so a restart of n2 would not be seen',
      3,
      4,
    ),
  ],
  [
    'no node has named the masternodes',
    stateWith(
      {},
      {
        change: (known) => ({
          ...known,
          facts: { ...known.facts, node: { ...known.facts.node, chain: undefined } } as Facts,
        }),
      },
    ),
    'n1',
    nobodyKnows('no node has named the masternodes yet'),
  ],
  [
    'the masternodes were named long ago',
    stateWith({}, { change: (known) => askedAt(known.target.name, 400_000)(known) }),
    'n1',
    nobodyKnows('no node has named the masternodes for 6m 40s'),
  ],
  [
    'subnetd cannot reach any node',
    withProblem(stateWith(), 'monitor_offline', { state: 'suspected' }),
    'n1',
    nobodyKnows('subnetd cannot reach any node'),
  ],
  [
    'subnetd was suspended',
    withProblem(stateWith(), 'monitor_suspended', { summary: 'subnetd was suspended' }),
    'n1',
    nobodyKnows('subnetd was suspended shortly before'),
  ],
  [
    'subnetd was suspended minutes ago',
    withProblem(stateWith(), 'monitor_suspended', { since: AGO(120_000) }),
    'n1',
    yes('3 other masternodes vote, 3 needed'),
  ],
  [
    'the subnet is halted',
    withProblem(stateWith(), 'subnet_halted'),
    'n1',
    no('the subnet is halted: restart only what its problem names'),
  ],
  [
    'the subnet is halted and the node hangs',
    withProblem(
      stateWith({ n1: { ...refused, stalledMs: 90_000 }, n2: { ...refused, stalledMs: 90_000 } }),
      'subnet_halted',
    ),
    'n1',
    yes('the subnet is halted and n1 takes no part, so a restart costs no vote', 3, 2),
  ],
  [
    'the subnet is halted and the node was just started',
    withProblem(
      stateWith({
        n1: { ...refused, stalledMs: 90_000, ...started(2_000) },
        n2: { ...refused, stalledMs: 90_000 },
      }),
      'subnet_halted',
    ),
    'n1',
    no('the subnet is halted: restart only what its problem names', 3, 2),
  ],
  [
    'the chain is forked',
    withProblem(stateWith(), 'chain_forked'),
    'n1',
    no('the chain is forked: restart only what its problem names'),
  ],
  [
    'another one claims a height that no chain has, and may vote all the same',
    withProblem(stateWith({ n2: { height: 10_000_000 } }), 'height_not_credible', { component: 'node', name: 'n2' }),
    'n1',
    nobodyKnows('only 2 other masternodes can be counted on, 3 needed: the height of n2 is not credible', 3, 4),
  ],
  [
    'the chain was forked until shortly before',
    withProblem(stateWith(), 'chain_forked', { state: 'clearing', clearingSince: AGO(30_000) }),
    'n1',
    no('the chain was forked until 30s ago'),
  ],
  [
    'the subnet was halted until shortly before, and two others are out again',
    withProblem(
      stateWith({ n2: { ...refused, stalledMs: 90_000 }, n3: { ...refused, stalledMs: 90_000 } }),
      'subnet_halted',
      { state: 'clearing', clearingSince: AGO(30_000) },
    ),
    'n1',
    no('only 1 other masternode can be counted on, 3 needed: n2 does not answer', 3, 2),
  ],
  [
    'no block is committed, as is suspected',
    withProblem(stateWith(), 'finality_stalled', { state: 'suspected' }),
    'n1',
    no('no block is committed'),
  ],
  [
    'another one has a problem that is only suspected',
    withProblem(stateWith(), 'miner_loop_stopped', { component: 'node', name: 'n2', state: 'suspected' }),
    'n1',
    no('only 2 other masternodes can be counted on, 3 needed: it is miner_loop_stopped'),
  ],
  [
    'the problem of another one is no longer found',
    withProblem(stateWith(), 'node_stalled', { component: 'node', name: 'n2', state: 'clearing' }),
    'n1',
    yes('3 other masternodes vote, 3 needed'),
  ],
  [
    'another one is announced to be worked on',
    {
      ...stateWith(),
      plannedWork: [
        { subnet: 'devnet', name: 'n2', reason: 'disks', by: 'ops', from: 0, until: Date.UTC(2026, 11, 1, 22) },
      ],
    },
    'n1',
    no(
      'only 2 other masternodes can be counted on, 3 needed: n2 is announced to be worked on until 2026-12-01 22:00 UTC',
      3,
      4,
    ),
  ],
  [
    'work on the whole subnet is announced, as a rolling upgrade is',
    {
      ...stateWith(),
      plannedWork: [{ subnet: 'devnet', reason: 'upgrade', by: 'ops', from: 0, until: Date.UTC(2026, 11, 1, 22) }],
    },
    'n1',
    yes('3 other masternodes vote, 3 needed'),
  ],
  [
    'a service is down',
    withProblem(stateWith(), 'service_down', { component: 'stats', name: 'stats' }),
    'n1',
    yes('3 other masternodes vote, 3 needed'),
  ],
  ['an epoch has just begun', withFirst(1_000), 'n1', no(newEpoch(1_000))],
  ['an epoch has begun less than a minute ago', withFirst(971), 'n1', no(newEpoch(971))],
  ['an epoch has begun a minute ago', withFirst(970), 'n1', yes('3 other masternodes vote, 3 needed')],
  ['the choice comes in five blocks', withChoice(1_005), 'n1', no(nearChoice(1_005))],
  ['the choice was five blocks ago', withChoice(995), 'n1', no(nearChoice(995))],
  // Who takes no part loses no vote there.
  ['an epoch has begun and it hangs', withFirst(1_000, { n1: refused }), 'n1', yes(THREE_VOTE, 3, 3)],
  ['the choice comes and it hangs', withChoice(1_005, { n1: refused }), 'n1', yes(THREE_VOTE, 3, 3)],
  ['the choice comes later', withChoice(1_006), 'n1', yes('3 other masternodes vote, 3 needed')],
  ['the choice was longer ago', withChoice(994), 'n1', yes('3 other masternodes vote, 3 needed')],
  [
    'few vote near the choice, which passes sooner',
    withChoice(1_000, { n2: { ...refused, container: STOPPED } }),
    'n1',
    no('only 2 other masternodes can be counted on, 3 needed: the container of n2 does not run', 3, 3),
  ],
  [
    'it is stopped near the choice',
    withChoice(1_000, { n1: { ...refused, container: STOPPED } }),
    'n1',
    yes('the container of n1 does not run, so a restart costs no vote', 3, 3),
  ],
  [
    'no container is named, and all have answered for an hour',
    stateWith({}, { change: withoutContainers }),
    'n1',
    yes('3 other masternodes vote, 3 needed'),
  ],
];

test.each(CASES)('%s', (_, state, node, expected) => {
  const given = judgeRestart(state, node, { now: NOW, freshSince: AGO(20_000) });
  const { headroom, unready: _unready, container: _container, ...answer } = given ?? {};
  expect(answer).toEqual(expected);
  const { voting, required } = expected;
  expect(headroom).toBe(voting === undefined || required === undefined ? undefined : voting - required);
});

test('the headline counts on as many as the answer does', () => {
  const healthy = 'devnet is healthy: it can lose 1 more node';
  const told = (given: Readonly<Record<string, Given>>, names = FOUR, change?: (known: KnownTarget) => KnownTarget) => {
    const { headline } = stateWith(given, { names, change });
    return [headline?.sentence, headline?.detail];
  };
  expect(told(all(missedBy('n2', 1_996)))).toEqual([healthy, '4 of 4 masternodes can vote, 3 needed.']);
  const doubtful = ['devnet is running', '3 or 4 of 4 masternodes can vote, 3 needed.'];
  expect(told(all(missedBy('n2', 1_997)))).toEqual(doubtful);
  // Since subnetd started n2 was read twice, and stands below the others. Read once, as any other, it may have risen since.
  const unrisen = (advancedAt: number) =>
    withFacts('n2', ({ node, ...facts }) => ({
      ...facts,
      ...(node?.latest && { node: { ...node, latest: { ...node.latest, risen: false, advancedAt } } }),
    }));
  expect(told({ n2: { height: 998 } }, FOUR, unrisen(AGO(5_000)))).toEqual(doubtful);
  expect(told({ n2: { height: 998 } }, FOUR, unrisen(NOW))[1]).toMatch(/^4 of 4 masternodes can vote/);
  expect(told({}, FOUR, unrisen(AGO(5_000)))[1]).toMatch(/^4 of 4 masternodes can vote/);
  // Its turn was missed because no block came.
  const halted = told(Object.fromEntries(FOUR.map((name) => [name, { ...missedBy('n2', 1_997), stalledMs: 17_000 }])));
  expect(halted[1]).toContain('4 of 4 masternodes can vote, 3 needed.');
  // The key that nobody may have, and one whose node is known to be out.
  expect(told({ n4: { chain: { address: addressOf('n3') } } })[1]).toMatch(/^3 or 4 of 4 masternodes can vote/);
  expect(told({ ...all(missedBy('n2', 1_997), SEVEN), n2: refused }, SEVEN)[1]).toMatch(/^6 of 7 masternodes/);
});

/** The state of nodes without containers, of which n2 answers again since then, or some of its checks pass again. */
const backSince = (ms: number, verdict: 'pass' | 'fail' = 'pass', which?: CheckName): SubnetState => {
  const state = stateWith(verdict === 'fail' ? { n2: refused } : {}, { change: withoutContainers });
  return {
    ...state,
    targets: state.targets.map((one) =>
      one.target.name === 'n2'
        ? {
            ...one,
            checks: one.checks.map((check) =>
              (which ?? check.check) === check.check ? { ...check, since: AGO(ms) } : check,
            ),
          }
        : one,
    ),
  };
};
const reasonOf = (state: SubnetState, node = 'n1') =>
  judgeRestart(state, node, { now: NOW, freshSince: AGO(20_000) })?.reason;

test('where no container is known, a restart shows as a time without an answer', () => {
  expect(reasonOf(backSince(5_000, 'fail'))).toBe('n2 does not answer');
  expect(reasonOf(backSince(70_000, 'fail'))).toContain('3 needed: n2 does not answer');
  expect(reasonOf(backSince(40_000))).toBe('n2 has been seen to answer well for less than a minute');
  expect(reasonOf(backSince(80_000))).toBe(
    'n2 has not been asked for its votes since the first minute after it was first seen to answer',
  );
  expect(reasonOf(backSince(100_000))).toBe('3 other masternodes vote, 3 needed');
});

test('a node that answered all through a halt was not restarted', () => {
  expect(reasonOf(backSince(40_000, 'pass', 'latest_block'))).toBe('3 other masternodes vote, 3 needed');
  expect(reasonOf(backSince(40_000, 'pass', 'peers'))).toBe('3 other masternodes vote, 3 needed');
});

test('a node that the subnet does not have gets no answer, and a service has none', () => {
  expect(reasonOf(stateWith(), 'n9')).toBeUndefined();
});

test('while the diagnosis breaks nobody knows of a node that may vote, for its votes and problems are old', () => {
  const state = { ...stateWith(), brokenDiagnosis: { foundAt: AGO(10_000) } };
  expect(judgeRestart(state, 'n1', { now: NOW, freshSince: AGO(20_000) })).toMatchObject({
    safe: false,
    known: false,
    reason: 'the diagnosis of the subnet breaks, which is a bug in subnetd',
  });
});

test('before the first round nobody knows', () => {
  const { quorum: _, members: __, epoch: ___, ...state } = stateWith();
  expect(judgeRestart(state, 'n1', { now: NOW, freshSince: AGO(20_000) })).toEqual({
    safe: false,
    known: false,
    reason: 'nothing is known about the votes now',
    unready: 'nothing is known about the votes now',
  });
});

const ownOf = (state: SubnetState, wallAheadMs = 0) => {
  const { unready, container } = judgeRestart(state, 'n1', { now: NOW, freshSince: AGO(20_000), wallAheadMs }) ?? {};
  return { unready, container };
};

test('the answer says whether the node itself is relied on again, and which container it has since when', () => {
  expect(ownOf(stateWith(), 5_000)).toEqual({
    unready: undefined,
    container: { name: 'generated-n1-1', startedAt: AGO(3_600_000) + 5_000 },
  });
  expect(ownOf(stateWith({ n1: started(12_000) })).unready).toBe('n1 was started 12s ago and must run for a minute');
  expect(ownOf(stateWith({ n1: { container: STOPPED, ...refused } })).unready).toBe('the container of n1 does not run');
  // Work on the node in question is announced because it is about to be restarted.
  const work = { subnet: 'devnet', name: 'n1', from: 0, until: NOW + 60_000, reason: 'upgrade', by: 'me' };
  expect(ownOf({ ...stateWith(), plannedWork: [work] }).unready).toBeUndefined();
});

const withMasternodes = (
  state: SubnetState,
  change: (all: Epoch['masternodes']) => Epoch['masternodes'],
): SubnetState =>
  state.epoch === undefined
    ? state
    : { ...state, epoch: { ...state.epoch, masternodes: change(state.epoch.masternodes) } };

/** When n1 makes its next block, where every node says in which round its newest block came, and how long ago. */
function turnAt(
  round: number,
  agoMs: number,
  change: (all: Epoch['masternodes']) => Epoch['masternodes'] = (all) => all,
) {
  const latest = { ok: true, value: { number: 1_000, round, timestamp: AGO(agoMs) / 1_000 } } as const;
  const withRound = (known: KnownTarget): KnownTarget =>
    withFacts(known.target.name, ({ node, ...facts }) => ({
      ...facts,
      ...(node && { node: { ...node, observation: { ...node.observation, latest } } }),
    }))(known);
  const state = withMasternodes(stateWith({}, { change: withRound }), change);
  const answer = judgeRestart(state, 'n1', { now: NOW, freshSince: AGO(20_000) });
  return [answer?.nextTurnMs, answer?.turnEveryMs];
}

test('the next turn of a node comes by the round of the newest block, its time and the mine period', () => {
  expect(turnAt(2_700, 0)).toEqual([8_000, 8_000]);
  expect(turnAt(2_700, 1_500)).toEqual([6_500, 8_000]);
  expect(turnAt(2_701, 500)).toEqual([5_500, 8_000]);
  expect(turnAt(2_703, 2_000)).toEqual([0, 8_000]);
  // A round that times out, and a clock that is behind.
  expect(turnAt(2_703, 9_000)).toEqual([0, 8_000]);
  expect(turnAt(2_703, -9_000)).toEqual([2_000, 8_000]);
});

test('no node is restarted while no block comes for longer than a turn that times out takes', () => {
  const reasonAfter = (ms: number, name = 'n1', given: Readonly<Record<string, Given>> = {}) => {
    const change = (known: KnownTarget): KnownTarget =>
      withFacts(known.target.name, ({ node, ...facts }) => ({
        ...facts,
        ...(node?.latest && { node: { ...node, latest: { ...node.latest, advancedAt: AGO(ms) } } }),
      }))(known);
    const state = { ...stateWith(given, { change }), stallAfterMs: 28_000 };
    return judgeRestart(state, name, { now: NOW, freshSince: AGO(20_000) })?.reason;
  };
  expect(reasonAfter(14_000)).toBe(THREE_VOTE);
  expect(reasonAfter(14_001)).toBe('no block has come for 14s');
  // A node that is a block behind shows nothing of that, but two of four do, as the others cannot go on without them.
  const behind = { height: 999, stalledMs: 20_000 };
  const reasonWith = (given: Readonly<Record<string, Given>>) =>
    judgeRestart(stateWith(given), 'n1', { now: NOW, freshSince: AGO(20_000) })?.reason;
  expect(reasonWith({ n4: behind })).toBe(THREE_VOTE);
  expect(reasonWith({ n3: behind, n4: behind })).toBe('no block has come for 20s');
  expect(reasonAfter(20_000, 'n2', { n2: { ...refused, container: STOPPED } })).toBe(
    'the container of n2 does not run, so a restart costs no vote',
  );
});

test('how long a container takes to stop is what its own last stop took, else the slowest of the others', () => {
  const stopOf = (took: Readonly<Record<string, number>>) => {
    const change = (known: KnownTarget): KnownTarget =>
      withFacts(known.target.name, ({ container, ...facts }) => ({
        ...facts,
        ...(container && { container: { ...container, stopTookMs: took[known.target.name] } }),
      }))(known);
    const latest = { ok: true, value: { number: 1_000, round: 2_700, timestamp: NOW / 1_000 } } as const;
    const withRound = (known: KnownTarget): KnownTarget =>
      withFacts(known.target.name, ({ node, ...facts }) => ({
        ...facts,
        ...(node && { node: { ...node, observation: { ...node.observation, latest } } }),
      }))(change(known));
    return judgeRestart(stateWith({}, { change: withRound }), 'n1', { now: NOW, freshSince: AGO(20_000) })?.stopMs;
  };
  expect(stopOf({ n1: 300, n2: 10_100 })).toBe(300);
  expect(stopOf({ n2: 10_100, n3: 4_000 })).toBe(10_100);
  expect(stopOf({})).toBeUndefined();
});

test('with each epoch, turns begin with the first masternode again', () => {
  // 900 rounds are 128 turns of seven and 4 more.
  const seven = () => SEVEN.map((name) => ({ address: addressOf(name), name, vote: 'votes' as const }));
  expect(turnAt(1_799, 0, seven)).toEqual([2_000, 14_000]);
  expect(turnAt(1_795, 0, seven)).toEqual([2_000, 14_000]);
  expect(turnAt(1_796, 0, seven)).toEqual([8_000, 14_000]);
});

test('a node on standby, and one of a chain whose rounds nobody has said, have no next turn', () => {
  const standby = (all: Epoch['masternodes']) =>
    all.map((one) => (one.name === 'n1' ? { ...one, vote: 'standby' as const } : one));
  expect(turnAt(2_700, 0, standby)).toEqual([undefined, undefined]);
  expect(judgeRestart(stateWith(), 'n1', { now: NOW, freshSince: AGO(20_000) })?.nextTurnMs).toBeUndefined();
});

test('the numbers have no vote of a node that has just gone away, and spare none while no block comes', () => {
  const numbersOf = (state: SubnetState) => {
    const { voting, headroom, nextTurnMs } = judgeRestart(state, 'n1', { now: NOW, freshSince: AGO(20_000) }) ?? {};
    return [voting, headroom, nextTurnMs];
  };
  const state = stateWith();
  const targets = state.targets.map((one) => {
    const { node } = one.facts;
    if (node === undefined || one.target.name !== 'n2') return one;
    return {
      ...one,
      facts: { ...one.facts, node: { ...node, observation: { ...node.observation, answered: false } } },
    };
  });
  expect(numbersOf(state).slice(0, 2)).toEqual([4, 1]);
  expect(numbersOf({ ...state, targets }).slice(0, 2)).toEqual([3, 0]);
  expect(numbersOf({ ...state, quietMs: 20_000 })).toEqual([4, 0, undefined]);
});
