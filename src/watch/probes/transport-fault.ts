import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSocketPathTooLong } from '../../lib/socket-path.ts';
import type { Fault } from '../../model/observation.ts';

/** Owner and mode of what denies access: the socket, or the nearest visible folder above it. */
async function ownerOf(path: string): Promise<{ readonly owner: string; readonly mode: string } | undefined> {
  try {
    const { uid, mode } = await stat(path);
    return { owner: uid === 0 ? 'root' : `uid ${uid}`, mode: (mode & 0o7777).toString(8).padStart(4, '0') };
  } catch {
    return dirname(path) === path ? undefined : ownerOf(dirname(path));
  }
}

/** Maps a system error code to the fault of a unix socket. */
export async function toSocketFault(path: string, code: string | undefined): Promise<Fault> {
  const address = `unix:${path}`;
  if (code === 'EMFILE' || code === 'ENFILE') return { kind: 'no-descriptor' };
  if (isSocketPathTooLong(path)) return { kind: 'socket', path, state: 'too-long' };
  if (code === 'ENOENT' || code === 'ENOTDIR') return { kind: 'socket', path, state: 'missing' };
  if (code === 'EACCES' || code === 'EPERM') return { kind: 'socket', path, state: 'denied', ...(await ownerOf(path)) };
  if (code === 'ECONNREFUSED' || code === 'ENOTSOCK') {
    const isSocket = await stat(path)
      .then((found) => found.isSocket())
      .catch(() => true);
    return { kind: 'socket', path, state: isSocket ? 'stale' : 'no-socket' };
  }
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'ended') return { kind: 'closed', address };
  return { kind: 'unreachable', address };
}

/** Headers without an end, and contradicting lengths. */
const NOT_HTTP = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

/** Maps the error of an HTTP exchange to its fault. */
export function toHttpFault(error: Error, address: string): Fault {
  const code = codeOf(error);
  if (code === 'EMFILE' || code === 'ENFILE') return { kind: 'no-descriptor' };
  if (code === 'ECONNREFUSED') return { kind: 'refused', address };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { kind: 'unresolved', address };
  if (code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET') return { kind: 'closed', address };
  if (error.name === 'HTTPParserError' || (code !== undefined && NOT_HTTP.has(code)))
    return { kind: 'not-http', address };
  if (code !== undefined && TLS_CODE.test(code)) return { kind: 'tls', address };
  return { kind: 'unreachable', address };
}

/** The code of an error. When several addresses of a name failed, the code of the first. */
function codeOf(error: unknown): string | undefined {
  const { code, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] };
  return code ?? errors?.[0]?.code;
}
