import type { Moment } from '../../lib/duration.ts';
import { highest } from '../../lib/numbers.ts';
import { collect } from '../../lib/values.ts';
import { listEach } from '../../lib/words.ts';
import type { ClientAdvice } from '../../model/client.ts';
import { type ChainFacts, countPeers, type Progress } from '../../model/facts.ts';
import type { NextSet } from '../../model/next-set.ts';
import type { Container, Fault } from '../../model/observation.ts';
import type { ExplainedCheck, Problem, ProblemIndex, ProblemRef, Suspicion } from '../../model/problem.ts';
import { ENGINE_STOP_MS, endedWithEngine, findContainer, START_MS } from '../../model/restart-cause.ts';
import type { TargetSetup } from '../../model/setup.ts';
import type { Quorum, TargetState } from '../../model/snapshot.ts';
import type { SubnetFacts } from '../../model/subnet-facts.ts';
import { engineOf, type NodeTarget, type Subnet, type Target } from '../../model/target.ts';
import type { CheckName, CheckState } from '../../model/verdict.ts';
import { clientOf } from '../clients/clients.ts';
import type { ChainView } from './chain-view.ts';
import type { viewRelayer } from './view-relayer.ts';

/** What Docker says of a target: the state of its container, or why there is none. */
export type ContainerView =
  /** `stopping`: Docker was asked to stop it, and its program answers no more. */
  | { readonly kind: 'running' | 'paused' | 'restarting' | 'stopping' | 'stopped'; readonly container: Container }
  /** Docker has no such container. */
  | { readonly kind: 'missing' }
  /** Docker has no such container that runs, but the target answers: the inventory names the wrong one. */
  | { readonly kind: 'elsewhere' }
  /** The inventory names none, or Docker does not answer. */
  | { readonly kind: 'unknown' };

/** What is known of one target at one moment. */
export interface TargetView {
  readonly state: TargetState;
  readonly container: ContainerView;
  /** Its failing checks. A check that a problem explains is recognised as the same object. */
  readonly failing: readonly ExplainedCheck[];
  /** How it is set up, as far as that was read. */
  readonly setup: TargetSetup;
}

/** What is known of one node at one moment. */
export interface NodeView extends TargetView {
  readonly target: NodeTarget;
  readonly name: string;
  /** What it last said about its chain, and when. */
  readonly chainFacts: ChainFacts | undefined;
  /** By which it signs: as it last said, even if that was before subnetd was started. */
  readonly address: string | undefined;
  /** Whether its RPC or IPC answered the last probe; undefined if it was not probed, or subnetd itself could not. */
  readonly answers: boolean | undefined;
  readonly fault: Fault | undefined;
  /** Its height, as long as its last probe obtained one. */
  readonly height: Progress | undefined;
  /** Whether its height can be that of the chain, neither incredible nor that of a node that catches up; true without a height. */
  readonly isWitness: boolean;
  /** It is a witness, and its height, or the height in its log, has risen within the stall limit, above where the chain stood. */
  readonly rises: boolean;
  /** It comes up again to where the chain stood before, as after a restart. */
  readonly isRepeating: boolean;
  /** It answers, but its height has not risen for the stall limit, while others went on. */
  readonly isStalled: boolean;
  readonly peers: number | undefined;
  /** Its log has shown a new block within seconds. */
  readonly isLogAlive: boolean;
  /** It does not answer subnetd, and takes part all the same, or did before it was asked, or only what stands before it answers: see `isBarred`. */
  readonly unseen: 'barred' | 'votes' | 'voted' | undefined;
  /** It is on another chain than most nodes, so its height counts for nothing. */
  readonly isForeign: boolean;
  /** It started less than a minute ago, so it is not a witness yet. */
  readonly isStarting: boolean;
  /** It is known to crash, and started less than a minute ago, though it may take blocks meanwhile. */
  readonly crashes: boolean;
  /** Since its start, less than a minute ago, it has had a block that no node had before. */
  readonly takesBlocks: boolean;
  /** It cannot take part: its container or its program does not run, or no other node is connected to it. */
  readonly isOut: boolean;
}

/** What is known of a Docker Engine by the containers on it. */
export interface EngineView {
  /** When it was last asked about one of them without an answer to any request; long ago where it answers. */
  readonly silentAt: number;
  /** The times in which nothing listened at it, in their order. */
  readonly downs: readonly { readonly from: number; readonly to: number }[];
}

/** What the pools of all nodes show together. */
export interface NeverSigned {
  /** Missing in every round of every pool. */
  readonly addresses: ReadonlySet<string>;
  /** The most rounds that a pool has votes of; 0 when no pool has any. */
  readonly rounds: number;
}

