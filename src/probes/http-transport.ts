import type { Dispatcher, Client as UndiciClient } from 'undici';
import { readCredentials, toBasicAuthorization } from '../model/credentials.ts';
import type { Fault, Result } from '../model/observation.ts';
import { trackConnects } from '../net/track-connects.ts';
import { buildConnector, Client } from '../net/undici-client.ts';

/** Limit of a response body. A full `admin_peers` of a hundred nodes has 60 KB. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** An HTTP response, read to its end. */
export interface TransportResponse {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** A request; without `path` it goes to the path of the address. */
export interface TransportRequest {
  readonly method: 'GET' | 'POST';
  readonly path?: string;
  readonly contentType?: string;
  readonly body?: Buffer;
}

/** A response or the fault; `stale` when a reused connection turned out to be dead. */
export type Exchange = Result<TransportResponse> & { readonly stale?: boolean };

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
  exchange(ask: TransportRequest, deadline: number, signal?: AbortSignal): Promise<Exchange>;
  /** Closes the connection; an exchange in progress fails. */
  close(): void;
}

/** The address without user info, path and query, for people. */
export const showAddress = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? 'the address' : `${parsed.protocol}//${parsed.host}`;
};

/** Shorter than the node's own idle timeout of 120 s (XDC-Subnet node/defaults.go). */
const KEEP_ALIVE_MS = 110_000;

/** Headers without an end, and contradicting lengths. */
const NOT_HTTP = new Set(['UND_ERR_HEADERS_OVERFLOW', 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH']);

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

function toFault(error: Error, address: string): Fault {
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

const isClose = (header: string | string[] | undefined): boolean => String(header).toLowerCase() === 'close';

/**
 * A transport to an `http:` or `https:` address. User info in it is sent as basic authentication. While `keepsAlive` is
 * false, each exchange closes its connection.
 */
export function createHttpTransport(target: string, keepsAlive: () => boolean = () => true): RpcTransport {
  const url = new URL(target);
  const address = showAddress(target);
  const credentials = readCredentials(url);
  const authorization = credentials && toBasicAuthorization(credentials.username, credentials.password);
  const ownPath = `${url.pathname}${url.search}`;
  let connection: Connection = 'new';
  let client: UndiciClient | undefined;
  const connector = buildConnector({ allowH2: false, timeout: 0 });
  const connects = trackConnects(() => connector);
  /** Fails the exchange whose connection was lost. */
  let onLost = () => {};

  const open = (): UndiciClient => {
    const opened = new Client(url.origin, {
      connect: connects.connect,
      bodyTimeout: 0,
      headersTimeout: 0,
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      allowH2: false,
    });
    opened.on('disconnect', (_origin, _targets, error: NodeJS.ErrnoException) => {
      // undici closes an idle connection with this code, and also one that the response said would close.
      if (opened !== client) return;
      connection = error.code === 'UND_ERR_INFO' ? 'reconnected' : 'new';
      onLost();
    });
    return opened;
  };
  /** Closes the connection and fails the exchange in progress. */
  const drop = () => {
    const dropped = client;
    client = undefined;
    connection = 'new';
    dropped?.destroy().catch(() => {});
    connects.abort();
  };

  const exchange = (ask: TransportRequest, deadline: number, signal?: AbortSignal) =>
    new Promise<Exchange>((resolve) => {
      if (signal?.aborted) return resolve({ ok: false, fault: { kind: 'closed', address } });
      const started = performance.now();
      const wasReused = connection === 'reused';
      const closesAfter = !keepsAlive();
      const chunks: Buffer[] = [];
      let size = 0;
      let status = 0;
      let headers: Dispatcher.ResponseData['headers'] = {};
      let settled = false;
      const settle = (result: Exchange) => {
        settled = true;
        clearTimeout(timer);
        signal?.removeEventListener('abort', onAbort);
        resolve(result);
      };
      const giveUp = (fault: Fault) => {
        settle({ ok: false, fault });
        drop();
      };
      const onDeadline = () => {
        if (settled) return;
        const afterMs = Math.round(performance.now() - started);
        giveUp({ kind: 'timeout', address, afterMs, received: status > 0 });
      };
      const onAbort = () => giveUp({ kind: 'closed', address });
      signal?.addEventListener('abort', onAbort);
      // After a busy event loop the response may have arrived in time but be unread. It is read before the immediate.
      const timer = setTimeout(() => setImmediate(onDeadline), Math.max(deadline - started, 0));

      client ??= open();
      // undici would send an unsent request over a new connection, and so perhaps to a new process.
      onLost = () => {
        if (settled || !wasReused) return;
        settle({ ok: false, fault: { kind: 'closed', address }, stale: true });
        drop();
      };
      client.dispatch(
        {
          method: ask.method,
          path: ask.path ?? ownPath,
          body: ask.body,
          reset: closesAfter,
          headers: {
            ...(authorization && { authorization }),
            ...(ask.contentType && { 'content-type': ask.contentType }),
          },
        },
        {
          onRequestStart: () => {},
          onResponseStart: (_controller, code, fields) => {
            status = code;
            headers = fields;
          },
          onResponseData: (_controller, chunk) => {
            size += chunk.length;
            if (size > MAX_ANSWER_BYTES) giveUp({ kind: 'too-large', maxBytes: MAX_ANSWER_BYTES });
            else chunks.push(chunk);
          },
          onResponseEnd: () => {
            // Some servers do not announce that they close the connection as requested.
            connection = closesAfter || isClose(headers.connection) ? 'reconnected' : 'reused';
            const encoding = headers['content-encoding'];
            if (encoding !== undefined && encoding !== 'identity')
              return settle({ ok: false, fault: { kind: 'encoding' } });
            const [only] = chunks;
            settle({
              ok: true,
              value: {
                status,
                contentType: String(headers['content-type'] ?? ''),
                body: only && chunks.length === 1 ? only : Buffer.concat(chunks, size),
              },
            });
          },
          onResponseError: (_controller, error) => {
            connection = 'new';
            settle({ ok: false, fault: toFault(error, address), stale: wasReused && status === 0 });
          },
        },
      );
    });

  return { connection: () => connection, exchange, close: drop };
}
