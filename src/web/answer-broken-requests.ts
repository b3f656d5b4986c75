import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Connections } from './limit-connections.ts';
import { failedEnvelope, receiveRequests } from './receive-requests.ts';

/** The largest head of a request that is read. */
export const MAX_HEADER_BYTES = 16 * 1024;

const LATE = 'ERR_HTTP_REQUEST_TIMEOUT';

/** An answer to a request that reaches no route: its status line, its type and its body. */
interface Answer {
  readonly status: string;
  readonly type: string;
  readonly body: string;
}

const envelope = (code: number, message: string): Answer => ({
  status: '400 Bad Request',
  type: 'application/json',
  body: failedEnvelope(code, message),
});

/** The answer to a method that no path takes: the envelope under `/api`, else a text. */
function refuseMethod(target: string, message: string): Answer {
  if (/^(?:https?:\/\/[^/]*)?\/api(?:[/?]|$)/i.test(target)) return envelope(1001, message);
  return { status: '501 Not Implemented', type: 'text/plain; charset=utf-8', body: `${message}\n` };
}

function answerTo({ code, rawPacket }: BrokenRequest): Answer {
  if (code === 'HPE_HEADER_OVERFLOW')
    return envelope(1005, `the headers exceed the maximum of ${MAX_HEADER_BYTES} bytes`);
  if (code === LATE) return envelope(1001, 'the request did not arrive completely in time; send it again');
  const [, target] = /^[\w-]+ (\S+) HTTP\/1\.[01]\r?\n/.exec(rawPacket?.toString('latin1') ?? '') ?? [];
  if (code === 'HPE_INVALID_METHOD' && target !== undefined)
    return refuseMethod(target, 'unknown method; send GET, HEAD, OPTIONS, POST or PUT, in capital letters');
  return envelope(1001, 'the request is not HTTP/1.1; correct it');
}

/** What the parser says of a request that it cannot read. */
type BrokenRequest = NodeJS.ErrnoException & { readonly rawPacket?: Buffer };

function send(socket: Duplex, { status, type, body }: Answer): void {
  socket.end(
    `HTTP/1.1 ${status}\r\nConnection: close\r\nX-Request-Id: ${crypto.randomUUID()}\r\nContent-Type: ${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

/** Answers requests that never reach a route: malformed ones, and those for another server. */
export function answerBrokenRequests(server: Server, closeUnlessAsked: Connections['closeUnlessAsked']): void {
  const answer = (error: BrokenRequest, socket: Socket) => {
    const { _httpMessage: response } = socket as { _httpMessage?: ServerResponse };
    // A browser opens connections ahead, and would take the answer to no request for that to its next one.
    const isUnasked = error.code === LATE && socket.bytesRead === 0;
    // A request that was answered cannot be answered again.
    if (!socket.writable || error.code === 'ECONNRESET' || response?.headersSent || isUnasked) {
      socket.destroy();
      return;
    }
    send(socket, answerTo(error));
  };
  server.on('clientError', (error: BrokenRequest, socket: Socket) => {
    if (error.code === LATE) closeUnlessAsked(socket, () => answer(error, socket));
    else answer(error, socket);
  });
  server.on('connect', ({ url = '' }: IncomingMessage, socket: Socket) => {
    socket.on('error', () => {});
    send(socket, refuseMethod(url, 'subnetd is not a proxy and does not accept CONNECT; send another method'));
    socket.destroySoon();
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
    ? new Response(failedEnvelope(1001, 'the target or the Host header is invalid; correct it'), {
        status: 400,
        headers: { 'content-type': 'application/json' },
      })
    : new Response(failedEnvelope(1105, 'subnetd failed to handle this request; see its log'), {
        status: 500,
        headers: { 'content-type': 'application/json' },
      });
};
