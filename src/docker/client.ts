import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage, type RequestOptions, request } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { DockerAddress } from '../model/target.ts';

/** What is asked of the engine; a member that is an object goes as JSON, as Docker wants `filters`. */
export type DockerQuery = Readonly<Record<string, string | boolean | object>>;

/** One answer of the engine, read whole; `body` is undefined when it is no JSON. */
export interface DockerAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** Requests to one Docker Engine. Each rejects when no answer comes or the signal aborts. */
export interface DockerApi {
  /** As `DOCKER_HOST` writes it, for people: `unix:///var/run/docker.sock`, `tcp://10.0.0.1:2376`. */
  readonly address: string;
  /** An answer as a stream, whatever its status: events, and logs later. The caller reads or destroys it. */
  open(path: string, query: DockerQuery, signal: AbortSignal): Promise<IncomingMessage>;
  /** A small answer; rejects when it is over 4 MiB. */
  read(path: string, query: DockerQuery, signal: AbortSignal): Promise<DockerAnswer>;
  /** A POST with a JSON body, whose answer comes as a stream; only `docker exec` needs it. */
  post(path: string, body: object, signal: AbortSignal): Promise<IncomingMessage>;
  /** Ends all connections; what is under way, and what comes after, rejects. */
  close(): void;
}

const maxAnswerBytes = 4 * 1024 * 1024;

const isTls = (address: DockerAddress): boolean =>
  'host' in address && (address.ca ?? address.cert ?? address.key) !== undefined;

const bracket = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The certificates of an address; throws when one cannot be read. */
function readCertificates(address: DockerAddress) {
  const { ca, cert, key } = 'host' in address ? address : {};
  const [caPem, certPem, keyPem] = [ca, cert, key].map((path) => path && readFileSync(path));
  return { ca: caPem, cert: certPem, key: keyPem };
}

/** Reads the certificates for each connection, and resumes no session, in which they would not be shown again. */
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

function toQueryString(query: DockerQuery): string {
  const words = Object.entries(query).map(([name, value]) => [
    name,
    typeof value === 'object' ? JSON.stringify(value) : String(value),
  ]);
  return words.length === 0 ? '' : `?${new URLSearchParams(words)}`;
}

/**
 * The engine sends each line of a log as a chunk of HTTP/1.1, and taking those apart costs more than all else that is done
 * with the line. HTTP/1.0 has none; Node.js can read it but has no option to ask for it. Only where a log is followed, which
 * goes on in any case after the connection has ended: HTTP/1.0 does not tell whether an answer came whole.
 */
function unframe(request: ClientRequest): void {
  const inner = request as ClientRequest & { _storeHeader(firstLine: string, headers: unknown): void };
  const storeHeader = inner._storeHeader.bind(request);
  inner._storeHeader = (firstLine, headers) => storeHeader(firstLine.replace('HTTP/1.1', 'HTTP/1.0'), headers);
}

async function readJson(response: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxAnswerBytes) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString());
  } catch {
    return undefined;
  }
}

/**
 * Connects with the first request, and again whenever it must. The files of `ca`, `cert` and `key` are read each time, so
 * they can be renewed, and a request rejects while they cannot be read.
 */
export function createDockerApi(address: DockerAddress): DockerApi {
  const agent = isTls(address) ? createTlsAgent(address) : new Agent({ keepAlive: true });
  const start = isTls(address) ? tlsRequest : request;
  const connection: RequestOptions =
    'socketPath' in address ? { socketPath: address.socketPath } : { host: address.host, port: address.port };
  let isClosed = false;

  const send = async (options: RequestOptions, body: string | undefined, isLog: boolean): Promise<IncomingMessage> => {
    if (isClosed) throw new Error('the connection to Docker is closed');
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = start({ ...connection, ...options, agent }, resolve).on('error', reject);
    if (isLog) unframe(sent);
    sent.end(body);
    try {
      return await promise;
    } catch (error) {
      // An engine that was restarted has closed the connection that was kept for this request.
      const isStale =
        sent.reusedSocket && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (isStale && options.method === 'GET') return send(options, body, isLog);
      throw error;
    }
  };

  const open: DockerApi['open'] = (path, query, signal) => {
    const isLog = path.endsWith('/logs') && query.follow === true;
    return send({ method: 'GET', path: path + toQueryString(query), signal }, undefined, isLog);
  };
  return {
    address:
      'socketPath' in address ? `unix://${address.socketPath}` : `tcp://${bracket(address.host)}:${address.port}`,
    open,
    post: (path, body, signal) => {
      const headers = { 'content-type': 'application/json' };
      return send({ method: 'POST', path, headers, signal }, JSON.stringify(body), false);
    },
    read: async (path, query, signal) => {
      const response = await open(path, query, signal);
      return { status: response.statusCode ?? 0, body: await readJson(response) };
    },
    close: () => {
      isClosed = true;
      agent.destroy();
    },
  };
}
