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

/** A node that was restarted on request is killed this much later, and Docker starts it again within the time after that. */
export const KILLED_AFTER_MS = 60_000;
const KILLED_MS = 2_000;

/** Nodes that were killed together find each other again within this time, as each of them looks for the others. */
const JOIN_TOGETHER_MS = 10_000;

/** What all nodes do that are killed at `sinceMs`; undefined afterwards. */
export const killAllPhase = (sinceMs: number, ms: number): 'joining' | 'killed' | undefined => {
  if (ms - sinceMs < KILLED_MS) return 'killed';
  return ms - sinceMs < JOIN_TOGETHER_MS ? 'joining' : undefined;
};

/** What a container does that is restarted on request at `sinceMs`, and killed later; undefined before and afterwards. */
export const killPhase = (sinceMs: number, ms: number): 'down' | 'joining' | 'killed' | undefined => {
  const ago = ms - sinceMs - KILLED_AFTER_MS;
  if (ago < 0) return restartPhase(sinceMs, ms);
  if (ago < KILLED_MS) return 'killed';
  return ago < JOIN_MS ? 'joining' : undefined;
};
