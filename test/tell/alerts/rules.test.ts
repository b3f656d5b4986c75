import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, test } from 'vitest';
import { toRuleFiles } from '../../../scripts/rules.ts';
import { durationMs } from '../../../src/lib/duration.ts';
import { problemsOfAlert } from '../../../src/model/problem-catalog.ts';
import type { AlertRule } from '../../../src/tell/alerts/alert-rule.ts';
import { type AlertName, alertGroups } from '../../../src/tell/alerts/alert-rules.ts';
import { COMPOSE_LINKS, toLinks } from '../../../src/tell/alerts/to-links.ts';
import {
  absent,
  asScraped,
  type Course,
  checkWithPromtool,
  constant,
  type PromtoolCase,
  type Series,
  STEP_MS,
  testCases,
  testRules,
  toFiringTest,
  toPromtoolTest,
} from '../../support/promtool.ts';
import { caseOf, type RuleCase } from './rule-cases.ts';

type NamedRule = AlertRule & { readonly name: AlertName };

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What a rule is put through, and the steps at which its alert is looked at. */
interface Trial {
  readonly course: Course;
  readonly well: readonly number[];
  /** The first of them is when the alert begins. */
  readonly firing: readonly number[];
  readonly clear: number;
  /** Planned work begins with what is broken and ends before that, here; a reported problem is notified at once then. */
  readonly workEnds: number;
}

/** For rules that look back: ten minutes well with a minute without scrapes, 25 broken with one that fails, then well again. */
const LONG: Trial = {
  course: {
    steps: 301,
    isBroken: (step) => step >= 60 && step < 210,
    isGap: (step) => (step >= 24 && step < 30) || step === 170,
  },
  well: [24, 27, 29, 30, 36, 59],
  // The first is for what has to hold for five minutes and looks back for ten.
  firing: [152, 169, 170, 171, 209],
  clear: 300,
  workEnds: 200,
};

/** For what subnetd reports as a problem: the same in five minutes each, and to the step at which the alert may end. */
function toQuick({ for: holds, keepFiringFor = '0s' }: AlertRule): Trial {
  const clear = 60 + durationMs(keepFiringFor) / STEP_MS;
  return {
    course: {
      steps: clear + 1,
      isBroken: (step) => step >= 30 && step < 60,
      isGap: (step) => (step >= 12 && step < 18) || step === 50,
    },
    well: [12, 15, 17, 18, 29],
    firing: [30 + durationMs(holds) / STEP_MS, 49, 50, 51, 59, clear - 1],
    clear,
    workEnds: 55,
  };
}

const trialOf = (rule: NamedRule): Trial => (problemsOfAlert(rule.name).length > 0 ? toQuick(rule) : LONG);

/** The alert as it reads at a step. */
function toFiring(rule: AlertRule, { labels, value }: RuleCase, step: number) {
  const render = (text: string) =>
    text
      .replace(/\{\{ \$labels\.(\w+).*? \}\}/g, (_, name) => labels[name] ?? '')
      .replace(/\{\{ \$value.*? \}\}/g, value?.(step) ?? '');
  const { summary, description } = rule;
  const links = toLinks(rule, COMPOSE_LINKS, (label) => labels[label] ?? '');
  const annotations = Object.entries({ summary, description, ...links }).map(([key, text]) => [key, render(text)]);
  return { labels: { ...labels, severity: rule.severity }, annotations: Object.fromEntries(annotations) };
}

/** What promtool has to see of one alert. */
function toCase(group: string, rule: NamedRule): PromtoolCase {
  const alert = rule.name;
  const tested = caseOf(rule);
  const always = rule.expr === 'vector(1)';
  const firing = (step: number) => [toFiring(rule, tested, step)];
  const trial = trialOf(rule);
  const test = toPromtoolTest(asScraped(tested.series), trial.course, [
    ...[...trial.well, trial.clear].map((step) => ({ step, alert, ...(always && { firing: firing(step) }) })),
    ...trial.firing.map((step) => ({ step, alert, firing: firing(step) })),
  ]);
  return { groups: [group], alert, tests: [test, ...testPlanned(rule, tested, trial)] };
}