/** Everything that is known of a subnet at one moment. Times are watched time. */
export interface SubnetView extends Moment {
  readonly subnet: Subnet;
  /** What is known of it beside its targets. */
  readonly facts: SubnetFacts;
  /** Its problems so far. */
  readonly before: ProblemIndex<Problem>;
  readonly targets: readonly TargetView[];
  /** The target that something is about; undefined for what is about the whole subnet. */
  readonly targetOf: (one: Pick<ProblemRef, 'component' | 'name'>) => TargetView | undefined;
  readonly nodes: readonly NodeView[];
  /** The targets that are no nodes. */
  readonly services: readonly TargetView[];
  readonly relayer: ReturnType<typeof viewRelayer<TargetView>>;
  /** The Docker Engines of its targets, by their names. */
  readonly engines: ReadonlyMap<string | undefined, EngineView>;
  /** The height that at least half of the nodes on the chain have reached. */
  readonly reference: number | undefined;
  /** Whether the chain may have this height: it is not forged, nor that of the chain before, once that is known to be replaced. */
  readonly isPossible: (height: number) => boolean;
  readonly chain: ChainView;
  /** The nodes of masternodes, penalised ones included, by their addresses. */
  readonly masters: ReadonlyMap<string, NodeView>;
  /** The nodes that may be masternodes that have turns. */
  readonly voters: readonly NodeView[];
  /** Whose votes no node has. */
  readonly neverSigned: NeverSigned;
  /** Masternodes that run, or have no node in the inventory, but do not vote: how many of its newest rounds each missed, by address. */
  readonly silentVoters: ReadonlyMap<string, number>;
  /** The silent masternodes whose key no node has, less one for each node that is out and has never said its address. */
  readonly orphans: readonly string[];
  /** The nodes that run with one key, by its address, where several do. */
  readonly sharedKeys: ReadonlyMap<string, readonly NodeView[]>;
  /** Undefined without nodes. */
  readonly quorum: Quorum | undefined;
  /** Who has turns in the next epoch, as far as that is predicted or chosen. */
  readonly nextSet: NextSet | undefined;
  readonly stallAfterMs: number;
  /** Each node, and Docker about its container, has been asked since. */
  readonly heardFrom: number;
  /** The nodes that have started, or are back, for less than a minute: the others may not have found them yet. */
  readonly joining: ReadonlySet<string>;
  /** When a halt was seen to end, in a log or by an answer; long ago while it lasts, and without one. */
  readonly haltedUntil: number;
  /** The nodes that are out, join or fail so that others cannot have them as peers. */
  readonly absent: ReadonlySet<string>;
}

/** Whether Docker says that the container does not run, or is stopping it, and nothing shows that its program does all the same. */
export const isStopped = ({ container: { kind } }: Pick<TargetView, 'container'>): boolean =>
  kind !== 'running' && kind !== 'unknown' && kind !== 'elsewhere';

/** Whether a container runs in no network although it was made for one, and its program does not answer. */
export const hasLostNetwork = ({ container, height }: Pick<NodeView, 'container' | 'height'>): boolean =>
  container.kind === 'running' && container.container.lostNetwork !== undefined && height === undefined;

/** A probe may have ended this long before Docker was asked in the same round, and this long after its container has ended. */
const SAME_ROUND_MS = 2_000;

/** Whether a target answers although Docker says that its container does not run. An answer is the stronger evidence. */
export function answersAnyway(state: TargetState): boolean {
  const { container, node, service } = state.facts;
  // When it last gave the answer that it is asked for, if it did in its last probe.
  const served = service?.observation.ok ? checkOf(state, 'http')?.lastRun : undefined;
  const answered = node?.observation.latest.ok ? node.latest?.lastGoodAt : served;
  if (answered === undefined) return false;
  const found = findContainer(container);
  if (found !== undefined && !['created', 'exited'].includes(found.status)) return false;
  const endedAt = found?.finishedAt ?? container?.lastExit?.at;
  if (endedAt !== undefined) return answered - endedAt > SAME_ROUND_MS;
  const goneSince = checkOf(state, 'container')?.since;
  return goneSince !== undefined && answered >= goneSince - SAME_ROUND_MS;
}

/** Whether a container had ended when its Docker Engine last answered, so that nothing starts it again, and no answer came since. */
export function hasEndedUnseen({ facts: { container, node } }: TargetState): boolean {
  const { observation, lastExit, run } = container ?? {};
  if (observation?.kind !== 'docker-unreachable' || lastExit === undefined) return false;
  const hasAnswered = node?.observation.answered === true && (node.latest?.lastGoodAt ?? 0) >= lastExit.at;
  return lastExit.at > (run?.startedAt ?? 0) && !hasAnswered;
}

