/** How a user name or password is written within a URL, as the end of a sentence. */
export const ENCODE_PASSWORD = 'in a password, write / as %2F, ? as %3F, # as %23 and @ as %40';

/**
 * What is wrong with an absolute URL that a person wrote, without what it holds; undefined if nothing is. A `/`, `?` or
 * `#` in a password ends the host within the password, and what follows its first `@` would be asked in place of the
 * host. With `mayHoldAt`, an `@` behind the host is good where there is no user info: some services use it in paths.
 */
export function findUrlFault(text: string, mayHoldAt = false): string | undefined {
  // Most hold neither, and inventories may have thousands.
  if (!/[#@]/.test(text)) return undefined;
  const url = URL.parse(text);
  if (url === null) return text.includes('@') ? ENCODE_PASSWORD : undefined;
  if (text.includes('#')) return `must be without # and what follows; ${ENCODE_PASSWORD}`;
  const hasAt = `${url.pathname}${url.search}`.includes('@');
  if (!hasAt || (mayHoldAt && url.username === '')) return undefined;
  return `has an @ behind the host; ${ENCODE_PASSWORD}`;
}
