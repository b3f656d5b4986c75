/** The job that scrapes subnetd in config/prometheus/prometheus.yml. */
export const SCRAPE_JOB = 'subnetd';

/** A failed scrape ends every series for a while. For this long the last sample counts as the current one. */
const GAP = '2m';

/** The labels of a target. */
export const TARGET = ['subnet', 'component', 'name'] as const;

/** The last sample of each series. */
export const last = (selector: string): string => `last_over_time(${selector}[${GAP}])`;

/** The containers on an engine that does not answer, per subnetd. */
export const ON_LOST_ENGINE = `${last('subnet_container_engine_info')}
  and on (instance, job, engine) ${last('subnetd_docker_up')} == 0`;

/** The targets that planned work covers. */
export const PLANNED_TARGET = last('subnet_planned_work');

/** The subnets that planned work covers as a whole. */
export const PLANNED_SUBNET = last('subnet_planned_work{component="",name=""}');
