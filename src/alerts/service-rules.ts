import { checksOfAlert } from './alert-of-check.ts';
import type { AlertRule } from './alert-rule.ts';
import { failing, known, READERS_OF_SILENT_NODE, TARGET } from './promql.ts';

/** Alerts about the relayer, the stats server and the frontend. */
export const serviceRules = [
  {
    name: 'SubnetRelayerStopped',
    severity: 'critical',
    for: '1m',
    keepFiringFor: '3m',
    // A relayer without a mode has never started, which is another alert.
    expr: `${failing('relayer', ...checksOfAlert('SubnetRelayerStopped'))}
unless on (subnet, name) (${known('relayer_idle')})
unless on (subnet, name) ${READERS_OF_SILENT_NODE}`,
    labels: TARGET,
    summary: 'The relayer of {{ $labels.subnet }} submits no blocks to the parent chain.',
    description:
      'The relayer of {{ $labels.subnet }} has submitted nothing for too long, or fails since its last submission. The reason of its check submissions on the status page says which, and what to fix; often a restart of its container is enough.',
    dashboard: 'subnetd-services',
  },
  {
    name: 'SubnetServiceDown',
    severity: 'warning',
    for: '1m',
    keepFiringFor: '3m',
    expr: failing('relayer|stats|frontend', ...checksOfAlert('SubnetServiceDown')),
    labels: TARGET,
    summary: 'A service of {{ $labels.subnet }} does not answer as it should.',
    description:
      'The {{ $labels.name }} of {{ $labels.subnet }} does not answer by HTTP as a healthy one does, for instance because its process ended in a container that lives on. Look at its log, then restart its container.',
    dashboard: 'subnetd-services',
  },
  {
    name: 'SubnetStatsStale',
    severity: 'warning',
    for: '2m',
    expr: `${failing('stats', ...checksOfAlert('SubnetStatsStale'))}
unless on (subnet, name) ${READERS_OF_SILENT_NODE}`,
    labels: TARGET,
    summary: 'The stats server of {{ $labels.subnet }} gets no data from the nodes.',
    description:
      'No node sends the stats server of {{ $labels.subnet }} its blocks or its history. Check that STATS_SERVICE_ADDRESS and STATS_SECRET of the nodes are those of the stats server, and restart it.',
    dashboard: 'subnetd-services',
  },
  {
    name: 'SubnetFrontendErrors',
    severity: 'warning',
    for: '1m',
    expr: failing('frontend', ...checksOfAlert('SubnetFrontendErrors')),
    labels: TARGET,
    summary: 'The frontend of {{ $labels.subnet }} shows errors.',
    description:
      'The log of the frontend of {{ $labels.subnet }}, or its page in a browser, has shown errors. The reasons of its checks logs and console on the status page name them.',
    dashboard: 'subnetd-services',
  },
] as const satisfies readonly AlertRule[];
