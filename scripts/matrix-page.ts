import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { alertRules } from '../src/alerts/alert-rules.ts';
import { type FaultAlerts, faultAlerts, type MeasuredFault } from '../test/support/fault-alerts.ts';

/** An alert that was notified of a fault. */
export interface MatrixRow {
  readonly fault: string;
  readonly alert: string;
  readonly severity: string;
  readonly seconds: number;
  /** Of the whole fault, in its first row. */
  readonly inhibited: readonly string[];
  /** Of the rules that made this row, in the first of its fault. */
  readonly stamp: string;
}

const ALERTMANAGER = new URL('../config/alertmanager/alertmanager.yml.example', import.meta.url);

interface InhibitRule {
  readonly source_matchers: readonly string[];
}

/** Is an alert of this name a source of the inhibition? Its other labels may still say no. */
const inhibits = ({ source_matchers }: InhibitRule, name: string): boolean =>
  source_matchers.some((matcher) => {
    const [, operator, value = ''] = /^alertname(=~?)"(.*)"$/.exec(matcher) ?? [];
    return operator === '=' ? value === name : operator === '=~' && new RegExp(`^(?:${value})$`).test(name);
  });

/** What decides which alerts a fault raises and which of them are notified: their rules, and the inhibitions that they start. */
export function stampOf(fault: MeasuredFault): string {
  const { pages = [], tickets = [], inhibited = [] }: FaultAlerts = faultAlerts[fault];
  const names = [...new Set([...pages, ...tickets, ...inhibited].map((alert) => alert.split(' ')[0]))].sort();
  const rules = alertRules
    .filter(({ name }) => names.includes(name))
    .map(({ name, severity, for: forHow, keepFiringFor, expr }) => ({ name, severity, forHow, keepFiringFor, expr }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const { inhibit_rules } = parse(readFileSync(ALERTMANAGER, 'utf8')) as { readonly inhibit_rules: InhibitRule[] };
  const inhibitions = inhibit_rules.filter((rule) => names.some((name) => inhibits(rule, name ?? '')));
  return createHash('sha256').update(JSON.stringify({ rules, inhibitions })).digest('hex').slice(0, 8);
}

/** The rows of the page; one that names no fault is of the fault above it. */
export function parseMatrix(page: string): readonly MatrixRow[] {
  const rows: MatrixRow[] = [];
  for (const line of page.split('\n').filter((text) => /^\| .*\| \d+ \|/.test(text))) {
    const [, fault, alert = '', severity = '', seconds, inhibited = '', stamp = ''] = line
      .split('|')
      .map((cell) => cell.trim());
    rows.push({
      fault: fault || (rows.at(-1)?.fault ?? ''),
      alert,
      severity,
      seconds: Number(seconds),
      inhibited: inhibited.split(', ').filter(Boolean),
      stamp,
    });
  }
  return rows;
}

const toLine = (row: MatrixRow, index: number, rows: readonly MatrixRow[]): string => {
  const { fault, alert, severity, seconds, inhibited, stamp } = row;
  const isFirst = rows[index - 1]?.fault !== fault;
  return `| ${isFirst ? fault : ''} | ${alert} | ${severity} | ${seconds} | ${inhibited.join(', ')} | ${stamp} |`;
};

/** The whole page. */
export function toMatrix(rows: readonly MatrixRow[]): string {
  const seen = new Set(rows.flatMap(({ alert, inhibited }) => [alert, ...inhibited]).map((name) => name.split(' ')[0]));
  const unseen = alertRules.map(({ name }) => name).filter((name) => !seen.has(name));
  return `# Every fault of the demo, and its alerts

Which alert does a fault raise, how soon, and what is inhibited? \`npm run matrix\` measures this page in about half an hour. Each fault of
\`subnetd demo\` lasts at least eight minutes, in its own subnet with four nodes. Prometheus and Alertmanager are real and use the
configuration in \`config/\`. No time is shortened. The checks have the schedules of the demo (submissions within a minute, blocks for the
stats server within 30 seconds) and defaults for the rest.

- **seconds** is the time from the fault to the message at a webhook receiver. \`critical\` goes to the receiver \`page\`, \`warning\` and
  \`info\` to \`ticket\`. Each alert is notified once when it starts, and once when it ends.
- **inhibited** alerts fire in Prometheus and reach Alertmanager, but notify nobody, because they follow from the others.
- **rules** is a hash of the rules and inhibitions that the fault was measured with. When they change, \`npm test\` asks for a new
  measurement: \`npm run matrix FAULT\` measures one fault and replaces its rows.

| fault | notified | severity | seconds | inhibited | rules |
| --- | --- | --- | --- | --- | --- |
${rows.map(toLine).join('\n')}

A degraded check notifies after a quarter of an hour, because it is not urgent. \`npm test\` runs some of these faults with times twelve
times shorter. \`npm run soak\` watches a healthy demo for half an hour, in which no alert may fire.

No fault of the demo raises the following alerts. \`npm test\` tests their rules with promtool, and their conditions for the push on
literals:

${unseen.map((name) => `- [${name}](alerts/${name}.md)`).join('\n')}
`;
}
