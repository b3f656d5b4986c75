/** A text as the beginning of a sentence. A name with digits or hyphens, such as subnet2, stays as it is. */
export const beginSentence = (text: string): string =>
  /^[a-z]+(?: |$)/.test(text) ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` : text;
