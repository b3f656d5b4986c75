/**
 * Chunks are decoded as Latin-1, which is a copy and no decoding, so that each character is one byte of the log. What is
 * looked for is turned the same way, and only a hit line is read as UTF-8.
 */
export const toLatin1 = (text: string): string => Buffer.from(text, 'utf8').toString('latin1');

/** The text of bytes that were decoded as Latin-1; bytes that are no UTF-8 become U+FFFD. */
export const fromLatin1 = (bytes: string): string =>
  // Most lines are ASCII, which is the same in both.
  /[\x80-\xff]/.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
