/** The edit distance between two words, in which two letters in the wrong order are one mistake (optimal string alignment). */
function distance(one: string, other: string): number {
  const rows = [Array.from({ length: other.length + 1 }, (_, index) => index)];
  const at = (i: number, j: number) => rows[i]?.[j] ?? Number.POSITIVE_INFINITY;
  for (let i = 1; i <= one.length; i++) {
    const row = [i];
    rows.push(row);
    for (let j = 1; j <= other.length; j++) {
      const isSwapped = one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      row[j] = Math.min(
        at(i - 1, j - 1) + Number(one[i - 1] !== other[j - 1]),
        at(i - 1, j) + 1,
        at(i, j - 1) + 1,
        isSwapped ? at(i - 2, j - 2) + 1 : Number.POSITIVE_INFINITY,
      );
    }
  }
  return at(one.length, other.length);
}

/** Longer words cannot be a typing mistake. */
const MAX_LENGTH = 100;

/** The names that are at most `mistakes` typing mistakes from a word, in any case, the most similar first. */
export function findSimilar(word: string, names: readonly string[], mistakes: number): readonly string[] {
  if (word.length > MAX_LENGTH) return [];
  const wanted = word.toLowerCase();
  return names
    .map((name) => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .filter(({ far }) => far <= mistakes)
    .toSorted((one, other) => one.far - other.far)
    .map(({ name }) => name);
}
