import { isCredible } from '../model/credible-height.ts';
import type { Progress } from '../model/facts.ts';
import { isOwnFault } from '../model/observation.ts';
import { isLooping } from '../model/restart-cause.ts';
import type { TargetState } from '../model/snapshot.ts';
import type { NodeTarget, Subnet } from '../model/target.ts';
import { type ChainView, isForeign, viewChain } from './chain-view.ts';
import { findSilentVoters } from './find-silent-voters.ts';
import { findReference, findStallMs } from './quorum.ts';
import { type ContainerView, isStopped, type NodeView, type SubnetView, type TargetView } from './subnet-view.ts';

/** A node that started a shorter time ago has neither found its peers nor caught up. */
const START_MS = 60_000;

/** A node whose log has shown a new block within this time takes part, whether its RPC answers or not. */
const LOG_ALIVE_MS = 15_000;

function viewContainer({ facts }: TargetState): ContainerView {
  const observation = facts.container?.observation;
  if (observation === undefined || observation.kind === 'docker-unreachable') return { kind: 'unknown' };
  if (observation.kind === 'missing') return { kind: 'missing' };
  const { container } = observation;
  if (container.status === 'paused') return { kind: 'paused', container };
  if (container.status === 'restarting') return { kind: 'restarting', container };
  return { kind: container.running ? 'running' : 'stopped', container };
}

const within = (at: number | undefined, ms: number, now: number): boolean => at !== undefined && now - at < ms;

const RUNS = { isStarting: false, isLooping: false } as const;

/** Whether a container runs for less than a minute, and whether that is one of several starts after a crash. */
function viewStart({ facts }: TargetState, container: ContainerView, now: number) {
  if (container.kind !== 'running' || !within(container.container.startedAt, START_MS, now)) return RUNS;
  const loops = facts.container !== undefined && isLooping(facts.container, now);
  return { isStarting: !loops, isLooping: loops };
}

/** The height of a node, as long as its last probe obtained one. */
const heightOf = ({ facts: { node } }: TargetState): Progress | undefined =>
  node?.observation.latest.ok ? node.latest : undefined;

/** What all nodes of a subnet are seen by. */
interface Moment {
  readonly chain: ChainView;
  readonly stallAfterMs: number;
  readonly reference: number | undefined;
  /** How many blocks below the reference a node may be. */
  readonly maxLag: number;
  /** When a node of the chain last rose. */
  readonly lastRise: number;
  readonly now: number;
}

type Seen = Pick<NodeView, 'height' | 'isForeign'>;

/**
 * Whether a rise to this height shows that the chain goes on: it is credible, and not far below the reference, as that of a node
 * that catches up. A node without a height claims nothing.
 */
const isWitness = (
  height: Progress | undefined,
  { reference, maxLag }: Pick<Moment, 'reference' | 'maxLag'>,
): boolean =>
  height === undefined ||
  reference === undefined ||
  (isCredible(height.number, reference) && height.number >= reference - maxLag);

function findLastRise(nodes: readonly Seen[], against: Pick<Moment, 'reference' | 'maxLag'>): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const { height, isForeign } of nodes)
    if (height?.risen && height.advancedAt > last && !isForeign && isWitness(height, against)) last = height.advancedAt;
  return last;
}

/**
 * Whether a node has not risen for the stall limit while the chain went on. Half of the nodes are above it, and one of them has
 * risen for half of the limit longer. When all stop at once, one of them is the first to reach the limit.
 */
const isLeftBehind = (
  { number, riseDueSince }: Progress,
  { reference = number, lastRise, stallAfterMs }: Moment,
): boolean => number < reference && lastRise - riseDueSince >= stallAfterMs / 2;

function viewNode(state: TargetState, target: NodeTarget, moment: Moment): NodeView {
  const { chain, stallAfterMs, now } = moment;
  const { facts } = state;
  const { observation } = facts.node ?? {};
  const container = viewContainer(state);
  const fault = observation?.latest.ok === false ? observation.latest.fault : undefined;
  const answers = observation === undefined || (fault && isOwnFault(fault)) ? undefined : observation.answered;
  const height = heightOf(state);
  const log = facts.logs?.node;
  const peers = observation?.peers?.ok ? observation.peers.value.count : undefined;
  const { isStarting, isLooping } = viewStart(state, container, now);
  const foreign = isForeign(state, chain.chain);
  const rises =
    !foreign &&
    ((height?.risen === true && within(height.advancedAt, stallAfterMs, now)) ||
      // The log of a node that answers says nothing new, and that of one that does not is a second witness.
      (observation?.answered !== true && within(log?.advancedAt, stallAfterMs, now)));
  const isSilent = answers === false && !within(log?.advancedAt, LOG_ALIVE_MS, now);
  const isAlone = peers === 0 && target.expectedPeers > 0 && !isStarting;
  return {
    state,
    container,
    target,
    name: target.name,
    answers,
    fault,
    height,
    isWitness: isWitness(height, moment),
    rises: rises && isWitness(height, moment),
    isStalled: height !== undefined && !rises && isLeftBehind(height, moment),
    peers,
    isForeign: foreign,
    isStarting,
    isOut: foreign || isStopped({ state, container }) || isLooping || isSilent || isAlone,
  };
}

/** Brings together what is known of a subnet. */
export function viewSubnet(subnet: Subnet, states: readonly TargetState[], now: number): SubnetView {
  const nodeStates = states.filter(({ target }) => target.component === 'node');
  const chain = viewChain(nodeStates);
  const { stallAfterMs: configured, isStallAuto, maxLag } = subnet.settings.rpc;
  const stallAfterMs = (isStallAuto ? findStallMs(chain) : undefined) ?? configured;
  const heights = nodeStates.map((state) => ({ height: heightOf(state), isForeign: isForeign(state, chain.chain) }));
  const reference = findReference(heights);
  const against = { reference, maxLag };
  const moment = { ...against, chain, stallAfterMs, lastRise: findLastRise(heights, against), now };
  const nodes: NodeView[] = [];
  const services: TargetView[] = [];
  const targets = states.map((state) => {
    const { target } = state;
    if (target.component === 'node') {
      const node = viewNode(state, target, moment);
      nodes.push(node);
      return node;
    }
    const service = { state, container: viewContainer(state) };
    services.push(service);
    return service;
  });
  return {
    subnet,
    targets,
    nodes,
    services,
    reference,
    chain,
    silentVoters: findSilentVoters(nodes, chain),
    stallAfterMs,
    now,
  };
}
