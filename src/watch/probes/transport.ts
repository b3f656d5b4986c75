import { stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isSocketPathTooLong } from '../../lib/addresses.ts';
import type { Fault, Result } from '../../model/observation.ts';

/** Limit of a response body. A full `admin_peers` of a hundred nodes has 60 KB. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** An HTTP response, read to its end. */
export interface TransportResponse {
  readonly status: number;
  readonly contentType: string;
  /** In memory that the next response is read into, so nobody may keep it. */
  readonly body: Buffer;
}

/** A request; without `path` it goes to the path of the address. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST';
  readonly path?: string;
  readonly contentType?: string;
  /** Further ones, in lower case. They are sent as they are. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** What was read from a response, or the fault; `stale` when a reused connection turned out to be dead. */
export type Exchange<T> = Result<T> & { readonly stale?: boolean };

/**
 * Reads a response as soon as it is whole, and must not throw. What it gives stays in memory for long after the exchange, because the
 * exchange began long before: that should be little, and nothing of the body.
 */
export type ReadResponse<T> = (response: TransportResponse) => T;

/**
 * How the next exchange connects.
 * `reused`: over the connection of the previous one.
 * `reconnected`: over a new one, because the old one was closed in order.
 * `new`: over a new one, at first or after a failure; another process may answer.
 */
export type Connection = 'reused' | 'reconnected' | 'new';

/** A transport to one address, which reuses its connection while that lasts. */
export interface RpcTransport {
  connection(): Connection;
  /**
   * Sends one request at a time. Never rejects. Ends at the deadline, in milliseconds of `performance.now()`, or when
   * the signal aborts; afterwards nothing of it continues.
   */
  exchange<T>(
    ask: TransportRequest,
    read: ReadResponse<T>,
    deadline: number,
    signal?: AbortSignal,
  ): Promise<Exchange<T>>;
  /** Closes the connection for good: an exchange in progress and each later one fail as `closed`, and nothing connects again. */
  close(): void;
}

/**
 * Sends one request, and once more if the reused connection was dead: closed by the other side before it sent anything.
 * Any other fault is the answer.
 */
export async function exchangeWithRetry<T>(
  transport: RpcTransport,
  ask: TransportRequest,
  read: ReadResponse<T>,
  deadline: number,
  signal?: AbortSignal,
): Promise<Exchange<T>> {
  const exchange = await transport.exchange(ask, read, deadline, signal);
  return !exchange.ok && exchange.stale ? transport.exchange(ask, read, deadline, signal) : exchange;
}

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

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

/** Maps the error of a socket that speaks HTTP to its fault. */
export function toHttpFault(error: Error, address: string): Fault {
  const code = codeOf(error);
  if (code === 'EMFILE' || code === 'ENFILE') return { kind: 'no-descriptor' };
  if (code === 'ECONNREFUSED') return { kind: 'refused', address };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { kind: 'unresolved', address };
  if (code === 'ECONNRESET' || code === 'EPIPE') return { kind: 'closed', address };
  if (code !== undefined && TLS_CODE.test(code)) return { kind: 'tls', address };
  return { kind: 'unreachable', address };
}

/** The code of an error. When several addresses of a name failed, the code of the first. */
function codeOf(error: unknown): string | undefined {
  const { code, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] };
  return code ?? errors?.[0]?.code;
}
