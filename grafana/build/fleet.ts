import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { checkTimeline, failingChecks, firingAlerts, standingProblems } from './check-panels.ts';
import { toBoard, toRunbook, toStatusPage } from './links.ts';
import { masternodePanels } from './masternode-panels.ts';
import { graph, heightGraph, limitedStat, type Steps, stat } from './panels.ts';
import { bySubnet, limitOf, RECORDED, SUBNET as S } from './queries.ts';
import { table } from './table.ts';
import { componentChoice, type Places, reloads, restarts, subnetChoice, toDashboard } from './to-dashboard.ts';

const C = `component=~"$component",${S}`;
const ADVANCED = `subnet_node_block_advanced_timestamp_seconds{${S},block="latest"}`;
const heightOf = (block: string): string => `${RECORDED.heights}{${S},block="${block}"}`;
const finalityGap = `max by (subnet) (${heightOf('latest')}) - max by (subnet) (${heightOf('committed')})`;
const sinceBlock = `time() - max by (subnet) (${ADVANCED})`;
const sinceBlockOfNode = `time() - max by (subnet, name) (${ADVANCED})`;
const behind = `${RECORDED.behind}{${S}}`;
const stallAfter = limitOf('latest_block');
const maxLag = limitOf('latest_block', 'blocks');

/** Nodes that advance, less those that the chain needs for a quorum: ceil(0.667 × nodes), by its own comparison. */
const spareNodes =
  `(count by (subnet) (${bySubnet(sinceBlockOfNode, '<', stallAfter)}) or 0 * max by (subnet) (subnet_nodes{${S}})) ` +
  `- ceil(0.667 * max by (subnet) (subnet_nodes{${S}}))`;

const none: Steps = [
  [null, 'green'],
  [1, 'red'],
];
/** Of a limit. */
const used: Steps = [
  [null, 'green'],
  [0.5, 'orange'],
  [1, 'red'],
];

