import type { Known, Progress } from '../model/facts.ts';
import type { Container, Fault } from '../model/observation.ts';
import type { NodeTarget, Subnet } from '../model/target.ts';

/** What Docker says of a target: the state of its container, or why there is none. */
export type ContainerView =
  | { readonly kind: 'running'; readonly container: Container }
  | { readonly kind: 'paused' | 'restarting' | 'stopped'; readonly container: Container }
  /** Docker has no such container. */
  | { readonly kind: 'missing' }
  /** The inventory names none, or Docker does not answer. */
  | { readonly kind: 'unknown' };

/** What is known of one node at one moment. */
export interface NodeView {
  readonly known: Known;
  readonly target: NodeTarget;
  readonly name: string;
  readonly container: ContainerView;
  /** Whether its RPC or IPC answered the last probe; undefined if it was not probed, or subnetd itself could not. */
  readonly answers: boolean | undefined;
  readonly fault: Fault | undefined;
  /** Its height, as long as its last probe obtained one. */
  readonly height: Progress | undefined;
  /** Its height, or the height in its log, has risen within the stall limit. */
  readonly rises: boolean;
  readonly peers: number | undefined;
  /** It started less than a minute ago, so it is no witness yet. */
  readonly justStarted: boolean;
}

/** Everything that is known of a subnet at one moment. Times are Unix milliseconds of the watched clock. */
export interface SubnetView {
  readonly subnet: Subnet;
  readonly targets: readonly Known[];
  readonly nodes: readonly NodeView[];
  readonly containers: ReadonlyMap<Known, ContainerView>;
  readonly stallAfterMs: number;
  readonly now: number;
}

/** A node that started a shorter time ago has neither found its peers nor caught up. */
const START_MS = 60_000;

/** Faults of subnetd itself: they say nothing about the node. */
const isOwnFault = (fault: Fault): boolean =>
  fault.kind === 'no-descriptor' ||
  (fault.kind === 'socket' && (fault.state === 'denied' || fault.state === 'too-long')) ||
  (fault.kind === 'exec' && (fault.why === 'docker' || fault.why === 'forbidden'));

export function viewContainer({ facts }: Known): ContainerView {
  const observation = facts.container?.observation;
  if (observation === undefined || observation.kind === 'docker-unreachable') return { kind: 'unknown' };
  if (observation.kind === 'missing') return { kind: 'missing' };
  const { container } = observation;
  if (container.status === 'paused') return { kind: 'paused', container };
  if (container.status === 'restarting') return { kind: 'restarting', container };
  return { kind: container.running ? 'running' : 'stopped', container };
}

const within = (at: number | undefined, ms: number, now: number): boolean => at !== undefined && now - at < ms;

function viewNode(known: Known, container: ContainerView, stallAfterMs: number, now: number): NodeView {
  const { facts } = known;
  const target = known.target as NodeTarget;
  const { observation, latest } = facts.node ?? {};
  const fault = observation?.latest.ok === false ? observation.latest.fault : undefined;
  const height = observation?.latest.ok ? latest : undefined;
  const log = facts.logs?.node;
  return {
    known,
    target,
    name: target.name,
    container,
    answers: observation === undefined || (fault && isOwnFault(fault)) ? undefined : observation.answered,
    fault,
    height,
    rises:
      (height?.risen === true && within(height.advancedAt, stallAfterMs, now)) ||
      // The log of a node that answers says nothing new, and that of one that does not is a second witness.
      (observation?.answered !== true && within(log?.advancedAt, stallAfterMs, now)),
    peers: observation?.peers?.ok ? observation.peers.value.count : undefined,
    justStarted: container.kind === 'running' && within(container.container.startedAt, START_MS, now),
  };
}

/** Brings together what is known of a subnet. */
export function viewSubnet(subnet: Subnet, targets: readonly Known[], now: number): SubnetView {
  const { stallAfterMs } = subnet.checks.rpc;
  const containers = new Map(targets.map((known) => [known, viewContainer(known)]));
  const nodes = targets
    .filter(({ target }) => target.component === 'node')
    .map((known) => viewNode(known, containers.get(known) ?? { kind: 'unknown' }, stallAfterMs, now));
  return { subnet, targets, nodes, containers, stallAfterMs, now };
}
