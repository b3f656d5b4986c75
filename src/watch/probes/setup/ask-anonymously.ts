import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { readBounded } from '../../../lib/bytes.ts';
import { within } from '../../../lib/promises.ts';
import { type Endpoint, unmapIpv4 } from '../../../model/exposure.ts';

/** Far more than any answer that is asked for here. */
const MAX_BYTES = 256 * 1024;

/** One request of somebody who knows the address only. */
export interface AnonymousRequest {
  readonly method: 'GET' | 'POST';
  /** Its user info is not sent. */
  readonly url: URL;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The IP address to connect to instead of that of the URL. */
  readonly ip?: string;
  /** Takes any certificate, as anyone may. */
  readonly takesAnyCertificate?: boolean;
  readonly withinMs: number;
}

/** An answer; a redirect is one, as none is followed. */
export interface AnonymousAnswer {
  readonly status: number;
  readonly allowOrigin: string | undefined;
  readonly body: string;
  /** What answered. */
  readonly endpoint: Endpoint;
}

/** Sends the request and resolves to the head of the answer. */
function open(
  { method, url, body, headers, ip, takesAnyCertificate = false }: AnonymousRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isTls = url.protocol === 'https:';
  const sent = (isTls ? requestHttps : requestHttp)(
    {
      method,
      host: ip ?? host,
      port: url.port || (isTls ? 443 : 80),
      path: `${url.pathname}${url.search}`,
      headers: { host: url.host, connection: 'close', ...headers },
      agent: false,
      signal,
      ...(isTls && { rejectUnauthorized: !takesAnyCertificate, ...(isIP(host) === 0 && { servername: host }) }),
    },
    resolve,
  );
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

/**
 * Sends one request without credentials, over a connection of its own. Undefined when there is no whole answer in time, or a
 * far too long one. Never rejects.
 */
export async function askAnonymously(
  request: AnonymousRequest,
  signal: AbortSignal,
): Promise<AnonymousAnswer | undefined> {
  try {
    return await within(signal, request.withinMs, async (ending) => {
      const response = await open(request, ending);
      const { remoteAddress, remotePort } = response.socket;
      const body = await readBounded(response, MAX_BYTES);
      if (body === undefined || remoteAddress === undefined || remotePort === undefined) return undefined;
      return {
        status: response.statusCode ?? 0,
        allowOrigin: response.headers['access-control-allow-origin'],
        body: body.toString(),
        endpoint: { ip: unmapIpv4(remoteAddress), port: remotePort },
      };
    });
  } catch {
    return undefined;
  }
}
