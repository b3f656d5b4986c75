import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { answerRpc } from './node-rpc.ts';
import type { NodeView } from './simulated-subnet.ts';

/** A longer request is refused when it says so, and cut there when it does not (XDC-Subnet rpc/http.go). */
export const MAX_REQUEST_BYTES = 5 * 1024 * 1024;

const CONTENT_TYPES = ['application/json', 'application/json-rpc', 'application/jsonrequest'];

/** What the fault `rpc-garbage` puts in a node's place: some web server's own page, with status 200. */
const GARBAGE = `<!DOCTYPE html>
<html>
<head><title>It works!</title></head>
<body><h1>It works!</h1><p>This web server has no site yet.</p></body>
</html>
`;

interface Refusal {
  readonly status: number;
  readonly text: string;
}

const refusalOf = ({ method, headers }: IncomingMessage): Refusal | undefined => {
  if (method === 'PUT' || method === 'DELETE') return { status: 405, text: 'method not allowed' };
  const length = Number(headers['content-length'] ?? 0);
  if (length > MAX_REQUEST_BYTES) {
    return { status: 413, text: `content length too large (${length}>${MAX_REQUEST_BYTES})` };
  }
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return method === 'OPTIONS' || CONTENT_TYPES.includes(type)
    ? undefined
    : { status: 415, text: 'invalid content type, only application/json is supported' };
};

const refuse = (response: ServerResponse, { status, text }: Refusal): void => {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
    ...(status === 413 ? { connection: 'close' } : {}),
  });
  response.end(`${text}\n`);
};

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (length < MAX_REQUEST_BYTES) chunks.push(chunk.subarray(0, MAX_REQUEST_BYTES - length));
    length += chunk.length;
  }
  return Buffer.concat(chunks).toString('utf8');
};

const isHealthProbe = ({ method, url, headers }: IncomingMessage): boolean =>
  method === 'GET' &&
  Number(headers['content-length'] ?? 0) === 0 &&
  headers['transfer-encoding'] === undefined &&
  !url?.includes('?');

/**
 * A node's HTTP endpoint: it looks neither at the path nor at the version of JSON-RPC, and sends every error of a call
 * with status 200 (XDC-Subnet rpc/http.go). `view` is asked anew for each request.
 */
export const createNodeHandler =
  (view: () => NodeView): RequestListener =>
  async (request, response) => {
    if (view().garbled) {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/html' }).end(GARBAGE);
      return;
    }
    if (request.headers.origin !== undefined) response.setHeader('access-control-allow-origin', '*');
    if (isHealthProbe(request)) {
      response.writeHead(200).end();
      return;
    }
    const refusal = refusalOf(request);
    if (refusal !== undefined) {
      refuse(response, refusal);
      return;
    }
    try {
      const body = await readBody(request);
      response.writeHead(200, { 'content-type': 'application/json' }).end(answerRpc(view(), body));
    } catch {
      // The client went away before its request was whole: nobody is left to answer.
      response.destroy();
    }
  };
