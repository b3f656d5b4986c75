import { BlockList, isIP, SocketAddress } from 'node:net';

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

/** Is the address that of a trusted proxy? */
function isTrustedProxy(address: string, proxies: BlockList): boolean {
  const canonical = plain(address);
  return isIP(canonical) !== 0 && proxies.check(canonical, isIP(canonical) === 6 ? 'ipv6' : 'ipv4');
}

/** Says whether the client of a request came by TLS: to this server, or to a trusted proxy that says so. */
export const createIsSecure =
  (isTls: boolean, proxies: BlockList) =>
  ({ request, remoteAddress }: { readonly request: Request; readonly remoteAddress: string | undefined }): boolean =>
    isTls || (request.headers.get('x-forwarded-proto') === 'https' && isTrustedProxy(remoteAddress ?? '', proxies));

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
    if (!isTrustedProxy(client, proxies)) break;
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
