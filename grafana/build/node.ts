import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { checkTimeline, failingChecks, lookPanels } from './check-panels.ts';
import { containerPanels } from './container-panels.ts';
import { logPanels } from './log-panels.ts';
import { graph, heightGraph, stat } from './panels.ts';
import { type Places, reloads, restarts, subnetChoice, toDashboard } from './to-dashboard.ts';

const N = 'subnet=~"$subnet",name=~"$name"';
const T = `component="node",${N}`;
const BY = 'by (subnet, name)';
const LEGEND = '{{subnet}} {{name}}';
const heightOf = (block: string): string => `max ${BY} (subnet_node_block_number{${N},block="${block}"})`;
const behind =
  'max by (subnet) (subnet_node_block_number{subnet=~"$subnet",block="latest"}) - on (subnet) group_right () ' +
  heightOf('latest');
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
            }),
            stat({
              id: 2,
              title: 'Since the last block',
              what: 'The time since the height of the node last rose. If all nodes are stalled, the subnet is the problem, not the node.',
              unit: 's',
              width: 6,
              queries: {
                [LEGEND]: `time() - max ${BY} (subnet_node_block_advanced_timestamp_seconds{${N},block="latest"})`,
              },
              steps: [
                [null, 'green'],
                [30, 'orange'],
                [60, 'red'],
              ],
            }),
            stat({
              id: 3,
              title: 'Blocks behind',
              what: 'Blocks below the highest node of its subnet.',
              unit: 'none',
              width: 6,
              queries: { [LEGEND]: behind },
              steps: [
                [null, 'green'],
                [5, 'orange'],
                [11, 'red'],
              ],
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
            }),
            failingChecks(5, T, 10),
            checkTimeline(6, T, 14),
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
              what: 'Blocks below the highest node of its subnet.',
              unit: 'none',
              width: 12,
              queries: { [LEGEND]: behind },
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
              queries: { [LEGEND]: `${heightOf('latest')} - ${heightOf('committed')}` },
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
        { title: 'The log', panels: logPanels(30, T) },
        { title: 'The container', panels: containerPanels(40, T) },
        { title: 'The probes', panels: lookPanels(50, T) },
      ],
    },
    places,
  );
