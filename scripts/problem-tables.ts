import { formatDuration } from '../src/lib/duration.ts';
import { type ProblemKind, type ProblemName, problemCatalog, problemsOfAlert } from '../src/model/problem-catalog.ts';
import { wrapLines } from './wrap-lines.ts';

const problems: Readonly<Record<string, ProblemKind>> = problemCatalog;

const formatTime = (ms: number): string => (ms === 0 ? 'at once' : formatDuration(ms));

/** Every problem with its severity, its alert, and how long it must be found, or missing, to be open or over. */
export const problemsTable = (): string =>
  [
    '| problem | severity | alert | open after | over after | shown by |',
    '| --- | --- | --- | --- | --- | --- |',
    ...Object.entries(problems).map(
      ([name, { severity, alert, confirmMs, clearMs, judgedBy }]) =>
        `| \`${name}\` | ${severity} | [${alert}](alerts/${alert}.md) | ${formatTime(confirmMs)} | ${formatTime(clearMs)} | ${judgedBy.join(', ')} |`,
    ),
  ].join('\n');

/** How long the problems of an alert must be found before it fires; undefined for an alert of none. */
export function confirmTimes(alert: string): string | undefined {
  const times = problemsOfAlert(alert).map((name) => formatTime(problemCatalog[name].confirmMs));
  return times.length === 0 ? undefined : [...new Set(times)].join(' or ');
}

/** More are listed by their times, as a sentence of all would be too long. */
const MOST_IN_A_SENTENCE = 3;

const formatTimes = (name: ProblemName): string => {
  const { confirmMs, clearMs }: ProblemKind = problemCatalog[name];
  return `open ${confirmMs === 0 ? 'at once' : `after ${formatDuration(confirmMs)}`}, over after ${formatDuration(clearMs)}`;
};

/** The paragraph of a runbook that names the problems of its alert with their times; undefined for an alert of none. */
export function problemsParagraph(alert: string): string | undefined {
  const names = problemsOfAlert(alert);
  if (names.length === 0) return undefined;
  if (names.length <= MOST_IN_A_SENTENCE)
    return wrapLines(`**Problems**: ${names.map((name) => `\`${name}\` (${formatTimes(name)})`).join(', ')}.`);
  const groups = [...Map.groupBy(names, formatTimes)];
  return [
    '**Problems**: listed by their times.',
    ...groups.map(([times, own]) => wrapLines(`- ${times}: ${own.map((name) => `\`${name}\``).join(', ')}`)),
  ].join('\n');
}
