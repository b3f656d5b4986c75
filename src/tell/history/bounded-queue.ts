/** Creates an empty queue of at most `limit` things that wait to be stored, the oldest first. */
export function createBoundedQueue<T>(limit: number) {
  let items: T[] = [];
  let dropped = 0;
  const cut = () => {
    if (items.length <= limit) return;
    dropped += items.length - limit;
    items = items.slice(-limit);
  };
  return {
    /** Adds things; for each too many the oldest is dropped. */
    add: (more: readonly T[]): void => {
      for (const item of more) items.push(item);
      cut();
    },
    /** Removes the oldest `count`. */
    take: (count: number): readonly T[] => items.splice(0, count),
    /** Puts back what was taken and could not be stored. */
    putBack: (earlier: readonly T[]): void => {
      items = [...earlier, ...items];
      cut();
    },
    size: (): number => items.length,
    /** How many were dropped. */
    dropped: (): number => dropped,
  };
}
