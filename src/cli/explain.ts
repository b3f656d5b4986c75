import { formatDuration } from '../lib/duration.ts';
import { joinAnd } from '../lib/words.ts';
import { type ProblemKind, problemCatalog } from '../model/problem-catalog.ts';
import type { AlertRule } from '../tell/alerts/alert-rule.ts';
import { alertRules, findAlert, findNear } from '../tell/alerts/alert-rules.ts';
import { plainWords, readRunbook } from '../tell/alerts/runbooks.ts';
import { type ExitCode, refuse } from './report.ts';

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

/** Prints what is known of an alert, and before it of the problem by which it was asked for. */
async function printRunbook(rule: AlertRule, word: string, json: boolean): Promise<void> {
  const runbook = await readRunbook(rule);
  const problem = Object.hasOwn(problems, word) ? problems[word] : undefined;
  if (json) printJson({ ...(problem ? toProblemEntry(word, problem) : toEntry(rule)), runbook });
  else process.stdout.write(`${problem ? describeProblem(word, problem) : ''}${runbook}`);
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
  const name = word.toLowerCase();
  const rule = findAlert(Object.hasOwn(problems, name) ? (problems[name]?.alert ?? name) : name);
  if (rule !== undefined) {
    await printRunbook(rule, name, json);
    return 0;
  }
  const near = findNear(word, [...alertRules.map((one) => one.name), ...Object.keys(problems)]);
  const hint = near.length > 0 ? `did you mean ${near.join(', ')}?` : '"subnetd explain" lists the alerts';
  return refuse('subnetd explain', `there is no alert or problem ${JSON.stringify(word)}; ${hint}`);
}