/** What promtool has to see of an alert that planned work covers. */
function testPlanned(rule: NamedRule, tested: RuleCase, { course, firing, workEnds }: Trial): readonly object[] {
  const { planned } = tested;
  expect(planned !== undefined, `${rule.name} is about a subnet`).toBe(rule.labels.includes('subnet'));
  if (planned === undefined) return [];
  const lasts: Series[string] = [absent, (step) => (step < workEnds ? 1 : undefined)];
  const series = { ...asScraped(tested.series), ...Object.fromEntries(planned.map((one) => [one, lasts])) };
  const isAtOnce = problemsOfAlert(rule.name).length > 0;
  const [begins = 0] = firing;
  return [
    toPromtoolTest(series, course, [
      ...[begins, workEnds - 1].map((step) => ({ step, alert: rule.name })),
      ...(isAtOnce ? [{ step: workEnds, alert: rule.name, firing: [toFiring(rule, tested, workEnds)] }] : []),
    ]),
  ];
}

describe('each alert', () => {
  const rules = Object.entries(alertGroups).flatMap(([group, all]: [string, readonly NamedRule[]]) =>
    all.map((rule) => [group, rule] as const),
  );
  let wrong: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    wrong = await testCases(Object.fromEntries(rules.map(([group, rule]) => [rule.name, toCase(group, rule)])));
  }, 600_000);

  it.each(rules.map(([group, { name }]) => [name, group] as const))(
    '%s of %s: silent while healthy and during planned work, fires with its texts, outlasts a missed scrape, and is resolved',
    (alert) => {
      expect(wrong[alert]).toBe('');
    },
  );
});

/** The series of a problem, as two subnetd report it that watch the same subnet. */
const problemSeries = (
  problem: string,
  [component, name]: readonly [string, string],
  subnet = 's',
): readonly string[] =>
  ['a', 'b'].map(
    (instance) =>
      `subnet_problem{subnet="${subnet}", component="${component}", name="${name}", problem="${problem}", instance="${instance}", job="subnetd"}`,
  );
const WHOLE = ['', ''] as const;
const NODE = ['node', 'n1'] as const;

const GROUPS = ['subnet', 'node', 'services', 'containers', 'failures'];

describe('the alerts of a node', () => {
  /** What is wrong in the subnet s, and a node of another subnet. */
  const seriesOf = (...problems: readonly (readonly string[])[]): Series =>
    Object.fromEntries(
      [...problems, problemSeries('node_stalled', ['node', 'n9'], 'other')]
        .flat()
        .map((selector) => [selector, [absent, constant(1)] as const]),
    );
  const node = [
    problemSeries('node_down', NODE),
    problemSeries('container_down', ['node', 'n2']),
    problemSeries('out_of_memory', ['node', 'n3']),
  ];
  const others = [
    problemSeries('head_regression', NODE),
    problemSeries('service_down', ['stats', 'stats']),
    problemSeries('container_down', ['relayer', 'relayer']),
    problemSeries('bootnode_misses_node', ['bootnode', 'bootnode']),
  ];
  const of = (alertname: string, component: string, name = component) => ({ alertname, component, name });
  const firingOthers = [
    of('SubnetNodeStalled', 'node', 'n9'),
    of('SubnetNodeHeadFell', 'node', 'n1'),
    of('SubnetServiceDown', 'stats'),
    of('SubnetContainerDown', 'relayer'),
    of('SubnetBootnodeMissesNode', 'bootnode'),
  ];
  const firingNode = [
    of('SubnetNodeDown', 'node', 'n1'),
    of('SubnetContainerDown', 'node', 'n2'),
    of('SubnetContainerOutOfMemory', 'node', 'n3'),
  ];

  it.each([
    ['subnet_halted', [{ alertname: 'SubnetHalted' }]],
    ['quorum_at_risk', [{ alertname: 'SubnetQuorumAtRisk' }]],
    // Its alert is in the group of subnetd.
    ['monitor_offline', []],
  ])(
    'are silent while %s pages for its subnet, and those of services and of other subnets are not',
    async (page, own) => {
      const series = seriesOf(problemSeries(page, WHOLE), ...node, ...others);
      expect(await testRules(GROUPS, [toFiringTest(series, 3, [...own, ...firingOthers])])).toBe('');
    },
  );

  it('fire when nothing pages for the subnet, or what pages is another cause', async () => {
    const series = seriesOf(problemSeries('finality_stalled', WHOLE), ...node, ...others);
    const firing = [{ alertname: 'SubnetFinalityStalled' }, ...firingNode, ...firingOthers];
    expect(await testRules(GROUPS, [toFiringTest(series, 3, firing)])).toBe('');
  });

  it('fire while what would page for them is planned', async () => {
    const page = problemSeries('quorum_at_risk', WHOLE);
    const planned = page.map((one) => one.replace('subnet_problem{', 'subnet_problem_planned{'));
    const series = seriesOf(page, planned, ...node, ...others);
    expect(await testRules(GROUPS, [toFiringTest(series, 3, [...firingNode, ...firingOthers])])).toBe('');
  });

  it('end some minutes after the page begins, and come back when its cause is over', async () => {
    const course = { steps: 100, isBroken: (step: number) => step >= 20 && step < 50, isGap: () => false };
    const series = {
      ...Object.fromEntries(problemSeries('quorum_at_risk', WHOLE).map((one) => [one, [absent, constant(1)] as const])),
      ...Object.fromEntries(problemSeries('node_down', NODE).map((one) => [one, [constant(1), constant(1)] as const])),
    };
    const names = (step: number, ...alerts: readonly string[]) => ({
      expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
      eval_time: `${step * 10}s`,
      exp_samples: alerts.map((alertname) => ({ labels: `{alertname="${alertname}"}`, value: 1 })),
    });
    const plan = {
      ...toPromtoolTest(series, course, []),
      promql_expr_test: [
        names(19, 'SubnetNodeDown'),
        names(25, 'SubnetNodeDown', 'SubnetQuorumAtRisk'),
        names(45, 'SubnetQuorumAtRisk'),
        names(55, 'SubnetNodeDown', 'SubnetQuorumAtRisk'),
        names(90, 'SubnetNodeDown'),
      ],
    };
    expect(await testRules(GROUPS, [plan])).toBe('');
  });
});

