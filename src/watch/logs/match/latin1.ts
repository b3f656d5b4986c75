/**
 * Converts text to the Latin-1 form in which logs are searched. Chunks are decoded as Latin-1, a plain copy in which
 * each character is one byte of the log. Only a matching line is decoded as UTF-8.
 */
export const toLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** Decodes Latin-1 text as UTF-8; invalid bytes become U+FFFD. */
export const fromLatin1 = (bytes: string): string =>
  // Most lines are ASCII, which is the same in both encodings.
  /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
