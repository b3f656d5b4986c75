import { checksOfAlert } from './alert-of-check.ts';
import type { AlertRule } from './alert-rule.ts';
import { failing, known, last, TARGET } from './promql.ts';

const CONTAINER_FAILS = failing('.+', ...checksOfAlert('SubnetContainerDown'));

/** Did the container run within two minutes, however briefly? A scrape may miss each of its short runs. */
const RAN = '(max_over_time(subnet_container_running[2m]) + changes(subnet_container_restarts_total[2m]) > bool 0)';

/** Alerts about containers and about the files that programs write. */
export const containerRules = [
  {
    name: 'SubnetContainerDown',
    severity: 'warning',
    for: '1m',
    keepFiringFor: '2m',
    expr: `${CONTAINER_FAILS}
and on (subnet, component, name) (max by (subnet, component, name) ${RAN} == 0)`,
    labels: TARGET,
    summary: 'A container of {{ $labels.subnet }} does not run.',
    description:
      'The container of {{ $labels.name }} of {{ $labels.subnet }} has not run for minutes. The reason of its check container on the status page says how it ended and with what command to start it.',
    dashboard: 'subnetd-node',
  },
  {
    name: 'SubnetContainerRestarting',
    severity: 'warning',
    for: '3m',
    // A container that was stopped for minutes, or that was restarted on purpose, is not restarting.
    expr: `${CONTAINER_FAILS}
and on (subnet, component, name) (min_over_time(${RAN}[8m:30s]) == 1)
unless on (subnet, component, name) (min by (subnet, component, name) (${last('subnet_container_restart_planned')}) == 1)
or ${known('silent_restart_loop')}`,
    labels: TARGET,
    summary: 'A container of {{ $labels.subnet }} restarts.',
    description:
      'The container of {{ $labels.name }} of {{ $labels.subnet }} has restarted within the last minutes, not on order and without being stopped for long. Read what its log ends in before each start; a node that dies of a fatal error ends with exit code 0.',
    dashboard: 'subnetd-node',
  },
  {
    name: 'SubnetContainerMemoryNearLimit',
    severity: 'warning',
    for: '10m',
    expr: `max by (subnet, component, name) (
  ${last('subnet_container_memory_bytes')} / ${last('subnet_container_memory_limit_bytes')}
) > 0.9`,
    labels: TARGET,
    summary: 'A container of {{ $labels.subnet }} is near its memory limit.',
    description:
      '{{ $labels.name }} of {{ $labels.subnet }} uses {{ $value | humanizePercentage }} of its memory limit, and is killed when it reaches it. Raise mem_limit in its compose file, or find out why it grows.',
    dashboard: 'subnetd-node',
  },
  {
    name: 'SubnetLogFileLarge',
    severity: 'warning',
    for: '10m',
    expr: `max by (subnet, component, name) (${last('subnet_log_file_bytes')}) > 10e9`,
    labels: TARGET,
    summary: 'The log files of a program of {{ $labels.subnet }} are large.',
    description:
      'The log files of {{ $labels.name }} of {{ $labels.subnet }} hold {{ $value | humanize1024 }}B, and nothing rotates an xdc.log: a full disk stops the node. Truncate the file in place, and let logrotate do so with copytruncate.',
    dashboard: 'subnetd-node',
  },
  {
    name: 'SubnetCheckDegraded',
    severity: 'info',
    for: '15m',
    expr: `max by (subnet, component, name) (${last('subnet_check_degraded')}) == 1`,
    labels: TARGET,
    summary: 'A check of {{ $labels.subnet }} sees less than it could.',
    description:
      'A check of {{ $labels.name }} of {{ $labels.subnet }} passes, but is judged through a fallback. Its reason on the status page names the line of the env file to change.',
    dashboard: 'subnetd-self',
  },
] as const satisfies readonly AlertRule[];
