import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { readCredentials, toBasicAuthorization } from '../../lib/addresses.ts';
import { createReply, loadResponseParser, MOST_BYTES, type Reply } from '../../lib/net/load-response-parser.ts';
import type { HttpLogin } from '../../model/http-login.ts';
import type { Fault } from '../../model/observation.ts';
import { atDeadline } from './at-deadline.ts';
import { type ReadLogin, readHttpLogin } from './read-http-login.ts';
import {
  type Connection,
  type Exchange,
  MAX_ANSWER_BYTES,
  type ReadResponse,
  type RpcTransport,
  type TransportRequest,
  toHttpFault,
} from './transport.ts';

/** The address without user info, path and query, for people. */
const showAddress = (url: string): string => {
  const parsed = URL.parse(url);
  return parsed === null ? 'the address' : `${parsed.protocol}//${parsed.host}`;
};

/** An open connection, or one that is being established. */
interface Link {
  readonly socket: Socket;
  readonly parser: number;
  /** Closes it when it has been idle for so long. */
  idle?: NodeJS.Timeout;
  idleMs?: number;
}

/** The request that waits for its response. */
interface Waiting {
  readonly reply: Reply;
  /** Called once; without a fault when the response is whole. The connection `isLost` when nothing that came over it was wrong. */
  readonly receive: (fault?: Fault, isLost?: boolean) => void;
  readonly closesAfter: boolean;
  /** In milliseconds of `performance.now()`; undefined until then. */
  sentAt: number | undefined;
}

/** An address, and the one connection to it, opened when it is needed. It carries one request at a time. */
interface Origin {
  /** As it was given. */
  readonly target: string;
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  readonly ownPath: string;
  /** Headers that all requests have, ended. */
  readonly fixedHeaders: string;
  readonly login: HttpLogin | undefined;
  /** As it was read for the connection. */
  read: ReadLogin;
  /** How the next request connects. */
  state: Connection;
  link: Link | undefined;
  /** Resumes TLS. */
  session: Buffer | undefined;
  waiting: Waiting | undefined;
}

/** Shorter than the node's own idle timeout of 120 s (XDC-Subnet node/defaults.go). */
const KEEP_ALIVE_MS = 110_000;

/** A connection is given up so long before the other side says that it will close it. */
const KEEP_ALIVE_MARGIN_MS = 2_000;

/** After this time without a packet TCP asks whether the other side is still there. */
const TCP_KEEP_ALIVE_MS = 60_000;

const parser = loadResponseParser(MAX_ANSWER_BYTES);

/**
 * All connections read into this memory, one after the other, and what they read is parsed before the next read. A buffer of its
 * own for each read takes the memory of many answers, and its collection as much time as the rest of a probe.
 */
const READ_BUFFER = Buffer.allocUnsafeSlow(MOST_BYTES);

const NO_BODY: Buffer = Buffer.alloc(0);

const NO_LOGIN: ReadLogin = {};

const toAuthorization = (authorization: string | undefined): string =>
  authorization === undefined ? '' : `authorization: ${authorization}\r\n`;

function toOrigin(target: string, login: HttpLogin | undefined): Origin {
  const url = new URL(target);
  const isTls = url.protocol === 'https:';
  const credentials = readCredentials(url);
  const authorization = credentials && toBasicAuthorization(credentials.username, credentials.password);
  return {
    target,
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: Number(url.port) || (isTls ? 443 : 80),
    isTls,
    ownPath: `${url.pathname}${url.search}`,
    fixedHeaders: `host: ${url.host}\r\n${toAuthorization(authorization)}`,
    login,
    read: NO_LOGIN,
    state: 'new',
    link: undefined,
    session: undefined,
    waiting: undefined,
  };
}

const closedFault = ({ target }: Origin): Fault => ({ kind: 'closed', address: showAddress(target) });

function close(origin: Origin, state: Connection): void {
  const { link } = origin;
  origin.link = undefined;
  origin.state = state;
  if (link === undefined) return;
  clearTimeout(link.idle);
  link.socket.destroy();
  parser.close(link.parser);
}

function fail(origin: Origin, fault: Fault, isLost = true): void {
  const { waiting } = origin;
  origin.waiting = undefined;
  close(origin, 'new');
  waiting?.receive(fault, isLost);
}

