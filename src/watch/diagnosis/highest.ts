/** The highest of many values. `Math.max` takes no more than some hundred thousand arguments. */
export function highest(values: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > most) most = value;
  return most;
}
