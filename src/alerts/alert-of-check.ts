import type { CheckName } from '../model/verdict.ts';

/**
 * The alert that reports each failing check. Its rule and its condition take their checks from here; of a node's latest
 * block, which several alerts judge, it is the one that is about the check alone.
 */
export const ALERT_OF_CHECK: Readonly<Record<CheckName, string>> = {
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
};

const entries = Object.entries(ALERT_OF_CHECK) as readonly [CheckName, string][];

/** The checks that an alert reports. */
export const checksOf = (alert: string): readonly CheckName[] =>
  entries.flatMap(([check, of]) => (of === alert ? [check] : []));
