/** Things that wait to be stored, the oldest first. */
export interface BoundedQueue<T> {
  /** Adds things; for each too many the oldest is dropped. */
  add(items: readonly T[]): void;
  /** Removes the oldest `count`. */
  take(count: number): readonly T[];
  /** Puts back what was taken and could not be stored. */
  putBack(items: readonly T[]): void;
  readonly size: () => number;
  /** How many were dropped. */
  readonly dropped: () => number;
}

/** Creates an empty queue of at most `limit` things. */
export function createBoundedQueue<T>(limit: number): BoundedQueue<T> {
  let items: T[] = [];
  let dropped = 0;
  const cut = () => {
    if (items.length <= limit) return;
    dropped += items.length - limit;
    items = items.slice(-limit);
  };
  return {
    add: (more) => {
      for (const item of more) items.push(item);
      cut();
    },
    take: (count) => items.splice(0, count),
    putBack: (earlier) => {
      items = [...earlier, ...items];
      cut();
    },
    size: () => items.length,
    dropped: () => dropped,
  };
}
