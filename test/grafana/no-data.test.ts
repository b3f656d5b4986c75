import { globSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { eventually } from '../support/cli.ts';
import { dashboards, panelsOf } from '../support/dashboards.ts';
import { type Prometheus, startPrometheus } from '../support/prometheus.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** An expression as Grafana sends it when `All` is chosen everywhere. */
const substitute = (expr: string): string => expr.replace('$__rate_interval', '20s').replace(/\$\w+/g, '.*');

describe.each([
  ['without any rule', []],
  ['with the rules of subnetd', globSync('config/prometheus/rules/*.yml', { cwd: root })],
])('on a Prometheus that scrapes nothing, %s', (_, files) => {
  let prometheus: Prometheus;

  beforeAll(async () => {
    prometheus = await startPrometheus(
      stringify({ global: { evaluation_interval: '1s' }, rule_files: files.map((file) => root + file) }),
    );
    // SubnetdWatchdog fires as soon as the rules have been evaluated.
    const alerts = files.length > 0 ? 1 : 0;
    await eventually(async () =>
      expect(await prometheus.query('ALERTS{alertname="SubnetdWatchdog"}')).toHaveLength(alerts),
    );
  });

  afterAll(() => prometheus.stop());

  describe.each(dashboards)('%s', (_, board) => {
    test.each(panelsOf(board).map((panel) => [panel.title, panel] as const))('%s shows no data', async (_, panel) => {
      for (const { expr } of panel.targets ?? []) {
        const samples = await prometheus.query(substitute(expr));
        if (panel.type !== 'table') expect(samples).toEqual([]);
        else if (samples.length === 0) expect(panel.fieldConfig.defaults.noValue).toMatch(/^No (?:data|subnetd|alert)/);
        else
          expect(samples.map(({ labels }) => Object.values(labels).at(-1))).toEqual([
            expect.stringMatching(/^no data: /),
          ]);
      }
    });
  });
});
