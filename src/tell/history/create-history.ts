import {
  type History,
  type HistoryChange,
  type Minute,
  type PaceRow,
  type Span,
  UPTIME_PARTS,
  type Uptime,
  type UptimeRow,
} from '../../model/history.ts';
import { findPlanned, type PlannedWork } from '../../model/planned-work.ts';
import { isBlind, type ProblemName } from '../../model/problem-catalog.ts';
import { isOnlyRestarted } from '../../model/restart-cause.ts';
import { consensusOf, type Snapshot, type TargetState } from '../../model/snapshot.ts';
import { type Target, targetKey } from '../../model/target.ts';
import { findGap } from '../../watch/clients/find-gap.ts';
import { createCells } from './create-cells.ts';
import { createPace, type Pace } from './pace.ts';
import { createRing, findSpan, openSpan, type Ring } from './ring.ts';
import { createTargetMemory } from './target-memory.ts';
import type { UnsavedTimes } from './unsaved-times.ts';

/** The milliseconds of a span. */
export const SPAN_MS: Readonly<Record<Span, number>> = { hour: 3_600_000, day: 24 * 3_600_000 };
/** How many spans of a length are in memory. */
export const SPANS: Readonly<Record<Span, number>> = { hour: 24, day: 30 };

/** How long a target was in each state, in milliseconds, by hours and by days, and its key: to make that costs more than to add to a time. */
type Times = Readonly<Record<Span, Ring<Uint32Array>>> & { readonly key: string };

const createTimes = (span: Span) =>
  createRing(createCells(Uint32Array, SPANS[span] * UPTIME_PARTS.length), SPANS[span]);

function addTime(ring: Ring<Uint32Array>, span: number, part: keyof Uptime, ms: number): void {
  const first = openSpan(ring, span);
  if (first === undefined) return;
  const cell = first + UPTIME_PARTS.indexOf(part);
  ring.cells[cell] = (ring.cells[cell] ?? 0) + Math.round(ms);
}

/** Undefined when the target was not watched. */
function readTime(ring: Ring<Uint32Array>, span: number): Uptime | undefined {
  const first = findSpan(ring, span);
  if (first === undefined) return undefined;
  const [ok = 0, fail = 0, unseen = 0, planned = 0] = ring.cells.subarray(first, first + UPTIME_PARTS.length);
  return ok + fail + unseen + planned === 0 ? undefined : { ok, fail, unseen, planned };
}

/** The wall clock was set, or the process did not run, if the two times differ by more. */
const SET_MS = 1_000;

/** After a longer time without a record, nothing is known of that time. */
const UNSEEN_MS = 60_000;

/** The problems of a node that runs and takes no part. */
const WITHOUT_PART: readonly ProblemName[] = ['chain_forked', 'node_not_voting', 'masternode_penalised'];

const downPart = (target: Target, plannedWork: readonly PlannedWork[]): keyof Uptime =>
  findPlanned(plannedWork, target) === undefined ? 'fail' : 'planned';

/**
 * The part of the uptime that a moment of a target counts for. What fails because of another target is not a time down of its own. A
 * masternode that takes no part is down, whatever its checks say, and what runs after a requested restart is not.
 */
export function partOf(
  { target, facts, checks, problem }: TargetState,
  plannedWork: readonly PlannedWork[] = [],
): keyof Uptime {
  if (problem !== undefined && WITHOUT_PART.includes(problem.problem)) return downPart(target, plannedWork);
  let part: keyof Uptime = 'unseen';
  for (const check of checks) {
    const { verdict, because } = check;
    const isOwn = because === undefined || (because.component === target.component && because.name === target.name);
    if (verdict === 'fail' && isOwn && !isOnlyRestarted(check, facts)) return downPart(target, plannedWork);
    if (verdict === 'fail' && because && isBlind(because.problem)) continue;
    if (verdict === 'fail' || verdict === 'pass' || verdict === 'degraded') part = 'ok';
  }
  return part;
}

/** Receives what is recorded, to store it. */
export interface HistorySink {
  /** Whether the times of a subnet are stored. */
  readonly keeps: (subnet: string) => boolean;
  readonly times: Pick<UnsavedTimes, 'add'>;
  readonly addMinute: (subnet: string, minute: Minute) => void;
}

