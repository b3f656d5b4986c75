import { createServer as createHttpServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer } from 'node:https';
import type { WebConfig } from './web-config.ts';

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

/** What has no user of its own is guarded: life probes are for all, and the API has its own credentials. */
function isGuarded(target: string): boolean {
  // As the routes see it: without dot segments, which would lead out of what is open.
  const url = target.startsWith('/') ? URL.parse(`http://localhost${target}`) : null;
  return url === null || !/^\/(?:livez|readyz|docs|api|api\/.*|-\/reload)$/.test(url.pathname);
}

function guard(handle: RequestListener, checkUser: NonNullable<WebConfig['checkUser']>): RequestListener {
  return async (request, response) => {
    const isOpen = !isGuarded(request.url ?? '') || (await checkUser(request.headers.authorization).catch(() => false));
    if (isOpen) {
      handle(request, response);
      return;
    }
    response.writeHead(401, {
      'www-authenticate': 'Basic realm="subnetd", charset="UTF-8"',
      'content-type': 'text/plain; charset=utf-8',
    });
    response.end('a user name and password are needed\n');
  };
}

/** A server by TLS where the web config says so, with basic auth on the paths that it guards. */
export function createGuardedServer(options: ServerOptions, handle: RequestListener, web: WebConfig): Server {
  const guarded = web.checkUser === undefined ? handle : guard(handle, web.checkUser);
  if (web.tls === undefined) return createHttpServer(options, guarded);
  const server = createHttpsServer({ ...options, ...web.tls() }, guarded);
  renewCertificates(server, web);
  // The two kinds differ in nothing that is used of them here.
  return server as unknown as Server;
}
