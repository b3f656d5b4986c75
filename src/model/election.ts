/**
 * The lock of work that one of all instances on a database does. `retention`: to delete what is too old of what every daemon
 * writes. `api-retention`: the same for the platform API. That of a shard: all that is done once for its subnets.
 */
export type Lock = 'retention' | 'api-retention' | `shard-${number}`;

/** Which of the instances that share a database does what is done once: the one that holds the lock of that work. */
export interface Election {
  /**
   * Stands for the lock from now on. The result says whether this instance holds it at that moment: ask before each step of
   * the work. `onChange` is called soon after that has changed.
   */
  standFor(lock: Lock, onChange?: () => void): () => boolean;
  /** The locks that this instance stands for, and whether it holds each. */
  locks(): ReadonlyMap<Lock, boolean>;
}
