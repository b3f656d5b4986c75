/** The names of the first `most` for a sentence, and how many others there are: `a, b and 3 others`. */
export function listEach<T>(ones: readonly T[], nameOf: (one: T) => string, most = 5): string {
  const named = ones.slice(0, most).map(nameOf).join(', ');
  const others = ones.length - most;
  return others > 0 ? `${named} and ${others} ${others === 1 ? 'other' : 'others'}` : named;
}

/** The same of names. */
export const listNames = (names: readonly string[], most?: number): string => listEach(names, String, most);

/** All words for a sentence, as `a, b and c`. */
export const joinAnd = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
