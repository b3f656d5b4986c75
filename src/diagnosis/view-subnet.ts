import { isCredible } from '../model/credible-height.ts';
import { isOwnFault } from '../model/observation.ts';
import { findCrashes, LOOP_MS } from '../model/restart-cause.ts';
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

/** Whether a container runs for less than a minute, and whether that is one of several starts after a crash. */
function viewStart({ state: { facts }, container }: TargetView, now: number) {
  const isYoung = container.kind === 'running' && within(container.container.startedAt, START_MS, now);
  const crashes = facts.container === undefined ? [] : findCrashes(facts.container).filter((at) => now - at < LOOP_MS);
  return { isStarting: isYoung && crashes.length < 2, isLooping: isYoung && crashes.length >= 2 };
}

function viewNode(
  view: TargetView,
  target: NodeTarget,
  chain: ChainView,
  { stallAfterMs, now }: { readonly stallAfterMs: number; readonly now: number },
): Omit<NodeView, 'isStalled'> {
  const { facts } = view.state;
  const { observation, latest } = facts.node ?? {};
  const fault = observation?.latest.ok === false ? observation.latest.fault : undefined;
  const answers = observation === undefined || (fault && isOwnFault(fault)) ? undefined : observation.answered;
  const height = observation?.latest.ok ? latest : undefined;
  const log = facts.logs?.node;
  const peers = observation?.peers?.ok ? observation.peers.value.count : undefined;
  const { isStarting, isLooping } = viewStart(view, now);
  const foreign = isForeign(view.state, chain);
  const rises =
    !foreign &&
    ((height?.risen === true && within(height.advancedAt, stallAfterMs, now)) ||
      // The log of a node that answers says nothing new, and that of one that does not is a second witness.
      (observation?.answered !== true && within(log?.advancedAt, stallAfterMs, now)));
  const isSilent = answers === false && !within(log?.advancedAt, LOG_ALIVE_MS, now);
  const isAlone = peers === 0 && target.expectedPeers > 0 && !isStarting;
  return {
    ...view,
    target,
    name: target.name,
    answers,
    fault,
    height,
    rises,
    peers,
    isForeign: foreign,
    isStarting,
    isOut: foreign || isStopped(view) || isLooping || isSilent || isAlone,
  };
}

type Risen = Pick<NodeView, 'height' | 'isForeign' | 'rises'>;

/** When a node of the chain last rose. */
function findLastRise(nodes: readonly Risen[]): number {
  let last = Number.NEGATIVE_INFINITY;
  for (const { height, isForeign } of nodes)
    if (height?.risen && !isForeign && height.advancedAt > last) last = height.advancedAt;
  return last;
}

/**
 * Whether a node has not risen for the stall limit while others went on for half of it. When all stop at once, one of them is
 * the first to reach the limit.
 */
const isLeftBehind = ({ height, rises }: Risen, lastRise: number, stallAfterMs: number): boolean =>
  height !== undefined && !rises && lastRise - height.riseDueSince >= stallAfterMs / 2;

/** Brings together what is known of a subnet. */
export function viewSubnet(subnet: Subnet, states: readonly TargetState[], now: number): SubnetView {
  const targets = states.map((state) => ({ state, container: viewContainer(state) }));
  const chain = viewChain(states.filter(({ target }) => target.component === 'node'));
  const { stallAfterMs: configured, isStallAuto } = subnet.settings.rpc;
  const stallAfterMs = (isStallAuto ? findStallMs(chain) : undefined) ?? configured;
  const seen = targets.flatMap((view) =>
    view.state.target.component === 'node' ? [viewNode(view, view.state.target, chain, { stallAfterMs, now })] : [],
  );
  const reference = findReference(seen);
  const isWitness = ({ height }: Risen) => height === undefined || isCredible(height.number, reference);
  const lastRise = findLastRise(seen.filter(isWitness));
  const nodes = seen.map((node): NodeView => {
    const isStalled = isLeftBehind(node, lastRise, stallAfterMs);
    return { ...node, isStalled, rises: node.rises && isWitness(node) };
  });
  return {
    subnet,
    targets,
    nodes,
    services: targets.filter(({ state }) => state.target.component !== 'node'),
    reference,
    chain,
    silentVoters: findSilentVoters(nodes, chain),
    stallAfterMs,
    now,
  };
}
