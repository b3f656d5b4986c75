import type { AddressInfo } from 'node:net';
import { createServer } from './create-server.ts';
import type { WebConfig } from './web-config.ts';

/** Answers one request; `env.incoming` is Node's own request. */
export type Handler = (request: Request, env: unknown) => Response | Promise<Response>;

/** A server that listens; what answers can be set later. */
export interface Listener {
  /** With the port that was bound, so that port 0 works. */
  readonly url: string;
  setHandler(handler: Handler): void;
  /** Takes no more requests, lets those under way end for at most `graceMs`, then closes every connection. */
  stop(graceMs: number): Promise<void>;
}

/** A client may take this long to send a request, and its headers. */
const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 1_000;

/** Until there is more to say: the process lives, and is not ready. */
const starting: Handler = (request) => {
  const alive = new URL(request.url).pathname === '/livez';
  return new Response(alive ? 'ok\n' : 'starting\n', { status: alive ? 200 : 503 });
};

/** Listens at once; rejects with the system's error when the address cannot be bound. */
export async function listen(host: string, port: number, web?: WebConfig): Promise<Listener> {
  let handler = starting;
  const server = createServer((request, env) => handler(request, env), host, web);
  server.requestTimeout = REQUEST_TIMEOUT_MS;
  server.headersTimeout = HEADERS_TIMEOUT_MS;
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const bound = server.address() as AddressInfo;
  return {
    url: `${web?.tls === undefined ? 'http' : 'https'}://${bound.family === 'IPv6' ? `[${bound.address}]` : bound.address}:${bound.port}`,
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