test('one internal error is enough for its alert, which ends when the error is ten minutes old', async () => {
  const alert = 'SubnetdInternalError';
  const rule = alertGroups.subnetd.find(({ name }) => name === alert) ?? expect.fail('there is such a rule');
  const course = { steps: 100, isBroken: (step: number) => step >= 20, isGap: () => false };
  const series = asScraped({ 'subnetd_internal_errors_total{part="page"}': [constant(0), constant(1)] });
  const firing = [toFiring(rule, { series, labels: { instance: 'a:10545' } }, 0)];
  const plan = toPromtoolTest(series, course, [
    ...[25, 82].map((step) => ({ step, alert })),
    ...[26, 77].map((step) => ({ step, alert, firing })),
  ]);
  expect(await testRules(['subnetd'], [plan])).toBe('');
});

test('a check that never ran is stale five minutes after its series begins, and no age is made up for it', async () => {
  const alert = 'SubnetdCheckStale';
  const rule = alertGroups.subnetd.find(({ name }) => name === alert) ?? expect.fail('there is such a rule');
  const labels = { subnet: 's', component: 'node', name: 'n1' };
  const course = { steps: 60, isBroken: () => true, isGap: () => false };
  const selector = 'subnet_check_interval_seconds{subnet="s",component="node",name="n1",check="peers"}';
  const series = asScraped({ [selector]: [constant(10), constant(10)] });
  const firing = [toFiring(rule, { series, labels, value: () => '10s' }, 0)];
  const plan = toPromtoolTest(series, course, [
    { step: 29, alert },
    { step: 30, alert, firing },
  ]);
  expect(await testRules(['subnetd'], [plan])).toBe('');
  expect(rule.description).toContain('has not run for {{ $value | humanizeDuration }} or longer');
});

describe('the rule files', () => {
  const files = toRuleFiles();

  it.each(Object.entries(files))('%s is as `npm run rules` writes it', (file, text) => {
    expect(readFileSync(root + file, 'utf8')).toBe(text);
  });

  it('are all that is in their folder, and promtool finds no fault in them', async () => {
    expect(globSync('config/prometheus/rules/*', { cwd: root }).sort()).toEqual(Object.keys(files).sort());
    expect(
      await checkWithPromtool(
        'rules',
        Object.keys(files).map((file) => root + file),
      ),
    ).toMatchObject({ status: 0 });
  });
});
