import type { Dispatcher } from 'undici';
import { readCredentials, toBasicAuthorization } from '../model/credentials.ts';
import type { Fault } from '../model/observation.ts';
import { createHttpConnection } from './http-connection.ts';
import { type Exchange, MAX_ANSWER_BYTES, type RpcTransport, type TransportRequest } from './transport.ts';
import { toHttpFault } from './transport-fault.ts';

/** The address without user info, path and query, for people. */
export const showAddress = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? 'the address' : `${parsed.protocol}//${parsed.host}`;
};

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
  const connection = createHttpConnection(url.origin);

  const exchange = (ask: TransportRequest, deadline: number, signal?: AbortSignal) =>
    new Promise<Exchange>((resolve) => {
      if (signal?.aborted) return resolve({ ok: false, fault: { kind: 'closed', address } });
      const started = performance.now();
      const wasReused = connection.state() === 'reused';
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
        connection.drop();
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

      // undici would send an unsent request over a new connection, and so perhaps to a new process.
      const onLost = () => {
        if (settled || !wasReused) return;
        settle({ ok: false, fault: { kind: 'closed', address }, stale: true });
        connection.drop();
      };
      connection.use(onLost).dispatch(
        {
          method: ask.method,
          path: ask.path ?? ownPath,
          body: ask.body,
          reset: closesAfter,
          headers: {
            ...ask.headers,
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
            connection.setState(closesAfter || isClose(headers.connection) ? 'reconnected' : 'reused');
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
            connection.setState('new');
            settle({ ok: false, fault: toHttpFault(error, address), stale: wasReused && status === 0 });
          },
        },
      );
    });

  return { connection: connection.state, exchange, close: connection.drop };
}
