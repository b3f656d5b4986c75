/** A text as one word of a POSIX shell, as it is where that is safe. */
export const toShellWord = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
