import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { constant, grow, rising, type Series, stand, testRuleText, toPromtoolTest } from '../../support/promtool.ts';

const page = readFileSync(new URL('../../../docs/alerts.md', import.meta.url), 'utf8');
const [, recipes = ''] = /^## Your own thresholds$[\s\S]*?```yaml\n([\s\S]*?)```/m.exec(page) ?? [];

const height = (name: string, block = 'latest') =>
  `subnet_node_block_number{subnet="s", name="${name}", block="${block}", instance="a"}`;
const same = (value: number): Series[string] => [constant(value), constant(value)];
const rises: Series[string] = [rising(0, 5), rising(0, 5)];
const stops: Series[string] = [rising(0, 5), stand];
const nodes: Series = { 'subnet_nodes{subnet="s"}': same(4) };

/** By alert: what breaks, so that it fires. */
const cases: Readonly<Record<string, Series>> = {
  AnyCheckFails: {
    'subnet_check_success{subnet="s", component="stats", name="stats", check="http"}': [constant(1), constant(0)],
  },
  NodeDoesNotAnswer: { 'subnet_node_up{subnet="s", name="n1"}': [constant(1), constant(0)] },
  NodeFarBehind: { [height('n1')]: rises, [height('n2')]: [rising(0, 5), grow(1)] },
  NoBlockForMinutes: { [height('n1')]: stops, [height('n2')]: stops },
  NoNodeToSpare: {
    ...nodes,
    ...{ [height('n1')]: rises, [height('n2')]: rises, [height('n3')]: rises },
    [height('n4')]: [rising(0, 1), stand],
  },
  ManyBlocksNotCommitted: { [height('n1')]: rises, [height('n1', 'committed')]: stops },
  PeerMissing: {
    'subnet_node_peers_expected{subnet="s", name="n1"}': same(3),
    'subnet_node_peers{subnet="s", name="n1"}': [constant(3), constant(2)],
  },
  MemoryAboveEightyPercent: {
    'subnet_container_memory_bytes{subnet="s", component="node", name="n1"}': [constant(79), constant(81)],
    'subnet_container_memory_limit_bytes{subnet="s", component="node", name="n1"}': same(100),
  },
};

const BREAKS_AT = 60;
const course = { steps: 300, isBroken: (step: number) => step >= BREAKS_AT, isGap: (step: number) => step === 40 };

it('has a case for each recipe of the page', () => {
  const { groups } = parse(recipes) as { groups: readonly { rules: readonly { alert: string }[] }[] };
  expect(groups.flatMap(({ rules }) => rules.map(({ alert }) => alert)).toSorted()).toEqual(Object.keys(cases).sort());
});

it.each(Object.entries(cases))('%s is silent while well and fires while broken', async (alert, series) => {
  const expected = (step: number, count: number) => ({
    expr: `count by (alertname) (ALERTS{alertname="${alert}", alertstate="firing"} )`,
    eval_time: `${step * 10}s`,
    exp_samples: count === 0 ? [] : [{ labels: `{alertname="${alert}"}`, value: count }],
  });
  const test = {
    ...toPromtoolTest(series, course, []),
    promql_expr_test: [expected(41, 0), expected(BREAKS_AT - 1, 0), expected(290, 1)],
  };
  expect(await testRuleText(recipes, test)).toBe('');
});