/** Whether the Docker Engine of a target answers no request. One that answers others may only be busy with this container. */
export function lacksEngine({ facts: { container } }: TargetState): boolean {
  const { observation } = container ?? {};
  return observation?.kind === 'docker-unreachable' && observation.why.answersOthers !== true;
}

/** The Docker Engine of a target, if the inventory names its container. */
export const findEngine = ({ container }: Target): string | undefined => container && engineOf(container);

/** When Docker was last asked about the container of a target. */
const saidAt = (state: TargetState): number => checkOf(state, 'container')?.lastRun ?? 0;

/** The Docker Engines of these targets, by what is seen of each container. */
export const viewEngines = (states: readonly TargetState[]): SubnetView['engines'] =>
  new Map(
    [...Map.groupBy(states, ({ target }) => findEngine(target))].map(([engine, ones]) => {
      const downs: { from: number; to: number }[] = [];
      const seen = collect(ones, ({ facts }) => facts.container?.engineDown);
      for (const { from, to } of seen.toSorted((one, other) => one.from - other.from)) {
        const last = downs.at(-1);
        if (last !== undefined && from - ENGINE_STOP_MS <= last.to) last.to = Math.max(last.to, to);
        else downs.push({ from, to });
      }
      return [engine, { silentAt: highest(ones.filter(lacksEngine).map(saidAt)), downs }];
    }),
  );

const engineAt = ({ state }: TargetView, { engines }: SubnetView): EngineView =>
  engines.get(findEngine(state.target)) ?? { silentAt: -Infinity, downs: [] };

/** Whether the Docker Engine of a target does not answer, be it about another target that was asked about no earlier. */
export const isDockerSilent = (one: TargetView, view: SubnetView): boolean =>
  engineAt(one, view).silentAt >= saidAt(one.state);

/** Whether nothing listened at the Docker Engine of a target a moment ago: it ends, and answers some requests yet, or has just started. */
export const isDockerRestarting = (one: TargetView, view: SubnetView): boolean =>
  view.now - (engineAt(one, view).downs.at(-1)?.to ?? -Infinity) < ENGINE_STOP_MS;

/** Whether the container of a target ended last as its engine was stopped. */
export const hasEndedWithDocker = (one: TargetView, view: SubnetView): boolean =>
  engineAt(one, view).downs.some((engineDown) =>
    endedWithEngine({ engineDown }, one.state.facts.container?.lastExit?.at),
  );

/** What to do first about a target of which the engine is silent. */
export const WAKE_DOCKER =
  'make Docker answer first, as with `systemctl start docker` on its machine, or, if it runs and hangs, `systemctl restart docker`, which restarts its containers too';

/** One that changes something. Nothing is restarted to read a log. */
const DOCKER_COMMAND = /`(?:HOSTPWD=\S+ )?docker (?![^`]*\blogs )/;

/** What to do about a target, or about a subnet: no command of Docker works while the engine of that, or one of them, is silent. */
export function afterDocker(one: Suspicion, view: SubnetView): string {
  const { fix, name } = one;
  if (!DOCKER_COMMAND.test(fix) || fix.startsWith(WAKE_DOCKER)) return fix;
  const targets = name === undefined ? view.targets : [view.targetOf(one) ?? []].flat();
  return targets.some((each) => isDockerSilent(each, view)) ? `${WAKE_DOCKER}; if that is not enough, ${fix}` : fix;
}

/** When the last probe of a node that has ended began. */
export function askedAt(state: TargetState): number {
  const { lastRun = 0, durationSeconds = 0 } = checkOf(state, 'latest_block') ?? {};
  return lastRun - durationSeconds * 1_000;
}

/** Nodes are asked one after another, each again within this time: what is seen of one may be so much older than what is seen of another. */
export const ASKED_WITHIN_MS = 20_000;

/** When a node, or Docker about its container, was last asked, whichever is longer ago. */
export const heardSince = (state: TargetState): number =>
  Math.min(askedAt(state), checkOf(state, 'container')?.lastRun ?? Number.POSITIVE_INFINITY);

/** Whether a node shows a failure that keeps it from its peers, and so these from it. */
export const losesPeers = ({ shownFailures }: TargetState): boolean =>
  shownFailures.some(({ leavesRunning }) => leavesRunning?.brings.includes('peers_missing'));

/** A node that was silent for so long, as one that was paused, may have lost its peers. It finds them again within a minute. */
const LOSES_PEERS_MS = 10_000;

