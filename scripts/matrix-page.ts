import { createHash } from 'node:crypto';
import type { FaultName } from '../src/demo/faults.ts';
import { type ProblemKind, problemCatalog } from '../src/model/problem-catalog.ts';
import { alertRules } from '../src/tell/alerts/alert-rules.ts';
import type { Kind } from '../test/support/demo-stage.ts';
import { faultAlerts } from '../test/support/fault-alerts.ts';
import { BESIDES, besidesMs, findWaits, formatWait, readConfig, SOON_MS } from './matrix-windows.ts';

/** The kinds of networks beside XDC-Subnet alone. */
export const OTHER_KINDS = ['xdposchain', 'mixed'] as const satisfies readonly Kind[];
export type OtherKind = (typeof OTHER_KINDS)[number];

/** In the place of problems: the fault has no sense there, or was wrong when last measured. */
export const IMPOSSIBLE = 'cannot happen';
export const NOT_MEASURED = 'not measured';

/** A fault of the demo with what came of it: the problems, and the alerts that were notified. */
export interface MatrixRow {
  readonly fault: string;
  /** With the seconds from the fault until each was open: `node_down subnet2 (31 s)`. */
  readonly problems: readonly string[];
  /** With its severity and the seconds from the fault to the message: `SubnetHalted (critical, 60 s)`. */
  readonly alerts: readonly string[];
  /** That something fires, to all receivers. */
  readonly messages: number;
  readonly inhibited: readonly string[];
  /** The problems of the same fault in networks of other clients, with their seconds. */
  readonly kinds: Readonly<Record<OtherKind, readonly string[]>>;
  /** Of the rules that made this row. */
  readonly stamp: string;
}

/** Faults that were wrong when last measured, or not measured since a change; the page names them. */
export const UNMEASURED: readonly FaultName[] = [];

interface InhibitRule {
  readonly source_matchers: readonly string[];
}

/** Is an alert of this name a source of the inhibition? Its other labels may still say no. */
const inhibits = ({ source_matchers }: InhibitRule, name: string): boolean =>
  source_matchers.some((matcher) => {
    const [, operator, value = ''] = /^alertname(=~?)"(.*)"$/.exec(matcher) ?? [];
    return operator === '=' ? value === name : operator === '=~' && new RegExp(`^(?:${value})$`).test(name);
  });

const kinds: Readonly<Record<string, ProblemKind>> = problemCatalog;

/**
 * What decides which problems a fault brings, and which of their alerts are notified: the times of the problems, the
 * rules, and the inhibitions that they start.
 */
