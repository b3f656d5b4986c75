import { isRestartPlanned } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { engineOf } from '../../model/target.ts';
import { bit, type Family, ofTargets, perTarget, timeOf, toFamily } from './family.ts';

/**
 * The container as Docker described it in the last probe; undefined if Docker was unreachable or had no such
 * container.
 */
const found = ({ facts }: TargetState) =>
  facts.container?.observation?.kind === 'found' ? facts.container.observation.container : undefined;

/** The metrics of containers, in the order of the page. */
export const containerFamilies: readonly Family[] = [
  toFamily(
    'subnet_container_engine_info',
    'gauge',
    'The Docker Engine that the inventory names for the container; always 1.',
    ofTargets('subnet, component, name', 'engine', ({ target: { container } }, add) => {
      if (container !== undefined) add(engineOf(container), 1);
    }),
  ),
  perTarget(
    'subnet_container_running',
    'gauge',
    'Whether the container runs (1) or not (0), by Docker.',
    ({ facts }) =>
      facts.container === undefined || facts.container.observation?.kind === 'docker-unreachable'
        ? undefined
        : bit(facts.container.observation?.kind === 'found' && facts.container.observation.container.running),
  ),
  perTarget(
    'subnet_container_last_exit_code',
    'gauge',
    'The last exit code of the container; 137 alone does not prove an OOM kill.',
    ({ facts }) => facts.container?.lastExit?.code,
  ),
  perTarget(
    'subnet_container_memory_bytes',
    'gauge',
    'Memory of the container without the inactive file cache.',
    (state) => found(state)?.memoryBytes,
  ),
  perTarget(
    'subnet_container_memory_limit_bytes',
    'gauge',
    'Memory limit of the container; absent when it has none.',
    (state) => found(state)?.memoryLimitBytes,
  ),
  timeOf(
    perTarget(
      'subnet_container_start_timestamp_seconds',
      'gauge',
      'When the container last started, in Unix seconds.',
      (state) => found(state)?.startedAt,
    ),
  ),
  perTarget(
    'subnet_container_restarts_total',
    'counter',
    'Starts of the container after the first one seen, recreations included.',
    ({ facts }) => facts.container?.restarts,
  ),
  perTarget(
    'subnet_container_restart_planned',
    'gauge',
    'Whether someone ordered the last restart, as with docker restart or a new container (1), or the container crashed (0).',
    ({ facts }) => bit(isRestartPlanned(facts.container)),
  ),
  perTarget(
    'subnet_container_oom_kills_total',
    'counter',
    'OOM kills in the container, by Docker.',
    ({ facts }) => facts.container?.oomKills,
  ),
];
