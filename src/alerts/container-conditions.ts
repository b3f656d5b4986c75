import { isRestartPlanned } from '../model/restart-cause.ts';
import type { TargetState } from '../model/snapshot.ts';
import { type ConditionResult, fails, perTarget } from './condition.ts';
import { showsFailure } from './known-failure.ts';

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

const degradedOf = ({ checks }: TargetState): ConditionResult => {
  if (checks.some(({ verdict }) => verdict === 'degraded')) return 1;
  return checks.some(({ verdict }) => verdict === 'pass' || verdict === 'fail') ? false : undefined;
};

/** The conditions of `containerRules`, judged without Prometheus. */
export const containerConditions = {
  SubnetContainerDown: perTarget('any', (state, { now }) => {
    const is = fails(state, 'container');
    if (is !== true) return is;
    return !isRunning(state) && (stoppedMs(state, now) ?? 0) >= DOWN_MS ? 0 : false;
  }),
  SubnetContainerRestarting: perTarget('any', (state, { now }) => {
    const loops = showsFailure(state, 'silent_restart_loop');
    const is = fails(state, 'container');
    if (typeof loops === 'number') return loops;
    if (is !== true) return is;
    if (isRestartPlanned(state.facts.container)) return false;
    return (stoppedMs(state, now) ?? 0) < DOWN_MS ? 0 : false;
  }),
  SubnetContainerMemoryNearLimit: perTarget('any', ({ target, facts: { container } }) => {
    const observation = container?.observation;
    if (target.container === undefined) return false;
    if (observation === undefined || observation.kind === 'docker-unreachable') return undefined;
    if (observation.kind === 'missing') return false;
    const { memoryBytes = 0, memoryLimitBytes = Number.POSITIVE_INFINITY } = observation.container;
    const ratio = memoryBytes / memoryLimitBytes;
    return ratio > NEAR_LIMIT ? ratio : false;
  }),
  SubnetLogFileLarge: perTarget('any', ({ target, facts: { logs } }) => {
    if (target.logFiles.length === 0) return false;
    if (logs?.fileBytes === undefined) return undefined;
    return logs.fileBytes > LARGE_BYTES ? logs.fileBytes : false;
  }),
  SubnetCheckDegraded: perTarget('any', degradedOf),
} as const;
