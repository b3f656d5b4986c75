/** By how much the clock of a program is ahead of ours, by the times in lines that were read as they came. */
export interface ClockSkew {
  /** A line carries a time that is so much ahead of the time of reading; `now` is in watched time. */
  note(aheadMs: number, now: number): void;
  /** In milliseconds, negative when it is behind; undefined while too few lines have shown it lately. */
  read(now: number): number | undefined;
}

const STRETCH_MS = 10_000;
const STRETCHES = 6;

/** Fewer lines may all have been read late. */
const MIN_LINES = 3;

/**
 * A skew that is not known yet. Lines are read after they were printed and carry whole seconds, so each shows the clock
 * further behind than it is: the one that shows it least far behind, of about the last minute, is nearest to the truth.
 */
export function createClockSkew(): ClockSkew {
  let stretches: readonly { readonly from: number; readonly aheadMs: number; readonly lines: number }[] = [];
  const recent = (now: number) => stretches.filter(({ from }) => now - from < STRETCHES * STRETCH_MS);
  return {
    note: (aheadMs, now) => {
      const [last, ...before] = stretches;
      if (last !== undefined && now - last.from < STRETCH_MS)
        stretches = [{ ...last, aheadMs: Math.max(last.aheadMs, aheadMs), lines: last.lines + 1 }, ...before];
      else stretches = [{ from: now, aheadMs, lines: 1 }, ...recent(now)];
    },
    read: (now) => {
      const known = recent(now);
      if (known.reduce((sum, { lines }) => sum + lines, 0) < MIN_LINES) return undefined;
      return Math.max(...known.map(({ aheadMs }) => aheadMs));
    },
  };
}
