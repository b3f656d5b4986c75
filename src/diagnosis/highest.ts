/** The highest of many values. `Math.max` takes no more than some hundred thousand arguments. */
export function highest(values: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > most) most = value;
  return most;
}

/** The lowest of many values. */
export const lowest = (values: Iterable<number>): number => {
  let least = Number.POSITIVE_INFINITY;
  for (const value of values) if (value < least) least = value;
  return least;
};
