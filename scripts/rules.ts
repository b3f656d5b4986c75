import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { alertGroups } from '../src/alerts/alert-rules.ts';
import type { LinkBases } from '../src/alerts/to-links.ts';
import { toRuleGroup } from '../src/alerts/to-rule-group.ts';
import { parseSettings, readEnvironment } from '../src/settings.ts';

/**
 * Writes Prometheus's rule files from the catalogue of alerts. SUBNETD_PUBLIC_URL and SUBNETD_GRAFANA_URL say where the links
 * in alerts lead; without them to where docker-compose.yml publishes both, which is what is committed.
 */
const root = new URL('../', import.meta.url);
const COMPOSE: LinkBases = { publicUrl: 'http://127.0.0.1:10545', grafanaUrl: 'http://127.0.0.1:3000' };
const HEAD = '# Made by `npm run rules` from src/alerts; a test keeps it so. Change it there.\n\n';

/** Every rule file with the content that it should have. */
export const toRuleFiles = (bases: Partial<LinkBases>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(alertGroups).map(([name, rules]) => [
      `config/prometheus/rules/${name}.yml`,
      HEAD + stringify({ groups: [toRuleGroup(name, rules, { ...COMPOSE, ...bases })] }, { lineWidth: 0 }),
    ]),
  );

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const parsed = parseSettings(readEnvironment(), {}, '127.0.0.1:10545');
  if (parsed.ok) {
    for (const [file, text] of Object.entries(toRuleFiles(parsed.settings))) {
      const path = fileURLToPath(new URL(file, root));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  } else {
    process.stderr.write(parsed.problems.map((problem) => `npm run rules: ${problem}\n`).join(''));
    process.exitCode = 2;
  }
}
