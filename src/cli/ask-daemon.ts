import { type Listen, parseServerSettings, readEnvironment } from '../daemon/settings.ts';
import { findUrlFault, readCredentials, toBasicAuthorization } from '../lib/addresses.ts';
import { readBounded } from '../lib/bytes.ts';

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

/** What a running daemon said, or why it said nothing, as a sentence that shows no password. */
export type DaemonAnswer =
  | { readonly ok: true; readonly status: number; readonly text: string; readonly path: string }
  | { readonly ok: false; readonly isRefused: boolean; readonly error: string };

/** An address, or what is wrong with the one that is given or set. */
export type DaemonUrl =
  | { readonly ok: true; readonly url: URL }
  | { readonly ok: false; readonly errors: readonly string[] };

/** Where the daemon of this machine answers, by its settings. */
async function ownUrl(): Promise<DaemonUrl> {
  const settings = parseServerSettings(readEnvironment(), {});
  if (!settings.ok) return settings;
  if (settings.listen.port === 0)
    return { ok: false, errors: ['port 0 in SUBNETD_LISTEN is a free one that the system chose; give --url'] };
  return { ok: true, url: new URL(await readOwnOrigin(settings.listen, settings.webConfig)) };
}

/** The address that is given, or that of the daemon of this machine. */
export async function toDaemonUrl(given: string | undefined): Promise<DaemonUrl> {
  if (given === undefined) return ownUrl();
  const url = URL.parse(given);
  const fault = findUrlFault(given);
  if (url !== null && /^https?:$/.test(url.protocol) && fault === undefined) return { ok: true, url };
  const help = '--url must be the address of subnetd, such as http://127.0.0.1:10545';
  return { ok: false, errors: [fault === undefined ? help : `${help}; ${fault}`] };
}

/** Several times the status of 10,000 nodes. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

/** What to do when nothing of use answers. */
export const START_IT = 'start subnetd, or give its address with --url';

const TRUST_IT = 'set NODE_EXTRA_CA_CERTS to the CA file of its certificate';

/** What to do about an error of the connection, by its code in Node.js; other errors are those of a daemon that does not run. */
const REMEDIES: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: TRUST_IT,
  SELF_SIGNED_CERT_IN_CHAIN: TRUST_IT,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: TRUST_IT,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: TRUST_IT,
  CERT_HAS_EXPIRED: 'renew its certificate',
  ERR_TLS_CERT_ALTNAME_INVALID: 'use a name from its certificate in --url',
  ERR_SSL_WRONG_VERSION_NUMBER: 'it does not serve TLS; give its address with http:// in --url',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'it does not serve TLS; give its address with http:// in --url',
  UND_ERR_SOCKET: 'if it serves TLS, give its address with https:// in --url',
  'bad port': 'HTTP clients refuse to use this port; choose another in SUBNETD_LISTEN',
};

/** Asks a running daemon for a path, as the user of the address. Never rejects. */
export async function askDaemon(url: URL, wanted: string, withinMs: number): Promise<DaemonAnswer> {
  const { origin } = url;
  const user = readCredentials(url);
  const headers = user && { authorization: toBasicAuthorization(user.username, user.password) };
  const path = `${origin}${url.pathname.replace(/\/$/, '')}${wanted}`;
  try {
    const answer = await fetch(path, { ...(headers && { headers }), signal: AbortSignal.timeout(withinMs) });
    if (answer.status !== 401) {
      const bytes = answer.body === null ? Buffer.alloc(0) : await readBounded(answer.body, MAX_ANSWER_BYTES);
      if (bytes !== undefined) return { ok: true, status: answer.status, text: bytes.toString(), path };
      const error = `${path} answers with more than 128 MiB, which subnetd never does; correct --url`;
      return { ok: false, isRefused: false, error };
    }
    const error = `${origin} requires a user name and password; give them in --url http://USER:PASSWORD@…`;
    return { ok: false, isRefused: true, error };
  } catch (error) {
    const { cause, name } = error as { readonly cause?: NodeJS.ErrnoException; readonly name: string };
    const why =
      name === 'TimeoutError' ? `no answer within ${withinMs / 1_000}s` : (cause?.code ?? cause?.message ?? name);
    return { ok: false, isRefused: false, error: `${path} cannot be read (${why}); ${REMEDIES[why] ?? START_IT}` };
  }
}