/** Closes the connection, which ends a request in progress. */
const drop = (origin: Origin): void => fail(origin, closedFault(origin));

/** How long a connection may be idle. */
function toIdleMs({ keepAlive }: Reply): number {
  const [, seconds] = keepAlive === '' ? [] : (/timeout=(\d+)/i.exec(keepAlive) ?? []);
  return seconds === undefined
    ? KEEP_ALIVE_MS
    : Math.min(Number(seconds) * 1_000 - KEEP_ALIVE_MARGIN_MS, KEEP_ALIVE_MS);
}

function closeWhenIdle(origin: Origin, link: Link, idleMs: number): void {
  if (link.idleMs === idleMs) {
    link.idle?.refresh();
    return;
  }
  clearTimeout(link.idle);
  link.idleMs = idleMs;
  link.idle = setTimeout(() => {
    if (origin.waiting === undefined) close(origin, 'reconnected');
  }, idleMs).unref();
}

function finish(origin: Origin, link: Link, hasSurplus: boolean): void {
  const { waiting } = origin;
  if (waiting === undefined) return;
  const { reply, receive, closesAfter } = waiting;
  const idleMs = toIdleMs(reply);
  origin.waiting = undefined;
  // Some servers do not announce that they close the connection as requested.
  if (closesAfter || !reply.keepsOpen || idleMs <= 0) close(origin, 'reconnected');
  else if (hasSurplus) close(origin, 'new');
  else {
    origin.state = 'reused';
    closeWhenIdle(origin, link, idleMs);
  }
  receive();
  // The reply is old by now. Whatever it points to would stay in memory until the next large collection.
  reply.whole = undefined;
  reply.body = undefined;
}

function receiveBytes(origin: Origin, link: Link, bytes: Buffer): void {
  const { waiting } = origin;
  // Nobody asked for what comes before a request.
  if (waiting?.sentAt === undefined) {
    drop(origin);
    return;
  }
  const result = parser.read(link.parser, waiting.reply, bytes);
  if (result === 'broken') fail(origin, { kind: 'not-http', address: showAddress(origin.target) }, false);
  else if (result === 'too-large') fail(origin, { kind: 'too-large', maxBytes: MAX_ANSWER_BYTES }, false);
  else if (result !== 'more') finish(origin, link, result === 'surplus');
}

function receiveEnd(origin: Origin, link: Link): void {
  const reply = origin.waiting?.reply;
  // A body without a length ends with its connection.
  if (reply !== undefined && parser.end(link.parser, reply) === 'whole') finish(origin, link, false);
  else drop(origin);
}

/** A socket that knows whose it is. So all sockets share their listeners, where five functions of each took a third of a kilobyte. */
type LinkSocket = Socket & { readonly origin: Origin };

/** The link of a socket's connection, unless it has another socket by now. */
function currentLink(socket: LinkSocket): Link | undefined {
  const { link } = socket.origin;
  return link?.socket === socket ? link : undefined;
}

function onBytes(this: LinkSocket, bytes: Buffer): void {
  const link = currentLink(this);
  if (link !== undefined) receiveBytes(this.origin, link, bytes);
}

function onSession(this: LinkSocket, session: Buffer): void {
  this.origin.session = session;
}

function onError(this: LinkSocket, error: Error): void {
  if (currentLink(this) !== undefined) fail(this.origin, toHttpFault(error, showAddress(this.origin.target)));
}

function onEnd(this: LinkSocket): void {
  const link = currentLink(this);
  if (link !== undefined) receiveEnd(this.origin, link);
}

function onClose(this: LinkSocket): void {
  if (currentLink(this) !== undefined) drop(this.origin);
}

function open(origin: Origin): Link {
  const { host, port, isTls, session, read } = origin;
  const { secureContext, servername = isIP(host) === 0 ? host : '' } = read;
  const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };
  const opened = isTls
    ? connectTls({ ...options, servername, ALPNProtocols: ['http/1.1'], session, secureContext })
    : connectTcp({
        ...options,
        onread: {
          buffer: READ_BUFFER,
          callback: (length) => {
            onBytes.call(socket, READ_BUFFER.subarray(0, length));
            return true;
          },
        },
      });
  const socket = Object.assign(opened, { origin });
  if (isTls) socket.on('data', onBytes).on('session', onSession);
  socket.on('error', onError).on('end', onEnd).on('close', onClose);
  // Who waits for a response has a timer. An idle connection is no reason for a process to live.
  socket.unref();
  return { socket, parser: parser.open() };
}

