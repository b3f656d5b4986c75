/** Names for a sentence, as `a, b and 3 others`; those after the first `most` are counted. */
export const listNames = (names: readonly string[], most = 5): string =>
  names.length > most ? `${names.slice(0, most).join(', ')} and ${names.length - most} others` : names.join(', ');

/** All words for a sentence, as `a, b and c`. */
export const joinAnd = (words: readonly string[]): string =>
  words.length < 2 ? words.join() : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
