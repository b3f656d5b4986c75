import type { Container, ContainerObservation } from '../model/observation.ts';

/** A run of a container, from its start on. */
interface Run {
  readonly id: string;
  readonly startedAt: number;
  readonly restartCount: number;
}

/** How a run ended; the time in Unix milliseconds. */
export interface Exit {
  readonly code: number;
  readonly at: number;
}

/** What is known of a container; counters start at 0 with the process, times are Unix milliseconds. */
export interface ContainerFacts {
  /** The last look; absent when only events have come so far. */
  readonly observation?: ContainerObservation;
  /** Starts seen after the first, by the restart policy, by hand or as a new container of the same service. */
  readonly restarts: number;
  readonly lastRestartAt?: number;
  /** The restart before the last one, as far as subnetd has seen it. */
  readonly previousRestartAt?: number;
  /** By Docker's own verdict, never by an exit code. */
  readonly oomKills: number;
  readonly lastOomAt?: number;
  /** Of the last run that ended; it stays while the next one runs. */
  readonly lastExit?: Exit;
  /** The last end by SIGKILL that nobody had ordered through Docker: not out of memory by Docker's word, but alike. */
  readonly unorderedKill?: { readonly id: string; readonly at: number };
  /** The last time that Docker was told to signal or stop it. */
  readonly lastOrder?: { readonly id: string; readonly at: number };
  /** Has a look ever told whether the container is there? Before, what is found is history. */
  readonly looked: boolean;
  /** The last run that a look has seen. */
  readonly run?: Run;
  /** The last `oom` event that was counted; a start since then makes `open` false. */
  readonly oomEvent?: { readonly id: string; readonly at: number; readonly open: boolean };
  /** The last run that an inspection, and no event, showed as out of memory. */
  readonly oomRun?: { readonly id: string; readonly startedAt: number; readonly until: number };
}

/** The part of a Docker event that is folded. */
export interface ContainerEvent {
  readonly action: string;
  readonly id: string;
  readonly exitCode?: number;
  readonly at: number;
}

/**
 * One kill can make two `oom` events some milliseconds apart: cgroup v1 also notifies when the group of the dead
 * container is removed (seen in half of the kills with Docker 20.10; containerd and conmon know it too).
 */
const sameKillMs = 1_000;

/** Docker notes the start a little after the process runs, so that a short run can end before it started. */
const startLagMs = 1_000;

const nothing: ContainerFacts = { restarts: 0, oomKills: 0, looked: false };

/** How many starts happened between the run that was known and this container's, which has started at `startedAt`. */
function countStarts({ looked, run }: ContainerFacts, { id, restartCount }: Container, startedAt: number): number {
  if (run === undefined) return looked ? restartCount : 0;
  if (run.id !== id) return 1 + restartCount;
  return Math.max(restartCount - run.restartCount, run.startedAt === startedAt ? 0 : 1);
}

function foldRun(facts: ContainerFacts, container: Container, at: number): ContainerFacts {
  const { id, startedAt, restartCount } = container;
  if (startedAt === undefined) return facts;
  const starts = countStarts(facts, container, startedAt);
  const isRestart = starts > 0 || (!facts.looked && restartCount > 0);
  return {
    ...facts,
    run: { id, startedAt, restartCount },
    restarts: facts.restarts + starts,
    // A start in the future is a clock that differs from ours.
    ...(isRestart ? { lastRestartAt: Math.min(startedAt, at) } : {}),
    ...(isRestart && facts.lastRestartAt !== undefined ? { previousRestartAt: facts.lastRestartAt } : {}),
  };
}

function foldOomKilled(facts: ContainerFacts, container: Container, at: number): ContainerFacts {
  const { id, startedAt, finishedAt, oomKilled, status } = container;
  // A run that goes on still carries the verdict on the one before it (Docker 20.10).
  if (!oomKilled || startedAt === undefined || status === 'running' || status === 'paused') return facts;
  const { oomEvent, oomRun, looked, oomKills } = facts;
  if (oomRun?.id === id && oomRun.startedAt === startedAt) return facts;
  const slackMs = oomEvent?.open ? startLagMs : 0;
  if (oomEvent?.id === id && oomEvent.at >= startedAt - slackMs) return facts;
  const seen = { ...facts, oomRun: { id, startedAt, until: (finishedAt ?? at) + sameKillMs } };
  return looked ? { ...seen, oomKills: oomKills + 1, lastOomAt: Math.min(finishedAt ?? at, at) } : seen;
}

function foldExit(facts: ContainerFacts, code: number | undefined, at: number): ContainerFacts {
  return code === undefined || at < (facts.lastExit?.at ?? 0) ? facts : { ...facts, lastExit: { code, at } };
}

/**
 * Adds a look at `at`. While Docker cannot be asked, what is known stays. What the first look finds is history and is not
 * counted, but a start by the restart policy is a restart all the same (`lastRestartAt`).
 */
export function foldContainer(
  previous: ContainerFacts | undefined,
  observation: ContainerObservation,
  at: number,
): ContainerFacts {
  const facts = { ...(previous ?? nothing), observation };
  if (observation.kind === 'docker-unreachable') return facts;
  if (observation.kind === 'missing') return { ...facts, looked: true };
  const { container } = observation;
  const counted = foldOomKilled(foldRun(facts, container, at), container, at);
  return { ...foldExit(counted, container.exitCode, container.finishedAt ?? at), looked: true };
}

/** Docker notes an order and the end that it causes within moments of each other, in either order. */
const orderMs = 5_000;

const orders = ['kill', 'stop', 'restart'];

const belongs = (one: { readonly id: string; readonly at: number } | undefined, id: string, at: number): boolean =>
  one?.id === id && Math.abs(at - one.at) < orderMs;

function foldDeath(facts: ContainerFacts, { id, exitCode, at }: ContainerEvent): ContainerFacts {
  const ended = foldExit(facts, exitCode, at);
  return exitCode === 137 && !belongs(facts.lastOrder, id, at) ? { ...ended, unorderedKill: { id, at } } : ended;
}

function foldOrder(facts: ContainerFacts, { id, at }: ContainerEvent): ContainerFacts {
  const { unorderedKill, ...rest } = facts;
  const ordered = { ...rest, lastOrder: { id, at } };
  return unorderedKill && !belongs(unorderedKill, id, at) ? { ...ordered, unorderedKill } : ordered;
}

/** Adds an event: each `oom` counts one, unless an inspection or another event has counted that kill; a `die` tells its code. */
export function foldContainerEvent(previous: ContainerFacts | undefined, event: ContainerEvent): ContainerFacts {
  const facts = previous ?? nothing;
  const { id, at } = event;
  const { oomEvent, oomRun } = facts;
  if (event.action === 'die') return foldDeath(facts, event);
  if (orders.includes(event.action)) return foldOrder(facts, event);
  if (event.action === 'start' && oomEvent?.id === id) return { ...facts, oomEvent: { ...oomEvent, open: false } };
  if (event.action !== 'oom') return facts;

  if (oomEvent?.id === id && oomEvent.open && Math.abs(at - oomEvent.at) < sameKillMs) return facts;
  const counted = { ...facts, oomEvent: { id, at, open: true } };
  if (oomRun?.id === id && at >= oomRun.startedAt - startLagMs && at <= oomRun.until)
    return { ...counted, oomRun: undefined };
  return { ...counted, oomKills: facts.oomKills + 1, lastOomAt: at };
}
