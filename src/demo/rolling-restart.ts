/** A container that is restarted by request is down for this long. */
const DOWN_MS = 10_000;

/** Time from one restart to the next: the node before has a committed block again. */
const APART_MS = 20_000;

/** The node that is down at a time in a rolling restart which began at another; undefined between two and afterwards. */
export const restartingAt = (nodes: readonly string[], beganMs: number, ms: number): string | undefined => {
  const since = ms - beganMs;
  return since % APART_MS < DOWN_MS ? nodes[Math.floor(since / APART_MS)] : undefined;
};

/** A node that has started again has found its peers, and takes part, after this long. */
const JOIN_MS = 30_000;

/** What a container that Docker was asked to restart at `sinceMs` does: it is down, or runs and has not found its peers; undefined afterwards. */
export const restartPhase = (sinceMs: number, ms: number): 'down' | 'joining' | undefined => {
  if (ms - sinceMs < DOWN_MS) return 'down';
  return ms - sinceMs < DOWN_MS + JOIN_MS ? 'joining' : undefined;
};
