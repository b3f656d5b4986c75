import http from 'node:http';
import https from 'node:https';
import type { Fault, Look } from '../model/observation.ts';

/** The most that an answer's body may weigh; a full `admin_peers` of a hundred nodes weighs 60 KB. */
export const MAX_ANSWER_BYTES = 1024 * 1024;

/** An HTTP answer, read to its end. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: Buffer;
  /** The other side ends the connection after each answer, so that a new one proves nothing. */
  readonly closes: boolean;
}

/** What is sent; the path is the address's own where none is given. */
export interface Ask {
  readonly method: 'GET' | 'POST';
  readonly path?: string;
  readonly contentType?: string;
  readonly body?: Buffer;
}

/** An answer, or why there is none; `stale` when an idle connection turned out to be dead. */
export type Exchange = Look<Answer> & { readonly stale?: boolean };

/** One address that is asked again and again over one kept connection. */
export interface HttpPeer {
  /** No connection is open: the next exchange makes one. */
  isFresh(): boolean;
  /** Never rejects; ends at the deadline, in milliseconds of `performance.now()`. */
  exchange(ask: Ask, deadline: number): Promise<Exchange>;
  close(): void;
}

/** The address as it may be shown: no user info, no path, no query. */
export const showAddress = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? 'the address' : `${parsed.protocol}//${parsed.host}`;
};

const TLS_CODE = /^(ERR_TLS|ERR_SSL|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

function toFault(code: string | undefined, address: string): Fault {
  if (code === 'ECONNREFUSED') return { kind: 'refused', address };
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { kind: 'unresolved', address };
  if (code === 'ECONNRESET' || code === 'EPIPE') return { kind: 'closed', address };
  if (code?.startsWith('HPE_')) return { kind: 'not-http', address };
  if (code !== undefined && TLS_CODE.test(code)) return { kind: 'tls', address };
  return { kind: 'unreachable', address };
}

/** Connects to an `http:` or `https:` address; user info in it is sent as basic authentication. */
export function createHttpPeer(target: string): HttpPeer {
  const url = new URL(target);
  const address = showAddress(target);
  const { request, Agent } = url.protocol === 'https:' ? https : http;
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const authorization =
    url.username === '' && url.password === ''
      ? undefined
      : `Basic ${Buffer.from(`${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`).toString('base64')}`;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const defaultPath = `${url.pathname}${url.search}`;

  const exchange = (ask: Ask, deadline: number) =>
    new Promise<Exchange>((resolve) => {
      const started = performance.now();
      const chunks: Buffer[] = [];
      let size = 0;
      let received = false;
      const outgoing = request({
        agent,
        host,
        port: url.port,
        method: ask.method,
        path: ask.path ?? defaultPath,
        headers: {
          host: url.host,
          ...(authorization && { authorization }),
          ...(ask.contentType && { 'content-type': ask.contentType }),
          ...(ask.body && { 'content-length': ask.body.length }),
        },
      });
      const settle = (result: Exchange) => {
        clearTimeout(timer);
        resolve(result);
      };
      const giveUp = (fault: Fault) => {
        settle({ ok: false, fault });
        outgoing.destroy();
      };
      const timer = setTimeout(
        () => giveUp({ kind: 'timeout', address, afterMs: Math.round(performance.now() - started), received }),
        Math.max(0, deadline - started),
      );
      outgoing.on('error', (error: NodeJS.ErrnoException) =>
        settle({ ok: false, fault: toFault(error.code, address), stale: outgoing.reusedSocket && !received }),
      );
      outgoing.on('response', (incoming) => {
        received = true;
        incoming.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > MAX_ANSWER_BYTES) giveUp({ kind: 'too-large', maxBytes: MAX_ANSWER_BYTES });
          else chunks.push(chunk);
        });
        incoming.on('error', () => settle({ ok: false, fault: { kind: 'closed', address } }));
        incoming.on('end', () => {
          const { headers } = incoming;
          const encoding = headers['content-encoding'];
          if (encoding !== undefined && encoding !== 'identity')
            return settle({ ok: false, fault: { kind: 'encoding' } });
          settle({
            ok: true,
            value: {
              status: incoming.statusCode ?? 0,
              contentType: headers['content-type'] ?? '',
              body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size),
              closes: headers.connection?.toLowerCase() === 'close',
            },
          });
        });
      });
      outgoing.end(ask.body);
    });

  return {
    isFresh: () => Object.keys(agent.freeSockets).length === 0,
    exchange,
    close: () => agent.destroy(),
  };
}
