import type { AlertRule } from '../tell/alerts/alert-rule.ts';
import { alertRules, findAlert } from '../tell/alerts/alert-rules.ts';
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

/** `subnetd explain ALERT`: prints the runbook of an alert; without a name, one line for each alert. */
export async function explain(word: string | undefined, { json }: { readonly json?: boolean } = {}): Promise<ExitCode> {
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
  const found = findAlert(word);
  if ('rule' in found) {
    const runbook = await readRunbook(found.rule);
    if (json) printJson({ ...toEntry(found.rule), runbook });
    else process.stdout.write(runbook);
    return 0;
  }
  const hint = found.near.length > 0 ? `did you mean ${found.near.join(', ')}?` : '"subnetd explain" lists them';
  return refuse('subnetd explain', `there is no alert ${JSON.stringify(word)}; ${hint}`);
}
