import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { alertGroups } from '../src/alerts/alert-rules.ts';
import { COMPOSE_LINKS } from '../src/alerts/to-links.ts';
import { toRuleGroup } from '../src/alerts/to-rule-group.ts';

/**
 * Writes the rule files that are committed, from the catalogue of alerts. Their links lead to where docker-compose.yml
 * publishes subnetd and Grafana; `subnetd rules` prints rules for other addresses.
 */
const root = new URL('../', import.meta.url);
const HEAD = '# Made by `npm run rules` from src/alerts; a test keeps it so. Change it there.\n\n';

/** Every rule file with the content that it should have. */
export const toRuleFiles = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(alertGroups).map(([name, rules]) => [
      `config/prometheus/rules/${name}.yml`,
      HEAD + stringify({ groups: [toRuleGroup(name, rules, COMPOSE_LINKS)] }, { lineWidth: 0 }),
    ]),
  );

if (process.argv[1] === fileURLToPath(import.meta.url))
  for (const [file, text] of Object.entries(toRuleFiles())) {
    const path = fileURLToPath(new URL(file, root));
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
