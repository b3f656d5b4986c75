import { readFileSync } from 'node:fs';
import { Agent, type AgentOptions, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Duplex } from 'node:stream';
import { readBounded } from '../../lib/bytes.ts';
import { parseJson } from '../../lib/values.ts';
import type { DockerAddress } from '../../model/target.ts';
import { createSshTunnel, type SshTunnel } from './ssh-tunnel.ts';

/** A request as dockerode passes it to its modem. */
export interface DialOptions {
  /** Ends in `?` when the options are a query. */
  readonly path: string;
  readonly method: string;
  /** The query of a GET, or the JSON body of a POST. */
  readonly options?: Readonly<Record<string, unknown>>;
  readonly abortSignal?: AbortSignal;
  /** The response is wanted as a stream. */
  readonly isStream?: boolean;
  /** Maps successful statuses to true. */
  readonly statusCodes: Readonly<Record<string, unknown>>;
}

const maxAnswerBytes = 4 * 1024 * 1024;

const isTls = (address: DockerAddress): boolean =>
  'host' in address && (address.ca ?? address.cert ?? address.key) !== undefined;

/** The certificates of an address. Throws when one cannot be read. */
function readCertificates(address: DockerAddress) {
  const { ca, cert, key } = 'host' in address ? address : {};
  const [caPem, certPem, keyPem] = [ca, cert, key].map((path) => path && readFileSync(path));
  return { ca: caPem, cert: certPem, key: keyPem };
}

/**
 * Reads the certificates for each connection. Sessions are not resumed, because the certificate is not shown again
 * then.
 */
function createTlsAgent(address: DockerAddress): TlsAgent {
  const agent = new TlsAgent({ keepAlive: true, maxCachedSessions: 0 });
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    try {
      return connect({ ...options, ...readCertificates(address) }, callback);
    } catch (error) {
      callback?.(error as Error, null as never);
      return undefined;
    }
  };
  return agent;
}

/**
 * Switches a request to HTTP/1.0. The engine sends each line of a log as a chunk of HTTP/1.1, and parsing the chunks
 * costs more than all other work on a line. HTTP/1.0 has no chunks, but Node.js has no option to request it, so this
 * changes the version in the first bytes written. Only for logs: an HTTP/1.0 response does not show whether it is
 * complete.
 */
function useHttp10<T extends Duplex>(socket: T): T {
  const write = socket.write.bind(socket) as (head: unknown, ...more: unknown[]) => boolean;
  socket.write = ((head: unknown, ...more: unknown[]) => {
    socket.write = write as typeof socket.write;
    return write(String(head).replace(' HTTP/1.1\r\n', ' HTTP/1.0\r\n'), ...more);
  }) as typeof socket.write;
  return socket;
}

/** Each channel of ssh is a process on the machine of the engine. */
const SSH_LIMITS = { maxSockets: 8, maxFreeSockets: 2 };

/** An agent whose connections are channels of ssh. */
function createSshAgent(tunnel: SshTunnel, options: AgentOptions): Agent {
  const agent = new Agent(options);
  agent.createConnection = (_, callback) => {
    tunnel.open().then(
      (socket) => callback?.(null, socket),
      (error: Error) => callback?.(error, null as never),
    );
    return undefined;
  };
  return agent;
}

/** Makes an agent for log streams, each on its own connection. */
function useForLogs(agent: Agent): Agent {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (options, callback) => {
    const socket = connect(options, (error, made) => callback?.(error, made && useHttp10(made)));
    return socket && useHttp10(socket);
  };
  return agent;
}

/** The agents for requests and for logs. */
function createAgents(address: DockerAddress, tunnel: SshTunnel | undefined) {
  if (tunnel !== undefined)
    return {
      agent: createSshAgent(tunnel, { keepAlive: true, ...SSH_LIMITS }),
      logAgent: useForLogs(createSshAgent(tunnel, {})),
    };
  const agent = isTls(address) ? createTlsAgent(address) : new Agent({ keepAlive: true });
  return { agent, logAgent: useForLogs(isTls(address) ? createTlsAgent(address) : new Agent()) };
}

