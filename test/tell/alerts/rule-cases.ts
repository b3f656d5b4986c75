import { problemsOfAlert } from '../../../src/model/problem-catalog.ts';
import type { AlertRule } from '../../../src/tell/alerts/alert-rule.ts';
import type { AlertName } from '../../../src/tell/alerts/alert-rules.ts';
import { absent, constant, grow, rising, type Series, stand } from '../../support/promtool.ts';

/** What makes a rule fire, and how its alert reads then. */
export interface RuleCase {
  /** By selector: how a series goes while all is well, and while it is not. */
  readonly series: Series;
  readonly labels: Readonly<Record<string, string>>;
  /** What the templates make of the value, where a text shows it. */
  readonly value?: (step: number) => string;
  /** The series that say of planned work that covers it. */
  readonly planned?: readonly string[];
}

const subnet = { subnet: 's' };
const target = (component: string, name = component) => ({ subnet: 's', component, name });
const node = target('node', 'n1');

const write = (labels: Readonly<Record<string, string>>): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');
const one = (metric: string, labels: Readonly<Record<string, string>>): string => `${metric}{${write(labels)}}`;

const fails: Series[string] = [constant(1), constant(0)];
const stays = (value: number): Series[string] => [constant(value), constant(value)];

/** Two instances of a scraped subnetd have labels that no alert of a subnet may show. */
const self = { instance: 'a:10545', job: 'subnetd' };

const workOn = (labels: Readonly<Record<string, string>> = { ...subnet, component: '', name: '' }): string =>
  one('subnet_planned_work', { ...labels, ...self });

/** subnetd reports the last problem of the alert, or another one of it first. */
function byProblem({ name, labels }: AlertRule): RuleCase {
  const own = labels.includes('name') ? target('relayer') : subnet;
  const shown = labels.includes('name') ? own : { ...subnet, component: '', name: '' };
  const broken: Series[string] = [absent, constant(1)];
  const problem = problemsOfAlert(name).at(-1) ?? '';
  return {
    series: { [one('subnet_problem', { ...shown, problem, ...self })]: broken },
    labels: own,
    // That of another subnetd, which watches the same subnet.
    planned: [one('subnet_problem_planned', { ...shown, problem, ...self, instance: 'b:10545' })],
  };
}

const own: Readonly<Partial<Record<AlertName, RuleCase>>> = {
  SubnetdDown: { series: { [one('up', self)]: fails }, labels: { instance: 'a:10545' } },
  SubnetdShardUnseen: {
    series: {
      [one('subnetd_shard_seen', { ...self, shard: '2' })]: fails,
      [one('subnetd_shard_seen', { ...self, instance: 'b:10545', shard: '2' })]: fails,
      // The other still sees this one.
      [one('subnetd_shard_seen', { ...self, shard: '1' })]: stays(1),
      [one('subnetd_shard_seen', { ...self, instance: 'b:10545', shard: '1' })]: fails,
    },
    labels: { shard: '2' },
  },
  SubnetdDockerDown: {
    series: {
      [one('subnet_container_engine_info', { ...node, ...self, engine: 'machine1' })]: stays(1),
      [one('subnet_container_engine_info', { ...target('node', 'n2'), ...self, engine: 'machine2' })]: stays(1),
      [one('subnet_container_engine_info', { ...target('relayer'), ...self, engine: 'machine2' })]: stays(1),
      [one('subnet_container_engine_info', { ...node, subnet: 'other', ...self, engine: 'machine1' })]: stays(1),
      [one('subnetd_docker_up', { ...self, engine: 'machine1' })]: stays(1),
      [one('subnetd_docker_up', { ...self, engine: 'machine2' })]: fails,
    },
    labels: { ...subnet, engine: 'machine2' },
    planned: [workOn()],
    value: () => '2',
  },
  SubnetdCheckStale: {
    series: {
      [one('subnet_check_last_run_timestamp_seconds', { ...node, check: 'peers' })]: [rising(0, 10), stand],
      [one('subnet_check_interval_seconds', { ...node, check: 'peers' })]: stays(10),
    },
    labels: node,
    planned: [workOn(node)],
    value: (step) => `${Math.floor((10 * step - 590) / 60)}m ${(10 * step - 590) % 60}s`,
  },
  SubnetdRoundsLate: {
    series: {
      [one('subnetd_rounds_late_total', { subnet: 's', round: 'rpc' })]: [stand, grow(1)],
      [one('subnetd_round_duration_seconds_count', { subnet: 's', round: 'rpc' })]: [grow(4), grow(3)],
    },
    labels: subnet,
    planned: [workOn()],
    value: () => '25%',
  },
  SubnetdReloadFailed: {
    series: { [one('subnetd_config_last_reload_successful', self)]: fails },
    labels: { instance: 'a:10545' },
  },
  SubnetdInternalError: {
    series: {
      [one('subnetd_internal_errors_total', { ...self, part: 'diagnosis' })]: [stand, grow(1)],
      [one('subnetd_internal_errors_total', { ...self, part: 'page' })]: stays(3),
      // Of another subnetd, which has had errors before.
      [one('subnetd_internal_errors_total', { ...self, instance: 'b:10545', part: 'page' })]: stays(7),
    },
    labels: { instance: 'a:10545' },
  },
  SubnetdAlertsNotSent: {
    series: {
      [one('subnetd_alerts_failed_total', self)]: [stand, grow(1)],
      [one('subnetd_alerts_dropped_total', self)]: stays(0),
    },
    labels: { instance: 'a:10545' },
    value: () => '30',
  },
  SubnetdDatabaseDown: { series: { [one('subnetd_database_up', self)]: fails }, labels: { instance: 'a:10545' } },
  SubnetdWatchdog: { series: {}, labels: {} },
};

/** One for each alert. */
export function caseOf(rule: AlertRule & { readonly name: AlertName }): RuleCase {
  const found = problemsOfAlert(rule.name).length > 0 ? byProblem(rule) : own[rule.name];
  if (found === undefined) throw new Error(`${rule.name} has no case`);
  return found;
}
