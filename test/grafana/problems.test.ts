import { expect, test } from 'vitest';
import { dashboards, panelsOf } from '../support/dashboards.ts';
import { absent, constant, testRules, toPromtoolTest } from '../support/promtool.ts';

const STEP_SECONDS = 10;

/** The query of the panel of problems, with one choice of components. */
function problemsQuery(component = '.*'): string {
  const board = dashboards.find(([, { uid }]) => uid === 'subnetd-fleet')?.[1];
  const panel = board && panelsOf(board).find(({ title }) => title === 'Problems');
  return (panel?.targets?.[0]?.expr ?? '').replaceAll('$subnet', '.*').replaceAll('$component', component);
}

const NODE = 'component="node", name="n1", problem="node_down", subnet="s"';
const WHOLE = 'problem="quorum_at_risk", subnet="s"';

/** A problem that ended at minute 10 and came back in minute 21, with a scrape that failed since. */
const course = {
  steps: 240,
  isBroken: (step: number) => (step >= 30 && step < 60) || step >= 123,
  isGap: (step: number) => step >= 180 && step < 186,
};
/** The panel knows a start to the minute. */
const AGAIN_MS = 21 * 60_000;
const series = {
  'subnet_nodes{subnet="s"}': [constant(4), constant(4)],
  [`subnet_problem{${NODE}, instance="a"}`]: [absent, constant(1)],
  [`subnet_problem{${NODE}, instance="b"}`]: [absent, constant(1)],
  [`subnet_problem{component="", name="", ${WHOLE}}`]: [absent, constant(1)],
} as const;

const ask = (expr: string, step: number, samples: readonly (readonly [labels: string, value: number])[]) => ({
  expr,
  eval_time: `${step * STEP_SECONDS}s`,
  exp_samples: samples.map(([labels, value]) => ({ labels: `{${labels}}`, value })),
});

const NODE_BOARD = `board="subnetd-node", ${NODE}`;
const WHOLE_BOARD = `board="subnetd-services", ${WHOLE}`;

test('a problem is shown once, with its last start, and not after its end', async () => {
  const since = [
    [NODE_BOARD, AGAIN_MS],
    [WHOLE_BOARD, AGAIN_MS],
  ] as const;
  const queries = [
    ask(problemsQuery(), 90, []),
    ask(problemsQuery(), 170, since),
    ask(problemsQuery(), 230, since),
    ask(problemsQuery('relayer'), 230, [[WHOLE_BOARD, AGAIN_MS]]),
  ];
  expect(await testRules([], [{ ...toPromtoolTest(series, course, []), promql_expr_test: queries }])).toBe('');
});

test('a problem of more than a day has the time of a day ago', async () => {
  const steps = (26 * 3600) / 60;
  const test = {
    interval: '60s',
    input_series: [
      { series: `subnet_nodes{subnet="s"}`, values: `4x${steps}` },
      { series: `subnet_problem{${NODE}}`, values: `1x${steps}` },
    ],
    promql_expr_test: [
      {
        expr: problemsQuery(),
        eval_time: '26h',
        exp_samples: [{ labels: `{${NODE_BOARD}}`, value: 2 * 3600 * 1000 }],
      },
    ],
  };
  expect(await testRules([], [test])).toBe('');
});
