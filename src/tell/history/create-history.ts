import type { History, Minute, PaceRow, Span, Uptime, UptimeRow } from '../../model/history.ts';
import { findPlanned, type PlannedWork } from '../../model/planned-work.ts';
import { isBlind, type ProblemName } from '../../model/problem-catalog.ts';
import type { Snapshot, SubnetState, TargetState } from '../../model/snapshot.ts';
import type { Target } from '../../model/target.ts';
import { addTime, createColumns, createTimeCells, readTime, TIME_CELLS } from './columns.ts';
import { createPace, type Pace } from './pace.ts';
import { createTargetPlaces } from './target-places.ts';
import type { UnsavedTimes } from './unsaved-times.ts';

/** The milliseconds of a span. */
export const SPAN_MS: Readonly<Record<Span, number>> = { hour: 3_600_000, day: 24 * 3_600_000 };
/** How many spans of a length are in memory. */
export const SPANS: Readonly<Record<Span, number>> = { hour: 24, day: 30 };

/** The wall clock was set, or the process did not run, if the two times differ by more. */
const SET_MS = 1_000;

/** After a longer time without a record, nothing is known of that time. */
const UNSEEN_MS = 60_000;

/** The problems of a node that runs and takes no part. */
const WITHOUT_PART: readonly ProblemName[] = ['chain_forked', 'node_not_voting', 'masternode_penalised'];

/**
 * The part of the uptime that a moment of a target counts for. What fails because of another target is no time down of its own. A
 * masternode that takes no part is down, whatever its checks say.
 */
export function partOf(
  { target, checks, problem }: TargetState,
  plannedWork: readonly PlannedWork[] = [],
): keyof Uptime {
  const isDown = () => (findPlanned(plannedWork, target) === undefined ? 'fail' : 'planned');
  if (problem !== undefined && WITHOUT_PART.includes(problem.problem)) return isDown();
  let part: keyof Uptime = 'unseen';
  for (const { verdict, because } of checks) {
    const isOwn = because === undefined || (because.component === target.component && because.name === target.name);
    if (verdict === 'fail' && isOwn) return isDown();
    if (verdict === 'fail' && because && isBlind(because.problem)) continue;
    if (verdict === 'fail' || verdict === 'pass' || verdict === 'degraded') part = 'ok';
  }
  return part;
}

/** How many blocks are not final, as far as nodes say. */
function findGap({ reference, targets }: SubnetState): number | undefined {
  if (reference === undefined) return undefined;
  let committed: number | undefined;
  for (const { facts } of targets) {
    const number = facts.node?.committed?.number;
    if (number !== undefined) committed = Math.max(committed ?? number, number);
  }
  return committed === undefined ? undefined : Math.max(0, reference - committed);
}

/** Receives what is recorded, to store it. */
export interface HistorySink {
  /** Whether the times of a subnet are stored. */
  readonly keeps: (subnet: string) => boolean;
  readonly times: Pick<UnsavedTimes, 'move' | 'add'>;
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
  const places = createTargetPlaces();
  const times = {
    hour: createColumns(SPANS.hour, createTimeCells, TIME_CELLS),
    day: createColumns(SPANS.day, createTimeCells, TIME_CELLS),
  };
  const paces = new Map<string, Pace>();
  /** When the last record was made, in both times. */
  let recorded: { readonly wallMs: number; readonly watchedMs: number } | undefined;

  const paceOf = (subnet: string): Pace => {
    const known = paces.get(subnet) ?? createPace((minute) => sink?.addMinute(subnet, minute));
    paces.set(subnet, known);
    return known;
  };

  const begin = (snapshot: Snapshot) => {
    const moves = places.update(snapshot);
    if (moves === undefined) return;
    times.hour.move(moves.targets);
    times.day.move(moves.targets);
    sink?.times.move(places.targets(), moves.targets);
  };

  const forgetPaces = (snapshot: Snapshot) => {
    const names = new Set(snapshot.map(({ subnet }) => subnet.name));
    for (const name of paces.keys()) if (!names.has(name)) paces.delete(name);
  };

  /** Adds the time that has passed to an hour or a day of all targets. */
  const addTimes = (snapshot: Snapshot, span: Span, at: number, passed: number) => {
    const index = Math.floor(at / SPAN_MS[span]);
    const cells = times[span].open(index);
    let place = 0;
    for (const { subnet, targets, plannedWork } of snapshot) {
      const isKept = sink?.keeps(subnet.name) === true;
      for (const state of targets) {
        const part = partOf(state, plannedWork);
        if (cells !== undefined) addTime(cells, place, part, passed);
        if (isKept) sink?.times.add(place, span, index * SPAN_MS[span], part, passed);
        place += 1;
      }
    }
  };

  const read = (target: Target, span: Span, at: number) => {
    const place = places.placeOf(target);
    const first = Math.floor(at / SPAN_MS[span]) - SPANS[span] + 1;
    return Array.from({ length: SPANS[span] }, (_, index) => {
      const cells = times[span].read(first + index);
      return cells === undefined || place === undefined ? undefined : readTime(cells, place);
    });
  };

  return {
    record: (snapshot, at, watchedMs) => {
      begin(snapshot);
      const passed = recorded === undefined ? 0 : watchedMs - recorded.watchedMs;
      const isSet = recorded !== undefined && Math.abs(at - recorded.wallMs - passed) > SET_MS;
      recorded = { wallMs: at, watchedMs };
      for (const state of snapshot) {
        const pace = paceOf(state.subnet.name);
        // That minute was longer or shorter than a minute.
        if (isSet) pace.record(at, undefined, undefined);
        pace.record(at, state.reference, findGap(state));
      }
      if (paces.size > snapshot.length) forgetPaces(snapshot);
      // After a pause, what happened meanwhile is not known.
      if (passed > UNSEEN_MS) return;
      addTimes(snapshot, 'hour', at, passed);
      addTimes(snapshot, 'day', at, passed);
    },
    begin,
    restore: (uptimes, minutes) => {
      for (const { span, start, ok, fail, unseen, planned, ...target } of uptimes) {
        const place = places.placeOf(target);
        const cells = times[span].open(Math.floor(start / SPAN_MS[span]));
        if (place === undefined || cells === undefined) continue;
        for (const [part, ms] of Object.entries({ ok, fail, unseen, planned }) as [keyof Uptime, number][])
          addTime(cells, place, part, ms);
      }
      for (const [subnet, known] of Map.groupBy(minutes, (minute) => minute.subnet))
        paceOf(subnet).restore(known.map(({ subnet: _, ...minute }) => minute));
    },
    minutesOf: (subnet) => paces.get(subnet)?.read() ?? [],
    historyOf: (target, at) => ({ hours: read(target, 'hour', at), days: read(target, 'day', at) }),
  };
}
