/** A text as the beginning of a sentence. A name with digits or hyphens, such as subnet2, and subnetd stay as they are. */
export const beginSentence = (text: string): string =>
  /^(?!subnetd\b)[a-z]+(?: |$)/.test(text) ? `${text.slice(0, 1).toUpperCase()}${text.slice(1)}` : text;
