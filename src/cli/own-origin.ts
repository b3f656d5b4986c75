import type { Listen } from '../daemon/settings.ts';

/** An address that means every interface is reached on loopback. */
const OWN_HOST: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

/** Where the daemon of this machine is reached from there. */
export function ownOrigin(listen: Listen, isTls: boolean): { readonly host: string; readonly origin: string } {
  const host = OWN_HOST[listen.host] ?? listen.host;
  return { host, origin: `${isTls ? 'https' : 'http'}://${host.includes(':') ? `[${host}]` : host}:${listen.port}` };
}

/** The same from the path of the web config, which may hold users alone. One that cannot be read counts as TLS. */
export async function readOwnOrigin(listen: Listen, webConfig: string | undefined): Promise<string> {
  const web = webConfig === undefined ? undefined : (await import('../web/web-config.ts')).readWebConfig(webConfig);
  return ownOrigin(listen, web !== undefined && (!web.ok || web.config.tls !== undefined)).origin;
}
