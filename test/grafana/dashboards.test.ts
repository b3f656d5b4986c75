import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toDashboards } from '../../scripts/dashboards.ts';
import { dashboards, panelsOf, queriesOf } from '../support/dashboards.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** What Prometheus itself knows of a target and of alerts. */
const OF_PROMETHEUS = ['up', 'scrape_duration_seconds', 'scrape_samples_scraped', 'ALERTS'];

const exported = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name = '', type = '']) => [name, type]),
);

/** The names of metrics in an expression: what is followed by a selector, and what is known. */
const metricsOf = (expr: string): readonly string[] =>
  (expr.replace(/"[^"]*"/g, '""').match(/\b[a-zA-Z_]\w*(?=\{)|\b(?:subnetd?|process)_\w+/g) ?? []).map((name) =>
    name.replace(/_bucket$/, ''),
  );

describe('the dashboards', () => {
  test('are what npm run dashboards makes of the code', () => {
    expect(Object.fromEntries(dashboards.map(([file]) => [file, read(file)]))).toEqual(toDashboards());
  });

  test('have the addresses that links and alerts know them by', () => {
    expect(dashboards.map(([, { uid }]) => uid).toSorted()).toEqual([
      'subnetd-fleet',
      'subnetd-node',
      'subnetd-self',
      'subnetd-services',
    ]);
    for (const [file] of dashboards)
      for (const [, uid] of read(file).matchAll(/"url": "\/d\/([\w-]+)/g))
        expect(dashboards.map(([, board]) => board.uid)).toContain(uid);
  });

  test.each(dashboards)('%s explains each panel, and gives it a unit and an id that stays its own', (_, board) => {
    for (const { title, description, fieldConfig } of panelsOf(board)) {
      expect(description, title).toMatch(/^[A-Z0-9].*\.$/s);
      expect(fieldConfig.defaults.unit, title).toBeTruthy();
    }
    const ids = board.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(board.id ?? null).toBeNull();
  });

  test.each(dashboards)('%s fills its rows without a gap and puts no panel upon another', (_, board) => {
    const taken = new Set<string>();
    for (const { title, gridPos } of board.panels) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x} ${y}`), title).toBe(false);
          taken.add(`${x} ${y}`);
        }
    }
    const bottom = Math.max(...board.panels.map(({ gridPos }) => gridPos.y + gridPos.h));
    expect(taken.size).toBe(bottom * 24);
  });

  test.each(dashboards)(
    '%s lets a subnet be chosen, and marks starts of containers and new inventories',
    (_, board) => {
      expect(board.templating.list.map(({ name }) => name)).toContain('subnet');
      expect(board.annotations.list.map(({ name }) => name)).toEqual(['Container restarts', 'Configuration reloads']);
    },
  );

  test.each(dashboards)('%s names no source of data but its variable', (file, board) => {
    expect(board.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    const sources = [...read(file).matchAll(/"uid": "([^"]*)"/g)].map(([, uid]) => uid);
    expect(new Set(sources)).toEqual(new Set([board.uid, '${datasource}']));
    expect(read(file)).not.toContain('__inputs');
  });

  test.each(dashboards)(
    '%s asks only for metrics that there are, and for counters only by their growth',
    (_, board) => {
      for (const { of, expr } of queriesOf(board)) {
        const names = metricsOf(expr);
        expect(names.length, of).toBeGreaterThan(0);
        for (const name of names) {
          expect([...exported.keys(), ...OF_PROMETHEUS], of).toContain(name);
          const uses = [...expr.matchAll(new RegExp(`(\\w*)\\(?\\b${name}(?:_bucket)?\\{[^}]*\\}(\\[)?`, 'g'))];
          if (exported.get(name) === 'counter' || exported.get(name) === 'histogram')
            for (const [, around, window] of uses)
              expect([around, window], `${of}: ${name}`).toEqual([expect.stringMatching(/^(?:rate|increase)$/), '[']);
          else for (const [, around] of uses) expect(around, `${of}: ${name}`).not.toMatch(/^(?:rate|increase)$/);
        }
        expect(expr, of).not.toMatch(/job\s*=/);
      }
    },
  );
});

describe('the provisioning of Grafana', () => {
  const compose = parse(read('docker-compose.yml'), { merge: true });

  test('reads the dashboards from where docker-compose.yml mounts them', () => {
    const [provider] = parse(read('grafana/provisioning/dashboards/subnetd.yaml')).providers;
    expect(compose.services.grafana.volumes).toContain(`./grafana/dashboards:${provider.options.path}:ro`);
    expect(compose.services.grafana.volumes).toContain('./grafana/provisioning:/etc/grafana/provisioning:ro');
    expect(provider).toMatchObject({ type: 'file', allowUiUpdates: false, disableDeletion: true });
    const home = compose.services.grafana.environment.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH;
    expect(read(home.replace(provider.options.path, 'grafana/dashboards'))).toContain('"uid": "subnetd-fleet"');
  });

  test('names the Prometheus of docker-compose.yml, and how often it scrapes', () => {
    const { datasources } = parse(read('grafana/provisioning/datasources/prometheus.yaml'));
    expect(datasources).toHaveLength(1);
    const { url, uid, isDefault, jsonData } = datasources[0];
    expect([uid, isDefault]).toEqual(['prometheus', true]);
    expect(Object.keys(compose.services)).toContain(new URL(url).hostname);
    expect(jsonData.timeInterval).toBe(parse(read('config/prometheus/prometheus.yml')).global.scrape_interval);
  });
});
