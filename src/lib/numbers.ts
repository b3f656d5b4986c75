/** For sorting: numbers by size, texts by code unit. */
export const ascending = <T extends string | number | bigint>(one: T, other: T): number =>
  one < other ? -1 : Number(one > other);

const padNumbers = (name: string): string => name.replaceAll(/\d+/g, (digits) => digits.padStart(9, '0'));

/** For sorting names: with numbers by size, so that n10 comes after n9. */
export const byName = (one: string, other: string): number => ascending(padNumbers(one), padNumbers(other));

/** The one in the middle; of two in the middle the smaller one. Undefined of nothing. */
export const medianOf = <T extends number | bigint>(values: readonly T[]): T | undefined =>
  values.toSorted(ascending)[Math.ceil(values.length / 2) - 1];

/** What at least half of them have reached. Undefined of nothing. */
export const reachedByHalf = (numbers: readonly number[]): number | undefined =>
  new Float64Array(numbers).sort()[Math.floor(numbers.length / 2)];

/** The highest of many values. `Math.max` takes no more than some hundred thousand arguments. */
export function highest(values: Iterable<number>): number {
  let most = Number.NEGATIVE_INFINITY;
  for (const value of values) if (value > most) most = value;
  return most;
}
