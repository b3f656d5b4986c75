import type { RequestListener, Server } from 'node:http';
import { createServer, type Server as HttpsServer, type ServerOptions } from 'node:https';
import type { WebConfig } from './web-config.ts';

/** The part of the web config that is about TLS. */
type TlsConfig = Pick<WebConfig, 'hasNewCertificate'> & { readonly tls: NonNullable<WebConfig['tls']> };

/** Checks the certificate files before each handshake. If a new pair does not match, the current one stays. */
function renewCertificates(server: HttpsServer, web: TlsConfig): void {
  server.prependListener('connection', () => {
    if (!web.hasNewCertificate()) return;
    try {
      server.setSecureContext(web.tls());
    } catch {
      // The next change of the files is tried again.
    }
  });
}

/** A TLS server that loads new certificates without a restart. */
export function createTlsServer(options: ServerOptions, handle: RequestListener, web: TlsConfig): Server {
  const server = createServer({ ...options, ...web.tls() }, handle);
  renewCertificates(server, web);
  // The two types differ only in members that are not used here.
  return server as unknown as Server;
}
