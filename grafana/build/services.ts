import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { checkTimeline, failingChecks, lookPanels } from './check-panels.ts';
import { containerPanels } from './container-panels.ts';
import { toRunbook } from './links.ts';
import { logPanels } from './log-panels.ts';
import { graph, limitedStat, stat } from './panels.ts';
import { limitOf, SUBNET as S } from './queries.ts';
import { componentChoice, type Places, reloads, restarts, subnetChoice, toDashboard } from './to-dashboard.ts';

const C = `component!="node",${S}`;
const T = `${C},component=~"$component",name=~"$name"`;
const since = (metric: string): string => `time() - max by (subnet) (${metric}{${S}})`;
const submissionAge = since('subnet_relayer_last_submission_timestamp_seconds');
const blockDataAge = since('subnet_stats_last_block_data_timestamp_seconds');

/** `subnetd-services`: relayer, stats server, frontend and bootnode. */
export const services = (places: Places): Dashboard =>
  toDashboard(
    {
      uid: 'subnetd-services',
      title: 'Relayer and services',
      what: 'Relayer, stats server, frontend and bootnode: what they do, their logs and containers.',
      choices: [
        subnetChoice,
        componentChoice(C),
        {
          name: 'name',
          label: 'Service',
          query: `label_values(subnet_check_interval_seconds{${C},component=~"$component"}, name)`,
        },
      ],
      marks: [restarts(T), reloads],
      rows: [
        {
          title: 'What is wrong now',
          panels: [
            limitedStat({
              id: 1,
              title: 'Since the last submission',
              what: 'The time since the relayer last logged a submission. Red from checks.logs.submissionsWithin on, which follows the mode of the relayer by default; orange from half of it on.',
              unit: 's',
              width: 6,
              legend: '{{subnet}}',
              value: submissionAge,
              limit: limitOf('submissions'),
              links: [toRunbook(places.subnetd, 'SubnetRelayerStopped', ['subnet'])],
            }),
            limitedStat({
              id: 2,
              title: 'Since the last block at the stats server',
              what: 'The time since the stats server last received a block from a node. Red from checks.logs.blockDataWithin on: its heights are stale. Orange from half of it on.',
              unit: 's',
              width: 6,
              legend: '{{subnet}}',
              value: blockDataAge,
              limit: limitOf('block_data'),
              links: [toRunbook(places.subnetd, 'SubnetStatsStale', ['subnet'])],
            }),
            stat({
              id: 3,
              title: 'Nodes that the bootnode misses',
              what: 'Nodes of the inventory without a message to the bootnode within its window. After a restart, such a node does not find its peers through it.',
              unit: 'none',
              width: 6,
              queries: {
                '{{subnet}}': `max by (subnet) (subnet_bootnode_nodes_expected{${S}}) - max by (subnet) (subnet_bootnode_nodes_seen{${S}})`,
              },
              steps: [
                [null, 'green'],
                [1, 'red'],
              ],
              links: [toRunbook(places.subnetd, 'SubnetBootnodeMissesNode', ['subnet'])],
            }),
            stat({
              id: 4,
              title: 'Errors of the frontend',
              what: 'Errors in its log and in the browser that opens its page, within the last five minutes.',
              unit: 'short',
              width: 6,
              queries: {
                '{{subnet}} {{source}}': `max by (subnet, source) (increase(subnet_frontend_errors_total{${S}}[5m]))`,
              },
              steps: [
                [null, 'green'],
                [0.5, 'red'],
              ],
              links: [toRunbook(places.subnetd, 'SubnetFrontendErrors', ['subnet'])],
            }),
            failingChecks(5, T, places.subnetd, 10),
            checkTimeline(6, T, places.subnetd, 14),
          ],
        },
        {
          title: 'What they do',
          panels: [
            graph({
              id: 20,
              title: 'Submissions',
              what: 'Submissions of the relayer that succeeded, within the interval of the graph.',
              unit: 'short',
              width: 8,
              queries: {
                '{{subnet}}': `max by (subnet) (increase(subnet_relayer_submissions_total{${S}}[$__rate_interval]))`,
              },
            }),
            graph({
              id: 21,
              title: 'Since the last submission',
              what: 'If the line only rises, the relayer is stalled, although its container runs and its page answers.',
              unit: 's',
              width: 8,
              queries: { '{{subnet}}': submissionAge, '{{subnet}} limit': limitOf('submissions') },
            }),
            graph({
              id: 22,
              title: 'Since the last data at the stats server',
              what: 'The time since a node last sent a block, and a history, to the stats server.',
              unit: 's',
              width: 8,
              queries: {
                '{{subnet}} block': blockDataAge,
                '{{subnet}} history': since('subnet_stats_last_history_data_timestamp_seconds'),
                '{{subnet}} limit': limitOf('block_data'),
              },
            }),
            graph({
              id: 23,
              title: 'Nodes that the bootnode sees',
              what: 'Nodes of the inventory with a message to the bootnode within its window, and all nodes.',
              unit: 'none',
              width: 12,
              queries: {
                '{{subnet}} seen': `max by (subnet) (subnet_bootnode_nodes_seen{${S}})`,
                '{{subnet}} expected': `max by (subnet) (subnet_bootnode_nodes_expected{${S}})`,
              },
            }),
            graph({
              id: 24,
              title: 'Errors of the frontend',
              what: 'Errors in its log and in the browser that opens its page, within the interval of the graph.',
              unit: 'short',
              width: 12,
              queries: {
                '{{subnet}} {{source}}': `max by (subnet, source) (increase(subnet_frontend_errors_total{${S}}[$__rate_interval]))`,
              },
            }),
          ],
        },
        {
          title: 'The checkpoint on the parent chain',
          panels: [
            graph({
              id: 60,
              title: 'How far the checkpoint is behind',
              what: 'Committed blocks of the subnet that the contract does not have. In lite mode, up to a whole epoch is usual.',
              unit: 'none',
              width: 8,
              queries: { '{{subnet}}': `max by (subnet) (subnet_checkpoint_lag_blocks{${S}})` },
            }),
            graph({
              id: 61,
              title: 'Since the checkpoint rose',
              what: 'The time since the contract last took a block, by the contract itself, whatever the log of the relayer says.',
              unit: 's',
              width: 8,
              queries: { '{{subnet}}': since('subnet_checkpoint_advanced_timestamp_seconds') },
            }),
            graph({
              id: 62,
              title: 'Age of the newest block of the parent chain',
              what: 'A node of the parent chain that is minutes old is behind. No line: it does not answer.',
              unit: 's',
              width: 8,
              queries: { '{{subnet}}': since('subnet_parent_block_timestamp_seconds') },
            }),
          ],
        },
        {
          title: 'The wallet of the relayer',
          panels: [
            graph({
              id: 63,
              title: 'How many days it lasts',
              what: 'At what it spent in up to the last 24 hours. Below 7 days there is a ticket, below 2 a page. No line: it spends nothing, or that is not known yet.',
              unit: 'd',
              width: 12,
              queries: { '{{subnet}}': `max by (subnet) (subnet_relayer_days_left{${S}})` },
              links: [toRunbook(places.subnetd, 'SubnetRelayerWalletLow', ['subnet'])],
            }),
            graph({
              id: 64,
              title: 'What it has, and spends in a day',
              what: 'In whole coins of the parent chain. A rise of the balance is a top-up.',
              unit: 'short',
              width: 12,
              queries: {
                '{{subnet}} balance': `max by (subnet) (subnet_relayer_balance{${S}})`,
                '{{subnet}} per day': `max by (subnet) (subnet_relayer_spend_per_day{${S}})`,
              },
            }),
          ],
        },
        { title: 'The logs', folded: true, panels: logPanels(30, T) },
        { title: 'The containers', folded: true, panels: containerPanels(40, T, places.subnetd) },
        { title: 'The probes', folded: true, panels: lookPanels(50, T) },
      ],
    },
    places,
  );
