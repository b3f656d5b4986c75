import { BlockList, isIP } from 'node:net';

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet('127.0.0.0', 8);
LOOPBACK.addAddress('::1', 'ipv6');

/**
 * Does the host name only this machine? It is `localhost` or a whole IP address, without brackets. Any other name may be anybody's,
 * whatever it begins with.
 */
export const isLoopbackHost = (host: string): boolean =>
  /^localhost\.?$/i.test(host) || (isIP(host) !== 0 && LOOPBACK.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4'));
