import type { CheckName } from '../model/verdict.ts';

/**
 * The alert that reports each failing check. Its rule and its condition take their checks from here. Several alerts judge
 * a node's latest block; this is the one about the check alone.
 */
export const ALERT_OF_CHECK = {
  latest_block: 'SubnetNodeStalled',
  peers: 'SubnetNodePeersMissing',
  log_block: 'SubnetNodeLogFault',
  messages: 'SubnetBootnodeMissesNode',
  submissions: 'SubnetRelayerStopped',
  block_data: 'SubnetStatsStale',
  history_data: 'SubnetStatsStale',
  logs: 'SubnetFrontendErrors',
  http: 'SubnetServiceDown',
  console: 'SubnetFrontendErrors',
  container: 'SubnetContainerDown',
} as const satisfies Readonly<Record<CheckName, string>>;

/** An alert that reports failing checks. */
export type CheckAlertName = (typeof ALERT_OF_CHECK)[CheckName];

const entries = Object.entries(ALERT_OF_CHECK) as readonly [CheckName, CheckAlertName][];

/** The checks that an alert reports. */
export const checksOfAlert = (alert: CheckAlertName): readonly CheckName[] =>
  entries.flatMap(([check, reportedBy]) => (reportedBy === alert ? [check] : []));
