import { MAX_READ, redactLines } from '../../lib/redact.ts';
import type { MatchingLine } from '../../model/last-lines.ts';
import type { LogHit } from '../../model/log.ts';
import { fromLatin1 } from './match/line-form.ts';

/** Ten thousand targets may have that many each. */
const KEPT_FAULTS = 6;
const KEPT_OTHERS = 4;
/** A program that works prints many lines that say so: one a second of a pattern is kept. */
const OTHERS_EVERY_MS = 1_000;

type Matched = Pick<LogHit, 'pattern' | 'means' | 'at'>;

interface KeptLine extends Matched {
  /** Of its own, as a slice would keep all that was read with it. */
  readonly bytes: Buffer;
}

/** The last lines of a target's log that matched a pattern, in memory. */
export type MatchingLines = ReturnType<typeof createMatchingLines>;

/** Starts without a line. Of a pattern that is not a fault, the last line is kept, so lines about faults stay. */
export function createMatchingLines() {
  const faults: KeptLine[] = [];
  /** By pattern, the one that has matched last at the end. */
  const others = new Map<string, KeptLine>();
  const toKept = ({ pattern, means, at }: Matched, line: string): KeptLine => ({
    pattern,
    means,
    at,
    bytes: Buffer.from(line.slice(0, MAX_READ + 1), 'latin1'),
  });
  return {
    /** `line` is Latin-1. */
    add: (hit: Matched, line: string) => {
      const { pattern, means, at } = hit;
      if (means === 'error' || means === 'fatal') {
        faults.push(toKept(hit, line));
        if (faults.length > KEPT_FAULTS) faults.shift();
        return;
      }
      const last = others.get(pattern);
      if (last !== undefined && Math.abs(at - last.at) < OTHERS_EVERY_MS) return;
      others.delete(pattern);
      others.set(pattern, toKept(hit, line));
      const [oldest = pattern] = others.keys();
      if (others.size > KEPT_OTHERS) others.delete(oldest);
    },
    /** The oldest first, each without secrets. */
    read: (secrets: readonly string[]): readonly MatchingLine[] =>
      [...faults, ...others.values()]
        .toSorted((one, other) => one.at - other.at)
        .map(({ pattern, means, at, bytes }) => {
          const line = fromLatin1(bytes.toString('latin1'));
          // A character may be several bytes: a line that was cut is still as long as one that must be cut.
          const whole = bytes.length > MAX_READ ? line.padEnd(MAX_READ + 1, '…') : line;
          return { pattern, means, at, text: redactLines([whole], secrets)[0] ?? '' };
        }),
  };
}
