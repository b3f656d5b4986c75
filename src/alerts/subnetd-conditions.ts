import type { SubnetState, TargetState } from '../model/snapshot.ts';
import { engineOf, type RoundName } from '../model/target.ts';
import type { AlertInput } from './alert-input.ts';
import { type Condition, type ConditionResult, perEngine, perInstance, perSubnet, perTarget } from './condition.ts';

/** Tolerance beyond three missed runs: what the rule allows for scrapes. */
const SLACK_MS = 150_000;
const LATE_WINDOW_MS = 10 * 60_000;
const MAX_LATE = 0.1;
const NOT_SENT_WINDOW_MS = 5 * 60_000;

/** The longest time since an overdue check ran, in seconds; for one that never ran, its interval. */
function staleSeconds({ checks, target }: TargetState, { now, intervalMs }: AlertInput): ConditionResult {
  let worst: ConditionResult = false;
  for (const { verdict, round, lastRun } of checks) {
    const interval = verdict === 'skipped' ? undefined : intervalMs(target.subnet, round);
    if (interval === undefined) continue;
    if (lastRun === undefined) worst = Math.max(Number(worst), interval / 1000);
    else if (now - lastRun > 3 * interval + SLACK_MS) worst = Math.max(Number(worst), (now - lastRun) / 1000);
  }
  return worst;
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
  SubnetdDockerDown: perEngine((engine, containers, { enginesUp }) => {
    const up = enginesUp.get(engine);
    if (up === undefined) return undefined;
    return up ? false : containers;
  }),
  SubnetdCheckStale: perTarget('any', staleSeconds),
  SubnetdRoundsLate: perSubnet((state, { lateRounds, intervalMs, now }) => {
    const { name } = state.subnet;
    const share = lateRounds(name, now - LATE_WINDOW_MS) / countRounds(state, (round) => intervalMs(name, round));
    return share > MAX_LATE ? share : false;
  }),
  SubnetdReloadFailed: perInstance(({ lastReloadSuccessful }) => (lastReloadSuccessful ? false : 0)),
  SubnetdLogSourceDown: perTarget('any', ({ target: { container, logFiles }, facts: { logs } }, { enginesUp }) => {
    if (container === undefined && logFiles.length === 0) return false;
    if (logs === undefined) return undefined;
    if (logs.sources.file?.up === false) return 0;
    if (logs.sources.container?.up !== false) return false;
    const isLost = container !== undefined && enginesUp.get(engineOf(container)) === false;
    return isLost ? undefined : 0;
  }),
  SubnetdAlertsNotSent: perInstance(({ notSent, now }) => notSent(now - NOT_SENT_WINDOW_MS) || false),
  SubnetdDatabaseDown: perInstance(({ isDatabaseUp }) => (isDatabaseUp ? false : 0)),
  SubnetdWatchdog: () => [{ labels: {}, isKnown: true, value: 1 }],
} as const satisfies Readonly<Record<string, Condition>>;
