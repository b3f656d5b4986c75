import type { RequestListener, Server } from 'node:http';
import { createServer, type Server as HttpsServer, type ServerOptions } from 'node:https';
import type { WebConfig } from './web-config.ts';

/** The part of the web config that is about TLS. */
type TlsConfig = Pick<WebConfig, 'hasNewCertificate'> & { readonly tls: NonNullable<WebConfig['tls']> };

/** Looks at the certificate files before each handshake; a pair that does not fit leaves the running one. */
function renewCertificates(server: HttpsServer, web: TlsConfig): void {
  server.prependListener('connection', () => {
    if (!web.hasNewCertificate()) return;
    try {
      server.setSecureContext(web.tls());
    } catch {
      // The next handshake after the next change tries again.
    }
  });
}

/** A server by TLS, which takes new certificates without a restart. */
export function createTlsServer(options: ServerOptions, handle: RequestListener, web: TlsConfig): Server {
  const server = createServer({ ...options, ...web.tls() }, handle);
  renewCertificates(server, web);
  // The two kinds differ in nothing that is used of them here.
  return server as unknown as Server;
}
