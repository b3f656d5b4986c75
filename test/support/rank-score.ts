/**
 * How far the ranks of two groups of measurements are apart, in standard deviations (the test of Mann and Whitney).
 * Beyond 4 the groups differ. Below 0 the first one is smaller.
 */
export function rankScore(one: readonly number[], other: readonly number[]): number {
  const toEntry = (isOne: boolean) => (value: number) => ({ value, isOne });
  const sorted = [...one.map(toEntry(true)), ...other.map(toEntry(false))].toSorted((a, b) => a.value - b.value);
  const ranks = sorted.reduce((sum, { isOne }, index) => sum + (isOne ? index + 1 : 0), 0);
  const { length: n } = one;
  const { length: m } = other;
  return (ranks - (n * (n + 1)) / 2 - (n * m) / 2) / Math.sqrt((n * m * (n + m + 1)) / 12);
}
