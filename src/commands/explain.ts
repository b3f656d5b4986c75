import { alertRules } from '../alerts/alert-rules.ts';
import { findAlert } from '../alerts/find-alert.ts';
import { plainWords } from '../alerts/plain-words.ts';
import { readRunbook } from '../alerts/read-runbook.ts';
import type { ExitCode } from './exit-code.ts';
import { report } from './report.ts';

/** `subnetd explain ALERT`: prints the runbook of an alert; without a name, one line for each alert. */
export async function explain(word: string | undefined): Promise<ExitCode> {
  if (word === undefined) {
    const width = Math.max(...alertRules.map(({ name }) => name.length));
    for (const { name, severity, summary } of alertRules)
      process.stdout.write(`${name.padEnd(width)}  ${severity.padEnd(8)}  ${plainWords(summary)}\n`);
    return 0;
  }
  const found = findAlert(word);
  if ('rule' in found) {
    process.stdout.write(await readRunbook(found.rule));
    return 0;
  }
  const hint = found.near.length > 0 ? `did you mean ${found.near.join(', ')}?` : '"subnetd explain" lists them';
  report([`subnetd explain: there is no alert ${JSON.stringify(word)}; ${hint}`]);
  return 2;
}
