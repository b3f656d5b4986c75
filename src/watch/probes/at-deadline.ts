/** Longer than an event loop that keeps up is late. */
const LATE_MS = 100;

/**
 * Calls back at a deadline, in milliseconds of `performance.now()`; what it returns cancels that. Where the event loop was busy
 * then, the request may have been sent too late, which `wasSentBefore` tells. Then the other side gets back the time by which the
 * loop was late, once, and at most as long as it had.
 */
export function atDeadline(
  deadline: number,
  wasSentBefore: (time: number) => boolean,
  onDeadline: () => void,
): () => void {
  const givenMs = Math.max(deadline - performance.now(), 0);
  let isCancelled = false;
  // What has arrived is read before the immediate, and only in the turn after that the end of a connection, as of HTTP/1.0.
  const end = () => setImmediate(() => setImmediate(() => isCancelled || onDeadline()));
  let timer = setTimeout(() => {
    const lateMs = performance.now() - deadline;
    if (lateMs < LATE_MS || wasSentBefore(deadline - LATE_MS)) end();
    else timer = setTimeout(end, Math.min(lateMs, givenMs));
  }, givenMs);
  return () => {
    isCancelled = true;
    clearTimeout(timer);
  };
}
