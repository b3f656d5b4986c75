import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { type Column, graph, table, timeline } from './panels.ts';

const TARGET = 'subnet, component, name';

/** The board that shows a target, by its component; the times and the subnet go with the link. */
const BOARD = {
  title: 'Details',
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
      what: 'Each check that fails now. The link at the top opens the reason and what to type next. A name opens the dashboard of that target.',
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
      what: "The alerts of Prometheus's rules that fire now, also those of subnetd itself. A name opens its runbook.",
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
      what: 'Each check: green while it passes, red while it fails, empty while it is unknown.',
      width,
      height: 9,
      queries: {
        '{{subnet}} {{name}} {{check}}': `min by (subnet, name, check) (subnet_check_success{${selector}})`,
      },
    },
    ['passes', 'fails'],
  );

/** How long probes take, and how often checks failed. */
export const lookPanels = (id: number, selector: string): readonly Panel[] => [
  graph({
    id,
    title: 'Duration of the last probe',
    what: 'How long the last probe for each check took. A target that answers more and more slowly will soon stop answering.',
    unit: 's',
    width: 12,
    queries: {
      '{{subnet}} {{name}} {{check}}': `max by (subnet, name, check) (subnet_check_duration_seconds{${selector}})`,
    },
  }),
  graph({
    id: id + 1,
    title: 'Runs that failed',
    what: 'Failed runs of each check, within the interval of the graph. Single failures among good runs mean that a target flaps.',
    unit: 'short',
    width: 12,
    queries: {
      '{{subnet}} {{name}} {{check}}': `max by (subnet, name, check) (increase(subnet_check_failures_total{${selector}}[$__rate_interval]))`,
    },
  }),
];
