import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { COMPOSE_LINKS } from '../src/tell/alerts/to-links.ts';
import { toRuleGroups } from '../src/tell/alerts/to-rule-groups.ts';

/**
 * Writes the rule files that are committed, from the catalogue of alerts. Their links lead to where docker-compose.yml
 * publishes subnetd and Grafana; `subnetd rules` prints rules for other addresses.
 */
const root = new URL('../', import.meta.url);
const HEAD = '# Made by `npm run rules` from src/tell/alerts; a test keeps it so. Change it there.\n\n';

/** Every rule file with the content that it should have. */
export const toRuleFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(toRuleGroups(COMPOSE_LINKS)).map(([name, group]) => [
      `config/prometheus/rules/${name}.yml`,
      HEAD + stringify({ groups: [group] }, { lineWidth: 0 }),
    ]),
  );

/** The same for the Helm chart, which puts its own addresses into the links. */
export const toChartRules = (): readonly [string, string] => [
  'deploy/helm/subnetd/files/rules.yaml',
  HEAD +
    stringify(
      { groups: Object.values(toRuleGroups({ publicUrl: 'PUBLIC_URL', grafanaUrl: 'GRAFANA_URL' })) },
      { lineWidth: 0 },
    ),
];

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, text] of [...Object.entries(toRuleFiles()), toChartRules()]) {
    const path = fileURLToPath(new URL(file, root));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
