import { readCredentials, toBasicAuthorization } from '../model/credentials.ts';
import { readBounded } from '../model/read-bounded.ts';
import { parseServerSettings, readEnvironment } from '../settings.ts';
import { readOwnOrigin } from './own-origin.ts';

/** What a running daemon said, or why it said nothing, as a sentence that shows no password. */
export type DaemonAnswer =
  | { readonly ok: true; readonly status: number; readonly text: string; readonly path: string }
  | { readonly ok: false; readonly isRefused: boolean; readonly error: string };

/** Where the daemon of this machine answers. */
async function ownUrl(): Promise<string | undefined> {
  const settings = parseServerSettings(readEnvironment(), {}, '0.0.0.0:10545');
  if (!settings.ok) return undefined;
  return readOwnOrigin(settings.listen, settings.webConfig);
}

/** The address that is given, or that of the daemon of this machine; undefined when it is none. */
export async function toDaemonUrl(given: string | undefined): Promise<URL | undefined> {
  const url = URL.parse(given ?? (await ownUrl()) ?? '');
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Several times the status of 10,000 nodes. */
const MAX_ANSWER_BYTES = 128 * 1024 * 1024;

/** What is wrong with an address that is none. */
export const BAD_URL = '--url must be the address of subnetd, such as http://127.0.0.1:10545';

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
    const error = `${origin} wants a user name and password; give them in --url http://USER:PASSWORD@…`;
    return { ok: false, isRefused: true, error };
  } catch (error) {
    const { cause, name } = error as { readonly cause?: NodeJS.ErrnoException; readonly name: string };
    const why =
      name === 'TimeoutError' ? `no answer within ${withinMs / 1_000}s` : (cause?.code ?? cause?.message ?? name);
    return { ok: false, isRefused: false, error: `${path} cannot be read (${why}); ${START_IT}` };
  }
}

/** What to do when nothing of use answers. */
export const START_IT = 'start subnetd, or give its address by --url';
