/** What `nameOf` gives for each, for a sentence, as `a, b and 3 others`; those after the first `most` are only counted. */
export function listEach<T>(ones: readonly T[], nameOf: (one: T) => string, most = 5): string {
  const named = ones.slice(0, most).map(nameOf).join(', ');
  return ones.length > most ? `${named} and ${ones.length - most} others` : named;
}

/** Names for a sentence, in the same way. */
export const listNames = (names: readonly string[], most?: number): string => listEach(names, String, most);

/** All words for a sentence, as `a, b and c`. */
export const joinAnd = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
