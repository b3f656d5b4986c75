import type { ChainObservation } from '../../src/model/chain.ts';
import type { Facts, KnownTarget } from '../../src/model/facts.ts';
import type { Container, Fault } from '../../src/model/observation.ts';
import type { WalletFacts } from '../../src/model/parent-chain.ts';
import { indexProblems, type Problem, type Suspicion } from '../../src/model/problem.ts';
import type { TargetState } from '../../src/model/snapshot.ts';
import {
  type ClientName,
  DEFAULT_SETTINGS,
  type NodeTarget,
  type ServiceTarget,
  type Subnet,
} from '../../src/model/target.ts';
import { diagnose } from '../../src/watch/diagnosis/diagnose.ts';
import { NETWORK_FAULTS } from '../../src/watch/diagnosis/find-unseen.ts';
import { type FollowedProblems, followProblems } from '../../src/watch/diagnosis/follow-problems.ts';
import type { SubnetView } from '../../src/watch/diagnosis/subnet-view.ts';
import { viewSubnet } from '../../src/watch/diagnosis/view-subnet.ts';
import { judgeTargets } from './judge-targets.ts';

/** When everything is judged. */
export const NOW = 10_000_000;

const HOUR_MS = 3_600_000;
const log = { sources: { container: { up: true, lines: 9, since: NOW - HOUR_MS } }, patterns: {} };
/** The log of a node to which there is no way. */
const unread = {
  sources: { container: { up: false, lines: 9, since: NOW - HOUR_MS, fault: { what: 'docker-unreachable' } } },
  patterns: {},
} as const;

/** A container that has run for an hour. */
export const containerOf = (name: string, over: Partial<Container> = {}): Facts['container'] => ({
  observation: {
    kind: 'found',
    container: {
      id: name,
      name: `generated-${name}-1`,
      running: true,
      status: 'running',
      startedAt: NOW - HOUR_MS,
      oomKilled: false,
      restartCount: 0,
      ...over,
    },
  },
  restarts: 0,
  oomKills: 0,
  inspected: true,
});

/** A wallet that has just been read for the first time. */
export const walletOf = (balance: bigint): WalletFacts => ({
  balance,
  readAt: NOW,
  richSince: NOW,
  changedAt: NOW,
  parts: [],
  recent: [],
});

/** A container as somebody's `docker stop` leaves it. */
export const STOPPED: Partial<Container> = {
  running: false,
  status: 'exited',
  exitCode: 137,
  finishedAt: NOW - 70_000,
};

/** What is known of one node of a subnet. */
export interface Given {
  readonly height?: number;
  /** How long its height has not risen. */
  readonly stalledMs?: number;
  /** How long half of the nodes are known to be above it; as long as it has not risen, unless it is given. */
  readonly passedMs?: number | undefined;
  /** The names of the nodes that it is connected to. */
  readonly peers?: readonly string[];
  readonly fault?: Fault;
  readonly container?: Partial<Container>;
  readonly chain?: Partial<ChainObservation>;
  readonly client?: ClientName;
}

export const addressOf = (name: string): string => `0x${name}`;

