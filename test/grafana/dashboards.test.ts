import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { toDashboards } from '../../scripts/dashboards.ts';
import { recordingRules } from '../../src/tell/alerts/to-rule-groups.ts';
import { dashboards, elementsOf, panelsOf, queriesOf, shownWithoutData } from '../support/dashboards.ts';

const read = (file: string): string => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

/** What Prometheus itself knows of a target and of alerts. */
const OF_PROMETHEUS = ['up', 'scrape_duration_seconds', 'scrape_samples_scraped', 'ALERTS'];

const recorded = recordingRules.map(({ record }) => record);

const exported = new Map(
  [...read('docs/metrics.md').matchAll(/^\| `(\w+)` \| (\w+) \|/gm)].map(([, name = '', type = '']) => [name, type]),
);

/** The names of metrics in an expression: what is followed by a selector, and what is known. */
const metricsOf = (expr: string): readonly string[] =>
  (expr.replace(/"[^"]*"/g, '""').match(/\b[a-zA-Z_][\w:]*(?=\{)|\b(?:subnetd?|process)_[\w:]+/g) ?? []).map((name) =>
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
    const ids = elementsOf(board).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(board.id ?? null).toBeNull();
  });

  test.each(dashboards)('%s fills its rows without a gap and puts no panel upon another', (_, board) => {
    const taken = new Set<string>();
    for (const { title, gridPos } of elementsOf(board)) {
      expect(gridPos.x + gridPos.w, title).toBeLessThanOrEqual(24);
      for (let x = gridPos.x; x < gridPos.x + gridPos.w; x += 1)
        for (let y = gridPos.y; y < gridPos.y + gridPos.h; y += 1) {
          expect(taken.has(`${x} ${y}`), title).toBe(false);
          taken.add(`${x} ${y}`);
        }
    }
    const bottom = Math.max(...elementsOf(board).map(({ gridPos }) => gridPos.y + gridPos.h));
    expect(taken.size).toBe(bottom * 24);
  });

  test.each(dashboards)('%s has a variable for the subnet, and marks starts of containers and reloads', (_, board) => {
    expect(board.templating.list.map(({ name }) => name)).toContain('subnet');
    expect(board.annotations.list.map(({ name }) => name)).toEqual(['Container restarts', 'Configuration reloads']);
  });

  test.each(dashboards)('%s names no source of data but its variable', (file, board) => {
    expect(board.templating.list[0]).toMatchObject({ name: 'datasource', type: 'datasource', query: 'prometheus' });
    const sources = [...read(file).matchAll(/"uid": "([^"]*)"/g)].map(([, uid]) => uid);
    expect(new Set(sources)).toEqual(new Set([board.uid, '${datasource}']));
    expect(read(file)).not.toContain('__inputs');
  });

  test.each(dashboards)('%s queries only existing metrics, and counters only by their increase', (_, board) => {
    for (const { of, expr } of queriesOf(board)) {
      const names = metricsOf(expr);
      expect(names.length, of).toBeGreaterThan(0);
      for (const name of names) {
        expect([...exported.keys(), ...OF_PROMETHEUS, ...recorded], of).toContain(name);
        const uses = [...expr.matchAll(new RegExp(`(\\w*)\\(?\\b${name}(?:_bucket)?\\{[^}]*\\}(\\[)?`, 'g'))];
        if (exported.get(name) === 'counter' || exported.get(name) === 'histogram')
          for (const [, around, window] of uses)
            expect([around, window], `${of}: ${name}`).toEqual([expect.stringMatching(/^(?:rate|increase)$/), '[']);
        else for (const [, around] of uses) expect(around, `${of}: ${name}`).not.toMatch(/^(?:rate|increase)$/);
      }
      expect(expr, of).not.toMatch(/job\s*=/);
    }
  });
});

const allPanels = dashboards.flatMap(([, board]) => panelsOf(board));

describe('a panel', () => {
  test.each(allPanels.filter(({ type }) => type === 'stat').map((panel) => [panel.title, panel] as const))(
    '%s is grey without data, never green',
    (_, panel) => {
      expect(shownWithoutData(panel)).toEqual({ text: 'no data', color: '#808080' });
    },
  );

  test.each(allPanels.filter(({ type }) => type === 'timeseries').map((panel) => [panel.title, panel] as const))(
    '%s has a legend with the current and the highest value',
    (_, { options }) => {
      expect(options?.legend).toMatchObject({ displayMode: 'table', calcs: ['lastNotNull', 'max'] });
    },
  );

  test('that shows a share has a scale from 0 to 100 %', () => {
    const shares = allPanels.filter(({ fieldConfig }) => fieldConfig.defaults.unit === 'percentunit');
    const scales = shares.map(({ title, fieldConfig: { defaults } }) => [title, defaults.min, defaults.max] as const);
    // A process may use more than one core.
    expect(scales.filter(([title]) => title === 'CPU')).toEqual([['CPU', undefined, undefined]]);
    const others = scales.filter(([title]) => title !== 'CPU');
    expect(others.length).toBeGreaterThan(3);
    for (const [title, min, max] of others) expect([min, max], title).toEqual([0, 1]);
  });

  test('links to runbooks that there are', () => {
    const links = allPanels.flatMap(({ fieldConfig }) => fieldConfig.defaults.links ?? []);
    const alerts = links.flatMap(({ url }) => /\/alerts\/(\w+)/.exec(url)?.[1] ?? []);
    expect(alerts.length).toBeGreaterThan(10);
    for (const alert of alerts) expect(read(`docs/alerts/${alert}.md`)).toContain(`# ${alert}`);
  });
});

describe('the rows', () => {
  test.each(dashboards)('%s opens with what is wrong now, and folds the details', (_, board) => {
    const rows = board.panels.filter(({ type }) => type === 'row');
    expect(rows[0]).toMatchObject({ title: 'What is wrong now', collapsed: false });
    expect(rows.at(-1)?.collapsed).toBe(true);
    for (const { collapsed, panels = [] } of rows) expect(panels.length > 0).toBe(collapsed === true);
  });

  test('of all components are those of a chosen component', () => {
    const withComponent = dashboards.filter(([, { templating }]) =>
      templating.list.some(({ name }) => name === 'component'),
    );
    expect(withComponent.map(([, { uid }]) => uid)).toEqual(['subnetd-fleet', 'subnetd-services']);
    for (const [, board] of withComponent)
      for (const { of, expr } of queriesOf(board))
        if (/subnet_(?:container|log_|check_(?!limit)|known)|:subnet_c/.test(expr) && !of.startsWith('variable comp'))
          expect(expr, of).toContain('component=~"$component');
  });
});

test('a series is recorded if three panels or more share it', () => {
  for (const record of recorded) {
    const users = allPanels.filter(({ targets = [] }) => targets.some(({ expr }) => expr.includes(record)));
    expect(users.length, record).toBeGreaterThanOrEqual(3);
  }
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
