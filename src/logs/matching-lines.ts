import type { MatchingLine } from '../model/last-lines.ts';
import type { LogHit } from '../model/log.ts';
import { MAX_READ, redactLines } from '../model/redact.ts';
import { fromLatin1 } from './match/latin1.ts';

/** Keeps the last lines of a target's log that matched a pattern, in memory. */
export interface MatchingLines {
  /** `line` is Latin-1. */
  add(hit: Pick<LogHit, 'pattern' | 'means' | 'at'>, line: string): void;
  /** The oldest first, each without secrets. */
  read(secrets: readonly string[]): readonly MatchingLine[];
}

/** Ten thousand targets may have that many each. */
const KEPT_FAULTS = 6;
const KEPT_OTHERS = 3;
/** A program that works prints many lines that say so: one a second is kept. */
const OTHERS_EVERY_MS = 1_000;

interface KeptLine {
  readonly pattern: string;
  readonly means: LogHit['means'];
  readonly at: number;
  /** Of its own, as a slice would keep all that was read with it. */
  readonly bytes: Buffer;
}

/** Starts without a line. Lines about faults do not give way to others. */
export function createMatchingLines(): MatchingLines {
  const faults: KeptLine[] = [];
  const others: KeptLine[] = [];
  return {
    add: ({ pattern, means, at }, line) => {
      const isFault = means === 'error' || means === 'fatal';
      const last = others.at(-1);
      if (!isFault && last !== undefined && Math.abs(at - last.at) < OTHERS_EVERY_MS) return;
      const lines = isFault ? faults : others;
      lines.push({ pattern, means, at, bytes: Buffer.from(line.slice(0, MAX_READ + 1), 'latin1') });
      if (lines.length > (isFault ? KEPT_FAULTS : KEPT_OTHERS)) lines.shift();
    },
    read: (secrets) =>
      [...faults, ...others]
        .toSorted((one, other) => one.at - other.at)
        .map(({ pattern, means, at, bytes }) => {
          const line = fromLatin1(bytes.toString('latin1'));
          // A character may be several bytes: a line that was cut is still as long as one that must be cut.
          const whole = bytes.length > MAX_READ ? line.padEnd(MAX_READ + 1, '…') : line;
          return { pattern, means, at, text: redactLines([whole], secrets)[0] ?? '' };
        }),
  };
}
