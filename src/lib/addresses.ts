import { BlockList, isIP, SocketAddress } from 'node:net';

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

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Does the host name only this machine? It is `localhost` or a whole IP address, without brackets. Any other name may be anybody's,
 * whatever it begins with.
 */
export const isLoopbackHost = (host: string): boolean =>
  /^localhost\.?$/i.test(host) || (isIP(host) !== 0 && LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'));

/** A port number from text or a number; undefined for anything else. */
export function toPort(value: unknown): number | undefined {
  const port = /^\d{1,5}$/.test(String(value)) ? Number(value) : 0;
  return port >= 1 && port <= 65535 ? port : undefined;
}

/** Linux limits the path of a unix socket to 108 bytes including a final zero (unix(7), `sun_path`). */
export const MAX_SOCKET_PATH_BYTES = 107;

/** Whether no program can use a socket at this path. */
export const isSocketPathTooLong = (path: string): boolean => Buffer.byteLength(path) > MAX_SOCKET_PATH_BYTES;

/** Parses CIDRs and single addresses; `bad` is the first that is neither. */
export function parseTrustedProxies(
  text: string,
): { readonly ok: true; readonly proxies: BlockList } | { readonly ok: false; readonly bad: string } {
  const proxies = new BlockList();
  for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
    const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const version = isIP(address);
    const bits = version === 6 ? 128 : 32;
    const length = prefix === undefined ? bits : Number(prefix);
    if (version === 0 || length > bits) return { ok: false, bad: entry };
    proxies.addSubnet(address, length, version === 6 ? 'ipv6' : 'ipv4');
  }
  return { ok: true, proxies };
}

/** An entry of `X-Forwarded-For` without its port, as in `192.0.2.1:5678` and `[2001:db8::1]:443`. */
const withoutPort = (entry: string): string => {
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|(\d+\.\d+\.\d+\.\d+))(?::\d{1,5})?$/.exec(entry) ?? [];
  return bracketed ?? dotted ?? entry;
};

/** An address in canonical form, without a zone. An IPv4-mapped IPv6 address becomes the IPv4 address. */
function plain(address: string): string {
  if (isIP(address) !== 6) return address;
  const canonical = new SocketAddress({ address: address.split('%')[0], family: 'ipv6' }).address;
  return canonical.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/, '');
}

/** Is the address one of the list, or within one of its networks? An IPv4-mapped IPv6 address counts as the IPv4 address. */
export function isListed(address: string, list: BlockList): boolean {
  const canonical = plain(address);
  return isIP(canonical) !== 0 && list.check(canonical, isIP(canonical) === 6 ? 'ipv6' : 'ipv4');
}

/** Says whether the client of a request came by TLS: to this server, or to a trusted proxy that says so. */
export const createIsSecure =
  (isTls: boolean, proxies: BlockList) =>
  ({ request, remoteAddress }: { readonly request: Request; readonly remoteAddress: string | undefined }): boolean =>
    isTls || (request.headers.get('x-forwarded-proto') === 'https' && isListed(remoteAddress ?? '', proxies));

/** The address of the client: the last untrusted one in `X-Forwarded-For`, as far as trusted proxies wrote it. */
export function clientAddress(
  remoteAddress: string | undefined,
  forwarded: string | undefined,
  proxies: BlockList,
): string {
  const remote = plain(remoteAddress ?? '');
  if (forwarded === undefined) return remote;
  let client = remote;
  for (const entry of forwarded.split(',').reverse()) {
    if (!isListed(client, proxies)) break;
    const next = plain(withoutPort(entry.trim()));
    if (isIP(next) === 0) break;
    client = next;
  }
  return client;
}

/** The key of an address for limits: an IPv6 client has its whole /64. */
export function addressKey(address: string): string {
  const canonical = plain(address);
  if (isIP(canonical) !== 6) return canonical;
  const [head = '', tail] = canonical.split('::');
  const groups = head === '' ? [] : head.split(':');
  const rest = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array<string>(Math.max(0, 8 - groups.length - rest.length)).fill('0');
  return `${[...groups, ...zeros, ...rest].slice(0, 4).join(':')}::/64`;
}

/** The /48 of an IPv6 client, by the key of its address; undefined for IPv4. A site has 65,536 networks of the size /64. */
export function siteKey(key: string): string | undefined {
  const [, site] = /^((?:[^:]+:){3})[^:]+::\/64$/.exec(key) ?? [];
  return site && `${site}:/48`;
}

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
