import type { Progress } from '../model/facts.ts';
import type { Container, Fault } from '../model/observation.ts';
import type { TargetState } from '../model/snapshot.ts';
import type { NodeTarget, Subnet } from '../model/target.ts';
import type { CheckName, CheckState } from '../model/verdict.ts';

/** What Docker says of a target: the state of its container, or why there is none. */
export type ContainerView =
  | { readonly kind: 'running'; readonly container: Container }
  | { readonly kind: 'paused' | 'restarting' | 'stopped'; readonly container: Container }
  /** Docker has no such container. */
  | { readonly kind: 'missing' }
  /** The inventory names none, or Docker does not answer. */
  | { readonly kind: 'unknown' };

/** What is known of one target at one moment. */
export interface TargetView {
  readonly state: TargetState;
  readonly container: ContainerView;
}

/** What is known of one node at one moment. */
export interface NodeView extends TargetView {
  readonly target: NodeTarget;
  readonly name: string;
  /** Whether its RPC or IPC answered the last probe; undefined if it was not probed, or subnetd itself could not. */
  readonly answers: boolean | undefined;
  readonly fault: Fault | undefined;
  /** Its height, as long as its last probe obtained one. */
  readonly height: Progress | undefined;
  /** Its height, or the height in its log, has risen within the stall limit. */
  readonly rises: boolean;
  readonly peers: number | undefined;
  /** Somebody is restarting it, or it started less than a minute ago. It is no witness yet. */
  readonly isStarting: boolean;
  /** It cannot take part: its container or its program does not run, or no other node is connected to it. */
  readonly isOut: boolean;
}

/** Everything that is known of a subnet at one moment. Times are watched time. */
export interface SubnetView {
  readonly subnet: Subnet;
  readonly targets: readonly TargetView[];
  readonly nodes: readonly NodeView[];
  readonly stallAfterMs: number;
  readonly now: number;
}

/** A node that started a shorter time ago has neither found its peers nor caught up. */
const START_MS = 60_000;

/** A container that was asked to stop a shorter time ago may be about to start again. */
const STOP_MS = 30_000;

/** Faults of subnetd itself: they say nothing about the node. */
const isOwnFault = (fault: Fault): boolean =>
  fault.kind === 'no-descriptor' ||
  (fault.kind === 'socket' && (fault.state === 'denied' || fault.state === 'too-long')) ||
  (fault.kind === 'exec' && (fault.why === 'docker' || fault.why === 'forbidden'));

/** Whether Docker says that the container does not run. */
export const isStopped = ({ container: { kind } }: TargetView): boolean => kind !== 'running' && kind !== 'unknown';

/** The check of a target, if it has it. */
export const checkOf = ({ checks }: TargetState, name: CheckName): CheckState | undefined =>
  checks.find(({ check }) => check === name);

/** Whether a check of the target fails. */
export const fails = (state: TargetState, name: CheckName): boolean => checkOf(state, name)?.verdict === 'fail';

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

function isNodeStarting({ state: { facts }, container }: TargetView, now: number): boolean {
  if (container.kind === 'running') return within(container.container.startedAt, START_MS, now);
  return container.kind === 'stopped' && within(facts.container?.lastStopRequest?.at, STOP_MS, now);
}

function viewNode(view: TargetView, target: NodeTarget, stallAfterMs: number, now: number): NodeView {
  const { facts } = view.state;
  const { observation, latest } = facts.node ?? {};
  const fault = observation?.latest.ok === false ? observation.latest.fault : undefined;
  const answers = observation === undefined || (fault && isOwnFault(fault)) ? undefined : observation.answered;
  const height = observation?.latest.ok ? latest : undefined;
  const log = facts.logs?.node;
  const peers = observation?.peers?.ok ? observation.peers.value.count : undefined;
  const isStarting = isNodeStarting(view, now);
  return {
    ...view,
    target,
    name: target.name,
    answers,
    fault,
    height,
    rises:
      (height?.risen === true && within(height.advancedAt, stallAfterMs, now)) ||
      // The log of a node that answers says nothing new, and that of one that does not is a second witness.
      (observation?.answered !== true && within(log?.advancedAt, stallAfterMs, now)),
    peers,
    isStarting,
    isOut: isStopped(view) || answers === false || (peers === 0 && target.expectedPeers > 0 && !isStarting),
  };
}

/** Brings together what is known of a subnet. */
export function viewSubnet(subnet: Subnet, states: readonly TargetState[], now: number): SubnetView {
  const { stallAfterMs } = subnet.checks.rpc;
  const targets = states.map((state) => ({ state, container: viewContainer(state) }));
  const nodes = targets.flatMap((view) =>
    view.state.target.component === 'node' ? [viewNode(view, view.state.target, stallAfterMs, now)] : [],
  );
  return { subnet, targets, nodes, stallAfterMs, now };
}

/** Names for a sentence. */
export const listNames = (names: readonly string[]): string =>
  names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} others` : names.join(', ');
