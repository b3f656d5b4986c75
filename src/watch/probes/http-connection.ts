import { connect as connectTcp, isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { loadResponseParser, type Reply } from '../../lib/net/load-response-parser.ts';
import { type Connection, MAX_ANSWER_BYTES } from './transport.ts';

/** Why no response comes: an error of the socket, its end, or bytes that are no response or too many. */
export type Failure = NodeJS.ErrnoException | 'ended' | 'broken' | 'too-large';

/** Waits for a response. The failure is undefined when the response is whole. */
type Receive = (failure: Failure | undefined) => void;

/** An open connection, or one that is being established. */
interface Link {
  readonly socket: Socket;
  readonly parser: number;
  /** Closes it when it has been idle for so long. */
  idle?: NodeJS.Timeout;
  idleMs?: number;
}

/** The one connection to an address, opened when it is needed. It carries one request at a time. */
export interface HttpConnection {
  readonly host: string;
  readonly port: number;
  readonly isTls: boolean;
  /** How the next request connects. */
  state: Connection;
  link: Link | undefined;
  /** Resumes TLS. */
  session: Buffer | undefined;
  /** The request that waits for its response. */
  waiting: Waiting | undefined;
}

interface Waiting {
  readonly reply: Reply;
  readonly receive: Receive;
  readonly closesAfter: boolean;
  /** In milliseconds of `performance.now()`; undefined until then. */
  sentAt: number | undefined;
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
const READ_BUFFER = Buffer.allocUnsafeSlow(64 * 1024);

/** A connection to an origin, such as `http://127.0.0.1:8545`, that is not open yet. */
export function createHttpConnection({ protocol, hostname, port }: URL): HttpConnection {
  const isTls = protocol === 'https:';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isTls ? 443 : 80),
    isTls,
    state: 'new',
    link: undefined,
    session: undefined,
    waiting: undefined,
  };
}

function close(connection: HttpConnection, state: Connection): void {
  const { link } = connection;
  connection.link = undefined;
  connection.state = state;
  if (link === undefined) return;
  clearTimeout(link.idle);
  link.socket.destroy();
  parser.close(link.parser);
}

function fail(connection: HttpConnection, failure: Failure): void {
  const { waiting } = connection;
  connection.waiting = undefined;
  close(connection, 'new');
  waiting?.receive(failure);
}

/** Closes the connection, which ends a request in progress. */
export const dropConnection = (connection: HttpConnection): void => fail(connection, 'ended');

/** Whether the other side has not taken the connection yet. */
export const isConnecting = ({ link }: HttpConnection): boolean => link?.socket.connecting === true;

/** Whether the request in progress was sent before a time of `performance.now()`; not while its connection is established. */
export const wasSentBefore = ({ link, waiting }: HttpConnection, time: number): boolean =>
  link?.socket.connecting === false && waiting?.sentAt !== undefined && waiting.sentAt < time;

/** How long a connection may be idle. */
function toIdleMs({ keepAlive }: Reply): number {
  const [, seconds] = keepAlive === '' ? [] : (/timeout=(\d+)/i.exec(keepAlive) ?? []);
  return seconds === undefined
    ? KEEP_ALIVE_MS
    : Math.min(Number(seconds) * 1_000 - KEEP_ALIVE_MARGIN_MS, KEEP_ALIVE_MS);
}

function closeWhenIdle(connection: HttpConnection, link: Link, idleMs: number): void {
  if (link.idleMs === idleMs) {
    link.idle?.refresh();
    return;
  }
  clearTimeout(link.idle);
  link.idleMs = idleMs;
  link.idle = setTimeout(() => {
    if (connection.waiting === undefined) close(connection, 'reconnected');
  }, idleMs).unref();
}