function send(origin: Origin, request: string, sent: Waiting): void {
  const { link } = origin;
  origin.waiting = sent;
  if (link === undefined) {
    sent.sentAt = performance.now();
    origin.link = open(origin);
    origin.link.socket.write(request);
    return;
  }
  // What has come meanwhile is read first: the other side may have closed the connection, or said something unasked.
  setImmediate(() => {
    if (origin.waiting !== sent) return;
    sent.sentAt = performance.now();
    link.socket.write(request);
  });
}

function toRequest({ ownPath, fixedHeaders, read }: Origin, ask: TransportRequest, closesAfter: boolean): string {
  const { method, path = ownPath, contentType, headers = {}, body } = ask;
  const length = body === undefined ? '' : `content-length: ${Buffer.byteLength(body)}\r\n`;
  const type = contentType === undefined ? '' : `content-type: ${contentType}\r\n`;
  const further = Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const keep = closesAfter ? 'close' : 'keep-alive';
  return `${method} ${path} HTTP/1.1\r\n${fixedHeaders}${toAuthorization(read.authorization)}connection: ${keep}\r\n${type}${further}${length}\r\n${body ?? ''}`;
}

function exchange<T>(
  origin: Origin,
  closesAfter: boolean,
  ask: TransportRequest,
  read: ReadResponse<T>,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Exchange<T>> {
  if (origin.login !== undefined && origin.link === undefined) {
    const login = readHttpLogin(origin.login);
    if ('fault' in login) return Promise.resolve({ ok: false, fault: login.fault });
    origin.read = login;
  }
  return new Promise((resolve) => {
    const started = performance.now();
    const reply = createReply();
    const wasReused = origin.state === 'reused';
    const settle = (result: Exchange<T>) => {
      cancelDeadline();
      signal?.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const onAbort = () => drop(origin);
    const onDeadline = () => {
      const afterMs = Math.round(performance.now() - started);
      const address = showAddress(origin.target);
      const fault: Fault = origin.link?.socket.connecting
        ? { kind: 'unreachable', address, afterMs }
        : { kind: 'timeout', address, afterMs, received: reply.status > 0 };
      origin.waiting = undefined;
      settle({ ok: false, fault });
      close(origin, 'new');
    };
    const receive: Waiting['receive'] = (fault, isLost = false) => {
      const { status, contentType, contentEncoding, whole = NO_BODY } = reply;
      if (fault !== undefined) return settle({ ok: false, fault, stale: wasReused && isLost && status === 0 });
      if (contentEncoding !== '' && contentEncoding !== 'identity')
        return settle({ ok: false, fault: { kind: 'encoding' } });
      settle({ ok: true, value: read({ status, contentType, body: whole }) });
    };
    const sent: Waiting = { reply, receive, closesAfter, sentAt: undefined };
    signal?.addEventListener('abort', onAbort);
    // The time while the connection is established is that of the other side.
    const wasSentBefore = (time: number) =>
      origin.link?.socket.connecting === false && sent.sentAt !== undefined && sent.sentAt < time;
    const cancelDeadline = atDeadline(deadline, wasSentBefore, onDeadline);
    send(origin, toRequest(origin, ask, closesAfter), sent);
  });
}

/**
 * A transport to an `http:` or `https:` address. User info in it is sent as basic authentication, else that of the `login`. While
 * `keepsAlive` is false, each exchange closes its connection.
 */
export function createHttpTransport(
  target: string,
  keepsAlive: () => boolean = () => true,
  login?: HttpLogin,
): RpcTransport {
  const origin = toOrigin(target, login);
  let isClosed = false;
  return {
    connection: () => origin.state,
    exchange: (ask, read, deadline, signal) =>
      isClosed || signal?.aborted
        ? Promise.resolve({ ok: false, fault: closedFault(origin) })
        : exchange(origin, !keepsAlive(), ask, read, deadline, signal),
    close: () => {
      isClosed = true;
      drop(origin);
    },
  };
}
