import type { History, Minute, PaceRow, Span, Uptime, UptimeRow } from '../model/history.ts';
import { findPlanned, type PlannedWork } from '../model/planned-work.ts';
import type { Snapshot, SubnetState, TargetState } from '../model/snapshot.ts';
import { type Target, targetKey } from '../model/target.ts';
import { createPace, type Pace } from './pace.ts';
import { createTimeRing, type TimeRing } from './time-ring.ts';

/** The milliseconds of a span. */
export const SPAN_MS: Readonly<Record<Span, number>> = { hour: 3_600_000, day: 24 * 3_600_000 };
/** How many spans of a length are in memory. */
export const SPANS: Readonly<Record<Span, number>> = { hour: 24, day: 30 };

/** When nothing was recorded for longer than this, nobody looked. */
const UNSEEN_MS = 60_000;

/** What a target is at a moment. What fails because of another target is not its own time down, nor is planned work. */
export function partOf({ target, checks }: TargetState, plannedWork: readonly PlannedWork[] = []): keyof Uptime {
  const isDown = checks.some(
    ({ verdict, because }) =>
      verdict === 'fail' &&
      (because === undefined || (because.component === target.component && because.name === target.name)),
  );
  if (isDown) return findPlanned(plannedWork, target) === undefined ? 'fail' : 'planned';
  if (checks.some(({ verdict }) => verdict === 'fail')) return 'ok';
  return checks.some(({ verdict }) => verdict === 'pass' || verdict === 'degraded') ? 'ok' : 'unseen';
}

/** How many blocks are not final, as far as nodes say. */
function findGap({ reference, targets }: SubnetState): number | undefined {
  const committed = Math.max(...targets.flatMap(({ facts: { node } }) => node?.committed?.number ?? []));
  return reference === undefined || !Number.isFinite(committed) ? undefined : Math.max(0, reference - committed);
}

/** Receives what is recorded, to store it. */
export interface HistorySink {
  readonly addTime: (target: Target, span: Span, start: number, part: keyof Uptime, ms: number) => void;
  readonly addMinute: (subnet: string, minute: Minute) => void;
}

/** A history that can be given what an earlier process of subnetd has stored. */
export interface RestorableHistory extends History {
  /** Adds the times to what is in memory. */
  restore(uptimes: readonly UptimeRow[], minutes: readonly PaceRow[]): void;
}

type Rings = Readonly<Record<Span, TimeRing>>;

/** Starts with nothing. */
export function createHistory(sink?: HistorySink): RestorableHistory {
  const rings = new Map<string, Rings>();
  const paces = new Map<string, Pace>();
  let recordedAt: number | undefined;

  const ringsOf = (key: string) => {
    const known = rings.get(key) ?? { hour: createTimeRing(SPANS.hour), day: createTimeRing(SPANS.day) };
    rings.set(key, known);
    return known;
  };

  const paceOf = (subnet: string): Pace => {
    const known = paces.get(subnet) ?? createPace((minute) => sink?.addMinute(subnet, minute));
    paces.set(subnet, known);
    return known;
  };

  const add = (target: Target, span: Span, at: number, part: keyof Uptime, ms: number) => {
    const index = Math.floor(at / SPAN_MS[span]);
    ringsOf(targetKey(target))[span].add(index, part, ms);
    sink?.addTime(target, span, index * SPAN_MS[span], part, ms);
  };

  const keepOnly = (snapshot: Snapshot) => {
    const keys = new Set(snapshot.flatMap(({ targets }) => targets.map(({ target }) => targetKey(target))));
    if (keys.size < rings.size) for (const key of rings.keys()) if (!keys.has(key)) rings.delete(key);
    const names = new Set(snapshot.map(({ subnet }) => subnet.name));
    for (const name of paces.keys()) if (!names.has(name)) paces.delete(name);
  };

  return {
    record: (snapshot, at) => {
      keepOnly(snapshot);
      const passed = recordedAt === undefined ? 0 : at - recordedAt;
      recordedAt = at;
      for (const state of snapshot) {
        paceOf(state.subnet.name).record(at, state.reference, findGap(state));
        // A clock that was set, or a pause: what happened meanwhile is not known.
        if (passed <= 0 || passed > UNSEEN_MS) continue;
        for (const target of state.targets) {
          const part = partOf(target, state.plannedWork);
          add(target.target, 'hour', at, part, passed);
          add(target.target, 'day', at, part, passed);
        }
      }
    },
    restore: (uptimes, minutes) => {
      for (const { span, start, ok, fail, unseen, planned, ...target } of uptimes) {
        const ring = ringsOf(targetKey(target))[span];
        for (const [part, ms] of Object.entries({ ok, fail, unseen, planned }) as [keyof Uptime, number][])
          ring.add(Math.floor(start / SPAN_MS[span]), part, ms);
      }
      for (const [subnet, known] of Map.groupBy(minutes, (minute) => minute.subnet))
        paceOf(subnet).restore(known.map(({ subnet: _, ...minute }) => minute));
    },
    minutesOf: (subnet) => paces.get(subnet)?.read() ?? [],
    historyOf: (target, at) => {
      const { hour, day } = ringsOf(targetKey(target));
      return { hours: hour.read(Math.floor(at / SPAN_MS.hour)), days: day.read(Math.floor(at / SPAN_MS.day)) };
    },
  };
}
