import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { type Column, graph, table, timeline } from './panels.ts';

const TARGET = 'subnet, component, name';

/** The board that shows a target, by its component; the times and the subnet go with the link. */
const BOARD = {
  title: 'Look closer',
  url: '/d/${__data.fields.board}?var-subnet=${__data.fields.subnet}&var-name=${__data.fields.name}&${__url_time_range}',
};

const WHERE: readonly Column[] = [
  { field: 'subnet', title: 'subnet' },
  { field: 'component', title: 'component' },
  { field: 'name', title: 'name', link: BOARD },
];

/** A vector with a label `board` that names the dashboard of its component. */
const withBoard = (expr: string): string =>
  `label_replace(label_replace(${expr}, "board", "subnetd-services", "", ""), "board", "subnetd-node", "component", "node")`;

/** The checks that fail now. */
export const failingChecks = (id: number, selector: string, width: number): Panel =>
  table(
    {
      id,
      title: 'Checks that fail',
      what: 'Each check that fails at this moment. The link at the top leads to the reason, in a sentence, and to what to type next; a name leads to the board of that target.',
      unit: 'none',
      width,
      queries: { '': withBoard(`min by (${TARGET}, check) (subnet_check_success{${selector}}) == 0`) },
    },
    [...WHERE, { field: 'check', title: 'check' }, { field: 'board', hidden: true }],
    'No check fails.',
  );

/** The alerts that fire now, with links to their runbooks. */
export const firingAlerts = (id: number, subnetd: string, width: number): Panel =>
  table(
    {
      id,
      title: 'Alerts that fire',
      what: "What Prometheus's rules say at this moment, those of subnetd itself included. A name leads to its runbook.",
      unit: 'none',
      width,
      queries: {
        '': `max by (severity, alertname, ${TARGET}) (ALERTS{alertstate="firing",severity!="none",subnet=~"$subnet|"})`,
      },
    },
    [
      {
        field: 'alertname',
        title: 'alert',
        link: { title: 'Runbook', url: `${subnetd}/alerts/\${__data.fields.alertname}` },
      },
      { field: 'severity', title: 'severity' },
      { field: 'subnet', title: 'subnet' },
      { field: 'component', title: 'component' },
      { field: 'name', title: 'name' },
    ],
    'No alert fires.',
  );

/** How the checks stood over time. */
export const checkTimeline = (id: number, selector: string, width: number): Panel =>
  timeline(
    {
      id,
      title: 'Checks over time',
      what: 'Each check: green while it passes, red while it fails, empty while it cannot be judged.',
      width,
      height: 9,
      queries: {
        '{{subnet}} {{name}} {{check}}': `min by (subnet, name, check) (subnet_check_success{${selector}})`,
      },
    },
    ['passes', 'fails'],
  );

/** What the looks themselves take, and how often they failed. */
export const lookPanels = (id: number, selector: string): readonly Panel[] => [
  graph({
    id,
    title: 'Duration of the last look',
    what: 'How long the last look for each check took. What answers more and more slowly will soon answer no more.',
    unit: 's',
    width: 12,
    queries: {
      '{{subnet}} {{name}} {{check}}': `max by (subnet, name, check) (subnet_check_duration_seconds{${selector}})`,
    },
  }),
  graph({
    id: id + 1,
    title: 'Runs that failed',
    what: 'Runs of each check that failed, within the interval of the graph. Single ones among good ones are a target that flaps.',
    unit: 'short',
    width: 12,
    queries: {
      '{{subnet}} {{name}} {{check}}': `max by (subnet, name, check) (increase(subnet_check_failures_total{${selector}}[$__rate_interval]))`,
    },
  }),
];
