import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { failedEnvelope } from './receive-requests.ts';

/** The number of open connections, and the limit. */
export interface ConnectionCounts {
  readonly open: number;
  readonly max: number;
  /** Closed or refused for lack of room, since the start. */
  readonly dropped: number;
}

/** The connections of a server. */
export interface Connections {
  readonly counts: () => ConnectionCounts;
  /** Wraps the handler, to know which connections wait for an answer. */
  readonly admit: (handle: RequestListener) => RequestListener;
  /** Starts to watch the server. */
  readonly watch: (server: Server) => void;
  /**
   * Calls back, to close a connection whose time is over, unless it waits for an answer. The time of a process that was busy may be
   * over before a request that has come is read, so that is read first.
   */
  readonly closeUnlessAsked: (socket: Socket, close: () => void) => void;
  /** Closes every connection, also those in a TLS handshake, which the server does not know yet. */
  readonly closeAll: () => void;
}

/** One connection, identified by its remote address, because TLS has a second socket for it. */
interface Connection {
  readonly socket: Socket;
  readonly address: string;
  readonly from: Address;
  /** The last activity, in milliseconds of `performance.now()`. */
  since: number;
  /** It has been answered before, so its client may soon send another request. */
  wasAnswered: boolean;
  /** Requests that wait for an answer. */
  pending: number;
  /** The last of these requests. */
  request?: IncomingMessage;
}

/** The connections of one address. */
interface Address {
  open: number;
  /** Connections that wait for an answer. */
  busy: number;
}

/** Only this part of all connections may wait for answers; the rest is reserved for liveness probes and scrapes. */
const BUSY_PART = 15 / 16;
const RESERVED_PATHS = new Set(['/livez', '/readyz', '/metrics']);

/** One address may hold this part of all connections; beyond it, its own connections make room. */
const SHARE_PART = 3 / 4;

/** Its only request has started, and its body is incomplete. */
const isHalf = ({ pending, request }: Connection): boolean => pending === 1 && request?.complete === false;

/** It has sent its whole request, and has read all that was written. By TLS `socket` is the outer one. */
const isOwed = ({ pending, request }: Connection, socket: Socket): boolean =>
  pending > 0 && request?.complete === true && socket.writableLength === 0;

/** It waits for no answer. */
const isQuiet = (connection: Connection): boolean => connection.pending === 0 || isHalf(connection);

const partOf = (max: number, part: number): number => Math.max(1, Math.floor(max * part));

const peerOf = ({ remoteAddress = '', remotePort = 0 }: Socket): string => `${remoteAddress} ${remotePort}`;

function refuse(request: IncomingMessage, response: ServerResponse): void {
  const text = 'too many requests are under way; try again in a second';
  if (request.url?.startsWith('/api') === true) {
    response.writeHead(400, { connection: 'close', 'content-type': 'application/json', 'retry-after': '1' });
    response.end(failedEnvelope(1102, text));
    return;
  }
  response.writeHead(503, { connection: 'close', 'content-type': 'text/plain; charset=utf-8', 'retry-after': '1' });
  response.end(`${text}\n`);
}

/**
 * Keeps at most `max` connections open. A quiet connection makes room for a new one: the one that has been quiet
 * longest, idle or in the middle of a request. One that has sent no request for `freshMs` is closed before one that
 * was answered. A connection that waits for an answer is never closed.
 */
export function limitConnections(max: number, freshMs: number, onDropped: () => void): Connections {
  const share = partOf(max, SHARE_PART);
  // In the order of their last activity: opened, requested or answered.
  const open = new Map<string, Connection>();
  const addresses = new Map<string, Address>();
  let busy = 0;
  let dropped = 0;

  const forget = (peer: string, connection: Connection) => {
    if (open.get(peer) !== connection) return;
    open.delete(peer);
    connection.from.open -= 1;
    setBusy(connection, 0);
    if (connection.from.open === 0) addresses.delete(connection.address);
  };

  const setBusy = (connection: Connection, pending: number) => {
    const change = Number(pending > 0) - Number(connection.pending > 0);
    connection.pending = pending;
    connection.from.busy += change;
    busy += change;
  };

  const drop = (socket: Socket) => {
    dropped += 1;
    socket.destroy();
    onDropped();
  };

  /** Closes the first connection of this kind, of one address or of all; false when there is none. */
  const spare = (from: Address | undefined, isSpare: (connection: Connection) => boolean): boolean => {
    for (const [peer, connection] of open) {
      if ((from !== undefined && connection.from !== from) || !isSpare(connection)) continue;
      forget(peer, connection);
      drop(connection.socket);
      return true;
    }
    return false;
  };

  const add = (socket: Socket) => {
    const peer = peerOf(socket);
    const before = open.get(peer);
    if (before !== undefined) forget(peer, before);
    const address = socket.remoteAddress ?? '';
    const from = addresses.get(address) ?? { open: 0, busy: 0 };
    const isOverShare = from.open >= share;
    const of = isOverShare ? from : undefined;
    const now = performance.now();
    const isStale = (other: Connection) => isQuiet(other) && !other.wasAnswered && now - other.since >= freshMs;
    if ((isOverShare || open.size >= max) && !spare(of, isStale) && !spare(of, isQuiet)) {
      drop(socket);
      return;
    }
    const connection: Connection = { socket, address, from, since: now, wasAnswered: false, pending: 0 };
    addresses.set(address, from);
    from.open += 1;
    open.set(peer, connection);
    socket.once('close', () => forget(peer, connection));
  };

  /** Records activity on a connection that is still open. */
  const touch = (peer: string, connection: Connection) => {
    if (open.get(peer) !== connection) return;
    connection.since = performance.now();
    open.delete(peer);
    open.set(peer, connection);
  };

  return {
    counts: () => ({ open: open.size, max, dropped }),
    watch: (server) => void server.on('connection', add),
    closeUnlessAsked: (socket, close) => {
      const connection = open.get(peerOf(socket));
      const since = connection?.since;
      setImmediate(() => {
        if (connection === undefined || (connection.since === since && !isOwed(connection, socket))) close();
      });
    },
    closeAll: () => {
      for (const { socket } of open.values()) socket.destroy();
    },
    admit: (handle) => (request, response) => {
      const peer = peerOf(request.socket);
      const connection = open.get(peer);
      if (connection === undefined) {
        handle(request, response);
        return;
      }
      setBusy(connection, connection.pending + 1);
      connection.request = request;
      touch(peer, connection);
      response.once('close', () => {
        if (open.get(peer) !== connection) return;
        setBusy(connection, connection.pending - 1);
        connection.wasAnswered = true;
        touch(peer, connection);
      });
      const isOverShare = connection.from.busy > partOf(share, BUSY_PART);
      const isCrowded = isOverShare || busy > partOf(max, BUSY_PART);
      const isReserved = () => RESERVED_PATHS.has(request.url?.split('?')[0] ?? '');
      const from = isOverShare ? connection.from : undefined;
      if (!isCrowded || isReserved() || spare(from, (other) => other !== connection && isHalf(other)))
        handle(request, response);
      else refuse(request, response);
    },
  };
}
