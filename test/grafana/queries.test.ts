import { writeFileSync } from 'node:fs';
import type Dockerode from 'dockerode';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { eventually, type Running, startCli, startDaemon, temporaryFolder } from '../support/cli.ts';
import { importBusybox, runContainer, uniqueName } from '../support/containers.ts';
import { type BoardQuery, dashboards, queriesOf } from '../support/dashboards.ts';
import { type Engine, useEngine } from '../support/engine.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';

/** A relayer that submits does so within this time, and a container that restarts has done it more than once. */
const WITHIN_MS = 90_000;

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

/** An alert on what is broken here, with the labels that alerts of a node have. */
const rules = {
  groups: [
    {
      name: 'test',
      rules: [
        { alert: 'SubnetNodeDown', expr: 'subnet_node_up == 0', labels: { severity: 'warning', component: 'node' } },
      ],
    },
  ],
};

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

describe('on a Prometheus that scrapes the watched demo', () => {
  const folder = temporaryFolder();
  const begun: Running[] = [];
  let engine: Engine;
  let containers: readonly Dockerode.Container[] = [];
  let prometheus: Prometheus;

  beforeAll(async () => {
    engine = await useEngine();
    await importBusybox(engine.docker);
    // Programs that end, so that there are exit codes and restarts.
    const names = { node: uniqueName('subnet1'), relayer: uniqueName('relayer') };
    containers = await Promise.all(
      Object.values(names).map((name) =>
        runContainer(engine.docker, {
          name,
          command: ['sh', '-c', 'sleep 12; exit 3'],
          memoryBytes: 64 * 1024 * 1024,
          restart: 'always',
        }),
      ),
    );

    const demo = startCli(['demo', '--config-only', '--fault', 'node-down', '--fault', 'frontend-error']);
    begun.push(demo);
    await demo.waitFor(/\n {4}checks:\n(?: {6}.*\n)+/);
    const inventory = parse(demo.output());
    const [subnet] = inventory.subnets;
    subnet.nodes[0].container = { name: names.node };
    subnet.relayer.container = { name: names.relayer };
    inventory.docker = { socketPath: engine.socketPath };
    writeFileSync(folder.path('subnetd.yaml'), stringify(inventory));
    const daemon = await startDaemon(folder.path('subnetd.yaml'));
    begun.push(daemon);

    writeFileSync(folder.path('rules.yml'), stringify(rules));
    prometheus = await startPrometheus(
      stringify({
        global: { scrape_interval: '1s', evaluation_interval: '1s' },
        rule_files: [folder.path('rules.yml')],
        scrape_configs: [{ job_name: 'any', static_configs: [{ targets: [new URL(daemon.url).host] }] }],
      }),
    );
  });

  afterAll(async () => {
    await prometheus?.stop();
    for (const { child, finished } of begun.toReversed()) {
      child.kill('SIGTERM');
      await finished;
    }
    await Promise.all(containers.map((container) => container.remove({ force: true })));
    await engine?.stop();
    folder.remove();
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
