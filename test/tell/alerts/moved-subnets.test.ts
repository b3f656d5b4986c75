import { beforeAll, describe, expect, it } from 'vitest';
import { problemsOfAlert } from '../../../src/model/problem-catalog.ts';
import type { AlertRule } from '../../../src/tell/alerts/alert-rule.ts';
import { type AlertName, alertGroups } from '../../../src/tell/alerts/alert-rules.ts';
import {
  asScraped,
  grow,
  type PromtoolCase,
  type Series,
  stand,
  testCases,
  testRules,
  toFiringTest,
  toPromtoolTest,
  type Value,
} from '../../support/promtool.ts';
import { caseOf } from './rule-cases.ts';

type NamedRule = AlertRule & { readonly name: AlertName };

/** One instance drops a subnet at some step, which another has watched for a minute by then. */
const OVERLAP = 6;

/** That step, and how many there are: few for what is reported as a problem, as such a rule looks back at nothing. */
const moveOf = (rule: NamedRule) =>
  problemsOfAlert(rule.name).length > 0 ? { moved: 20, steps: 60 } : { moved: 120, steps: 200 };

/** The series of what is broken all the time, first of one instance and then of another, as its service in Kubernetes labels them. */
function moveSeries(series: Series, moved: number): Series {
  const before = Object.entries(asScraped(series)).map(([selector, [, broken]]) => {
    const value: Value = (step, last) => (step < moved ? broken(step, last) : undefined);
    return [selector.replace('}', ', pod="subnetd-1"}'), [value, value]] as const;
  });
  const after = Object.entries(asScraped(series)).map(([selector, [, broken]]) => {
    const value: Value = (step, last) => (step >= moved - OVERLAP ? broken(step, last) : undefined);
    const other = selector.replace('instance="a:10545"', 'instance="c:10545"');
    return [other.replace('}', ', pod="subnetd-3"}'), [value, value]] as const;
  });
  return Object.fromEntries([...before, ...after]);
}

/** While a subnet moves, its alert is one and the same: it neither ends nor begins again. */
function toMoveCase(group: string, rule: NamedRule): PromtoolCase {
  const alert = rule.name;
  const { series, labels } = caseOf(rule);
  const { moved, steps } = moveOf(rule);
  const whole = { steps, isBroken: () => true, isGap: () => false };
  const shown = Object.entries({ alertname: alert, alertstate: 'firing', ...labels, severity: rule.severity })
    .map(([name, value]) => `${name}="${value}"`)
    .join(', ');
  const begins = moved - OVERLAP;
  const looks = [begins - 1, begins, begins + 1, moved - 1, moved, moved + 1, steps - 1];
  const test = {
    ...toPromtoolTest(moveSeries(series, moved), whole, []),
    promql_expr_test: [
      ...looks.map((step) => ({
        expr: `ALERTS{alertname="${alert}"}`,
        eval_time: `${step * 10}s`,
        exp_samples: [{ labels: `ALERTS{${shown}}`, value: 1 }],
      })),
      {
        expr: `count(changes(ALERTS_FOR_STATE{alertname="${alert}"}[20m]) == 0)`,
        eval_time: `${(steps - 1) * 10}s`,
        exp_samples: [{ labels: '{}', value: 1 }],
      },
    ],
  };
  return { groups: [group], alert, tests: [test] };
}

describe('each alert of a subnet', () => {
  const rules = Object.entries(alertGroups).flatMap(([group, all]: [string, readonly NamedRule[]]) =>
    all.filter(({ labels }) => labels.includes('subnet')).map((rule) => [group, rule] as const),
  );
  let wrong: Readonly<Record<string, string>> = {};
  beforeAll(async () => {
    wrong = await testCases(Object.fromEntries(rules.map(([group, rule]) => [rule.name, toMoveCase(group, rule)])));
  }, 600_000);

  it.each(rules.map(([, { name }]) => name))(
    '%s goes on as one alert while its subnet moves to another instance',
    (name) => {
      expect(wrong[name]).toBe('');
    },
  );
});

it('SubnetdRoundsLate fires for one of two instances that is too slow, however quick the other is', async () => {
  const of = (instance: string) => `subnet="s", round="rpc", instance="${instance}", job="subnetd"`;
  const series: Series = {
    [`subnetd_rounds_late_total{${of('a')}}`]: [grow(1), grow(1)],
    [`subnetd_round_duration_seconds_count{${of('a')}}`]: [grow(4), grow(4)],
    [`subnetd_rounds_late_total{${of('b')}}`]: [stand, stand],
    [`subnetd_round_duration_seconds_count{${of('b')}}`]: [grow(30), grow(30)],
  };
  // Nothing scrapes it here.
  const firing = ['SubnetdRoundsLate', 'SubnetdDown', 'SubnetdWatchdog'].map((alertname) => ({ alertname }));
  expect(await testRules(['subnetd'], [toFiringTest(series, 100, firing)])).toBe('');
});
