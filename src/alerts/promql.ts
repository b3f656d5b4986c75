import type { CheckName } from '../model/verdict.ts';

/** The job that scrapes subnetd in config/prometheus/prometheus.yml. */
export const SCRAPE_JOB = 'subnetd';

/** A failed scrape ends every series for a while. For this long the last sample counts as the current one. */
const GAP = '2m';

/** The labels of a target. */
export const TARGET = ['subnet', 'component', 'name'] as const;

/** Two subnetd that watch the same subnet raise one alert. */
const BY_TARGET = `by (${TARGET.join(', ')})`;

/** The last sample of each series. */
export const last = (selector: string): string => `last_over_time(${selector}[${GAP}])`;

/** The targets of these components that fail one of the checks. */
export const failing = (component: string, ...names: readonly CheckName[]): string =>
  `min ${BY_TARGET} (${last(`subnet_check_success{component=~"${component}", check=~"${names.join('|')}"}`)}) == 0`;

/** The targets that show a known failure. */
export const known = (failure: string): string =>
  `max ${BY_TARGET} (${last(`subnet_known_failure{failure="${failure}"}`)}) == 1`;

/**
 * By subnet and name: nodes that answer no JSON-RPC now or did not moments ago. That leaves time for the consequences
 * to end.
 */
export const SILENT_NODES = `min by (subnet, name) (min_over_time(subnet_node_up[${GAP}])) == 0`;

/** The targets that read the subnet through such a node. */
export const READERS_OF_SILENT_NODE = `(
  ${last('subnet_reads_from_info')}
  and on (subnet, node)
  label_replace(${SILENT_NODES}, "node", "$1", "name", "(.*)")
)`;

/** The containers on an engine that does not answer, per subnetd. */
export const ON_LOST_ENGINE = `${last('subnet_container_engine_info')}
  and on (instance, job, engine) ${last('subnetd_docker_up')} == 0`;

/** Adds the target's labels to an expression by subnet and name. */
export const ofNodes = (expression: string): string =>
  `label_replace(\n${expression}\n, "component", "node", "name", ".*")`;
