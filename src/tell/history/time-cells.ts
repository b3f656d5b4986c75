import type { Uptime } from '../../model/history.ts';

/** The parts of an uptime, in the order of the cells. */
const PARTS = ['ok', 'fail', 'unseen', 'planned'] as const;

/** How many cells the time of a target takes. */
export const TIME_CELLS = PARTS.length;

/** How long each target was in each state within an hour or a day: a row of `TIME_CELLS` cells, in milliseconds, at the place of each. */
export const createTimeCells = (places: number): Uint32Array<ArrayBuffer> => new Uint32Array(places * TIME_CELLS);

/** Adds milliseconds to the time of the target at a place. */
export function addTime(cells: Uint32Array, place: number, part: keyof Uptime, ms: number): void {
  const cell = place * TIME_CELLS + PARTS.indexOf(part);
  cells[cell] = (cells[cell] ?? 0) + Math.round(ms);
}

/** Whether nothing is known of the target at a place. */
export function hasNoTime(cells: Uint32Array, place: number): boolean {
  for (let cell = place * TIME_CELLS; cell < (place + 1) * TIME_CELLS; cell += 1) if (cells[cell] !== 0) return false;
  return true;
}

/** The time of the target at a place; undefined when it was not watched. */
export function readTime(cells: Uint32Array, place: number): Uptime | undefined {
  if (hasNoTime(cells, place)) return undefined;
  const [ok = 0, fail = 0, unseen = 0, planned = 0] = cells.subarray(place * TIME_CELLS, (place + 1) * TIME_CELLS);
  return { ok, fail, unseen, planned };
}
