import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { findChromium } from '../../src/demo/find-chromium.ts';
import { startSimulation } from '../../src/demo/start-simulation.ts';
import { startAlertmanager } from '../support/alertmanager.ts';
import { eventually, startDaemon, temporaryFolder } from '../support/cli.ts';
import { type BoardQuery, dashboards, queriesOf } from '../support/dashboards.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';

/** A relayer that submits does so within this time, and a container that restarts has done it more than once. */
const WITHIN_MS = 90_000;

/** What a wallet spends is known after ten minutes: until then these only have to be queries that Prometheus takes. */
const LATE = /\bsubnet_relayer_(days_left|spend_per_day)\b/;

const VARIABLES: Readonly<Record<string, string>> = {
  subnet: '.*',
  name: '.*',
  component: '.*',
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

/** An alert on what is broken here, with the labels that alerts of a node have. */
const rules = {
  groups: [
    {
      name: 'test',
      rules: [
        { alert: 'SubnetdWatchdog', expr: 'vector(1)', labels: { severity: 'none' } },
        { alert: 'SubnetNodeDown', expr: 'subnet_node_up == 0', labels: { severity: 'warning', component: 'node' } },
      ],
    },
  ],
};

const RECORDS = fileURLToPath(new URL('../../config/prometheus/rules/records.yml', import.meta.url));

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
  if (kind === 'instant')
    return (await prometheus.query(expression))
      .filter(({ labels }) => !Object.values(labels).some((label) => label.startsWith('no data')))
      .map(({ value }) => value)
      .filter(Number.isFinite);
  const end = Date.now() / 1000;
  const query = { query: expression, start: `${end - 60}`, end: `${end}`, step: '1' };
  const { result } = (await prometheus.get('query_range', query)) as Matrix;
  return result.flatMap(({ values }) => values.map(([, value]) => Number(value))).filter(Number.isFinite);
}

describe('on a Prometheus that scrapes the watched demo', () => {
  const folder = temporaryFolder();
  const stops: (() => unknown)[] = [folder.remove];
  let prometheus: Prometheus;

  beforeAll(async () => {
    const alertmanager = await startAlertmanager();
    stops.push(alertmanager.stop);
    const browser = findChromium(process.env.PATH ?? '');
    if (browser === undefined) throw new Error('this test needs Chromium: apt-get install chromium');
    // A node that is down, errors of the frontend, and a container that ends and starts again and again.
    const simulation = await startSimulation({ nodes: 4, faults: ['node-down', 'console-error', 'oom-kill'], browser });
    stops.push(simulation.stop);
    const inventory = { ...parse(simulation.inventory()), alertmanager: { urls: [alertmanager.url] } };
    // The nodes of the demo print to their containers alone.
    writeFileSync(folder.path('xdc.log'), 'INFO [11-21|00:00:00] Starting peer-to-peer node\n');
    inventory.subnets[0].nodes[0].logFiles = [folder.path('xdc.log')];
    writeFileSync(folder.path('subnetd.yaml'), stringify(inventory));
    const daemon = await startDaemon(folder.path('subnetd.yaml'));
    stops.push(() => {
      daemon.child.kill('SIGTERM');
      return daemon.finished;
    });

    writeFileSync(folder.path('rules.yml'), stringify(rules));
    prometheus = await startPrometheus(
      stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [folder.path('rules.yml'), RECORDS],
        scrape_configs: [{ job_name: 'any', static_configs: [{ targets: [new URL(daemon.url).host] }] }],
      }),
    );
    stops.push(prometheus.stop);
  });

  afterAll(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  describe.each(dashboards)('%s gets data for', (_, board) => {
    test.each(queriesOf(board))(
      '$of',
      async (query) => {
        const isLate = LATE.test(query.expr);
        const isAnswered = async () => expect((await ask(prometheus, query)).length > 0).toBe(!isLate);
        await eventually(isAnswered, WITHIN_MS);
      },
      WITHIN_MS + 10_000,
    );
  });
});
