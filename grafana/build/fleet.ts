import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { checkTimeline, failingChecks, firingAlerts } from './check-panels.ts';
import { graph, heightGraph, type Steps, stat, table } from './panels.ts';
import { type Places, reloads, restarts, subnetChoice, toDashboard } from './to-dashboard.ts';

const S = 'subnet=~"$subnet"';
const ADVANCED = `subnet_node_block_advanced_timestamp_seconds{${S},block="latest"}`;
const heightOf = (block: string): string => `subnet_node_block_number{${S},block="${block}"}`;
const finalityGap = `max by (subnet) (${heightOf('latest')}) - max by (subnet) (${heightOf('committed')})`;
const sinceBlock = `time() - max by (subnet) (${ADVANCED})`;

/** Nodes that advance, less those that the chain needs for a quorum: ceil(0.667 × nodes), by its own comparison. */
const spareNodes =
  `(count by (subnet) (max by (subnet, name) (${ADVANCED}) > time() - 60) or 0 * max by (subnet) (subnet_nodes{${S}})) ` +
  `- ceil(0.667 * max by (subnet) (subnet_nodes{${S}}))`;

const none: Steps = [
  [null, 'green'],
  [1, 'red'],
];
const fresh: Steps = [
  [null, 'green'],
  [30, 'orange'],
  [60, 'red'],
];

/** `subnetd-fleet`: what is wrong now, in all subnets. */
export const fleet = (places: Places): Dashboard =>
  toDashboard(
    {
      uid: 'subnetd-fleet',
      title: 'Subnets',
      what: 'What is wrong now in all subnets, and the state of their chains and nodes.',
      choices: [subnetChoice],
      marks: [restarts(S), reloads],
      rows: [
        {
          title: 'What is wrong now',
          panels: [
            stat({
              id: 1,
              title: 'Checks that fail',
              what: 'How many checks fail now. The table below names them.',
              unit: 'none',
              width: 4,
              queries: {
                fail: `count(min by (subnet, component, name, check) (subnet_check_success{${S}}) == 0) or vector(0)`,
              },
              steps: none,
            }),
            stat({
              id: 2,
              title: 'Degraded checks',
              what: 'Checks that pass, but used a fallback. The status page says what to change.',
              unit: 'none',
              width: 4,
              queries: {
                degraded: `count(max by (subnet, component, name, check) (subnet_check_degraded{${S}}) == 1) or vector(0)`,
              },
              steps: [
                [null, 'green'],
                [1, 'orange'],
              ],
            }),
            stat({
              id: 3,
              title: 'Nodes that answer',
              what: 'Nodes that answered any call in the last round, of all in the inventory.',
              unit: 'percentunit',
              width: 4,
              queries: {
                '{{subnet}}': `sum by (subnet) (max by (subnet, name) (subnet_node_up{${S}})) / max by (subnet) (subnet_nodes{${S}})`,
              },
              steps: [
                [null, 'red'],
                [0.667, 'orange'],
                [1, 'green'],
              ],
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
            }),
            stat({
              id: 5,
              title: 'Since the last block',
              what: 'The time since the height of any node last rose. After a minute, the subnet is stalled.',
              unit: 's',
              width: 4,
              queries: { '{{subnet}}': sinceBlock },
              steps: fresh,
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
            }),
            failingChecks(7, S, 12),
            firingAlerts(8, places.subnetd, 12),
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
                '{{subnet}} {{block}}': `max by (subnet, block) (subnet_node_block_number{${S}})`,
              },
            }),
            graph({
              id: 21,
              title: 'Since the last block',
              what: 'The time since the height of any node of the subnet last rose.',
              unit: 's',
              width: 8,
              queries: { '{{subnet}}': sinceBlock },
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
                what: 'Every node as it is now. A name opens its dashboard.',
                unit: 'none',
                width: 24,
                queries: {
                  answers: `max by (subnet, name) (subnet_node_up{${S}})`,
                  latest: `max by (subnet, name) (${heightOf('latest')})`,
                  committed: `max by (subnet, name) (${heightOf('committed')})`,
                  behind: `max by (subnet) (${heightOf('latest')}) - on (subnet) group_right () max by (subnet, name) (${heightOf('latest')})`,
                  peers: `max by (subnet, name) (subnet_node_peers{${S}})`,
                  expected: `max by (subnet, name) (subnet_node_peers_expected{${S}})`,
                  'since rise': `time() - max by (subnet, name) (${ADVANCED})`,
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
                {
                  field: 'Value #D',
                  title: 'blocks behind',
                  steps: [
                    [null, 'green'],
                    [5, 'orange'],
                    [11, 'red'],
                  ],
                },
                { field: 'Value #E', title: 'peers' },
                { field: 'Value #F', title: 'peers expected' },
                { field: 'Value #G', title: 'since the last block', unit: 's', steps: fresh },
              ],
              'The inventory has no node.',
            ),
            checkTimeline(31, S, 24),
          ],
        },
        {
          title: 'The containers',
          panels: [
            graph({
              id: 40,
              title: 'Memory of its limit',
              what: 'At 100 % the kernel kills a process of the container. A container without a limit is not shown.',
              unit: 'percentunit',
              width: 12,
              queries: {
                '{{subnet}} {{name}}': `max by (subnet, name) (subnet_container_memory_bytes{${S}} / subnet_container_memory_limit_bytes{${S}})`,
              },
            }),
            graph({
              id: 41,
              title: 'Restarts',
              what: 'Starts after the first, within the interval of the graph.',
              unit: 'short',
              width: 12,
              queries: {
                '{{subnet}} {{name}}': `max by (subnet, name) (increase(subnet_container_restarts_total{${S}}[$__rate_interval]))`,
              },
            }),
          ],
        },
      ],
    },
    places,
  );
