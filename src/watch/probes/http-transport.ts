import { readCredentials, toBasicAuthorization } from '../../lib/addresses.ts';
import { createReply } from '../../lib/net/load-response-parser.ts';
import type { Fault } from '../../model/observation.ts';
import { atDeadline } from './at-deadline.ts';
import {
  createHttpConnection,
  dropConnection,
  type Failure,
  type HttpConnection,
  isConnecting,
  sendRequest,
  wasSentBefore,
} from './http-connection.ts';
import {
  type Exchange,
  MAX_ANSWER_BYTES,
  type ReadResponse,
  type RpcTransport,
  type TransportRequest,
  toHttpFault,
} from './transport.ts';

/** The address without user info, path and query, for people. */
export const showAddress = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? 'the address' : `${parsed.protocol}//${parsed.host}`;
};

function toFault(failure: Failure, address: string): Fault {
  if (failure === 'too-large') return { kind: 'too-large', maxBytes: MAX_ANSWER_BYTES };
  if (failure === 'broken') return { kind: 'not-http', address };
  return failure === 'ended' ? { kind: 'closed', address } : toHttpFault(failure, address);
}

const NO_BODY: Buffer = Buffer.alloc(0);

/** An address, and what each request to it begins with. */
interface Origin {
  /** As it was given. */
  readonly target: string;
  readonly ownPath: string;
  /** Headers that all requests have, ended. */
  readonly fixedHeaders: string;
  readonly connection: HttpConnection;
}

function toOrigin(target: string): Origin {
  const url = new URL(target);
  const credentials = readCredentials(url);
  const authorization = credentials && toBasicAuthorization(credentials.username, credentials.password);
  return {
    target,
    ownPath: `${url.pathname}${url.search}`,
    fixedHeaders: `host: ${url.host}\r\n${authorization === undefined ? '' : `authorization: ${authorization}\r\n`}`,
    connection: createHttpConnection(url),
  };
}

function toRequest({ ownPath, fixedHeaders }: Origin, ask: TransportRequest, closesAfter: boolean): string {
  const { method, path = ownPath, contentType, headers = {}, body } = ask;
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  const type = contentType === undefined ? '' : `content-type: ${contentType}\r\n`;
  const further = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const keep = closesAfter ? 'close' : 'keep-alive';
  return `${method} ${path} HTTP/1.1\r\n${fixedHeaders}connection: ${keep}\r\n${type}${further}${length}\r\n${body ?? ''}`;
}

function exchange<T>(
  origin: Origin,
  closesAfter: boolean,
  ask: TransportRequest,
  read: ReadResponse<T>,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Exchange<T>> {
  const { target, connection } = origin;
  return new Promise((resolve) => {
    const started = performance.now();
    const reply = createReply();
    const wasReused = connection.state === 'reused';
    let isSettled = false;
    const settle = (result: Exchange<T>) => {
      if (isSettled) return;
      isSettled = true;
      cancelDeadline();
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const onAbort = () => dropConnection(connection);
    const onDeadline = () => {
      const afterMs = Math.round(performance.now() - started);
      const address = showAddress(target);
      const fault: Fault = isConnecting(connection)
        ? { kind: 'unreachable', address, afterMs }
        : { kind: 'timeout', address, afterMs, received: reply.status > 0 };
      settle({ ok: false, fault });
      dropConnection(connection);
    };
    signal?.addEventListener('abort', onAbort);
    const cancelDeadline = atDeadline(deadline, (time) => wasSentBefore(connection, time), onDeadline);

    sendRequest(connection, toRequest(origin, ask, closesAfter), closesAfter, reply, (failure) => {
      const { status, contentType, contentEncoding, whole = NO_BODY } = reply;
      if (failure !== undefined) {
        const isLost = failure !== 'broken' && failure !== 'too-large';
        const fault = toFault(failure, showAddress(target));
        return settle({ ok: false, fault, stale: wasReused && isLost && status === 0 });
      }
      if (contentEncoding !== '' && contentEncoding !== 'identity')
        return settle({ ok: false, fault: { kind: 'encoding' } });
      settle({ ok: true, value: read({ status, contentType, body: whole }) });
    });
  });
}

/**
 * A transport to an `http:` or `https:` address. User info in it is sent as basic authentication. While `keepsAlive` is
 * false, each exchange closes its connection.
 */
export function createHttpTransport(target: string, keepsAlive: () => boolean = () => true): RpcTransport {
  const origin = toOrigin(target);
  const { connection } = origin;
  let isClosed = false;
  return {
    connection: () => connection.state,
    exchange: (ask, read, deadline, signal) =>
      isClosed || signal?.aborted
        ? Promise.resolve({ ok: false, fault: { kind: 'closed', address: showAddress(target) } })
        : exchange(origin, !keepsAlive(), ask, read, deadline, signal),
    close: () => {
      isClosed = true;
      dropConnection(connection);
    },
  };
}