export function stampOf(fault: FaultName): string {
  const expected = faultAlerts[fault];
  const toName = (text: string) => text.split(' ')[0] ?? '';
  const problems = [...new Set(expected.problems.map(toName))].sort().map((name) => [name, kinds[name]]);
  const alerts = [...new Set([...expected.pages, ...expected.tickets, ...expected.maybeInhibited].map(toName))].sort();
  const rules = alertRules
    .filter(({ name }) => alerts.includes(name))
    .map(({ name, severity, for: forHow, keepFiringFor, expr }) => ({ name, severity, forHow, keepFiringFor, expr }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  const { inhibit_rules }: { readonly inhibit_rules: readonly InhibitRule[] } = readConfig(
    'alertmanager/alertmanager.yml.example',
  );
  const inhibitions = inhibit_rules.filter((rule) => alerts.some((name) => inhibits(rule, name)));
  return createHash('sha256').update(JSON.stringify({ problems, rules, inhibitions })).digest('hex').slice(0, 8);
}

/** Items of a cell; those in brackets may hold commas. */
const toItems = (cell: string): readonly string[] => (cell === 'none' ? [] : cell.split('<br>'));
const toCell = (items: readonly string[]): string => (items.length === 0 ? 'none' : items.join('<br>'));

const HEAD = '| fault | problems | notified | window | messages | inhibited | xdposchain | mixed | rules |';

/** The rows of the page; none of a page with other columns. */
export function parseMatrix(page: string): readonly MatrixRow[] {
  if (!page.includes(`\n${HEAD}\n`)) return [];
  return page.split('\n').flatMap((line) => {
    const cells = line.split('|').map((cell) => cell.trim());
    const [, fault = '', problems = '', alerts = '', , messages = '', inhibited = '', ...rest] = cells;
    const [xdposchain = '', mixed = '', stamp = ''] = rest;
    if (!/^\d+$/.test(messages)) return [];
    return [
      {
        fault,
        problems: toItems(problems),
        alerts: toItems(alerts),
        messages: Number(messages),
        inhibited: toItems(inhibited),
        kinds: { xdposchain: toItems(xdposchain), mixed: toItems(mixed) },
        stamp,
      },
    ];
  });
}

const toLine = (row: MatrixRow): string => {
  const { fault, problems, alerts, messages, inhibited, kinds, stamp } = row;
  const others = OTHER_KINDS.map((kind) => toCell(kinds[kind]));
  const waits = findWaits(row).map(formatWait);
  const cells = [fault, ...[problems, alerts, waits].map(toCell), messages, toCell(inhibited), ...others, stamp];
  return `| ${cells.join(' | ')} |`;
};

const seconds = (ms: number): string => `${ms / 1_000} s`;

/** The whole page. */
export function toMatrix(rows: readonly MatrixRow[]): string {
  const seen = new Set(
    rows.flatMap(({ alerts, inhibited }) => [...alerts, ...inhibited]).map((one) => one.split(' ')[0]),
  );
  const { roundMs, scrapeMs, evaluationMs, groupWaitMs } = BESIDES;
  const unseen = alertRules.map(({ name }) => name).filter((name) => !seen.has(name));
  return `# Every fault of the demo, its problems and its messages

Which problem does a fault bring, how soon is somebody notified, and by how many messages? \`npm run matrix\` measures this page in about
an hour. Each fault of \`subnetd demo\` lasts at least eight minutes, in its own subnet with four nodes. Prometheus and Alertmanager are
real and use the configuration in \`config/\`. No time is shortened. The checks have the schedules of the demo (submissions within a minute,
blocks for the stats server within 30 seconds) and defaults for the rest.

- **problems** are the causes that subnetd confirmed, with the seconds from the fault until the problem was open.
- **notified** are the alerts that a webhook receiver got, with the seconds from the fault to the message. \`critical\` goes to the receiver
  \`page\`, \`warning\` and \`info\` to \`ticket\`. Each alert is notified once when it starts, and once when it ends.
- **window** is what a message that came later than ${seconds(SOON_MS)} has waited for: time that a check needs to tell this fault from what
  passes by itself, and time for which its problem must be found until it is confirmed. Besides, any message takes up to ${seconds(besidesMs('warning'))},
  and one for \`page\` up to ${seconds(besidesMs('critical'))}: ${seconds(roundMs)} until the next round of checks, as long again until the one that confirms, ${seconds(scrapeMs)} to the next
  scrape, ${seconds(evaluationMs)} to the next evaluation, and ${seconds(groupWaitMs('warning'))} (\`page\`: ${seconds(groupWaitMs('critical'))}) in which Alertmanager waits for more of the subnet.
- **messages** is how many messages said that something fires: one for each cause.
- **inhibited** alerts fired in Prometheus and reached Alertmanager, but notified nobody, because they follow from the others.
- **xdposchain** and **mixed** are the problems of the same fault where all nodes run XDPoSChain, and where subnet2 runs Nethermind and the
  others XDC-Subnet. \`npm run matrix:kinds\` measures them in half an hour, all watched by one subnetd. Messages follow from the problems.
- **rules** is a hash of the times, rules and inhibitions that the fault was measured with. When they change, \`npm test\` asks for a new
  measurement: \`npm run matrix FAULT\` measures one fault and replaces its row.

${HEAD}
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
${rows.map(toLine).join('\n')}

${UNMEASURED.length === 0 ? '' : `Wrong when they were last measured, or not measured since a change:\n\n${UNMEASURED.map((fault) => `- ${fault}\n`).join('')}\n`}A degraded check notifies after a quarter of an hour, because it is not urgent. \`wallet-low\` is known when subnetd has seen the wallet
pay for ten minutes since its own start. Each node is asked for its votes and for who is a masternode once a minute, so \`penalty\`,
\`key-replaced\` and \`two-keys-one\` may come up to a minute later than here, as the columns of the other networks show. A relayer, stats
server or frontend that hangs is asked once in 30 s, has 10 s to answer and 16 s to answer again, so its message may take 70 s.
\`npm test\` runs some of these faults with times twelve times shorter. \`npm run soak\` watches a healthy demo for half an hour, in which
no alert may fire.

No fault of the demo raises the following alerts. \`npm test\` tests their rules with promtool, and their conditions for the push on
literals:

${unseen.map((name) => `- [${name}](alerts/${name}.md)`).join('\n')}
`;
}
