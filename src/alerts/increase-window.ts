/** Remembers how a count stood, to tell by how much it has grown; times are Unix milliseconds, ever later ones. */
export interface IncreaseWindow {
  /** The count as it stands at this time. */
  note(at: number, count: number): void;
  /** By how much it has grown since then, or since the first note when that is later; 0 without a note. */
  since(time: number): number;
}

/** A tally that remembers a stretch of so many milliseconds. */
export function createIncreaseWindow(keepMs: number): IncreaseWindow {
  let notes: readonly { readonly at: number; readonly count: number }[] = [];
  return {
    note: (at, count) => {
      const base = notes.findLastIndex((note) => note.at <= at - keepMs);
      notes = [...notes.slice(Math.max(base, 0)), { at, count }];
    },
    since: (time) => {
      const base = notes.findLast(({ at }) => at <= time) ?? notes[0];
      return base === undefined ? 0 : (notes.at(-1)?.count ?? 0) - base.count;
    },
  };
}
