import { formatDuration } from '../lib/duration.ts';
import { joinAnd } from '../lib/words.ts';
import { type ProblemKind, problemCatalog } from '../model/problem-catalog.ts';
import type { AlertRule } from '../tell/alerts/alert-rule.ts';
import { alertRules, findAlert, findNear } from '../tell/alerts/alert-rules.ts';
import { plainWords, readRunbook } from '../tell/alerts/runbooks.ts';
import { type ExitCode, quote, refuse } from './report.ts';

/** A rule as programs read it. */
const toEntry = ({ name, severity, for: after, labels, summary }: AlertRule) => ({
  name,
  severity,
  for: after,
  labels,
  summary: plainWords(summary),
});

const printJson = (value: unknown) => process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);

const problems: Readonly<Record<string, ProblemKind>> = problemCatalog;

/** A problem as programs read it. */
const toProblemEntry = (problem: string, { severity, alert, confirmMs, clearMs, judgedBy }: ProblemKind) => ({
  problem,
  severity,
  alert,
  openAfter: formatDuration(confirmMs),
  overAfter: formatDuration(clearMs),
  shownBy: judgedBy,
});

function describeProblem(problem: string, kind: ProblemKind): string {
  const { severity, alert, openAfter, overAfter, shownBy } = toProblemEntry(problem, kind);
  const shown = shownBy.length === 0 ? '' : `, shown by ${joinAnd(shownBy)}`;
  const opens = kind.confirmMs === 0 ? 'at once' : `after ${openAfter}`;
  return `${problem} (${severity}): open ${opens}, over after ${overAfter}${shown}; reported by the alert ${alert}:\n\n`;
}

/** What is known of a problem or alert, for people and for programs; or that there is none, and which it may have been. */
export type Explained =
  | { readonly ok: true; readonly text: string; readonly entry: object }
  | { readonly ok: false; readonly error: string };

/** The runbook of a problem or alert by its name, in any case. */
export async function explainName(word: string): Promise<Explained> {
  const name = word.trim().toLowerCase();
  if (name === '') return { ok: false, error: 'the name is missing; "subnetd explain" lists the alerts' };
  const problem = Object.hasOwn(problems, name) ? problems[name] : undefined;
  const rule = findAlert(problem?.alert ?? name);
  if (rule === undefined) {
    const near = findNear(word.trim(), [...alertRules.map((one) => one.name), ...Object.keys(problems)]);
    const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : '"subnetd explain" lists the alerts';
    return { ok: false, error: `there is no alert or problem ${quote(word)}; ${hint}` };
  }
  const runbook = await readRunbook(rule);
  return {
    ok: true,
    text: `${problem ? describeProblem(name, problem) : ''}${runbook}`,
    entry: { ...(problem ? toProblemEntry(name, problem) : toEntry(rule)), runbook },
  };
}

/** `subnetd explain NAME`: prints the runbook of an alert or a problem; without a name, one line for each alert. */
export async function explain(
  word: string | undefined,
  { json = false }: { readonly json?: boolean } = {},
): Promise<ExitCode> {
  if (word === undefined && json) {
    printJson(alertRules.map(toEntry));
    return 0;
  }
  if (word === undefined) {
    const width = Math.max(...alertRules.map(({ name }) => name.length));
    for (const { name, severity, summary } of alertRules)
      process.stdout.write(`${name.padEnd(width)}  ${severity.padEnd(8)}  ${plainWords(summary)}\n`);
    return 0;
  }
  const explained = await explainName(word);
  if (!explained.ok) return refuse('subnetd explain', explained.error);
  if (json) printJson(explained.entry);
  else process.stdout.write(explained.text);
  return 0;
}
