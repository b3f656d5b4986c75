/** A container that is restarted by request is down for this long. */
const DOWN_MS = 10_000;

/** Time from one restart to the next: the node before has a committed block again. */
const APART_MS = 20_000;

/** The node that is down at a time in a rolling restart which began at another; undefined between two and afterwards. */
export const restartingAt = (nodes: readonly string[], beganMs: number, ms: number): string | undefined => {
  const since = ms - beganMs;
  return since % APART_MS < DOWN_MS ? nodes[Math.floor(since / APART_MS)] : undefined;
};
