import { isRestartPlanned } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { engineOf } from '../../model/target.ts';
import { bit, escapeLabel, type Family, familiesFrom, timeOf } from './family.ts';

const container = (
  name: string,
  type: Family['type'],
  help: string,
  value: (state: TargetState) => number | undefined,
): Family => ({ name: `subnet_container_${name}`, type, help, samples: [{ per: 'target', value }] });

/**
 * The container as Docker described it in the last probe; undefined if Docker was unreachable or had no such
 * container.
 */
const found = ({ facts }: TargetState) =>
  facts.container?.observation?.kind === 'found' ? facts.container.observation.container : undefined;

/** The metrics of containers, in the order of the page. */
export const containerFamilies: readonly Family[] = [
  {
    name: 'subnet_container_engine_info',
    type: 'gauge',
    help: 'The Docker Engine that the inventory names for the container; always 1.',
    labels: 'subnet, component, name, engine',
    samples: [
      {
        per: 'list',
        of: 'target',
        values: ({ target: { container } }) =>
          container === undefined ? [] : [{ labels: `,engine="${escapeLabel(engineOf(container))}"`, value: 1 }],
      },
    ],
  },
  ...familiesFrom('container', [
    container('running', 'gauge', 'Whether the container runs (1) or not (0), by Docker.', ({ facts }) =>
      facts.container === undefined || facts.container.observation?.kind === 'docker-unreachable'
        ? undefined
        : bit(facts.container.observation?.kind === 'found' && facts.container.observation.container.running),
    ),
    container(
      'last_exit_code',
      'gauge',
      'The last exit code of the container; 137 alone does not prove an OOM kill.',
      ({ facts }) => facts.container?.lastExit?.code,
    ),
    container(
      'memory_bytes',
      'gauge',
      'Memory of the container without the inactive file cache.',
      (state) => found(state)?.memoryBytes,
    ),
    container(
      'memory_limit_bytes',
      'gauge',
      'Memory limit of the container; absent when it has none.',
      (state) => found(state)?.memoryLimitBytes,
    ),
    timeOf(
      container(
        'start_timestamp_seconds',
        'gauge',
        'When the container last started, in Unix seconds.',
        (state) => found(state)?.startedAt,
      ),
    ),
    container(
      'restarts_total',
      'counter',
      'Starts of the container after the first one seen, recreations included.',
      ({ facts }) => facts.container?.restarts,
    ),
    container(
      'restart_planned',
      'gauge',
      'Whether someone ordered the last restart, as with docker restart or a new container (1), or the container crashed (0).',
      ({ facts }) => bit(isRestartPlanned(facts.container)),
    ),
    container(
      'oom_kills_total',
      'counter',
      'OOM kills in the container, by Docker.',
      ({ facts }) => facts.container?.oomKills,
    ),
  ]),
];
