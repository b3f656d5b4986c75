import type { ContainerFacts, ContainerRun, StartedBy } from '../../model/facts.ts';
import { type Fill, foldFill } from '../../model/fill.ts';
import type { Container, ContainerObservation } from '../../model/observation.ts';
import { belongsTo, findCrashes, isStopOf, START_MS } from '../../model/restart-cause.ts';

/** The part of a Docker event that is folded. */
export interface ContainerEvent {
  readonly action: string;
  readonly id: string;
  readonly exitCode?: number;
  readonly at: number;
}

/** Within this time two `oom` events are one kill: cgroup v1 notifies again when the group is removed (Docker 20.10). */
const SAME_KILL_MS = 1_000;

/** Docker records the start slightly after the process runs, so a short run can seem to end before it started. */
export const START_LAG_MS = 1_000;

const nothing: ContainerFacts = { restarts: 0, oomKills: 0, inspected: false };

/** Number of starts between the known run and this one, as far as the two show. */
function countStarts({ inspected, run: known }: ContainerFacts, run: ContainerRun): number {
  if (known === undefined) return inspected ? run.restartCount : 0;
  // It started before the other container of the same service, so it did not start now.
  if (known.id !== run.id) return run.startedAt < known.startedAt ? 0 : 1 + run.restartCount;
  if (known.restartCount > run.restartCount) return 1 + run.restartCount;
  return Math.max(run.restartCount - known.restartCount, 1);
}

function startedBy({ run: known }: ContainerFacts, { id, restartCount }: ContainerRun): StartedBy {
  if (restartCount > 0) return 'policy';
  return known === undefined || known.id === id ? 'request' : 'recreation';
}

function foldRun(facts: ContainerFacts, container: Container, at: number): ContainerFacts {
  const { id, status, startedAt, restartCount } = container;
  if (startedAt === undefined) return facts;
  // Docker raises the count when a run ends, before the next one starts (moby daemon/monitor.go).
  const run = { id, startedAt, restartCount: status === 'restarting' ? Math.max(restartCount - 1, 0) : restartCount };
  // A slow inspection that ended after a newer one, or two alternating containers: nothing started.
  if ([facts.run, facts.runBefore].some((one) => one?.id === id && one.startedAt === startedAt)) return facts;
  const starts = countStarts(facts, run);
  const { run: runBefore = run, lastExit } = facts;
  const wellFrom = (lastExit?.at ?? 0) - runBefore.startedAt >= START_MS ? runBefore.startedAt : facts.wellFrom;
  const next = { ...facts, run, runBefore: facts.run, wellFrom, restarts: facts.restarts + starts };
  if (starts === 0 && (facts.inspected || run.restartCount === 0)) return next;
  const lastRestartBy = startedBy(facts, run);
  // What crashed before a recreation was another container.
  const isFirstCrash = lastRestartBy === 'policy' && facts.lastRestartBy === 'recreation';
  return {
    ...next,
    // A start in the future means that the clocks differ.
    lastRestartAt: Math.min(startedAt, at),
    lastRestartBy,
    earlierCrashes: isFirstCrash ? [] : findCrashes(facts).slice(-2),
  };
}

function foldOomKilled(facts: ContainerFacts, container: Container, at: number): ContainerFacts {
  const { id, startedAt, finishedAt, oomKilled, status } = container;
  // A running container still has the flag of its previous run (Docker 20.10).
  if (!oomKilled || startedAt === undefined || status === 'running' || status === 'paused') return facts;
  const { countedOomEvent, countedOomRun, inspected, oomKills } = facts;
  if (countedOomRun?.id === id && countedOomRun.startedAt === startedAt) return facts;
  const slackMs = countedOomEvent?.open ? START_LAG_MS : 0;
  if (countedOomEvent?.id === id && countedOomEvent.at >= startedAt - slackMs) return facts;
  const seen = { ...facts, countedOomRun: { id, startedAt, until: (finishedAt ?? at) + SAME_KILL_MS } };
  return inspected ? { ...seen, oomKills: oomKills + 1, lastOomAt: Math.min(finishedAt ?? at, at) } : seen;
}

function foldExit(facts: ContainerFacts, code: number | undefined, at: number): ContainerFacts {
  return code === undefined || at < (facts.lastExit?.at ?? 0) ? facts : { ...facts, lastExit: { code, at } };
}

const runningOf = (observation: ContainerObservation | undefined): string | undefined =>
  observation?.kind === 'found' && observation.container.status === 'running'
    ? `${observation.container.id} ${observation.container.startedAt}`
    : undefined;

const foldMemory = (before: Fill | undefined, { memoryBytes: used, memoryLimitBytes: total }: Container, at: number) =>
  used === undefined || total === undefined ? undefined : foldFill(before, { used, total, free: total - used }, at);

