import { isRestartPlanned } from '../model/restart-cause.ts';
import type { TargetState } from '../model/snapshot.ts';
import { type ConditionResult, FAILED, isActive, judgeChecks, perTarget } from './condition.ts';
import { judgeFailure } from './known-failure.ts';

/** A container that has been stopped for this long is down; one that starts sooner is restarting. */
const DOWN_MS = 2 * 60_000;

/** How long the container has been stopped, or was before its last start. Undefined when it never stopped. */
function stoppedMs({ facts: { container }, checks }: TargetState, now: number): number | undefined {
  const observation = container?.observation;
  const found = observation?.kind === 'found' ? observation.container : undefined;
  const endedAt = container?.lastExit?.at;
  if (found?.running)
    return endedAt === undefined || found.startedAt === undefined ? undefined : found.startedAt - endedAt;
  return now - (endedAt ?? checks.find(({ check }) => check === 'container')?.since ?? now);
}

const isRunning = ({ facts: { container } }: TargetState): boolean =>
  container?.observation?.kind === 'found' && container.observation.container.running;

const LARGE_BYTES = 10e9;
const NEAR_LIMIT = 0.9;

const DEGRADED: ConditionResult = { value: 1 };

const judgeDegraded = ({ checks }: TargetState): ConditionResult => {
  if (checks.some(({ verdict }) => verdict === 'degraded')) return DEGRADED;
  return checks.some(({ verdict }) => verdict === 'pass' || verdict === 'fail') ? 'clear' : 'unknown';
};

/** The conditions of `containerRules`, judged without Prometheus. */
export const containerConditions = {
  SubnetContainerDown: perTarget('any', (state, { now }) => {
    const result = judgeChecks(state, 'container');
    if (!isActive(result)) return result;
    return !isRunning(state) && (stoppedMs(state, now) ?? 0) >= DOWN_MS ? FAILED : 'clear';
  }),
  SubnetContainerRestarting: perTarget('any', (state, { now }) => {
    const loop = judgeFailure(state, 'silent_restart_loop');
    if (isActive(loop)) return loop;
    const result = judgeChecks(state, 'container');
    if (!isActive(result)) return result;
    if (isRestartPlanned(state.facts.container)) return 'clear';
    return (stoppedMs(state, now) ?? 0) < DOWN_MS ? FAILED : 'clear';
  }),
  SubnetContainerMemoryNearLimit: perTarget('any', ({ target, facts: { container } }) => {
    const observation = container?.observation;
    if (target.container === undefined) return 'clear';
    if (observation === undefined || observation.kind === 'docker-unreachable') return 'unknown';
    if (observation.kind === 'missing') return 'clear';
    const { memoryBytes = 0, memoryLimitBytes = Number.POSITIVE_INFINITY } = observation.container;
    const ratio = memoryBytes / memoryLimitBytes;
    return ratio > NEAR_LIMIT ? { value: ratio } : 'clear';
  }),
  SubnetLogFileLarge: perTarget('any', ({ target, facts: { logs } }) => {
    if (target.logFiles.length === 0) return 'clear';
    if (logs?.fileBytes === undefined) return 'unknown';
    return logs.fileBytes > LARGE_BYTES ? { value: logs.fileBytes } : 'clear';
  }),
  SubnetCheckDegraded: perTarget('any', judgeDegraded),
} as const;
