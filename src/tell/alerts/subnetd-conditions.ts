import type { WatchedMs } from '../../lib/clock.ts';
import type { SubnetState, TargetState } from '../../model/snapshot.ts';
import type { RoundName } from '../../model/target.ts';
import type { AlertInput } from './alert-input.ts';
import {
  type Condition,
  type ConditionResult,
  FAILED,
  perEngine,
  perInstance,
  perShard,
  perSubnet,
  perTarget,
} from './condition.ts';

/** Remembers a counter over time, to compute its increase. Creates an empty window of `keepMs` milliseconds. */
export function createIncreaseWindow(keepMs: number) {
  let records: readonly { readonly at: WatchedMs; readonly count: number }[] = [];
  return {
    /** Records the counter's value at this time. */
    record: (at: WatchedMs, count: number): void => {
      const base = records.findLastIndex((record) => record.at <= at - keepMs);
      records = [...records.slice(Math.max(base, 0)), { at, count }];
    },
    /** The increase since then, or since the first record when that is later; 0 without a record. */
    since: (time: WatchedMs): number => {
      const base = records.findLast(({ at }) => at <= time) ?? records[0];
      return base === undefined ? 0 : (records.at(-1)?.count ?? 0) - base.count;
    },
  };
}

/** Tolerance beyond three missed runs: what the rule allows for scrapes. */
const SLACK_MS = 150_000;
const LATE_WINDOW_MS = 10 * 60_000;
const MAX_LATE = 0.1;
const NOT_SENT_WINDOW_MS = 5 * 60_000;
const ERRORS_WINDOW_MS = 10 * 60_000;

/** The longest time since an overdue check ran, in seconds; for one that never ran, its interval. */
function judgeStale({ checks, target }: TargetState, { now, intervalMs }: AlertInput): ConditionResult {
  let staleSeconds = 0;
  for (const { verdict, round, lastRun } of checks) {
    const interval = verdict === 'skipped' ? undefined : intervalMs(target.subnet, round);
    if (interval === undefined) continue;
    if (lastRun === undefined) staleSeconds = Math.max(staleSeconds, interval / 1000);
    else if (now - lastRun > 3 * interval + SLACK_MS) staleSeconds = Math.max(staleSeconds, (now - lastRun) / 1000);
  }
  return staleSeconds > 0 ? { value: staleSeconds } : 'clear';
}

/** How many rounds of a subnet start within the window if none is late. */
function countRounds({ targets }: SubnetState, intervalMs: (round: RoundName) => number | undefined): number {
  const judged = targets.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict !== 'skipped'));
  return [...new Set(judged.map(({ round }) => round))].reduce(
    (count, round) => count + LATE_WINDOW_MS / (intervalMs(round) ?? Number.POSITIVE_INFINITY),
    0,
  );
}

/** The conditions of `subnetdRules`, judged without Prometheus; subnetd cannot report that it is down itself. */
export const subnetdConditions = {
  // Every instance of the fleet notifies of it with the same labels, so that it is one alert.
  SubnetdShardUnseen: perShard(({ sight }) => {
    if (sight === 'unknown') return 'unknown';
    return sight === 'seen' ? 'clear' : FAILED;
  }),
  SubnetdDockerDown: perEngine((engine, containers, { enginesUp }) => {
    const up = enginesUp.get(engine);
    if (up === undefined) return 'unknown';
    return up ? 'clear' : { value: containers };
  }),
  SubnetdCheckStale: perTarget('any', judgeStale),
  SubnetdRoundsLate: perSubnet((state, { lateRounds, intervalMs, now }) => {
    const { name } = state.subnet;
    const share = lateRounds(name, now - LATE_WINDOW_MS) / countRounds(state, (round) => intervalMs(name, round));
    return share > MAX_LATE ? { value: share } : 'clear';
  }),
  SubnetdReloadFailed: perInstance(({ lastReloadSuccessful }) => (lastReloadSuccessful ? 'clear' : FAILED)),
  SubnetdInternalError: perInstance(({ internalErrors, now }) => {
    const errors = internalErrors(now - ERRORS_WINDOW_MS);
    return errors > 0 ? { value: errors } : 'clear';
  }),
  SubnetdAlertsNotSent: perInstance(({ notSent, now }) => {
    const alerts = notSent(now - NOT_SENT_WINDOW_MS);
    return alerts > 0 ? { value: alerts } : 'clear';
  }),
  SubnetdDatabaseDown: perInstance(({ isDatabaseUp }) => (isDatabaseUp ? 'clear' : FAILED)),
  SubnetdWatchdog: () => [{ labels: {}, result: { value: 1 } }],
} as const satisfies Readonly<Record<string, Condition>>;
