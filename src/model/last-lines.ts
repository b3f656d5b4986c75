import type { WallMs, WatchedMs } from '../lib/clock.ts';
import type { LogFault, LogSource, Meaning } from './log.ts';

/** A line of a log as it may be shown: redacted, without control characters, at most 500 characters. */
export interface ShownLine {
  readonly text: string;
  /** When Docker received it; absent for a line of a file. */
  readonly at?: WallMs;
}

/** A line that matched a pattern, as it may be shown: redacted, without control characters, cut at 500 characters. */
export interface MatchingLine {
  readonly pattern: string;
  readonly means: Meaning;
  readonly at: WatchedMs;
  readonly text: string;
}

/** The last lines of a target's log, the oldest first, or why there are none: the rest of a sentence about the log. */
export type LastLines =
  | { readonly ok: true; readonly source: LogSource; readonly lines: readonly ShownLine[] }
  | { readonly ok: false; readonly why: string };

const WHY: Readonly<Record<LogFault['what'], string>> = {
  missing: 'its file is missing',
  denied: 'subnetd may not read its file',
  'not-a-file': 'its path is not a file',
  'no-container': 'its container does not exist',
  'not-kept': 'the log driver of its container keeps nothing to read',
  'docker-unreachable': 'Docker does not answer',
  'no-descriptor': 'subnetd has no free file descriptor to read it with',
  broken: 'it broke off while it was read',
};

/** Why a log gives no lines. */
export const describeNoLines = ({ what }: LogFault): string => WHY[what];