/** `subnetd-fleet`: what is wrong now, in all subnets. */
export const fleet = (places: Places): Dashboard =>
  toDashboard(
    {
      uid: 'subnetd-fleet',
      title: 'Subnets',
      what: 'What is wrong now in all subnets, and the state of their chains and nodes.',
      choices: [subnetChoice, componentChoice(S)],
      marks: [restarts(C), reloads],
      rows: [
        {
          title: 'What is wrong now',
          panels: [
            stat({
              id: 1,
              title: 'Checks that fail',
              what: 'How many checks fail now. The table below names them. Without data, Prometheus does not scrape subnetd, or does not have its rules.',
              unit: 'none',
              width: 4,
              queries: {
                fail: `sum(${RECORDED.checks}{${C}} == bool 0)`,
              },
              steps: none,
              links: [toStatusPage(places.subnetd)],
            }),
            stat({
              id: 2,
              title: 'Degraded checks',
              what: 'Checks that pass, but used a fallback. The status page says what to change.',
              unit: 'none',
              width: 4,
              queries: {
                degraded: `sum(max by (subnet, component, name, check) (subnet_check_degraded{${C}}))`,
              },
              steps: [
                [null, 'green'],
                [1, 'orange'],
              ],
              links: [toStatusPage(places.subnetd)],
            }),
            stat({
              id: 3,
              title: 'Nodes that answer',
              what: 'Nodes that answered any call in the last round, of all in the inventory.',
              unit: 'percentunit',
              max: 1,
              width: 4,
              queries: {
                '{{subnet}}': `sum by (subnet) (max by (subnet, name) (subnet_node_up{${S}})) / max by (subnet) (subnet_nodes{${S}})`,
              },
              steps: [
                [null, 'red'],
                [0.667, 'orange'],
                [1, 'green'],
              ],
              links: [toBoard('subnetd-node', 'Its nodes', ['subnet'])],
            }),
            stat({
              id: 4,
              title: 'More nodes that may fail',
              what: 'Nodes that advance, minus those that a quorum needs. At 0, the next failing node halts the subnet. Below 0, the subnet cannot continue. A subnet of fewer than four nodes never has one to spare.',
              unit: 'none',
              width: 4,
              queries: { '{{subnet}}': spareNodes },
              steps: [
                [null, 'red'],
                [0, 'orange'],
                [1, 'green'],
              ],
              links: [toRunbook(places.subnetd, 'SubnetQuorumAtRisk', ['subnet'])],
            }),
            limitedStat({
              id: 5,
              title: 'Since the last block',
              what: 'The time since the height of any node last rose. From checks.rpc.stallAfter on, the subnet is stalled and this is red; from half of it on, orange.',
              unit: 's',
              width: 4,
              legend: '{{subnet}}',
              value: sinceBlock,
              limit: stallAfter,
              links: [
                toRunbook(places.subnetd, 'SubnetHalted', ['subnet']),
                toBoard('subnetd-node', 'Its nodes', ['subnet']),
              ],
            }),
            stat({
              id: 6,
              title: 'Blocks without finality',
              what: 'The highest block minus the highest committed one. About three is normal. If it grows, nodes propose blocks but no quorum signs them.',
              unit: 'none',
              width: 4,
              queries: { '{{subnet}}': finalityGap },
              steps: [
                [null, 'green'],
                [10, 'orange'],
                [60, 'red'],
              ],
              links: [toRunbook(places.subnetd, 'SubnetFinalityStalled', ['subnet'])],
            }),
            standingProblems(9, `component=~"$component|",${S}`, places.subnetd, 24),
            failingChecks(7, C, places.subnetd, 12),
            firingAlerts(8, places.subnetd, ',component=~"$component|"', 12),
          ],
        },
        {
          title: 'The chains',
          panels: [
            heightGraph({
              id: 20,
              title: 'Height',
              what: 'The highest block of each subnet, and the highest committed one. A flat line is a stalled chain.',
              unit: 'none',
              width: 8,
              queries: {
                '{{subnet}} {{block}}': `max by (subnet, block) (${RECORDED.heights}{${S}})`,
              },
            }),
            graph({
              id: 21,
              title: 'Since the last block',
              what: 'The time since the height of any node of the subnet last rose, and checks.rpc.stallAfter.',
              unit: 's',
              width: 8,
              queries: { '{{subnet}}': sinceBlock, '{{subnet}} limit': stallAfter },
              links: [toBoard('subnetd-node', 'Its nodes', ['subnet'])],
            }),
            graph({
              id: 22,
              title: 'Blocks without finality',
              what: 'The highest block minus the highest committed one.',
              unit: 'none',
              width: 8,
              queries: { '{{subnet}}': finalityGap },
            }),
          ],
        },
        {
          title: 'The nodes',
          panels: [
            table(
              {
                id: 30,
                title: 'Nodes',
                what: 'Every node as it is now, beside the limits of the inventory. A name opens its dashboard.',
                unit: 'none',
                width: 24,
                queries: {
                  answers: `max by (subnet, name) (subnet_node_up{${S}})`,
                  latest: heightOf('latest'),
                  committed: heightOf('committed'),
                  behind,
                  'of maxLag': bySubnet(behind, '/', maxLag),
                  peers: `max by (subnet, name) (subnet_node_peers{${S}})`,
                  expected: `max by (subnet, name) (subnet_node_peers_expected{${S}})`,
                  'since rise': sinceBlockOfNode,
                  'of stallAfter': bySubnet(sinceBlockOfNode, '/', stallAfter),
                },
              },
              [
                { field: 'subnet', title: 'subnet' },
                {
                  field: 'name',
                  title: 'name',
                  link: {
                    title: 'Details',
                    url: '/d/subnetd-node?var-subnet=${__data.fields.subnet}&var-name=${__data.fields.name}&${__url_time_range}',
                  },
                },
                {
                  field: 'Value #A',
                  title: 'answers',
                  unit: 'bool_yes_no',
                  steps: [
                    [null, 'red'],
                    [1, 'green'],
                  ],
                },
                { field: 'Value #B', title: 'latest block' },
                { field: 'Value #C', title: 'committed block' },
                { field: 'Value #D', title: 'blocks behind' },
                { field: 'Value #E', title: 'of maxLag', unit: 'percentunit', steps: used },
                { field: 'Value #F', title: 'peers' },
                { field: 'Value #G', title: 'peers expected' },
                { field: 'Value #H', title: 'since the last block', unit: 's' },
                { field: 'Value #I', title: 'of stallAfter', unit: 'percentunit', steps: used },
              ],
              'No data: nothing is scraped, or the inventory has no node.',
            ),
            checkTimeline(31, C, places.subnetd, 24),
          ],
        },
        { title: 'The masternodes', folded: true, panels: masternodePanels(50, places.subnetd) },
        {
          title: 'The containers',
          folded: true,
          panels: [
            graph({
              id: 40,
              title: 'Memory of its limit',
              what: 'At 100 % the kernel kills a process of the container. A container without a limit is not shown.',
              unit: 'percentunit',
              max: 1,
              width: 12,
              queries: { '{{subnet}} {{name}}': `max by (subnet, name) (${RECORDED.memory}{${C}})` },
              links: [toRunbook(places.subnetd, 'SubnetContainerMemoryNearLimit', ['subnet', 'name'])],
            }),
            graph({
              id: 41,
              title: 'Restarts',
              what: 'Starts after the first, within the interval of the graph.',
              unit: 'short',
              width: 12,
              queries: {
                '{{subnet}} {{name}}': `max by (subnet, name) (increase(subnet_container_restarts_total{${C}}[$__rate_interval]))`,
              },
            }),
          ],
        },
      ],
    },
    places,
  );
