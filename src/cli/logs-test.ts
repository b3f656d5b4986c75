import { stat } from 'node:fs/promises';
import { withArticle } from '../lib/words.ts';
import { COMPONENTS } from '../model/target.ts';
import { judgeSavedLog, type SavedLog } from './judge-saved-log.ts';
import { type ExitCode, refuse, toJson } from './report.ts';
import { paintVerdict } from './status-table.ts';

const formatTime = (ms: number): string => (ms > 0 ? new Date(ms).toISOString() : 'no time');

/** Times as ISO 8601 and null where there is none. */
const toJsonShape = ({ patterns, lines, checks }: SavedLog) => {
  const toTime = (ms: number) => (ms > 0 ? new Date(ms).toISOString() : null);
  const times = patterns.map(({ first, last, ...pattern }) => ({
    ...pattern,
    first: toTime(first),
    last: toTime(last),
  }));
  return { lines, patterns: times, checks };
};

function print({ lines, patterns, checks }: SavedLog): void {
  const rows = [`${lines} lines`];
  const width = Math.max(0, ...patterns.map(({ name }) => name.length));
  for (const { name, matches, first, last } of patterns)
    rows.push(
      `  ${name.padEnd(width)}  ${String(matches).padStart(8)}  first ${formatTime(first)}  last ${formatTime(last)}`,
    );
  for (const { check, verdict, reason } of checks) rows.push(`${check}  ${paintVerdict(verdict)}  ${reason}`);
  process.stdout.write(`${rows.join('\n')}\n`);
}

async function whyUnreadable(file: string): Promise<string | undefined> {
  try {
    return (await stat(file)).isFile() ? undefined : `${file} is not a file; name a file that holds a log`;
  } catch (error) {
    return `${file} cannot be read (${(error as NodeJS.ErrnoException).code}); correct the path or its rights`;
  }
}

/** The flags of `subnetd logs test`, as they are typed. */
export interface LogFlags {
  readonly component: string;
  readonly json?: boolean;
}

/**
 * `subnetd logs test --component KIND FILE`: prints the matches in a saved log, and the verdict as of its last line. Ends
 * with 2 when nothing in it is of such a program.
 */
export async function logsTest(file: string, flags: LogFlags): Promise<ExitCode> {
  const component = COMPONENTS.find((known) => known === flags.component);
  if (component === undefined)
    return refuse('subnetd logs test', `--component must be one of ${COMPONENTS.join(', ')}`);
  const problem = await whyUnreadable(file);
  if (problem !== undefined) return refuse('subnetd logs test', problem);
  try {
    const saved = await judgeSavedLog(component, file);
    if (saved.lines > 0 && !saved.hasForm) {
      const what = `none of ${saved.lines} lines looks like ${withArticle(component)}'s log`;
      return refuse('subnetd logs test', `${what}; is it from another component, or compressed?`);
    }
    if (flags.json) process.stdout.write(`${toJson(toJsonShape(saved), 2)}\n`);
    else print(saved);
    return saved.checks.some(({ verdict }) => verdict === 'fail') ? 1 : 0;
  } catch (error) {
    return refuse('subnetd logs test', `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}