/** Whether an engine was stopped. One that only takes long may be busy, and at a port a proxy may be gone. */
function isEngineDown(observation: ContainerObservation | undefined): boolean {
  if (observation?.kind !== 'docker-unreachable') return false;
  const { address, code } = observation.why;
  return code === 'ssh-engine-down' || (address.startsWith('unix:') && ['ENOENT', 'ECONNREFUSED'].includes(code));
}

/**
 * Folds an inspection at `at`. While Docker does not answer, the facts stay. What the first inspection finds is history
 * and is not counted, but a start by the restart policy still sets `lastRestartAt`.
 */
export function foldContainer(previous: ContainerFacts | undefined, observation: ContainerObservation, at: number) {
  const running = runningOf(observation);
  const isSame = running !== undefined && running === runningOf(previous?.observation);
  const runsSince = isSame ? previous?.runsSince : running === undefined ? undefined : at;
  const wasDown = previous?.engineDown;
  const downFrom = isEngineDown(previous?.observation) ? (wasDown?.from ?? at) : at;
  const engineDown = isEngineDown(observation) ? { from: downFrom, to: at } : wasDown;
  const facts = { ...(previous ?? nothing), observation, runsSince, engineDown };
  if (observation.kind === 'docker-unreachable') return facts;
  if (observation.kind === 'missing') return { ...facts, inspected: true };
  const { container } = observation;
  const counted = foldOomKilled(foldRun(facts, container, at), container, at);
  const memory = foldMemory(isSame ? previous?.memory : undefined, container, at);
  return { ...foldExit(counted, container.exitCode, container.finishedAt ?? at), memory, inspected: true };
}

/** Whether the last run ended because somebody ordered that after `at`. */
export const endedOnOrder = ({ lastExit, lastStopRequest }: ContainerFacts, at: number): boolean =>
  lastExit !== undefined &&
  lastStopRequest !== undefined &&
  lastStopRequest.at > at &&
  belongsTo(lastStopRequest, lastStopRequest.id, lastExit.at);

/** Docker waits this long at most for what it stops, but where somebody lets it wait longer. */
const MOST_STOP_MS = 60_000;

function foldStopRequest(facts: ContainerFacts, { id, at, action }: ContainerEvent): ContainerFacts {
  const { lastStopRequest: last } = facts;
  // Docker tells of a restart once the container runs again, after what it did to stop it. That is no new request.
  if (action === 'restart' && last?.id === id && at - last.at < MOST_STOP_MS) return facts;
  const begin = last?.id === id && at - last.at < MOST_STOP_MS ? (last.since ?? last.at) : at;
  const tookMs = (facts.lastExit?.at ?? 0) - begin;
  // Docker tells of a stop once the container has ended.
  const isDone = action === 'stop' && tookMs >= 0;
  const unlessAsked = (end: ContainerFacts['unrequestedExit']) => (belongsTo(end, id, at) ? undefined : end);
  // The request that is forgotten now has stopped what waited for its restart after this end.
  const { unrequestedExit: ended, run } = facts;
  const wasStopped = ended !== undefined && isStopOf(facts, ended.at, run?.startedAt);
  return {
    ...facts,
    lastStopRequest: { id, at, since: isDone || tookMs < 0 ? begin : at },
    stopTookMs: isDone ? tookMs : facts.stopTookMs,
    unrequestedKill: unlessAsked(facts.unrequestedKill),
    unrequestedExit: wasStopped ? undefined : unlessAsked(ended),
  };
}

/** Folds an event. Each `oom` counts once, unless an inspection or another event counted that kill. */
export function foldContainerEvent(previous: ContainerFacts | undefined, event: ContainerEvent): ContainerFacts {
  const known = previous ?? nothing;
  const { id, exitCode, at } = event;
  // What has started is there, however long Docker takes to say how it runs.
  const isThere = event.action === 'start' && known.observation?.kind === 'missing';
  const facts = isThere ? { ...known, observation: undefined } : known;
  const { countedOomEvent, countedOomRun } = facts;
  if (event.action === 'die') {
    const ended = foldExit(facts, exitCode, at);
    if (belongsTo(facts.lastStopRequest, id, at)) return ended;
    return { ...ended, unrequestedExit: { id, at }, ...(exitCode === 137 && { unrequestedKill: { id, at } }) };
  }
  if (['kill', 'stop', 'restart'].includes(event.action)) return foldStopRequest(facts, event);
  if (event.action === 'start' && countedOomEvent?.id === id)
    return { ...facts, countedOomEvent: { ...countedOomEvent, open: false } };
  if (event.action !== 'oom') return facts;

  if (countedOomEvent?.id === id && countedOomEvent.open && Math.abs(at - countedOomEvent.at) < SAME_KILL_MS)
    return facts;
  const counted = { ...facts, countedOomEvent: { id, at, open: true } };
  if (countedOomRun?.id === id && at >= countedOomRun.startedAt - START_LAG_MS && at <= countedOomRun.until)
    return { ...counted, countedOomRun: undefined };
  return { ...counted, oomKills: facts.oomKills + 1, lastOomAt: at };
}
