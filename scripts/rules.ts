import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { COMPOSE_LINKS } from '../src/tell/alerts/to-links.ts';
import { toPrometheusRule, toRuleGroups } from '../src/tell/alerts/to-rule-groups.ts';

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

/** The same for the Prometheus operator, by the path of its manifest. */
export const toManifest = (): readonly [string, string] => [
  'deploy/kubernetes/fleet/prometheus-rule.yaml',
  HEAD + stringify(toPrometheusRule(COMPOSE_LINKS), { lineWidth: 0 }),
];

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, text] of [...Object.entries(toRuleFiles()), toManifest()]) {
    const path = fileURLToPath(new URL(file, root));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
