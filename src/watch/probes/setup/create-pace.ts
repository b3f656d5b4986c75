/** So many turns come at once after a pause; of more, each takes its time: 50 a second, for a tenth of a processor. */
const AT_ONCE = 50;
export const EVERY_MS = 20;

/**
 * Gives turns to all who share it, in the order in which they ask: how many milliseconds each has to wait. `now` is any time in
 * milliseconds that is not set back by much.
 */
export function createPace(now: () => number): () => number {
  /** When the next turn would be, had nobody paused. */
  let next = Number.NEGATIVE_INFINITY;
  return () => {
    const at = now();
    next = Math.max(next, at - AT_ONCE * EVERY_MS) + EVERY_MS;
    return Math.max(0, next - at);
  };
}