/** A node among nodes of these names. */
export function diagnosedNode(name: string, names: readonly string[], given: Given = {}): KnownTarget {
  const others = names.filter((one) => one !== name);
  const { height = 1_000, stalledMs = 2_000, peers = others, fault, container } = given;
  const at = NOW - stalledMs;
  const { passedMs } = 'passedMs' in given ? given : { passedMs: stalledMs };
  const target: NodeTarget = {
    subnet: 'devnet',
    component: 'node',
    name,
    rpc: `http://192.0.2.1:85${name.slice(-1)}`,
    container: { project: 'generated', service: name },
    consoleExec: false,
    expectedPeers: others.length,
    logFiles: [],
    patterns: [],
    ...(given.client && { client: given.client }),
  };
  // A node that does not answer has not done so since its start.
  const lastGoodAt = fault && container?.startedAt !== undefined ? container.startedAt - 1 : NOW;
  const latest = {
    ...{ number: height, advancedAt: at, riseDueSince: at, lastGoodAt, risen: true },
    ...(passedMs !== undefined && { passedAt: NOW - passedMs }),
  };
  const observation: ChainObservation = {
    chainId: 28656,
    genesis: '0xgenesis',
    address: addressOf(name),
    nodeId: `id-${name}`,
    peerIds: peers.map((peer) => `id-${peer}`),
    consensus: { minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667, epoch: 900, gap: 450 },
    masternodes: { number: height, round: 2_000, active: names.map(addressOf), standby: [], penalised: [] },
    missedRounds: { epochBlock: 0, epochRound: 0, rounds: [], byMiner: {} },
    pool: { voteRounds: 8, neverSigned: [], timeouts: 0, timeoutRound: 0 },
    missing: {},
    ...given.chain,
  };
  const { masternodes, missedRounds, nextEpoch } = observation;
  const epoch = { masternodes, missedRounds, nextEpoch };
  const chain = { observation, at: NOW - 30_000, epoch, marks: observation.block ? [observation.block] : [] };
  return {
    target,
    facts: {
      container: containerOf(name, container),
      logs: {
        ...(fault && !container && NETWORK_FAULTS.includes(fault.kind) ? unread : log),
        node: { height, advancedAt: fault ? NOW - 90_000 : at, level: 4 },
      },
      node: fault
        ? { observation: { answered: false, latest: { ok: false, fault } }, latest, chain }
        : {
            observation: {
              answered: true,
              latest: { ok: true, value: { number: height } },
              peers: { ok: true, value: { count: peers.length, via: 'admin_peers' } },
            },
            latest,
            chain,
          },
    },
  };
}

/** The node without a new block since its container was started so long ago. */
export function withoutBlocks(known: KnownTarget, startedMs: number): KnownTarget {
  const { node, logs } = known.facts;
  const before = NOW - startedMs - 1_000;
  const lastGoodAt = node?.observation.answered ? NOW : before;
  const latest = node?.latest && { ...node.latest, number: node.latest.number - 1, advancedAt: before, lastGoodAt };
  const read = logs?.node && latest && { ...logs, node: { ...logs.node, height: latest.number, advancedAt: before } };
  return { ...known, facts: { ...known.facts, logs: read ?? logs, node: { ...node, latest } } } as KnownTarget;
}

/** A service that answers unless it is given a fault, or its container does not run. */
export function diagnosedService(
  component: ServiceTarget['component'],
  {
    container,
    fault = container?.running === false ? { kind: 'refused', address: 'http://192.0.2.1:80' } : undefined,
  }: { readonly fault?: Fault; readonly container?: Partial<Container> } = {},
): KnownTarget {
  return {
    target: {
      subnet: 'devnet',
      component,
      name: component,
      url: 'http://192.0.2.1:80',
      container: { project: 'generated', service: component },
      logFiles: [],
      patterns: [],
    },
    facts: {
      container: containerOf(component, container),
      service: { observation: fault ? { ok: false, fault } : { ok: true, value: {} } },
      logs: log,
    },
  };
}

/** The causes that the diagnosis finds in a subnet whose problems so far are these. */
export const listCauses = (view: SubnetView, before: readonly Problem[] = []): readonly Suspicion[] => [
  ...diagnose({ ...view, before: indexProblems(before) }).values,
];

export const SUBNET: Subnet = { name: 'devnet', consensus: 'XDPoS', targets: [], settings: DEFAULT_SETTINGS };

/** The problems after these causes were found. */
export const follow = (
  before: FollowedProblems,
  found: readonly Suspicion[],
  targets: readonly TargetState[],
  now: number,
  { facts, ...shown }: Partial<SubnetView> = {},
): FollowedProblems => {
  const subnet = { ...SUBNET, targets: targets.map(({ target }) => target) };
  const seen = viewSubnet(subnet, targets, now, facts, indexProblems(before.problems));
  const view = { ...seen, quorum: undefined, voters: [], haltedUntil: now, ...shown };
  return followProblems(view, before.ended, indexProblems(found));
};

/** The causes that the diagnosis finds at `NOW` in these targets, as the real rules have judged them. */
export const diagnosed = (targets: readonly KnownTarget[], judgedAt = NOW): readonly Suspicion[] =>
  listCauses(
    viewSubnet({ ...SUBNET, targets: targets.map(({ target }) => target) }, judgeTargets(targets, judgedAt), NOW),
  );

/** The names of the causes, each with that of its target. */
export const named = (targets: readonly KnownTarget[]): readonly string[] =>
  diagnosed(targets).map(({ problem, name }) => (name === undefined ? problem : `${problem} ${name}`));
