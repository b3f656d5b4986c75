/** A clock that is off by less has not been set. */
const JUMP_MS = 60_000;

/**
 * Tells when a clock was set: the returned function gives by how many milliseconds it has jumped since it was called last,
 * 0 but for jumps. `now` is in Unix milliseconds.
 */
export function watchClock(now: () => number): () => number {
  let ahead = now() - performance.now();
  return () => {
    const jumped = now() - performance.now() - ahead;
    if (Math.abs(jumped) < JUMP_MS) return 0;
    ahead += jumped;
    return jumped;
  };
}
