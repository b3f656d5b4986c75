import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { SecureContextOptions } from 'node:tls';

/** One request to who is notified. */
export interface SentRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Its user info is not sent. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | undefined;
  /** Ends the request, and the answer while it is read. */
  readonly signal: AbortSignal;
  readonly tls?: Pick<SecureContextOptions, 'ca' | 'cert' | 'key'> & { readonly servername?: string };
}

/** Sends requests over a few connections that stay open. It follows no redirect, and TLS certificates must be good. */
export interface HttpSender {
  /** Resolves when the head of the answer is there. */
  send(request: SentRequest): Promise<IncomingMessage>;
  /** Ends every connection, also one that is still being established. */
  close(): void;
}

/** How many requests to one host run at once. */
const CONNECTIONS = 2;

/** Creates a sender without a connection. */
export function createHttpSender(): HttpSender {
  const options = { keepAlive: true, maxSockets: CONNECTIONS };
  const agents = { plain: new HttpAgent(options), secure: new HttpsAgent(options) };
  return {
    send: ({ method, url, headers, body, signal, tls = {} }) =>
      new Promise((resolve, reject) => {
        const address = `${url.origin}${url.pathname}${url.search}`;
        const request =
          url.protocol === 'https:'
            ? requestHttps(address, { method, headers, signal, agent: agents.secure, ...tls })
            : requestHttp(address, { method, headers, signal, agent: agents.plain });
        request.once('response', resolve).on('error', reject).end(body);
      }),
    close: () => {
      agents.plain.destroy();
      agents.secure.destroy();
    },
  };
}
