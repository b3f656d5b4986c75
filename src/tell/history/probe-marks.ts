/** How many of the last probes have a mark of their own. */
const PROBES = 24;

/** A mark is a digit, below this. */
const BASE = 4;
const MOST = BASE ** PROBES;

/**
 * Adds the mark of a probe to those before it, which are the digits of one number, the newest last: a list of them takes 400 bytes, and
 * each target and check has one. A probe with the mark 0 counts only after another one.
 */
export const addMark = (marks: number, mark: number): number => (marks * BASE + mark) % MOST;

/** What each mark stands for, the oldest first. */
export function readMarks<Kind>(marks: number, kinds: readonly Kind[]): readonly Kind[] {
  const read: Kind[] = [];
  for (let rest = marks; rest > 0; rest = Math.floor(rest / BASE)) read.unshift(kinds[rest % BASE] as Kind);
  return read;
}
