import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from 'vitest';
import { toRuleFiles } from '../../scripts/rules.ts';
import type { AlertRule } from '../../src/alerts/alert-rule.ts';
import { type AlertName, alertGroups } from '../../src/alerts/alert-rules.ts';
import { COMPOSE_LINKS, toLinks } from '../../src/alerts/to-links.ts';
import { checkWithPromtool, type PromtoolCase, type Series, testCases, toPromtoolTest } from '../support/promtool.ts';
import { caseOf, type RuleCase } from './rule-cases.ts';

type NamedRule = AlertRule & { readonly name: AlertName };

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Ten minutes well with a scrape that fails for a minute, 25 minutes broken with one that fails once, then well again. */
const course = {
  steps: 301,
  isBroken: (step: number) => step >= 60 && step < 210,
  isGap: (step: number) => (step >= 24 && step < 30) || step === 170,
};
const WELL = [24, 27, 29, 30, 36, 59];
/** The long one is for what has to hold for fifteen minutes. */
const FIRST = 152;
const FIRING = [FIRST, 169, 170, 171, 209];
const CLEAR = 300;

/** With the labels that Prometheus adds, which no alert of a subnet may show. */
const asScraped = (series: Series): Series =>
  Object.fromEntries(
    Object.entries(series).map(([selector, values]) => [
      selector.includes('instance=') ? selector : selector.replace('}', ', instance="a:10545", job="subnetd"}'),
      values,
    ]),
  );

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
  const test = toPromtoolTest(asScraped(tested.series), course, [
    ...[...WELL, CLEAR].map((step) => ({ step, alert, ...(always && { firing: firing(step) }) })),
    ...FIRING.map((step) => ({ step, alert, firing: firing(step) })),
  ]);
  return { groups: [group], alert, tests: [test] };
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
    '%s of %s: silent while healthy, fires with its texts, outlasts a missed scrape, and is resolved',
    (alert) => {
      expect(wrong[alert]).toBe('');
    },
  );
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