/** A history that can be given what an earlier process of subnetd has stored. */
export interface RestorableHistory extends History {
  /** Takes over the targets of a snapshot, whose times can be restored from then on. */
  begin(snapshot: Snapshot): void;
  /** Adds the times of known targets, and the minutes, to what is in memory. */
  restore(uptimes: readonly UptimeRow[], minutes: readonly PaceRow[]): void;
}

/** Starts with nothing. */
export function createHistory(sink?: HistorySink): RestorableHistory {
  const times = createTargetMemory<Times>(
    ({ target }, before) => before ?? { hour: createTimes('hour'), day: createTimes('day'), key: targetKey(target) },
  );
  const paces = new Map<string, Pace>();
  /** When the last record was made, in both times. */
  let recorded: { readonly wallMs: number; readonly watchedMs: number } | undefined;

  const paceOf = (subnet: string): Pace => {
    const known = paces.get(subnet) ?? createPace((minute) => sink?.addMinute(subnet, minute));
    paces.set(subnet, known);
    return known;
  };

  const forgetPaces = (snapshot: Snapshot) => {
    const names = new Set(snapshot.map(({ subnet }) => subnet.name));
    for (const name of paces.keys()) if (!names.has(name)) paces.delete(name);
  };

  /** Adds the time that has passed to the hour and the day of all targets. */
  const addTimes = (snapshot: Snapshot, at: number, passed: number) => {
    const spans = (['hour', 'day'] as const).map((span) => ({ span, index: Math.floor(at / SPAN_MS[span]) }));
    times.each(snapshot, (own, state, { subnet, plannedWork }) => {
      const part = partOf(state, plannedWork);
      const isKept = sink?.keeps(subnet.name);
      for (const { span, index } of spans) {
        addTime(own[span], index, part, passed);
        if (isKept) sink?.times.add(own.key, state.target, span, index * SPAN_MS[span], part, passed);
      }
    });
  };

  const read = (target: Target, span: Span, at: number) => {
    const own = times.of(target);
    const first = Math.floor(at / SPAN_MS[span]) - SPANS[span] + 1;
    return Array.from({ length: SPANS[span] }, (_, index) => own && readTime(own[span], first + index));
  };

  return {
    record: (snapshot, at, watchedMs) => {
      const passed = recorded === undefined ? 0 : watchedMs - recorded.watchedMs;
      const isSet = recorded !== undefined && Math.abs(at - recorded.wallMs - passed) > SET_MS;
      recorded = { wallMs: at, watchedMs };
      for (const state of snapshot) {
        const pace = paceOf(state.subnet.name);
        // That minute was longer or shorter than a minute.
        if (isSet) pace.record(at, undefined, undefined);
        pace.record(at, state.reference, findGap(state.targets), consensusOf(state)?.minePeriodMs);
      }
      if (paces.size > snapshot.length) forgetPaces(snapshot);
      // After a pause, what happened meanwhile is not known.
      addTimes(snapshot, at, passed > UNSEEN_MS ? 0 : passed);
    },
    begin: (snapshot) => times.each(snapshot, () => {}),
    restore: (uptimes, minutes) => {
      for (const { span, start, ok, fail, unseen, planned, ...target } of uptimes) {
        const own = times.of(target);
        if (own === undefined) continue;
        for (const [part, ms] of Object.entries({ ok, fail, unseen, planned }) as [keyof Uptime, number][])
          addTime(own[span], Math.floor(start / SPAN_MS[span]), part, ms);
      }
      for (const [subnet, known] of Map.groupBy(minutes, (minute) => minute.subnet))
        paceOf(subnet).restore(known.map(({ subnet: _, ...minute }) => minute));
    },
    minutesOf: (subnet) => paces.get(subnet)?.read() ?? [],
    historyOf: (target, at) => ({ hours: read(target, 'hour', at), days: read(target, 'day', at) }),
  };
}

/** At most this many changes of all subnets are kept, the last ones. */
const MOST = 2_000;

/** Keeps the changes of the last hour in memory. Starts with none. */
export function createRecentChanges() {
  let kept: readonly HistoryChange[] = [];
  return {
    /** Adds changes; those from before the start may come later. */
    add: (changes: readonly HistoryChange[]): void => {
      if (changes.length > 0) kept = [...kept, ...changes].sort((one, other) => one.at - other.at).slice(-MOST);
    },
    /** The changes of a subnet in the hour before `at`, in wall time, the oldest first. */
    read: (subnet: string, at: number): readonly HistoryChange[] =>
      kept.filter((one) => one.subnet === subnet && one.at > at - SPAN_MS.hour),
  };
}