/** Whether a node answers again, and has not had the time that its peers need to come back. */
export function awaitsPeers({ facts: { node } }: TargetState, now: number): boolean {
  const { at = 0, silentSince = at } = node?.returned ?? {};
  return at - silentSince >= LOSES_PEERS_MS && now - at < START_MS;
}

/** Whether a node has lost peers so lately that another one may have ended since, of which nothing was heard yet. */
export function isLossNew(state: TargetState, heardFrom: number, now: number): boolean {
  const { verdict, since = now } = checkOf(state, 'peers') ?? {};
  return verdict === 'fail' && heardFrom < since && now - since < ASKED_WITHIN_MS;
}

/** How many peers a node lacks; 0 while that is not known. */
export const countMissing = ({ target, facts }: TargetState): number =>
  target.component === 'node' ? target.expectedPeers - (countPeers(facts) ?? target.expectedPeers) : 0;

/** A node that lost its connection with another one dials that again after half a minute (p2p/dial.go, `dialHistoryExpiration`). */
const DIALS_AGAIN_MS = 40_000;

/** Whether a node that lacks peers has found one lately, so that it may find the others too. */
export const findsPeers = (state: TargetState, now: number): boolean =>
  countMissing(state) > 0 && now - (state.facts.node?.foundPeerAt ?? Number.NEGATIVE_INFINITY) < DIALS_AGAIN_MS;

/** Whether a node has too few peers, more than are absent, and no more can be: each of the others has been asked since. */
export function lacksPeers({ state }: TargetView, { heardFrom, absent, now }: SubnetView): boolean {
  if (checkOf(state, 'peers')?.verdict !== 'fail' || isLossNew(state, heardFrom, now) || awaitsPeers(state, now))
    return false;
  return absent.size === 0 || countPeers(state.facts) === undefined || countMissing(state) > absent.size;
}

/** Whether a node that should take part cannot. One that has just started may yet, but not on another chain. */
export const isMissing = ({ isOut, isStarting, isForeign }: NodeView): boolean => isOut && (!isStarting || isForeign);

/** Whether Docker says that the container of a node has run for a minute, so that no restart explains what is seen of it. */
export const isPastStart = ({ container }: TargetView, now: number): boolean =>
  container.kind === 'running' && now - (container.container.startedAt ?? now) >= START_MS;

/** How long a node that is stalled has been left behind, where a restart cannot be why. */
export const stalledMs = (node: NodeView, { now }: SubnetView): number | undefined =>
  node.isStalled && node.height?.passedAt !== undefined && isPastStart(node, now)
    ? now - Math.max(node.height.riseDueSince, node.height.passedAt)
    : undefined;

/** Whether the log of a node has told of a new block since. */
export const hasLoggedSince = ({ facts: { logs } }: TargetState, at: number): boolean =>
  (logs?.node?.advancedAt ?? 0) > at;

/** Whether a check is of a probe from before the container was seen to run, or before its Docker Engine, and with it its ports, was back. */
export function isFromBefore({ state, container }: Pick<TargetView, 'state' | 'container'>, name: CheckName): boolean {
  const { runsSince = 0 } = state.facts.container ?? {};
  return container.kind === 'running' && (checkOf(state, name)?.lastRun ?? 0) < runsSince;
}

/** A loop, as it is asked so often that a function for `find` would be much garbage. */
export function checkOf({ checks }: TargetState, name: CheckName): CheckState | undefined {
  for (const one of checks) if (one.check === name) return one;
  return undefined;
}

export const fails = ({ failing }: TargetView, name: CheckName): boolean => failing.some(({ check }) => check === name);

/** When a target was started, by Docker or else by its log; undefined where neither says so. */
export const startedAtOf = ({ container, state: { facts } }: Pick<TargetView, 'container' | 'state'>) =>
  'container' in container ? container.container.startedAt : facts.logs?.node?.startedAt;

/** What keeps a node from taking part it prints again with each timeout. */
const PRINTED_AGAIN_MS = 60_000;

/** Whether the log of a node has shown a line of a pattern within a time, and since its container was started. */
export function hasPrinted(node: NodeView, pattern: string, now: number, withinMs = PRINTED_AGAIN_MS): boolean {
  const { at = Number.NEGATIVE_INFINITY } = node.state.facts.logs?.patterns[pattern] ?? {};
  return now - at < Math.min(withinMs, now - (startedAtOf(node) ?? 0));
}

export const namesOf = (nodes: readonly NodeView[]): string => listEach(nodes, ({ name }) => name);

/** What to do about a node, in the words of the client that it runs. */
export const adviceOf = ({ target, state }: Pick<NodeView, 'target' | 'state'>): ClientAdvice =>
  clientOf({ target, facts: state.facts }).advice;
