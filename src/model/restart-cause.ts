import { LINE_TOLERANCE_MS } from '../lib/clock.ts';
import type { ContainerFacts, Facts } from './facts.ts';
import type { Container } from './observation.ts';
import type { CheckState } from './verdict.ts';

/** A container as Docker last described it; undefined while it has none, or does not answer. */
export const findContainer = (facts: Pick<ContainerFacts, 'observation'> | undefined): Container | undefined =>
  facts?.observation?.kind === 'found' ? facts.observation.container : undefined;

/** Whether Docker has told that a container was started, and not yet how it runs. */
export const hasJustBegun = (facts: ContainerFacts | undefined): boolean =>
  facts?.inspected === true && facts.observation === undefined;

/** Whether what was printed at `at` is of the run, or of the container, that began then, rather than of one before it. */
export const isOfRun = (at: number, begunAt: number | undefined, toleranceMs = LINE_TOLERANCE_MS): boolean =>
  begunAt === undefined || at >= begunAt - toleranceMs;

/** What led to the last restart. `crash`: the program or its container had ended without a request. */
export function findRestartCause(facts: ContainerFacts): 'crash' | 'request' | 'recreation' | undefined {
  const { lastRestartBy, unrequestedExit, run, runBefore } = facts;
  if (lastRestartBy === undefined || lastRestartBy === 'recreation') return lastRestartBy;
  if (lastRestartBy === 'policy') return 'crash';
  // Started by hand, although nobody had stopped it. An end after that start is that of the next run.
  const endedAt = unrequestedExit?.id === run?.id ? unrequestedExit?.at : undefined;
  const isOfRunBefore =
    endedAt !== undefined && endedAt >= (runBefore?.startedAt ?? 0) && endedAt <= (run?.startedAt ?? endedAt);
  return isOfRunBefore && !isStopOf(facts, endedAt, run?.startedAt) ? 'crash' : 'request';
}

/** Docker reports a request to stop and the exit it causes close together, in either order. */
const REQUEST_EXIT_GAP_MS = 5_000;

/** Whether what was seen of a container belongs to what happened to the one with this id at `at`. */
export const belongsTo = (
  one: { readonly id: string; readonly at: number } | undefined,
  id: string,
  at: number,
): boolean => one?.id === id && Math.abs(at - one.at) < REQUEST_EXIT_GAP_MS;

/** Whether somebody has stopped the run that ended then, or what waited for its restart after it, before the next start. */
export const isStopOf = (
  { lastStopRequest }: ContainerFacts,
  endedAt: number,
  startedAt = Number.POSITIVE_INFINITY,
): boolean =>
  lastStopRequest !== undefined &&
  lastStopRequest.at > endedAt - REQUEST_EXIT_GAP_MS &&
  lastStopRequest.at <= startedAt;

/** Docker stops its containers before, or while, it answers no more, for at most this long. */
export const ENGINE_STOP_MS = 15_000;

/** Whether a container that ended then did so as its engine was stopped. */
export const endedWithEngine = (
  facts: Pick<ContainerFacts, 'engineDown'> | undefined,
  endedAt: number | undefined,
): boolean =>
  facts?.engineDown !== undefined &&
  endedAt !== undefined &&
  endedAt > facts.engineDown.from - ENGINE_STOP_MS &&
  endedAt <= facts.engineDown.to;

/** Whether a container that has ended was stopped on request; undefined when no event of Docker says so. */
export function isStoppedOnOrder(facts: ContainerFacts, { id, finishedAt }: Container): boolean | undefined {
  if (finishedAt === undefined) return undefined;
  if (facts.lastStopRequest?.id === id && isStopOf(facts, finishedAt)) return true;
  return belongsTo(facts.unrequestedExit, id, finishedAt) ? false : undefined;
}

/** Docker kills what does not end within some seconds after the request. */
const STOPPING_MS = 30_000;

/** Whether Docker was asked to stop the run of a container that it still describes as running. */
export function isStopping(facts: ContainerFacts | undefined, now: number): boolean {
  const { id, running = false, startedAt = now } = findContainer(facts) ?? {};
  const { id: askedId, at = Number.NEGATIVE_INFINITY } = facts?.lastStopRequest ?? {};
  return running && id === askedId && at > startedAt && now - at < STOPPING_MS;
}

/** Was the last restart requested? Undefined before any restart. */
export function isRestartPlanned(facts: ContainerFacts | undefined): boolean | undefined {
  const cause = facts && findRestartCause(facts);
  return cause && cause !== 'crash';
}

/** Whether somebody has started the program of a container again since then, so that what was seen of it before is of another run. */
export const isStartedAgain = (facts: ContainerFacts | undefined, since: number): boolean =>
  isRestartPlanned(facts) === true && (findContainer(facts)?.startedAt ?? 0) > since;

/** Three restarts after crashes within this are a loop, and so are two that are close to each other. */
export const LOOP_MS = 10 * 60_000;
const CLOSE_MS = 3 * 60_000;

