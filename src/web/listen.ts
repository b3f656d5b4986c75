import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBrokenRequests, MAX_HEADER_BYTES } from './answer-broken-requests.ts';
import { type ConnectionCounts, limitConnections } from './limit-connections.ts';
import { receiveRequests } from './receive-requests.ts';
import type { WebConfig } from './web-config.ts';

// An import as a module would evaluate every export, also the lazy ones of fetch and WebSocket. That takes three
// times as long as everything else until the port is open.
const { createServer } = process.getBuiltinModule('node:http');

/** A server that listens; its handler can be set later. */
export interface Listener {
  /** With the port that was bound, so that port 0 works. */
  readonly url: string;
  readonly port: number;
  setHandler(handler: RequestListener): void;
  readonly connections: () => ConnectionCounts;
  /** Calls back for each connection that is closed or refused because there is no room. */
  setOnDropped(callback: () => void): void;
  /** Accepts no more requests, gives the current ones `graceMs` to end, then closes every connection. */
  stop(graceMs: number): Promise<void>;
}

/** Time limits of a connection. */
export interface ListenLimits {
  /** Bounds the cost of connections; far above what scrapers and clients of the API open. */
  readonly maxConnections: number;
  /** A connection without a request for this long makes room before any that was answered. */
  readonly freshMs: number;
  /** Time to send the head of a request, also the first of a connection, or to complete the TLS handshake. */
  readonly headersMs: number;
  /** Time to send a whole request. */
  readonly requestMs: number;
  /** A connection without traffic for this long is closed, unless it waits for an answer. */
  readonly silentMs: number;
  /** Time from one answer to the next request. */
  readonly keepAliveMs: number;
}

/** The limits where descriptors are not scarce. */
export const LISTEN_LIMITS: ListenLimits = {
  maxConnections: 4_096,
  freshMs: 250,
  headersMs: 10_000,
  requestMs: 30_000,
  silentMs: 60_000,
  keepAliveMs: 5_000,
};

/** How often these limits are checked. */
const CHECK_EVERY_MS = 1_000;

/** The kernel queues this many connections until they are accepted. */
const BACKLOG = 4_096;

/** The answers during the start: alive, but not ready. */
const starting: RequestListener = ({ url }, response) => {
  if (url?.startsWith('/api')) {
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end('{"status":"failed","appErrorCode":1106,"errMessage":"subnetd is starting; try again in a second"}');
    return;
  }
  const isLife = url?.split('?')[0] === '/livez';
  response.statusCode = isLife ? 200 : 503;
  response.end(isLife ? 'ok\n' : 'starting\n');
};

/** Listens at once, with Node's own server only; rejects with the system's error if it cannot bind the address. */
export async function listen(
  host: string,
  port: number,
  web?: WebConfig,
  limits: ListenLimits = LISTEN_LIMITS,
): Promise<Listener> {
  let handler = starting;
  let onDropped = () => {};
  const connections = limitConnections(limits.maxConnections, limits.freshMs, () => onDropped());
  const handle = receiveRequests(connections.admit((request, response) => handler(request, response)));
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
    connectionsCheckingInterval: CHECK_EVERY_MS,
  };
  const tls = web?.tls;
  const server =
    web === undefined || tls === undefined
      ? createServer(options, handle)
      : (await import('./create-tls-server.ts')).createTlsServer(
          { ...options, handshakeTimeout: limits.headersMs },
          handle,
          { ...web, tls },
        );
  answerBrokenRequests(server, connections.closeUnlessAsked);
  connections.watch(server);
  server.on('timeout', (socket) => connections.closeUnlessAsked(socket, () => socket.destroy()));
  server.requestTimeout = limits.requestMs;
  server.headersTimeout = limits.headersMs;
  server.keepAliveTimeout = limits.keepAliveMs;
  server.timeout = limits.silentMs;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, BACKLOG, resolve);
  });
  const bound = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    port: bound.port,
    connections: connections.counts,
    setOnDropped: (callback) => {
      onDropped = callback;
    },
    setHandler: (next) => {
      handler = next;
    },
    stop: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(connections.closeAll, graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}
