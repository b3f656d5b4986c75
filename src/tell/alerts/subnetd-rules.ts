import type { AlertRule } from './alert-rule.ts';
import {
  last,
  ON_LOST_ENGINE,
  PLANNED_SUBNET,
  PLANNED_TARGET,
  reportProblems,
  SCRAPE_JOB,
  TARGET,
} from './problem-rule.ts';

/** Of each instance by itself: one that is quick does not hide another that is late. */
const LATE = 'sum by (subnet, instance) (increase(subnetd_rounds_late_total[10m]))';
const DONE = 'sum by (subnet, instance) (increase(subnetd_round_duration_seconds_count[10m]))';

const INSTANCE = ['instance'] as const;

/** Alerts about subnetd itself: while one fires, silence proves nothing. */
export const subnetdRules = [
  ...reportProblems(
    { dashboard: 'subnetd-self', ofSubnet: true },
    {
      SubnetdOffline: {
        summary: 'subnetd reaches no node of {{ $labels.subnet }}.',
        description:
          'No node of {{ $labels.subnet }} can be reached from subnetd; the subnet itself may be healthy. Check the network link and the name server of its machine; if no node has answered since subnetd started, check the addresses in the inventory first.',
      },
    },
  ),
  {
    name: 'SubnetdDown',
    severity: 'critical',
    for: '1m',
    expr: `max by (instance) (up{job="${SCRAPE_JOB}"}) == 0
or max by (instance) (absent_over_time(up{job="${SCRAPE_JOB}"}[2m]))`,
    labels: INSTANCE,
    summary: 'subnetd cannot be scraped, so nothing watches the subnets.',
    description:
      'Prometheus does not reach subnetd {{ $labels.instance }}, or has no such target. Start it, and check the scrape configuration of the job subnetd.',
    dashboard: 'subnetd-self',
  },
  {
    name: 'SubnetdShardUnseen',
    severity: 'critical',
    for: '1m',
    // One instance that sees it is enough: another may be cut off from the database without knowing it yet.
    expr: `max by (shard) (${last('subnetd_shard_seen')}) == 0`,
    labels: ['shard'],
    summary: 'No other subnetd sees shard {{ $labels.shard }} of the fleet.',
    description:
      'No instance of shard {{ $labels.shard }} writes to the database of the fleet, so its subnets may be unwatched. Start one, or restore its connection to PostgreSQL; the status page of any other instance names it and its subnets.',
    dashboard: 'subnetd-self',
  },
  {
    name: 'SubnetdDockerDown',
    severity: 'warning',
    for: '1m',
    keepFiringFor: '5m',
    expr: `count by (subnet, engine) (max by (subnet, component, name, engine) (
  ${ON_LOST_ENGINE}
))
unless on (subnet) ${PLANNED_SUBNET}`,
    labels: ['subnet', 'engine'],
    summary: 'subnetd cannot ask the Docker Engine {{ $labels.engine }} about the containers of {{ $labels.subnet }}.',
    description:
      'The Docker Engine {{ $labels.engine }} does not answer. {{ $value }} containers of {{ $labels.subnet }} are on it; they and their logs cannot be judged. Start Docker there, or correct `docker` in the inventory; a check container on the status page says what was seen.',
    dashboard: 'subnetd-self',
  },
  {
    name: 'SubnetdCheckStale',
    severity: 'warning',
    for: '5m',
    // The time since the last scrape does not count as a missed run.
    expr: `max by (subnet, component, name) (
  time() - ${last('subnet_check_last_run_timestamp_seconds')} > 3 * ${last('subnet_check_interval_seconds')} + 150
  or ${last('subnet_check_interval_seconds')} unless ${last('subnet_check_last_run_timestamp_seconds')}
)
unless on (subnet, component, name) ${PLANNED_TARGET}`,
    labels: TARGET,
    summary: 'Checks of {{ $labels.subnet }} do not run.',
    description:
      'A check of {{ $labels.name }} of {{ $labels.subnet }} has missed three runs: it has not run for {{ $value | humanizeDuration }} or longer. Look at the log of subnetd, and restart it.',
    dashboard: 'subnetd-self',
  },
  {
    name: 'SubnetdRoundsLate',
    severity: 'warning',
    for: '5m',
    // A busy machine delays some of many rounds; SubnetdCheckStale fires when that matters for one target.
    expr: `max by (subnet) (
  ${LATE}
  / (${LATE} + ${DONE})
) > 0.1
unless on (subnet) ${PLANNED_SUBNET}`,
    labels: ['subnet'],
    summary: 'subnetd is too slow for the schedule of {{ $labels.subnet }}.',
    description:
      '{{ $value | humanizePercentage }} of the rounds of {{ $labels.subnet }} did not begin in time within ten minutes. Give subnetd more processor time, or space the schedules under `checks` wider.',
    dashboard: 'subnetd-self',
  },
  {
    name: 'SubnetdReloadFailed',
    severity: 'warning',
    for: '1m',
    expr: `min by (instance) (${last('subnetd_config_last_reload_successful')}) == 0`,
    labels: INSTANCE,
    summary: 'subnetd runs with an older inventory than the one on disk.',
    description:
      'The last reload of {{ $labels.instance }} failed, so the inventory before it stays in force. `subnetd check-config FILE` names each problem with its line.',
    dashboard: 'subnetd-self',
  },
  ...reportProblems(
    { dashboard: 'subnetd-self' },
    {
      SubnetdSuspended: {
        ofSubnet: true,
        summary: 'subnetd was suspended, or its clock was set, while it watched {{ $labels.subnet }}.',
        description:
          'The problem on the status page says which. While subnetd or its machine was suspended, nothing of {{ $labels.subnet }} was seen: find out what paused it, such as a snapshot or a machine without processor time. If its clock was set, let chrony keep it right.',
      },
      SubnetdLogLinesLost: {
        summary: 'Docker throws away log lines of {{ $labels.subnet }} before they are read.',
        description:
          'Docker rotated the log of {{ $labels.name }} of {{ $labels.subnet }} faster than subnetd could read it, so an error in it may not have been seen. Give the log more room with the option max-size of its logging driver.',
      },
      SubnetdLogSourceDown: {
        summary: 'subnetd cannot read a log of {{ $labels.subnet }}.',
        description:
          'A log of {{ $labels.name }} of {{ $labels.subnet }} cannot be read, so an error in it is not seen, and a check that has no other log says nothing. The problem on the status page says why: the file is missing or not readable by the user of subnetd, or Docker does not give the log of the container.',
      },
    },
  ),
  {
    name: 'SubnetdInternalError',
    severity: 'warning',
    for: '1m',
    expr: `sum by (instance) (increase(subnetd_internal_errors_total[10m])) > 0`,
    labels: INSTANCE,
    summary: 'A part of subnetd broke, which is a bug.',
    description:
      'A part of {{ $labels.instance }} broke within ten minutes, so what it shows, keeps or sends may be old or missing. The metric subnetd_internal_errors_total names the part. Report the error, which the log of subnetd has beside "please report this".',
    dashboard: 'subnetd-self',
  },
  {
    name: 'SubnetdAlertsNotSent',
    severity: 'warning',
    for: '5m',
    expr: `sum by (instance) (
  increase(subnetd_alerts_failed_total[5m]) + increase(subnetd_alerts_dropped_total[5m])
) > 0`,
    labels: INSTANCE,
    summary: 'subnetd cannot send its alerts.',
    description:
      '{{ $value | humanize }} alerts of {{ $labels.instance }} were not accepted within five minutes, by an Alertmanager or a channel, so they may reach nobody. The log of subnetd names it and why; start it, or correct `alertmanager` or `notify` in the inventory.',
    dashboard: 'subnetd-self',
  },
  {
    name: 'SubnetdDatabaseDown',
    severity: 'warning',
    for: '5m',
    expr: `min by (instance) (${last('subnetd_database_up')}) == 0`,
    labels: INSTANCE,
    summary: 'The platform API of subnetd has no database.',
    description:
      'The database of {{ $labels.instance }} does not answer: its API says 1106, while checks and alerts go on. Start it, or correct SUBNETD_DATABASE_URL.',
    dashboard: 'subnetd-self',
  },
  {
    name: 'SubnetdWatchdog',
    severity: 'none',
    for: '0s',
    expr: 'vector(1)',
    labels: [],
    summary: 'Alerts reach you.',
    description:
      'This alert always fires. If it stops arriving, Prometheus, Alertmanager or the path from them is broken; have a dead-man service expect it.',
    dashboard: 'subnetd-self',
  },
] as const satisfies readonly AlertRule[];
