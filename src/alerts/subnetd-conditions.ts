import type { SubnetState, TargetState } from '../model/snapshot.ts';
import { engineOf, type RoundName } from '../model/target.ts';
import type { Seen } from './alert-input.ts';
import { type Condition, type ConditionResult, perEngine, perInstance, perSubnet, perTarget } from './condition.ts';

/** Beyond three missed runs: the room that the rule gives to scrapes. */
const SLACK_MS = 150_000;
const LATE_WINDOW_MS = 10 * 60_000;
const MAX_LATE = 0.1;
const NOT_SENT_WINDOW_MS = 5 * 60_000;

/** The longest time since a check that should have run did, in seconds; of one that never did, its interval. */
function staleSeconds({ checks, target }: TargetState, { now, intervalMs }: Seen): ConditionResult {
  let worst: ConditionResult = false;
  for (const { verdict, round, lastRun } of checks) {
    const interval = verdict === 'skipped' ? undefined : intervalMs(target.subnet, round);
    if (interval === undefined) continue;
    if (lastRun === undefined) worst = Math.max(Number(worst), interval / 1000);
    else if (now - lastRun > 3 * interval + SLACK_MS) worst = Math.max(Number(worst), (now - lastRun) / 1000);
  }
  return worst;
}

/** How many rounds of a subnet begin within the window when all do in time. */
function countRounds({ targets }: SubnetState, intervalMs: (round: RoundName) => number | undefined): number {
  const judged = targets.flatMap(({ checks }) => checks.filter(({ verdict }) => verdict !== 'skipped'));
  return [...new Set(judged.map(({ round }) => round))].reduce(
    (count, round) => count + LATE_WINDOW_MS / (intervalMs(round) ?? Number.POSITIVE_INFINITY),
    0,
  );
}

/** When subnetdRules of the catalogue are so, judged without Prometheus; subnetd cannot say of itself that it is down. */
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
  SubnetdWatchdog: () => [{ of: {}, isKnown: true, value: 1 }],
} as const satisfies Readonly<Record<string, Condition>>;
