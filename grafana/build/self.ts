import type { Dashboard } from '@grafana/grafana-foundation-sdk/dashboard';
import { toRunbook } from './links.ts';
import { graph, stat, timeline } from './panels.ts';
import { table } from './table.ts';
import { type Places, reloads, restarts, subnetChoice, toDashboard } from './to-dashboard.ts';

const I = 'instance=~"$instance"';
const S = `${I},subnet=~"$subnet"`;
/** The series of Prometheus about a target that is a subnetd; no name of a job is taken for granted. */
const ofSubnetd = (metric: string): string => `${metric}{${I}} and on (instance, job) subnetd_build_info`;
const LEGEND = '{{instance}}';
/** How many intervals ago a check ran. */
const overdue = `(time() - subnet_check_last_run_timestamp_seconds{${S}}) / subnet_check_interval_seconds{${S}}`;
const pushed = (what: string): string =>
  `sum by (instance) (increase(subnetd_alerts_${what}_total{${I}}[$__rate_interval]))`;
const is = (metric: string): string => `min by (instance) (${metric}{${I}})`;

const yes = [
  [null, 'red'],
  [1, 'green'],
] as const;

/** `subnetd-self`: the watcher watched. */
export const self = (places: Places): Dashboard =>
  toDashboard(
    {
      uid: 'subnetd-self',
      title: 'subnetd itself',
      what: 'Whether subnetd does its work: its checks, its connections, its time and its memory.',
      choices: [
        { name: 'instance', label: 'Instance', query: 'label_values(subnetd_build_info, instance)' },
        subnetChoice,
      ],
      marks: [restarts('subnet=~"$subnet"'), reloads],
      rows: [
        {
          title: 'What is wrong now',
          panels: [
            stat({
              id: 1,
              title: 'Last reload worked',
              what: 'Whether the last load of the inventory succeeded. If not, the previous one is still in force, and the log of subnetd has the line and the reason.',
              unit: 'bool_yes_no',
              width: 4,
              queries: { [LEGEND]: is('subnetd_config_last_reload_successful') },
              steps: yes,
              links: [toRunbook(places.subnetd, 'SubnetdReloadFailed')],
            }),
            stat({
              id: 2,
              title: 'Docker answers',
              what: 'Without Docker, container checks are unknown. There is no data if no target names a container.',
              unit: 'bool_yes_no',
              width: 4,
              queries: { [`${LEGEND} {{engine}}`]: is('subnetd_docker_up') },
              steps: yes,
              links: [toRunbook(places.subnetd, 'SubnetdDockerDown')],
            }),
            stat({
              id: 3,
              title: 'Database answers',
              what: 'The database of the platform API. Checks, metrics and alerts work without it.',
              unit: 'bool_yes_no',
              width: 4,
              queries: { [LEGEND]: is('subnetd_database_up') },
              steps: [
                [null, 'orange'],
                [1, 'green'],
              ],
              links: [toRunbook(places.subnetd, 'SubnetdDatabaseDown')],
            }),
            stat({
              id: 4,
              title: 'Oldest check',
              what: 'The age of the oldest verdict, in intervals of its check. From three on, subnetd is in trouble.',
              unit: 'none',
              width: 4,
              queries: { [LEGEND]: `max by (instance) (${overdue})` },
              steps: [
                [null, 'green'],
                [2, 'orange'],
                [3, 'red'],
              ],
              links: [toRunbook(places.subnetd, 'SubnetdCheckStale')],
            }),
            stat({
              id: 5,
              title: 'Delay of the event loop',
              what: 'The longest delay in the last 10 to 20 seconds. A long delay means too little CPU time or too much work, and late measurements.',
              unit: 's',
              width: 4,
              queries: { [LEGEND]: `max by (instance) (subnetd_event_loop_lag_seconds{${I}})` },
              steps: [
                [null, 'green'],
                [0.5, 'orange'],
                [2, 'red'],
              ],
              links: [toRunbook(places.subnetd, 'SubnetdRoundsLate')],
            }),
            stat({
              id: 6,
              title: 'Runs since',
              what: 'How long subnetd has run. Its counters start at 0 with it.',
              unit: 's',
              width: 4,
              queries: { [LEGEND]: `time() - max by (instance) (${ofSubnetd('process_start_time_seconds')})` },
              steps: [
                [null, 'orange'],
                [300, 'green'],
              ],
            }),
            timeline(
              {
                id: 7,
                title: 'Scrapes',
                what: 'Whether Prometheus could read the metrics of subnetd.',
                width: 12,
                queries: { [LEGEND]: `min by (instance) (${ofSubnetd('up')})` },
              },
              ['scraped', 'failed'],
            ),
            table(
              {
                id: 8,
                title: 'What runs',
                what: 'The version, the commit and the Node.js of each subnetd.',
                unit: 'none',
                width: 12,
                queries: { '': `max by (instance, version, commit, runtime) (subnetd_build_info{${I}})` },
              },
              [
                { field: 'instance' },
                { field: 'version' },
                { field: 'commit' },
                { field: 'runtime', title: 'Node.js' },
              ],
              'No subnetd is scraped.',
            ),
          ],
        },
        {
          title: 'Rounds',
          panels: [
            graph({
              id: 20,
              title: 'Age of checks in intervals',
              what: 'The age of the oldest verdict of each kind of check, in intervals.',
              unit: 'none',
              width: 8,
              queries: { '{{subnet}} {{check}}': `max by (subnet, check) (${overdue})` },
            }),
            graph({
              id: 21,
              title: 'Duration of rounds',
              what: '19 of 20 rounds ended within this time, without the deliberate spreading. A round that takes its whole interval delays the next.',
              unit: 's',
              width: 8,
              queries: {
                '{{subnet}} {{round}}': `histogram_quantile(0.95, sum by (subnet, round, le) (rate(subnetd_round_duration_seconds_bucket{${S}}[$__rate_interval])))`,
              },
            }),
            graph({
              id: 22,
              title: 'Rounds that were late',
              what: 'Rounds that did not start in time, within the interval of the graph, because the one before still ran.',
              unit: 'short',
              width: 8,
              queries: {
                '{{subnet}} {{round}}': `sum by (subnet, round) (increase(subnetd_rounds_late_total{${S}}[$__rate_interval]))`,
              },
            }),
          ],
        },
        {
          title: 'The push to Alertmanager',
          folded: true,
          panels: [
            graph({
              id: 50,
              title: 'Alerts accepted',
              what: 'Alerts that an Alertmanager has accepted, within the interval of the graph. Each is sent again every minute. At 0, the push is off, or no Alertmanager answers.',
              unit: 'short',
              width: 12,
              queries: { [LEGEND]: pushed('sent') },
            }),
            graph({
              id: 51,
              title: 'Alerts that did not arrive',
              what: 'Failed attempts, and alerts dropped because too many waited, within the interval of the graph. Failed alerts are sent again. The log of subnetd names the Alertmanager and the reason.',
              unit: 'short',
              width: 12,
              queries: { '{{instance}} failed': pushed('failed'), '{{instance}} dropped': pushed('dropped') },
            }),
          ],
        },
        {
          title: 'Internal errors',
          folded: true,
          panels: [
            graph({
              id: 60,
              title: 'Errors by the part that broke',
              what: 'Errors that only a bug in subnetd explains, within the interval of the graph. The log of subnetd has each, with the words "please report this".',
              unit: 'short',
              width: 24,
              queries: {
                '{{instance}} {{part}}': `sum by (instance, part) (increase(subnetd_internal_errors_total{${I}}[$__rate_interval]))`,
              },
              links: [toRunbook(places.subnetd, 'SubnetdInternalError')],
            }),
          ],
        },
        {
          title: 'HTTP',
          folded: true,
          panels: [
            graph({
              id: 30,
              title: 'Requests a second',
              what: 'Requests that subnetd answered, by status.',
              unit: 'reqps',
              width: 8,
              queries: {
                '{{method}} {{route}} {{status}}': `sum by (method, route, status) (rate(subnetd_http_requests_total{${I}}[$__rate_interval]))`,
              },
            }),
            graph({
              id: 31,
              title: 'Duration of requests',
              what: '19 of 20 requests were answered within this time.',
              unit: 's',
              width: 8,
              queries: {
                '{{method}} {{route}}': `histogram_quantile(0.95, sum by (method, route, le) (rate(subnetd_http_request_duration_seconds_bucket{${I}}[$__rate_interval])))`,
              },
            }),
            graph({
              id: 32,
              title: 'Duration of a scrape',
              what: 'As measured by Prometheus, whose default limit is 10 s.',
              unit: 's',
              width: 8,
              queries: { [LEGEND]: `max by (instance) (${ofSubnetd('scrape_duration_seconds')})` },
            }),
          ],
        },
        {
          title: 'The process',
          folded: true,
          panels: [
            graph({
              id: 40,
              title: 'CPU',
              what: 'User and system time; 100 % is one core.',
              unit: 'percentunit',
              width: 6,
              queries: {
                [LEGEND]: `max by (instance) (rate(process_cpu_seconds_total{${I}}[$__rate_interval]) and on (instance, job) subnetd_build_info)`,
              },
            }),
            graph({
              id: 41,
              title: 'Memory',
              what: 'Resident memory of the process.',
              unit: 'bytes',
              width: 6,
              queries: { [LEGEND]: `max by (instance) (${ofSubnetd('process_resident_memory_bytes')})` },
            }),
            graph({
              id: 42,
              title: 'Delay of the event loop',
              what: 'The longest delay within the last 10 to 20 seconds.',
              unit: 's',
              width: 6,
              queries: { [LEGEND]: `max by (instance) (subnetd_event_loop_lag_seconds{${I}})` },
            }),
            graph({
              id: 43,
              title: 'Series of a scrape',
              what: 'How many series one scrape returns. A removed target leaves none, so the line falls with the inventory.',
              unit: 'short',
              width: 6,
              queries: { [LEGEND]: `max by (instance) (${ofSubnetd('scrape_samples_scraped')})` },
            }),
          ],
        },
      ],
    },
    places,
  );
