import { expect, test } from 'vitest';
import { dashboards, panelsOf } from '../support/dashboards.ts';
import { testRules } from '../support/promtool.ts';

/** The queries of a panel by the colour of their series. */
function byColor(uid: string, id: number): Readonly<Record<string, string>> {
  const board = dashboards.find(([, one]) => one.uid === uid)?.[1];
  const panel = board && panelsOf(board).find((one) => one.id === id);
  return Object.fromEntries(
    (panel?.targets ?? []).map(({ refId, expr }) => {
      const { value } = panel?.fieldConfig.overrides.find(({ matcher }) => matcher.options === refId)
        ?.properties[0] ?? { value: undefined };
      return [(value as { readonly fixedColor: string }).fixedColor, expr.replaceAll('$subnet', '.*')];
    }),
  );
}

/** What promtool says is wrong with these samples of each colour at second 100; nothing if they are right. */
const testColors = (
  queries: Readonly<Record<string, string>>,
  series: Readonly<Record<string, number>>,
  expected: Readonly<Record<string, readonly (readonly [labels: string, value: number])[]>>,
) => {
  expect(Object.keys(queries).toSorted()).toEqual(Object.keys(expected).toSorted());
  return testRules(
    ['records'],
    [
      {
        interval: '10s',
        input_series: Object.entries(series).map(([selector, value]) => ({ series: selector, values: `${value}x12` })),
        promql_expr_test: Object.entries(expected).map(([color, samples]) => ({
          expr: queries[color],
          eval_time: '100s',
          exp_samples: samples.map(([labels, value]) => ({ labels, value })),
        })),
      },
    ],
  );
};

test('each subnet is coloured by its own limit: red from it on, orange from half of it on', async () => {
  const advanced = (subnet: string) =>
    `subnet_node_block_advanced_timestamp_seconds{subnet="${subnet}", name="n", block="latest"}`;
  const limit = (subnet: string) => `subnet_check_limit_seconds{subnet="${subnet}", check="latest_block"}`;
  const series = {
    ...{ [advanced('a')]: 40, [limit('a')]: 60 },
    ...{ [advanced('b')]: 41, [limit('b')]: 60 },
    ...{ [advanced('c')]: 70, [limit('c')]: 60 },
    ...{ [advanced('d')]: 71, [limit('d')]: 60 },
    ...{ [advanced('slow')]: 40, [limit('slow')]: 600 },
    [advanced('old')]: 40,
  };
  const of = (subnet: string, value: number) => [`{subnet="${subnet}"}`, value] as const;
  expect(
    await testColors(byColor('subnetd-fleet', 5), series, {
      red: [of('a', 60)],
      orange: [of('b', 59), of('c', 30)],
      green: [of('d', 29), of('slow', 60)],
      text: [of('old', 60)],
    }),
  ).toBe('');
});

test('a node is red when it is further behind than maxLag, as its check fails then', async () => {
  const height = (name: string) => `subnet_node_block_number{subnet="s", name="${name}", block="latest"}`;
  const series = {
    ...{ [height('n0')]: 100, [height('n5')]: 95, [height('n6')]: 94, [height('n10')]: 90, [height('n11')]: 89 },
    'subnet_check_limit_blocks{subnet="s", check="latest_block"}': 10,
  };
  const queries = Object.fromEntries(
    Object.entries(byColor('subnetd-node', 3)).map(([color, expr]) => [color, expr.replaceAll('$name', '.*')]),
  );
  const of = (name: string, value: number) =>
    [`subnet_name:subnet_node_block_number:behind{subnet="s", name="${name}"}`, value] as const;
  expect(
    await testColors(queries, series, {
      red: [of('n11', 11)],
      orange: [of('n6', 6), of('n10', 10)],
      green: [of('n0', 0), of('n5', 5)],
      text: [],
    }),
  ).toBe('');
});