/** Restarts after an end that nobody requested, including the last one. */
export const findCrashes = (facts: ContainerFacts): readonly number[] => [
  ...(facts.earlierCrashes ?? []),
  ...(facts.lastRestartAt !== undefined && findRestartCause(facts) === 'crash' ? [facts.lastRestartAt] : []),
];

/** A container that has run for less has not yet shown that it stays up. */
export const START_MS = 60_000;

/** A node that has not answered for so long since its start is not waited for, so that people hear of it within a minute. */
export const SILENT_START_MS = 45_000;

/** A node is asked within so long after its start, and may take twice as long to answer as the slowest of the others did. */
const ASKED_AFTER_MS = 10_000;
const SHORTEST_START_MS = 15_000;

/** How long after its start a node of a subnet is waited for, by how long those that run took until they answered. */
export function findSilentMs(nodes: readonly { readonly facts: Facts }[]): number {
  const took = nodes.flatMap(({ facts: { container, node } }) => {
    const { startedAt = Number.POSITIVE_INFINITY } = findContainer(container) ?? {};
    const { at = 0, silentSince = at } = node?.returned ?? {};
    return at > startedAt && silentSince - startedAt < ASKED_AFTER_MS ? at - startedAt : [];
  });
  const longest = took.length === 0 ? SILENT_START_MS : 2 * Math.max(...took);
  return Math.max(SHORTEST_START_MS, Math.min(longest, SILENT_START_MS));
}

/** So long after the start of its container, a service may still not answer. */
export const SERVICE_START_MS = 20_000;

/** Docker waits at most this long before it starts a container that crashes again and again (moby restartmanager). */
export const MAX_WAIT_MS = 60_000;

const NO_CRASHES: readonly number[] = [];

/** The last crashes, in order, if they are a loop. */
export function findSeries(facts: ContainerFacts | undefined): readonly number[] {
  if (facts?.earlierCrashes === undefined) return NO_CRASHES;
  const crashes = findCrashes(facts);
  const recent = crashes.filter((at) => (crashes.at(-1) ?? at) - at < LOOP_MS);
  const [first = 0, second = Number.POSITIVE_INFINITY] = recent;
  return recent.length > 2 || second - first < CLOSE_MS ? recent : [];
}

/** Whether somebody has stopped or removed a container. */
function isPutAway(facts: ContainerFacts): boolean {
  const { observation } = facts;
  if (observation?.kind !== 'found') return observation?.kind === 'missing';
  const { container } = observation;
  return container.status === 'exited' && isStoppedOnOrder(facts, container) === true;
}

const gapsBetween = (crashes: readonly number[]): readonly number[] =>
  crashes.slice(1).map((at, index) => at - (crashes[index] ?? at));

/** Has the container run for longer than between its crashes, waiting included, or has somebody restarted or stopped it? */
function hasOutlasted(facts: ContainerFacts | undefined, crashes: readonly number[], now: number): boolean {
  if (facts !== undefined && isPutAway(facts)) return true;
  const gaps = gapsBetween(crashes);
  const ranFor = now - (crashes.at(-1) ?? now);
  return isRestartPlanned(facts) === true || ranFor >= Math.max(START_MS, ...gaps.map((gap) => gap - MAX_WAIT_MS));
}

/** Does the container crash again and again? */
export function isLooping(facts: ContainerFacts | undefined, now: number): boolean {
  const crashes = findSeries(facts);
  return crashes.length > 0 && !hasOutlasted(facts, crashes, now);
}

/** Has a container that crashed again and again not run for as long yet as it did between two crashes? */
export function mayCrashAgain(facts: ContainerFacts | undefined, now: number): boolean {
  const crashes = findSeries(facts);
  return isLooping(facts, now) && now - (crashes.at(-1) ?? now) <= Math.max(...gapsBetween(crashes));
}

/** Did the container crash again and again shortly before, and now stays up? */
export function isLoopOver(facts: ContainerFacts | undefined, now: number): boolean {
  const crashes = findSeries(facts);
  return crashes.length > 0 && hasOutlasted(facts, crashes, now);
}

/** When a container was started, if that is less than its time to start ago: that of a service, or another. In a loop it has none. */
export function findStart(
  facts: ContainerFacts | undefined,
  now: number,
  withinMs: number = SERVICE_START_MS,
): number | undefined {
  if (isLooping(facts, now)) return undefined;
  const { running, startedAt } = findContainer(facts) ?? {};
  return running && startedAt !== undefined && now - startedAt < withinMs ? startedAt : undefined;
}

/** Whether a check fails only because a container that runs was restarted on request: that is told, and nothing is wrong. */
export const isOnlyRestarted = ({ check, verdict }: CheckState, { container }: Facts): boolean =>
  check === 'container' &&
  verdict === 'fail' &&
  findContainer(container)?.running === true &&
  isRestartPlanned(container) === true;