function finish(connection: HttpConnection, link: Link, hasSurplus: boolean): void {
  const { waiting } = connection;
  if (waiting === undefined) return;
  const { reply, receive, closesAfter } = waiting;
  const idleMs = toIdleMs(reply);
  connection.waiting = undefined;
  // Some servers do not announce that they close the connection as requested.
  if (closesAfter || !reply.keepsOpen || idleMs <= 0) close(connection, 'reconnected');
  else if (hasSurplus) close(connection, 'new');
  else {
    connection.state = 'reused';
    closeWhenIdle(connection, link, idleMs);
  }
  receive(undefined);
  // The reply is old by now. Whatever it points to would stay in memory until the next large collection.
  reply.whole = undefined;
  reply.body = undefined;
}

function receiveBytes(connection: HttpConnection, link: Link, bytes: Buffer): void {
  const { waiting } = connection;
  // Nobody asked for what comes before a request.
  if (waiting?.sentAt === undefined) {
    dropConnection(connection);
    return;
  }
  const result = parser.read(link.parser, waiting.reply, bytes);
  if (result === 'broken' || result === 'too-large') fail(connection, result);
  else if (result !== 'more') finish(connection, link, result === 'surplus');
}

function receiveEnd(connection: HttpConnection, link: Link): void {
  const reply = connection.waiting?.reply;
  // A body without a length ends with its connection.
  if (reply !== undefined && parser.end(link.parser, reply) === 'whole') finish(connection, link, false);
  else fail(connection, 'ended');
}

/** A socket that knows whose it is. So all sockets share their listeners, where five functions of each took a third of a kilobyte. */
type LinkSocket = Socket & { readonly httpConnection: HttpConnection };

/** The link of a socket's connection, unless it has another socket by now. */
function currentLink(socket: LinkSocket): Link | undefined {
  const { link } = socket.httpConnection;
  return link?.socket === socket ? link : undefined;
}

function onBytes(this: LinkSocket, bytes: Buffer): void {
  const link = currentLink(this);
  if (link !== undefined) receiveBytes(this.httpConnection, link, bytes);
}

function onSession(this: LinkSocket, session: Buffer): void {
  this.httpConnection.session = session;
}

function onError(this: LinkSocket, error: Error): void {
  if (currentLink(this) !== undefined) fail(this.httpConnection, error);
}

function onEnd(this: LinkSocket): void {
  const link = currentLink(this);
  if (link !== undefined) receiveEnd(this.httpConnection, link);
}

function onClose(this: LinkSocket): void {
  if (currentLink(this) !== undefined) fail(this.httpConnection, 'ended');
}

function open(connection: HttpConnection): Link {
  const { host, port, isTls, session } = connection;
  const options = { host, port, noDelay: true, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };
  const opened = isTls
    ? connectTls({ ...options, servername: isIP(host) === 0 ? host : '', ALPNProtocols: ['http/1.1'], session })
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
  const socket = Object.assign(opened, { httpConnection: connection });
  if (isTls) socket.on('data', onBytes).on('session', onSession);
  socket.on('error', onError).on('end', onEnd).on('close', onClose);
  // Who waits for a response has a timer. An idle connection is no reason for a process to live.
  socket.unref();
  return { socket, parser: parser.open() };
}

/** Sends a request. `receive` is called once. The reply, of which nothing has been read, is filled in while it comes. */
export function sendRequest(
  connection: HttpConnection,
  request: string,
  closesAfter: boolean,
  reply: Reply,
  receive: Receive,
): void {
  const { link } = connection;
  const sent: Waiting = { reply, receive, closesAfter, sentAt: link === undefined ? performance.now() : undefined };
  connection.waiting = sent;
  if (link === undefined) {
    connection.link = open(connection);
    connection.link.socket.write(request);
  } else {
    // What has come meanwhile is read first: the other side may have closed the connection, or said something unasked.
    setImmediate(() => {
      if (connection.waiting !== sent) return;
      sent.sentAt = performance.now();
      link.socket.write(request);
    });
  }
}
