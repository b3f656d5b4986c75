import type { Listen } from '../settings.ts';

/** An address that means every interface is reached on loopback. */
const OWN_HOST: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where the daemon of this machine is reached from there. */
export function ownOrigin(listen: Listen, isTls: boolean): { readonly host: string; readonly origin: string } {
  const host = OWN_HOST[listen.host] ?? listen.host;
  return { host, origin: `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${listen.port}` };
}
