import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { eventually, type Running, startCli } from '../support/cli.ts';
import { type BoardQuery, dashboards, queriesOf } from '../support/dashboards.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';

/** The shipped rules hold an alert back for a minute, and the relayer submits every twenty seconds. */
const WITHIN_MS = 180_000;

const VARIABLES: Readonly<Record<string, string>> = {
  subnet: '.*',
  name: '.*',
  instance: '.*',
  __rate_interval: '20s',
};

/** An expression as Grafana sends it when `All` is chosen everywhere. */
const substitute = (expr: string): string =>
  expr.replace(/\$(\w+)/g, (_, name: string) => {
    const value = VARIABLES[name];
    if (value === undefined) throw new Error(`${expr} has a variable ${name}, which is not known`);
    return value;
  });

interface Matrix {
  readonly result: readonly { readonly values: readonly (readonly [number, string])[] }[];
}

/** The finite values that a query gives now; for a variable, the values that it can take. */
async function ask(prometheus: Prometheus, { expr, kind }: BoardQuery): Promise<readonly (number | string)[]> {
  const expression = substitute(expr);
  if (kind === 'values') {
    const [, selector = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(expression) ?? [];
    return (await prometheus.get(`label/${label}/values`, { 'match[]': selector })) as readonly string[];
  }
  if (kind === 'instant') return (await prometheus.query(expression)).map(({ value }) => value).filter(Number.isFinite);
  const end = Date.now() / 1000;
  const query = { query: expression, start: `${end - 60}`, end: `${end}`, step: '1' };
  const { result } = (await prometheus.get('query_range', query)) as Matrix;
  return result.flatMap(({ values }) => values.map(([, value]) => Number(value))).filter(Number.isFinite);
}

describe('on a Prometheus that scrapes the demo', () => {
  let demo: Running;
  let prometheus: Prometheus;

  beforeAll(async () => {
    // One that stops a node, and one by which a service fails and its container ends and starts.
    demo = startCli(['demo', '--listen', '127.0.0.1:0', '--fault', 'node-down', '--fault', 'oom-kill']);
    const [, host = ''] = await demo.waitFor(/http:\/\/(\S+)\/metrics/);
    prometheus = await startPrometheus(
      stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [fileURLToPath(new URL('../../config/prometheus/rules/*.yml', import.meta.url))],
        scrape_configs: [{ job_name: 'any', static_configs: [{ targets: [host] }] }],
      }),
    );
  });

  afterAll(async () => {
    await prometheus?.stop();
    demo.child.kill('SIGTERM');
    await demo.finished;
  });

  describe.each(dashboards)('%s gets data for', (_, board) => {
    test.each(queriesOf(board))(
      '$of',
      async (query) => {
        await eventually(async () => expect(await ask(prometheus, query)).not.toEqual([]), WITHIN_MS);
      },
      WITHIN_MS + 10_000,
    );
  });
});
