import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerBrokenRequests, MAX_HEADER_BYTES } from './answer-broken-requests.ts';
import { receiveRequests } from './receive-requests.ts';
import type { WebConfig } from './web-config.ts';

// An import of it as a module would evaluate every export, the lazy ones of fetch and WebSocket too, which takes three
// times as long as all else until the port is open.
const { createServer } = process.getBuiltinModule('node:http');

/** A server that listens; what answers can be set later. */
export interface Listener {
  /** With the port that was bound, so that port 0 works. */
  readonly url: string;
  setHandler(handler: RequestListener): void;
  /** Takes no more requests, lets those under way end for at most `graceMs`, then closes every connection. */
  stop(graceMs: number): Promise<void>;
}

/** A client may take this long to send a request, and its headers. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;

/** How often it is looked whether one has taken longer. */
const CHECK_EVERY_MS = 5_000;

/** Bounds what connections cost; far above what scrapers and clients of the API open. */
const MAX_CONNECTIONS = 4_096;

/** Until there is more to say: the process lives, and is not ready. */
const starting: RequestListener = ({ url }, response) => {
  if (url?.startsWith('/api')) {
    response.writeHead(500, { 'content-type': 'application/json' });
    response.end('{"status":"failed","appErrorCode":1106,"errMessage":"subnetd is starting; try again in a second"}');
    return;
  }
  response.statusCode = url === '/livez' ? 200 : 503;
  response.end(url === '/livez' ? 'ok\n' : 'starting\n');
};

/** Listens at once, with Node's own server alone; rejects with the system's error when the address cannot be bound. */
export async function listen(host: string, port: number, web?: WebConfig): Promise<Listener> {
  let handler = starting;
  const handle = receiveRequests((request, response) => handler(request, response));
  const options = {
    maxHeaderSize: MAX_HEADER_BYTES,
    requireHostHeader: false,
    connectionsCheckingInterval: CHECK_EVERY_MS,
  };
  const tls = web?.tls;
  const server =
    web === undefined || tls === undefined
      ? createServer(options, handle)
      : (await import('./create-tls-server.ts')).createTlsServer(options, handle, { ...web, tls });
  answerBrokenRequests(server);
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, MAX_CONNECTIONS, resolve);
  });
  const bound = server.address() as AddressInfo;
  return {
    url: `${tls === undefined ? 'http' : 'https'}://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
    setHandler: (next) => {
      handler = next;
    },
    stop: async (graceMs) => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeIdleConnections();
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      await closed;
      clearTimeout(timer);
    },
  };
}
