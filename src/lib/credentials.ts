/** A user name and a password, as bytes. */
export interface Credentials {
  readonly username: Buffer;
  readonly password: Buffer;
}

/** Like `decodeURIComponent`, but does not throw for a lone `%`. URLs hold ASCII only. */
const percentDecode = (text: string): Buffer =>
  Buffer.from(
    text.replaceAll(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
    'latin1',
  );

/**
 * The user info of an address, percent-decoded by the URL standard. A `%` without two hex digits after it is a `%`, and
 * every byte is allowed. Never throws. Undefined when the address has none.
 */
export function readCredentials({ username, password }: URL): Credentials | undefined {
  if (username === '' && password === '') return undefined;
  return { username: percentDecode(username), password: percentDecode(password) };
}

/** The value of the header `authorization` for basic authentication. */
export function toBasicAuthorization(username: Buffer | string, password: Buffer | string): string {
  const bytes = Buffer.concat([Buffer.from(username), Buffer.from(':'), Buffer.from(password)]);
  return `Basic ${bytes.toString('base64')}`;
}
