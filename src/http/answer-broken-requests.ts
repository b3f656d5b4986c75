import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connections } from './limit-connections.ts';
import { failedEnvelope, receiveRequests } from './receive-requests.ts';

/** The largest head of a request that is read. */
export const MAX_HEADER_BYTES = 16 * 1024;

const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

function bodyFor(code: string | undefined): string {
  if (code === 'HPE_HEADER_OVERFLOW')
    return failedEnvelope(1005, `the headers exceed the maximum of ${MAX_HEADER_BYTES} bytes`);
  if (code === LATE) return failedEnvelope(1001, 'the request did not come in time; send it whole');
  return failedEnvelope(1001, 'the request is not HTTP/1.1; correct it');
}

/** Answers malformed requests, which never reach a route, with HTTP 400 and the envelope. */
export function answerBrokenRequests(server: Server, closeUnlessAsked: Connections['closeUnlessAsked']): void {
  const answer = (code: string | undefined, socket: Duplex) => {
    const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse };
    // A request that was answered cannot be answered again.
    if (!socket.writable || code === 'ECONNRESET' || response?.headersSent) {
      socket.destroy();
      return;
    }
    const body = bodyFor(code);
    socket.end(
      `HTTP/1.1 400 Bad Request\r\nConnection: close\r\nX-Request-Id: ${crypto.randomUUID()}\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
    );
  };
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
    if (code === LATE) closeUnlessAsked(socket, () => answer(code, socket));
    else answer(code, socket);
  });
  const refuse = (_request: IncomingMessage, response: ServerResponse) => {
    const body = failedEnvelope(1001, 'this expectation is not met; leave the Expect header out');
    response.writeHead(400, { connection: 'close', 'content-type': 'application/json' }).end(body);
  };
  server.on('checkExpectation', receiveRequests(refuse));
}

/** The answer to a request with a malformed target or host, or on which the server itself broke. */
export const answerUnreadable = (error: unknown): Response => {
  const isTheirs = error instanceof Error && error.name === 'RequestError';
  return isTheirs
    ? new Response(failedEnvelope(1001, 'the target or the Host header is not valid; correct it'), {
        status: 400,
        headers: { 'content-type': 'application/json' },
      })
    : new Response(failedEnvelope(1105, 'subnetd failed on this request; its log says more'), {
        status: 500,
        headers: { 'content-type': 'application/json' },
      });
};
