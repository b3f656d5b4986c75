import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { checkTimeline, failingChecks, lookPanels } from './check-panels.ts';
import { containerPanels } from './container-panels.ts';
import { toBoard, toRunbook } from './links.ts';
import { logPanels } from './log-panels.ts';
import { graph, heightGraph, limitedStat, stat } from './panels.ts';
import { limitOf, RECORDED } from './queries.ts';
import { type Places, reloads, restarts, subnetChoice, toDashboard } from './to-dashboard.ts';

const N = 'subnet=~"$subnet",name=~"$name"';
const T = `component="node",${N}`;
const BY = 'by (subnet, name)';
const LEGEND = '{{subnet}} {{name}}';
const heightOf = (block: string): string => `${RECORDED.heights}{${N},block="${block}"}`;
const behind = `${RECORDED.behind}{${N}}`;
const maxLag = limitOf('latest_block', 'blocks');
const missingPeers = `max ${BY} (subnet_node_peers_expected{${N}}) - max ${BY} (subnet_node_peers{${N}})`;

/** `subnetd-node`: one node, or several beside each other. */
export const node = (places: Places): Dashboard =>
  toDashboard(
    {
      uid: 'subnetd-node',
      title: 'Nodes',
      what: 'One node, or several beside each other: blocks, peers, log, container.',
      choices: [
        subnetChoice,
        { name: 'name', label: 'Node', query: 'label_values(subnet_node_up{subnet=~"$subnet"}, name)' },
      ],
      marks: [restarts(T), reloads],
      rows: [
        {
          title: 'What is wrong now',
          panels: [
            stat({
              id: 1,
              title: 'Answers',
              what: 'Whether the node answered any call in the last round.',
              unit: 'bool_yes_no',
              width: 6,
              queries: { [LEGEND]: `max ${BY} (subnet_node_up{${N}})` },
              steps: [
                [null, 'red'],
                [1, 'green'],
              ],
              links: [toRunbook(places.subnetd, 'SubnetNodeDown', ['subnet', 'name'])],
            }),
            limitedStat({
              id: 2,
              title: 'Since the last block',
              what: 'The time since the height of the node last rose. If all nodes are stalled, the subnet is the problem, not the node. Red from checks.rpc.stallAfter on, orange from half of it on.',
              unit: 's',
              width: 6,
              legend: LEGEND,
              value: `time() - max ${BY} (subnet_node_block_advanced_timestamp_seconds{${N},block="latest"})`,
              limit: limitOf('latest_block'),
              links: [
                toRunbook(places.subnetd, 'SubnetNodeStalled', ['subnet', 'name']),
                toBoard('subnetd-fleet', 'Its subnet', ['subnet']),
              ],
            }),
            limitedStat({
              id: 3,
              title: 'Blocks behind',
              what: 'Blocks below the highest node of its subnet. Red above checks.rpc.maxLag, orange above half of it.',
              unit: 'none',
              width: 6,
              legend: LEGEND,
              value: behind,
              limit: `${maxLag} + 1`,
              links: [toRunbook(places.subnetd, 'SubnetNodeBehind', ['subnet', 'name'])],
            }),
            stat({
              id: 4,
              title: 'Peers missing',
              what: 'Expected peers minus actual peers.',
              unit: 'none',
              width: 6,
              queries: { [LEGEND]: missingPeers },
              steps: [
                [null, 'orange'],
                [0, 'green'],
                [1, 'red'],
              ],
              links: [toRunbook(places.subnetd, 'SubnetNodePeersMissing', ['subnet', 'name'])],
            }),
            failingChecks(5, T, places.subnetd, 10),
            checkTimeline(6, T, places.subnetd, 14),
          ],
        },
        {
          title: 'Blocks and peers',
          panels: [
            heightGraph({
              id: 20,
              title: 'Height',
              what: 'The latest and the committed block by JSON-RPC, and the height in the log. If only JSON-RPC is stalled, the interface is broken. If both are, the node is stalled.',
              unit: 'none',
              width: 12,
              queries: {
                [`${LEGEND} latest`]: heightOf('latest'),
                [`${LEGEND} committed`]: heightOf('committed'),
                [`${LEGEND} log`]: `max ${BY} (subnet_node_log_block_number{${N}})`,
              },
            }),
            graph({
              id: 21,
              title: 'Blocks behind',
              what: 'Blocks below the highest node of its subnet, and checks.rpc.maxLag.',
              unit: 'none',
              width: 12,
              queries: { [LEGEND]: behind, '{{subnet}} limit': maxLag },
            }),
            graph({
              id: 22,
              title: 'Age of the latest block',
              what: 'The time since the timestamp in the block header. If it differs much from the time since the last rise, a clock is wrong or the node is catching up.',
              unit: 's',
              width: 8,
              queries: {
                [LEGEND]: `time() - max ${BY} (subnet_node_block_timestamp_seconds{${N},block="latest"})`,
              },
            }),
            graph({
              id: 23,
              title: 'Blocks without finality',
              what: 'The latest block of the node minus its committed one.',
              unit: 'none',
              width: 8,
              queries: { [LEGEND]: `${heightOf('latest')} - ignoring (block) ${heightOf('committed')}` },
            }),
            graph({
              id: 24,
              title: 'Peers',
              what: 'Actual and expected peers.',
              unit: 'none',
              width: 8,
              queries: {
                [LEGEND]: `max ${BY} (subnet_node_peers{${N}})`,
                [`${LEGEND} expected`]: `max ${BY} (subnet_node_peers_expected{${N}})`,
              },
            }),
          ],
        },
        { title: 'The log', folded: true, panels: logPanels(30, T) },
        { title: 'The container', folded: true, panels: containerPanels(40, T, places.subnetd) },
        { title: 'The probes', folded: true, panels: lookPanels(50, T) },
      ],
    },
    places,
  );
