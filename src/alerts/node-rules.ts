import { checksOfAlert } from './alert-of-check.ts';
import type { AlertRule } from './alert-rule.ts';
import { failing, last, ofNodes, SILENT_NODES, TARGET } from './promql.ts';

const HEIGHT = 'subnet_node_block_number{block="latest"}';
const LATEST_BLOCK_FAILS = failing('node', 'latest_block');

/** Alerts about a single node. */
export const nodeRules = [
  {
    name: 'SubnetNodeDown',
    severity: 'warning',
    for: '1m',
    keepFiringFor: '3m',
    expr: ofNodes(`min by (subnet, name) (${last('subnet_node_up')}) == 0`),
    labels: TARGET,
    summary: 'A node of {{ $labels.subnet }} does not answer.',
    description:
      '{{ $labels.name }} of {{ $labels.subnet }} answers no JSON-RPC call. See whether its container runs and what its log ends in, then start it; the reason of its check latest_block on the status page says more.',
    dashboard: 'subnetd-node',
  },
  {
    name: 'SubnetNodeStalled',
    severity: 'warning',
    for: '1m',
    keepFiringFor: '3m',
    expr: `max by (subnet, component, name) (${ofNodes(last(HEIGHT))})
and on (subnet, name) (${LATEST_BLOCK_FAILS})
and on (subnet, name) (max by (subnet, name) (changes(${HEIGHT}[2m])) == 0)`,
    labels: TARGET,
    summary: 'The height of a node of {{ $labels.subnet }} stands still.',
    description:
      '{{ $labels.name }} of {{ $labels.subnet }} answers, but stands at block {{ $value }}. Restart it; when it stands again, check its peers, its disk and its memory.',
    dashboard: 'subnetd-node',
  },
  {
    name: 'SubnetNodeBehind',
    severity: 'warning',
    for: '3m',
    keepFiringFor: '3m',
    expr: `max by (subnet) (${last(HEIGHT)})
- on (subnet) group_right () max by (subnet, component, name) (${ofNodes(last(HEIGHT))})
and on (subnet, name) (${LATEST_BLOCK_FAILS})
and on (subnet, name) (max by (subnet, name) (changes(${HEIGHT}[2m])) > 0)`,
    labels: TARGET,
    summary: 'A node of {{ $labels.subnet }} is behind.',
    description:
      '{{ $labels.name }} of {{ $labels.subnet }} is {{ $value }} blocks behind the highest node, or its height falls again and again. Wait while the distance shrinks; else check its peers, its disk and its processor.',
    dashboard: 'subnetd-node',
  },
  {
    name: 'SubnetNodeTellsNoBlock',
    severity: 'warning',
    for: '1m',
    keepFiringFor: '3m',
    expr: `${LATEST_BLOCK_FAILS}
and on (subnet, name) (max by (subnet, name) (${last('subnet_node_up')}) == 1)
unless on (subnet, name) ${last(HEIGHT)}`,
    labels: TARGET,
    summary: 'A node of {{ $labels.subnet }} answers, but tells no block.',
    description:
      '{{ $labels.name }} of {{ $labels.subnet }} answers JSON-RPC calls, but not the one for its latest block. After a start it knows no committed block until the subnet has made some; wait a minute, then restart it.',
    dashboard: 'subnetd-node',
  },
  {
    name: 'SubnetNodePeersMissing',
    severity: 'warning',
    for: '2m',
    // Nodes that are down explain the peers that they would be.
    expr: `${failing('node', ...checksOfAlert('SubnetNodePeersMissing'))}
unless on (subnet, name) (
  (${last('subnet_node_peers_expected')} - ${last('subnet_node_peers')} > 0)
  <= on (subnet) group_left () count by (subnet) (${SILENT_NODES})
)`,
    labels: TARGET,
    summary: 'A node of {{ $labels.subnet }} has not the peers that it should have.',
    description:
      '{{ $labels.name }} of {{ $labels.subnet }} has more or fewer peers than expected, and no node that is down explains it. Check that the p2p ports of the nodes are open to each other over TCP and UDP, and that the bootnode runs.',
    dashboard: 'subnetd-node',
  },
  {
    name: 'SubnetNodeLogFault',
    severity: 'warning',
    // Longer than the alert of a stalled node takes, which explains this one.
    for: '3m',
    expr: failing('node', ...checksOfAlert('SubnetNodeLogFault')),
    labels: TARGET,
    summary: 'The log of a node of {{ $labels.subnet }} shows a fault.',
    description:
      'The height in the log of {{ $labels.name }} of {{ $labels.subnet }} stands still, or the log has shown an error. The reason of its check log_block on the status page names the pattern and the remedy.',
    dashboard: 'subnetd-node',
  },
  {
    name: 'SubnetBootnodeMissesNode',
    severity: 'warning',
    for: '2m',
    expr: `${failing('bootnode', ...checksOfAlert('SubnetBootnodeMissesNode'))}
unless on (subnet) (
  (max by (subnet) (${last('subnet_bootnode_nodes_expected')}) - max by (subnet) (${last('subnet_bootnode_nodes_seen')}) > 0)
  <= on (subnet) count by (subnet) (${SILENT_NODES})
)`,
    labels: TARGET,
    summary: 'The bootnode of {{ $labels.subnet }} does not hear every node.',
    description:
      'The bootnode of {{ $labels.subnet }} has not heard a node that runs, or its log shows an error. The reason of its check messages on the status page names the node: open UDP from its p2p port to port 20301 of the bootnode.',
    dashboard: 'subnetd-services',
  },
] as const satisfies readonly AlertRule[];
