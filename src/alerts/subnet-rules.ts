import type { AlertRule } from './alert-rule.ts';
import { last } from './promql.ts';

const NODES = `max by (subnet) (${last('subnet_nodes')})`;
const LATEST_BLOCK = last('subnet_check_success{component="node", check="latest_block"}');

/** Alerts about what users of a subnet notice; these page. */
export const subnetRules = [
  {
    name: 'SubnetHalted',
    severity: 'critical',
    for: '30s',
    keepFiringFor: '5m',
    // The log of a node without reachable RPC may still show blocks. A node that answers is judged by its answer.
    expr: `${NODES}
and on (subnet) (max by (subnet) (${LATEST_BLOCK}) == 0)
unless on (subnet) (
  changes(subnet_node_log_block_number[1m]) > 0
  unless on (subnet, name) ${last('subnet_node_up')} == 1
)`,
    labels: ['subnet'],
    summary: 'The subnet {{ $labels.subnet }} is halted.',
    description:
      'None of the {{ $value }} nodes of {{ $labels.subnet }} shows new blocks. Start the nodes that are down and see that they reach each other: more than two thirds of the masternodes have to run, of 3 nodes all 3.',
    dashboard: 'subnetd-fleet',
  },
  {
    name: 'SubnetFinalityStalled',
    severity: 'critical',
    for: '30s',
    keepFiringFor: '3m',
    expr: `max by (subnet) (${last('subnet_node_block_number{block="latest"}')})
- max by (subnet) (${last('subnet_node_block_number{block="committed"}')})
and on (subnet) (max by (subnet) (changes(subnet_node_block_number{block="committed"}[2m])) == 0)
and on (subnet) (max by (subnet) (changes(subnet_node_block_number{block="latest"}[1m])) > 0)
and on (subnet) (max by (subnet) (count_over_time(subnet_node_block_number{block="committed"}[2m] offset 1m)) > 0)`,
    labels: ['subnet'],
    summary: 'The subnet {{ $labels.subnet }} commits no blocks.',
    description:
      'Blocks of {{ $labels.subnet }} come, but none has been committed for two minutes; {{ $value }} wait. Three rounds in a row have to bring a block each: look for nodes that time out, and for clocks that differ.',
    dashboard: 'subnetd-fleet',
  },
  {
    name: 'SubnetQuorumAtRisk',
    severity: 'critical',
    for: '1m',
    keepFiringFor: '3m',
    // Quorum as the chain counts it: votes >= nodes × 0.667 in floating point. So 3 nodes need 3 and may lose none.
    expr: `count by (subnet) (
  min by (subnet, name) (${LATEST_BLOCK}) == 0
  unless on (subnet, name) (changes(subnet_node_block_number{block="latest"}[2m]) > 0)
  unless on (subnet, name) (changes(subnet_node_log_block_number[2m]) > 0)
) >= on (subnet) (${NODES} - ceil(0.667 * ${NODES}))
and on (subnet) (max by (subnet) (${LATEST_BLOCK}) == 1)`,
    labels: ['subnet'],
    summary: 'The subnet {{ $labels.subnet }} halts when one more node fails.',
    description:
      '{{ $value }} of the nodes of {{ $labels.subnet }} do not advance, as many as it can lose. Mend them before any other work, and restart no other node.',
    dashboard: 'subnetd-fleet',
  },
] as const satisfies readonly AlertRule[];
