import { commandToSeeLog } from '../model/commands-to-type.ts';
import { formatDuration } from '../model/duration.ts';
import type { LogFacts, PatternFacts } from '../model/facts.ts';
import type { LogFault, LogSourceState } from '../model/log.ts';
import type { Target } from '../model/target.ts';
import { NO_DESCRIPTOR } from './explain-blind-fault.ts';

/** A fault in a log, as a sentence that starts with the target. */
export function findLogFault(
  { patterns }: LogFacts,
  target: Target,
  errorWindowMs: number,
  now: number,
  counts: (pattern: PatternFacts) => boolean = () => true,
): string | undefined {
  const recent = Object.entries(patterns).filter(
    ([, pattern]) =>
      (pattern.means === 'error' || pattern.means === 'fatal') && now - pattern.at < errorWindowMs && counts(pattern),
  );
  const rank = (means: string) => (means === 'fatal' ? 1 : 0);
  const [worst] = recent.sort(([, a], [, b]) => rank(b.means) - rank(a.means) || b.order - a.order);
  if (worst === undefined) return undefined;
  const [name, { at, what }] = worst;
  return `${target.name} printed a line of the pattern ${name} ${formatDuration(Math.max(now - at, 0))} ago: ${what}; ${commandToSeeLog(target)}`;
}

const FAULTS: Readonly<Record<LogFault['what'], string>> = {
  missing: 'no file is at the path of logFiles; correct it in the inventory, or mount it where subnetd runs',
  denied: 'the file of logFiles may not be read; give the user of subnetd the right to read it',
  'not-a-file': 'the path of logFiles is no file; name the file itself, or a glob such as logs/*.log',
  'no-container': 'there is no such container; start it or correct container in the inventory',
  'docker-unreachable': 'Docker cannot be reached; start it or correct docker in the inventory',
  'no-descriptor': NO_DESCRIPTOR,
  broken: 'reading it broke off; it is tried again',
};

/** When files are read, their lines count; the container's log is then read only for known failures. */
const countedSource = ({ sources }: LogFacts): LogSourceState | undefined => sources.file ?? sources.container;

/** Why the log of a target cannot be read; undefined when it can. */
export function findSourceFault(logs: LogFacts): string | undefined {
  const source = countedSource(logs);
  if (source?.up) return undefined;
  return source?.fault === undefined ? 'reading it has not begun' : FAULTS[source.fault.what];
}

/** The moment from which every line is known, in watched time. */
export const readSince = (logs: LogFacts, now: number): number => Math.min(now, countedSource(logs)?.since ?? now);
