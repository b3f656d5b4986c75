import type { History, Uptime } from '../model/history.ts';
import type { Snapshot, SubnetState, TargetState } from '../model/snapshot.ts';
import { targetKey } from '../model/target.ts';
import { createPace, type Pace } from './pace.ts';
import { createTimeRing, type TimeRing } from './time-ring.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const HOURS = 24;
const DAYS = 30;

/** When nothing was recorded for longer than this, nobody looked. */
const UNSEEN_MS = 60_000;

/** What a target is at a moment. What fails because of another target is not its own time down. */
export function partOf({ target, checks }: TargetState): keyof Uptime {
  const isDown = checks.some(
    ({ verdict, because }) =>
      verdict === 'fail' &&
      (because === undefined || (because.component === target.component && because.name === target.name)),
  );
  if (isDown) return 'fail';
  if (checks.some(({ verdict }) => verdict === 'fail')) return 'ok';
  return checks.some(({ verdict }) => verdict === 'pass' || verdict === 'degraded') ? 'ok' : 'unseen';
}

/** How many blocks are not final, as far as nodes say. */
function findGap({ reference, targets }: SubnetState): number | undefined {
  const committed = Math.max(...targets.flatMap(({ facts: { node } }) => node?.committed?.number ?? []));
  return reference === undefined || !Number.isFinite(committed) ? undefined : Math.max(0, reference - committed);
}

/** Starts with nothing. */
export function createHistory(): History {
  const rings = new Map<string, { readonly hours: TimeRing; readonly days: TimeRing }>();
  const paces = new Map<string, Pace>();
  let recordedAt: number | undefined;

  const ringsOf = (key: string) => {
    const known = rings.get(key) ?? { hours: createTimeRing(HOURS), days: createTimeRing(DAYS) };
    rings.set(key, known);
    return known;
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
        const pace = paces.get(state.subnet.name) ?? createPace();
        paces.set(state.subnet.name, pace);
        pace.record(at, state.reference, findGap(state));
        // A clock that was set, or a pause: what happened meanwhile is not known.
        if (passed <= 0 || passed > UNSEEN_MS) continue;
        for (const target of state.targets) {
          const { hours, days } = ringsOf(targetKey(target.target));
          const part = partOf(target);
          hours.add(Math.floor(at / HOUR_MS), part, passed);
          days.add(Math.floor(at / DAY_MS), part, passed);
        }
      }
    },
    minutesOf: (subnet) => paces.get(subnet)?.read() ?? [],
    historyOf: (target, at) => {
      const { hours, days } = ringsOf(targetKey(target));
      return { hours: hours.read(Math.floor(at / HOUR_MS)), days: days.read(Math.floor(at / DAY_MS)) };
    },
  };
}
