import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type Socket } from 'node:net';

/** One JSON-RPC call as it came over the wire. */
export interface ReceivedCall {
  readonly id: number;
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A server at the wire that a test scripts. */
export interface FakeServer {
  readonly url: string;
  /** Breaks every connection, as a restart of the process does, and continues to listen. */
  breakConnections(): void;
  stop(): Promise<void>;
}

/** A node that a test scripts, with all that it was asked: one entry a request, of one call or a batch. */
export interface FakeNode extends FakeServer {
  readonly requests: (readonly ReceivedCall[])[];
}

const block = (number: unknown, error = '') => ({
  Hash: `0x${'a'.repeat(64)}`,
  Number: number,
  Timestamp: 1_732_174_920,
  Error: error,
});

/** What a healthy node with three peers answers. */
export const healthy: Readonly<Record<string, (call: ReceivedCall) => unknown>> = {
  XDPoS_getV2BlockByNumber: ({ params }) => block(params[0] === 'latest' ? 1234 : 1231),
  admin_peers: () => [1, 2, 3].map((id) => ({ id: `peer${id}`, name: 'XDC' })),
  net_peerCount: () => '0x3',
  rpc_modules: () => ({ admin: '1.0', eth: '1.0', net: '1.0', XDPoS: '1.0' }),
};

/** A block result as the node writes it. */
export const blockResult = block;

async function listenOn(
  server: ReturnType<typeof createTcpServer>,
): Promise<Pick<FakeServer, 'breakConnections' | 'stop'> & { readonly port: number }> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const breakConnections = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    breakConnections,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        breakConnections();
      }),
  };
}

/** An HTTP server that answers as the test says. */
export async function startHttp(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<FakeServer> {
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += chunk;
    answer(request, response, body);
  });
  const { port, ...rest } = await listenOn(server);
  return { url: `http://127.0.0.1:${port}`, ...rest };
}

/** A TCP server that does with each connection what the test says. */
export async function startTcp(onConnection: (socket: Socket) => void): Promise<FakeServer> {
  const { port, ...rest } = await listenOn(createTcpServer(onConnection));
  return { url: `http://127.0.0.1:${port}`, ...rest };
}

/** What one call is answered: a result, or `{ error }`. */
export type Methods = Readonly<Record<string, (call: ReceivedCall) => unknown>>;

const isError = (value: unknown): value is { readonly error: unknown } =>
  typeof value === 'object' && value !== null && 'error' in value;

/** One call's answer as the node sends it: an unknown method is -32601. */
export function answerCall(methods: Methods, call: ReceivedCall): unknown {
  const method = methods[call.method];
  const error = { code: -32601, message: `the method ${call.method} does not exist/is not available` };
  if (method === undefined) return { jsonrpc: '2.0', id: call.id, error };
  const result = method(call);
  return isError(result)
    ? { jsonrpc: '2.0', id: call.id, error: result.error }
    : { jsonrpc: '2.0', id: call.id, result };
}

/** How servers and proxies refuse a batch of several calls, by the ids of the calls. A text is the body, a number the status. */
export const BATCH_REFUSALS: Readonly<Record<string, (ids: readonly number[]) => number | string | 'close'>> = {
  'one error with the id null': () =>
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32000,"message":"batch limit exceeded"}}',
  'a list of one error with the id null': () =>
    '[{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batch limit exceeded"}}]',
  'an error for the first call only': ([id]) =>
    `[{"jsonrpc":"2.0","id":${id},"error":{"code":-32600,"message":"batch too large"}}]`,
  'an error for each call': (ids) =>
    JSON.stringify(ids.map((id) => ({ jsonrpc: '2.0', id, error: { code: -32005, message: 'no batches' } }))),
  'an empty list': () => '[]',
  words: () => 'batch requests are disabled',
  'HTTP 400': () => 400,
  'HTTP 403': () => 403,
  'HTTP 404': () => 404,
  'HTTP 413': () => 413,
  'HTTP 429': () => 429,
  'HTTP 500': () => 500,
  'the end of the connection': () => 'close',
};

/** Answers as one of `BATCH_REFUSALS` says. */
export function refuseBatch(refusal: string, ids: readonly number[], response: ServerResponse): void {
  const answer = BATCH_REFUSALS[refusal]?.(ids);
  if (answer === 'close') response.destroy();
  else if (typeof answer === 'number') response.writeHead(answer).end('{}');
  else response.end(answer);
}

/** A node whose methods the test gives; `respond` may change the whole answer, `toGet` answers what is no call. */
export async function startNode(
  methods: Methods = healthy,
  respond: (answers: unknown, response: ServerResponse) => void = (answers, response) => {
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(answers));
  },
  toGet: (path: string, response: ServerResponse) => void = (_, response) => response.writeHead(404).end(),
): Promise<FakeNode> {
  const requests: (readonly ReceivedCall[])[] = [];
  const server = await startHttp((request, response, body) => {
    // A node without wildcards answers to IP addresses and localhost (XDC-Subnet rpc/http.go).
    if (!/^(?:[\d.]+|localhost)(?::\d+)?$/.test(request.headers.host ?? ''))
      return response.writeHead(403).end('invalid host specified\n');
    if (request.method === 'GET') return toGet(request.url ?? '', response);
    const message = JSON.parse(body) as ReceivedCall | readonly ReceivedCall[];
    const calls = Array.isArray(message) ? message : [message as ReceivedCall];
    requests.push(calls);
    const answers = calls.map((call) => answerCall(methods, call));
    respond(Array.isArray(message) ? answers : answers[0], response);
  });
  return { ...server, requests };
}
