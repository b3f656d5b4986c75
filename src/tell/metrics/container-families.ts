import { isRestartPlanned } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { engineOf } from '../../model/target.ts';
import { bit, type Metrics, ofTargets, perTarget, timeOf, toMetric } from './family.ts';

/**
 * The container as Docker described it in the last probe; undefined if Docker was unreachable or had no such
 * container.
 */
const found = ({ facts }: TargetState) =>
  facts.container?.observation?.kind === 'found' ? facts.container.observation.container : undefined;

/** The metrics of containers, in the order of the page. */
export const containerMetrics: Metrics = {
  subnet_container_engine_info: toMetric(
    'The Docker Engine that the inventory names for the container; always 1.',
    ofTargets('subnet, component, name', 'engine', ({ target: { container } }, add) => {
      if (container !== undefined) add(engineOf(container), 1);
    }),
  ),
  subnet_container_running: perTarget('Whether the container runs (1) or not (0), by Docker.', ({ facts }) =>
    facts.container === undefined || facts.container.observation?.kind === 'docker-unreachable'
      ? undefined
      : bit(facts.container.observation?.kind === 'found' && facts.container.observation.container.running),
  ),
  subnet_container_last_exit_code: perTarget(
    'The last exit code of the container; 137 alone does not prove an OOM kill.',
    ({ facts }) => facts.container?.lastExit?.code,
  ),
  subnet_container_memory_bytes: perTarget(
    'Memory of the container without the inactive file cache.',
    (state) => found(state)?.memoryBytes,
  ),
  subnet_container_memory_limit_bytes: perTarget(
    'Memory limit of the container; absent when it has none.',
    (state) => found(state)?.memoryLimitBytes,
  ),
  subnet_container_start_timestamp_seconds: timeOf(
    perTarget('When the container last started, in Unix seconds.', (state) => found(state)?.startedAt),
  ),
  subnet_container_restarts_total: perTarget(
    'Starts of the container after the first one seen, recreations included.',
    ({ facts }) => facts.container?.restarts,
  ),
  subnet_container_restart_planned: perTarget(
    'Whether someone ordered the last restart, as with docker restart or a new container (1), or the container crashed (0).',
    ({ facts }) => bit(isRestartPlanned(facts.container)),
  ),
  subnet_container_oom_kills_total: perTarget(
    'OOM kills in the container, by Docker.',
    ({ facts }) => facts.container?.oomKills,
  ),
};
