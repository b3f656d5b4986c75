import { createServer as createHttpServer, type Server } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import { getRequestListener } from '@hono/node-server';
import { answerBrokenRequests, answerUnreadable, MAX_HEADER_BYTES } from './answer-broken-requests.ts';
import type { Handler } from './listen.ts';
import type { WebConfig } from './web-config.ts';

const OPTIONS = { maxHeaderSize: MAX_HEADER_BYTES, requireHostHeader: false };

/** Looks at the certificate files before each handshake; a pair that does not fit leaves the running one. */
function renewCertificates(server: HttpsServer, web: WebConfig): void {
  server.prependListener('connection', () => {
    if (web.tls === undefined || !web.hasNewCertificate()) return;
    try {
      server.setSecureContext(web.tls());
    } catch {
      // The next handshake after the next change tries again.
    }
  });
}

/** The server, by TLS where the web config says so, with basic auth on the paths that it guards. */
export function createServer(handler: Handler, host: string, web: WebConfig | undefined): Server {
  const errorHandler = (error: unknown) => answerUnreadable(error);
  const listener = getRequestListener(guardPaths(handler, web?.checkUser), { hostname: host, errorHandler });
  if (web?.tls === undefined) {
    const server = createHttpServer(OPTIONS, listener);
    answerBrokenRequests(server);
    return server;
  }
  const server = createHttpsServer({ ...OPTIONS, ...web.tls() }, listener);
  renewCertificates(server, web);
  answerBrokenRequests(server as unknown as Server);
  return server as unknown as Server;
}

/** What has no user of its own is guarded: life probes are for all, and the API has its own credentials. */
const isGuarded = (path: string): boolean => !/^\/(?:livez|readyz|docs|api|api\/.*|-\/reload)$/.test(path);

function guardPaths(handler: Handler, checkUser: WebConfig['checkUser']): Handler {
  if (checkUser === undefined) return handler;
  return async (request, env) => {
    const { pathname } = new URL(request.url);
    const isOpen = !isGuarded(pathname) || (await checkUser(request.headers.get('authorization') ?? undefined));
    if (isOpen) return handler(request, env);
    return new Response('a user name and password are needed\n', {
      status: 401,
      headers: { 'www-authenticate': 'Basic realm="subnetd", charset="UTF-8"' },
    });
  };
}
