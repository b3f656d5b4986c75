import type { Panel } from '@grafana/grafana-foundation-sdk/dashboard';
import { toStatusPage } from './links.ts';
import { graph, timeline } from './panels.ts';
import { RECORDED } from './queries.ts';
import { type Column, table } from './table.ts';

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

/** A vector; or, if there is none of a series that is always there, one sample that says why in this label. */
const orNoData = (expr: string, always: string, label: string, because: string): string =>
  `${expr} or label_replace(absent(${always}), "${label}", "no data: ${because}", "", "")`;

/**
 * When each problem of a selector was first there, in milliseconds of the epoch: its last start within a day, where a minute without
 * it comes before. One that is older has the time a day ago.
 */
const problemsSince = (selector: string): string => {
  const by = `max by (${TARGET}, problem)`;
  const problem = `subnet_problem{${selector}}`;
  const start = `max_over_time((timestamp(${problem}) unless last_over_time(${problem}[2m] offset 1m))[1d:1m])`;
  return `1000 * (${by} (${start} and ${problem}) or ${by} (${problem}) * (time() - 86400))`;
};

/** The problems that stand now. */
export const standingProblems = (id: number, selector: string, subnetd: string, width: number): Panel =>
  table(
    {
      id,
      title: 'Problems',
      what: 'What is wrong now: each confirmed cause, of which target or of the whole subnet, and since when, a day at most. A problem opens the page with its evidence and what to type.',
      unit: 'none',
      width,
      queries: {
        '': orNoData(
          withBoard(problemsSince(selector)),
          `subnet_nodes{subnet=~"$subnet"}`,
          'problem',
          'nothing is scraped',
        ),
      },
    },
    [
      { field: 'problem', title: 'problem', link: toStatusPage(subnetd) },
      ...WHERE,
      { field: 'Value', title: 'since', unit: 'dateTimeAsIsoNoDateIfToday' },
      { field: 'board', hidden: true },
    ],
    'No known problems.',
  );

/** The checks that fail now. */
export const failingChecks = (id: number, selector: string, subnetd: string, width: number): Panel =>
  table(
    {
      id,
      title: 'Checks that fail',
      what: 'Each check that fails now. A check opens the page with its reason and what to type next, a name the dashboard of that target.',
      unit: 'none',
      width,
      queries: {
        '': orNoData(
          withBoard(`${RECORDED.checks}{${selector}} == 0`),
          RECORDED.checks,
          'check',
          'nothing is scraped, or the rules are missing',
        ),
      },
    },
    [...WHERE, { field: 'check', title: 'check', link: toStatusPage(subnetd) }, { field: 'board', hidden: true }],
    'No check fails.',
  );

/** The alerts that fire now, with links to their runbooks; `more` is added to the selector. */
export const firingAlerts = (id: number, subnetd: string, more: string, width: number): Panel =>
  table(
    {
      id,
      title: 'Alerts that fire',
      what: "The alerts of Prometheus's rules that fire now, also those of subnetd itself. A name opens its runbook.",
      unit: 'none',
      width,
      queries: {
        '': orNoData(
          `max by (severity, alertname, ${TARGET}) (ALERTS{alertstate="firing",severity!="none",subnet=~"$subnet|"${more}})`,
          'ALERTS{alertname="SubnetdWatchdog"}',
          'severity',
          'the rules are missing',
        ),
      },
    },
    [
      {
        field: 'alertname',
        title: 'alert',
        link: {
          title: 'Runbook',
          url: `${subnetd}/alerts/\${__data.fields.alertname}?subnet=\${__data.fields.subnet}&name=\${__data.fields.name}`,
        },
      },
      { field: 'severity', title: 'severity' },
      { field: 'subnet', title: 'subnet' },
      { field: 'component', title: 'component' },
      { field: 'name', title: 'name' },
    ],
    'No alert fires.',
  );

/** How the checks stood over time. */
export const checkTimeline = (id: number, selector: string, subnetd: string, width: number): Panel =>
  timeline(
    {
      id,
      title: 'Checks over time',
      what: 'Each check: green while it passes, red while it fails, empty while it is unknown.',
      width,
      queries: {
        '{{subnet}} {{name}} {{check}}': `min by (subnet, name, check) (${RECORDED.checks}{${selector}})`,
      },
      links: [toStatusPage(subnetd)],
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
