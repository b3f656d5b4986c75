import type { Dispatcher, Client as UndiciClient } from 'undici';
import { readCredentials, toBasicAuthorization } from '../model/credentials.ts';
import type { Fault, Result } from '../model/observation.ts';
import { trackConnects } from '../net/track-connects.ts';
import { buildConnector, Client } from '../net/undici-client.ts';

/** The most that an answer's body may weigh; a full `admin_peers` of a hundred nodes weighs 60 KB. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** An HTTP answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
}

/** What is sent; the path is the address's own where none is given. */
export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path?: string;
  readonly contentType?: string;
  readonly body?: Buffer;
}

/** An answer, or why there is none; `stale` when a kept connection turned out to be dead. */
export type Exchange = Result<Answer> & { readonly stale?: boolean };

/**
 * How the next exchange will go out. `kept`: over the connection of the one before. `rested`: over a new one, after the
 * old one was ended in peace. `new`: over a new one, after a failure or for the first time: the other side may be another.
 */
export type Connection = 'kept' | 'rested' | 'new';

/** One address that is asked again and again, over one connection as long as it holds. */
export interface RpcTransport {
  connection(): Connection;
  /**
   * Never rejects; ends at the deadline, in milliseconds of `performance.now()`, or when the signal aborts: then nothing is
   * left of it, and nothing new begins. One at a time.
   */
  exchange(ask: Ask, deadline: number, signal?: AbortSignal): Promise<Exchange>;
  /** Ends the connection; what is under way on it fails. */
  close(): void;
}

/** The address as it may be shown: no user info, no path, no query. */
export const showAddress = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? 'the address' : `${parsed.protocol}//${parsed.host}`;
};

/** A connection is given up before the node does it, which is after 120 s (XDC-Subnet node/defaults.go). */
const KEEP_ALIVE_MS = 110_000;

/** Heads that do not end, and two lengths that contradict each other. */
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

/** The code of an error, or of the first inside it: several addresses of one name fail as one error. */
function codeOf(error: unknown): string | undefined {
  const { code, errors } = error as NodeJS.ErrnoException & { readonly errors?: readonly NodeJS.ErrnoException[] };
  return code ?? errors?.[0]?.code;
}

const isClose = (header: string | string[] | undefined): boolean => String(header).toLowerCase() === 'close';

/**
 * Connects to an `http:` or `https:` address; user info in it is sent as basic authentication. While `keeps` is false,
 * each exchange ends its connection.
 */
export function createHttpTransport(target: string, keeps: () => boolean = () => true): RpcTransport {
  const url = new URL(target);
  const address = showAddress(target);
  const credentials = readCredentials(url);
  const authorization = credentials && toBasicAuthorization(credentials.username, credentials.password);
  const ownPath = `${url.pathname}${url.search}`;
  let connection: Connection = 'new';
  let client: UndiciClient | undefined;
  const connector = buildConnector({ allowH2: false, timeout: 0 });
  const connects = trackConnects(() => connector);
  /** Ends what was asked over the connection that is lost. */
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
      // undici ends an idle connection, and one that the answer declared ended, with this code.
      if (opened !== client) return;
      connection = error.code === 'UND_ERR_INFO' ? 'rested' : 'new';
      onLost();
    });
    return opened;
  };
  /** Ends whatever is under way on the connection. */
  const drop = () => {
    const dropped = client;
    client = undefined;
    connection = 'new';
    dropped?.destroy().catch(() => {});
    connects.abort();
  };

  const exchange = (ask: Ask, deadline: number, signal?: AbortSignal) =>
    new Promise<Exchange>((resolve) => {
      if (signal?.aborted) return resolve({ ok: false, fault: { kind: 'closed', address } });
      const started = performance.now();
      const reused = connection === 'kept';
      const ends = !keeps();
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
      // When the event loop was busy the answer may have come in time and lie unread: it is read before the immediate.
      const timer = setTimeout(() => setImmediate(onDeadline), Math.max(deadline - started, 0));

      client ??= open();
      // undici would send over a new connection what has not gone out yet, and so to a process that is not known.
      onLost = () => {
        if (settled || !reused) return;
        settle({ ok: false, fault: { kind: 'closed', address }, stale: true });
        drop();
      };
      client.dispatch(
        {
          method: ask.method,
          path: ask.path ?? ownPath,
          body: ask.body,
          reset: ends,
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
            // Some servers do not say that they end what they were asked to end; it is ended here.
            connection = ends || isClose(headers.connection) ? 'rested' : 'kept';
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
            settle({ ok: false, fault: toFault(error, address), stale: reused && status === 0 });
          },
        },
      );
    });

  return { connection: () => connection, exchange, close: drop };
}