/** Where Node's HTTP client connects; an agent for ssh does so itself. */
function toConnection(address: DockerAddress): RequestOptions {
  if ('ssh' in address) return { host: 'docker' };
  return 'socketPath' in address ? { socketPath: address.socketPath } : { host: address.host, port: address.port };
}

/** Objects and lists are sent as JSON, as Docker expects for `filters`. */
const toQueryValue = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/** The path with its query, and the body. */
function toRequest({ path, method, options = {} }: DialOptions) {
  const { abortSignal: _, ...given } = options;
  if (method !== 'GET') return { path: path.replace(/\?$/, ''), body: JSON.stringify(given) };
  const params = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, toQueryValue(value)]],
  );
  return { path: params.length === 0 ? path.replace(/\?$/, '') : path + new URLSearchParams(params), body: undefined };
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  const bytes = await readBounded(response, maxAnswerBytes);
  if (bytes === undefined) throw new Error('the answer is too large');
  return parseJson(bytes.toString());
}

/** A refusal of the engine: the status, and the JSON, if any. */
export interface Refusal {
  readonly statusCode: number;
  readonly json: unknown;
}

/** The engine's refusal behind an error; undefined for other errors. */
export const toRefusal = (error: unknown): Refusal | undefined =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? { statusCode: error.statusCode, json: 'json' in error ? error.json : undefined }
    : undefined;

const refuse = (statusCode: number, json: unknown): Error =>
  Object.assign(new Error(`the engine answers with status ${statusCode}`), { statusCode, json });

/**
 * Sends the requests of dockerode, instead of docker-modem; see docs/decisions/0014. Connects at the first request, and again when
 * needed. The files of `ca`, `cert` and `key` are read for each
 * connection, so they can be renewed; while they cannot be read, requests fail. Redirects are not followed. A response
 * that is not a stream may have up to 4 MiB.
 */
export function createTransport(address: DockerAddress) {
  const tunnel = 'ssh' in address ? createSshTunnel(address.ssh) : undefined;
  const { agent, logAgent } = createAgents(address, tunnel);
  const start = isTls(address) ? tlsRequest : request;
  const connection = toConnection(address);
  let isClosed = false;

  const send = async (options: RequestOptions, body: string | undefined): Promise<IncomingMessage> => {
    if (isClosed) throw new Error('the connection to Docker is closed');
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const { signal } = options;
    // Node.js ends a request that waits for its connection only when that comes.
    const abort = () => reject(signal?.reason);
    signal?.addEventListener('abort', abort);
    const sent = start({ agent, ...connection, ...options }, resolve).on('error', reject);
    sent.end(body);
    try {
      return await promise;
    } catch (error) {
      // A restarted engine has closed the connection that was kept open for this request.
      const isStale =
        sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (isStale && options.method === 'GET') return send(options, body);
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  };

  const answer = async (asked: DialOptions): Promise<unknown> => {
    const { path, body } = toRequest(asked);
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const { method, abortSignal: signal } = asked;
    const isLog = /^\/containers\/[^/]+\/logs\?/.test(path);
    const options = { method, path, headers, ...(signal && { signal }), ...(isLog && { agent: logAgent }) };
    const response = await send(options, body);
    const status = response.statusCode ?? 0;
    const isAnswer = asked.statusCodes[status] === true;
    if (asked.isStream) {
      if (isAnswer) return response;
      response.destroy();
      throw refuse(status, undefined);
    }
    const json = await readJson(response);
    if (!isAnswer) throw refuse(status, json);
    // dockerode reads its members.
    if (typeof json !== 'object' || json === null) throw new Error('the answer is no JSON');
    return json;
  };

  return {
    dial: (options: DialOptions, done: (error: unknown, answer?: unknown) => void): void =>
      void answer(options).then(
        (value) => done(null, value),
        (error: unknown) => done(error),
      ),
    /** Closes all connections; requests in progress and later ones fail. */
    close: () => {
      isClosed = true;
      agent.destroy();
      logAgent.destroy();
      tunnel?.close();
    },
  };
}
