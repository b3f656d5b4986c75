import { sayDuration } from '../model/duration.ts';
import type { LogFault } from '../model/log.ts';
import type { Target } from '../model/target.ts';
import type { LogFacts, PatternFacts } from './fold-logs.ts';
import { howToLook } from './how-to-look.ts';

/** A fault that a log shows, as a sentence that begins with the target. */
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
  return `${target.name} printed a line of the pattern ${name} ${sayDuration(Math.max(now - at, 0))} ago: ${what}; ${howToLook(target)}`;
}

const FAULTS: Readonly<Record<LogFault['what'], string>> = {
  missing: 'no file is at the path of logFiles; correct it in the inventory, or mount it where subnetd runs',
  denied: 'the file of logFiles may not be read; give the user of subnetd the right to read it',
  'not-a-file': 'the path of logFiles is no file; name the file itself, or a glob such as logs/*.log',
  'no-container': 'there is no such container; start it or correct container in the inventory',
  'docker-unreachable': 'Docker cannot be reached; start it or correct docker in the inventory',
  broken: 'reading it broke off; it is tried again',
};

/** Why nothing of a target's log can be read; undefined when some of it can. */
export function findSourceFault({ sources }: LogFacts): string | undefined {
  const all = Object.values(sources);
  if (all.some(({ up }) => up)) return undefined;
  const fault = all.find((source) => source.fault !== undefined)?.fault;
  return fault === undefined ? 'reading it has not begun' : FAULTS[fault.what];
}

/** From when on every line is known, in Unix milliseconds. */
export const readSince = ({ sources }: LogFacts, now: number): number =>
  Math.min(
    now,
    ...Object.values(sources)
      .filter(({ up }) => up)
      .map(({ since }) => since),
  );
