import type { IncomingMessage, RequestListener } from 'node:http';
import { shapeOf } from './node-shapes.ts';
import type { RpcOutcome } from './rpc-method.ts';
import type { NodeView } from './simulated-subnet.ts';

/** What a message may hold, before anything is known of it. */
type Message = Readonly<Partial<Record<'id' | 'method' | 'params' | 'result' | 'error', unknown>>>;

const failure = (code: number, message: string): RpcOutcome => ({ error: { code, message } });
const answer = (id: unknown, outcome: RpcOutcome) => ({ jsonrpc: '2.0', id, ...outcome });

/** A JSON value that is not an object is a message without members. */
const toMessage = (json: unknown): Message =>
  typeof json === 'object' && json !== null && !Array.isArray(json) ? json : {};

const hasId = ({ id }: Message): boolean => id === null || (id !== undefined && typeof id !== 'object');

const call = (view: NodeView, method: string, params: unknown): RpcOutcome => {
  const { methods, modules, namespaceOf, refuse } = shapeOf(view.identity);
  const known = Object.hasOwn(methods, method) ? methods[method] : undefined;
  const exposed = modules(view).includes(namespaceOf(method));
  return known !== undefined && exposed ? known(view, params) : refuse(method);
};

/** One message's answer; undefined for a notification and for what looks like an answer itself. */
const answerMessage = (view: NodeView, json: unknown): object | undefined => {
  const message = toMessage(json);
  const method = typeof message.method === 'string' ? message.method : '';
  if (!hasId(message)) {
    const notification = message.id === undefined && method !== '';
    return notification ? undefined : answer(null, failure(-32600, 'invalid request'));
  }
  if (method !== '') return answer(message.id, call(view, method, message.params));
  const response = message.params === undefined && (message.result !== undefined || message.error !== undefined);
  return response ? undefined : answer(message.id, failure(-32600, 'invalid request'));
};

const answerBatch = (view: NodeView, batch: readonly unknown[]): object | undefined => {
  if (batch.length === 0) return answer(null, failure(-32600, 'empty batch'));
  const answers = batch.map((json) => answerMessage(view, json)).filter((one) => one !== undefined);
  return answers.length === 0 ? undefined : answers;
};

/**
 * The text that a subnet node sends back for a request's body: a message, or a batch whose calls are answered in order
 * (XDC-Subnet rpc/handler.go, rpc/json.go). Empty when there is nothing to answer.
 */
const answerRpc = (view: NodeView, body: string): string => {
  if (body.trim() === '') return '';
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return `${JSON.stringify(answer(null, failure(-32700, 'parse error')))}\n`;
  }
  const sent = Array.isArray(json) ? answerBatch(view, json) : answerMessage(view, json);
  return sent === undefined ? '' : `${JSON.stringify(sent)}\n`;
};

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
