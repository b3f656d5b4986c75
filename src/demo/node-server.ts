import type { IncomingMessage, RequestListener } from 'node:http';
import { answerRpc } from './node-rpc.ts';
import { shapeOf } from './node-shapes.ts';
import type { NodeView } from './simulated-subnet.ts';

/** A longer request is cut there, and then is no JSON (XDC-Subnet rpc/http.go). */
const MAX_REQUEST_BYTES = 5 * 1024 * 1024;

/** What the fault `rpc-garbage` puts in a node's place: some web server's own page, with status 200. */
const GARBAGE = `<!DOCTYPE html>
<html>
<head><title>It works!</title></head>
<body><h1>It works!</h1><p>This web server has no site yet.</p></body>
</html>
`;

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    if (length < MAX_REQUEST_BYTES) chunks.push(chunk.subarray(0, MAX_REQUEST_BYTES - length));
    length += chunk.length;
  }
  return Buffer.concat(chunks).toString('utf8');
};

/**
 * A node's HTTP endpoint. It ignores the version of JSON-RPC, and sends every error of a call with status 200 (XDC-Subnet
 * rpc/http.go). `view` is called for each request.
 */
export const createNodeHandler =
  (view: () => NodeView): RequestListener =>
  async (request, response) => {
    if (view().garbled) {
      request.resume();
      response.writeHead(200, { 'content-type': 'text/html' }).end(GARBAGE);
      return;
    }
    if (view().limited) {
      request.resume();
      response.writeHead(429, { 'content-type': 'text/plain' }).end('Too Many Requests');
      return;
    }
    const { method = 'GET', url = '/', headers } = request;
    const plain = shapeOf(view().identity).answerPlainly(view(), { method, path: url, host: headers.host ?? '' });
    if (plain !== undefined) {
      request.resume();
      response.writeHead(plain.status, { 'content-type': plain.type }).end(plain.body);
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
