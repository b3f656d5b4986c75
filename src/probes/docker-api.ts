import { readFileSync } from 'node:fs';
import { Agent, type ClientRequest, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent } from 'node:https';
import { inspect } from 'node:util';
import Dockerode from 'dockerode';
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

type Dial = (request: object, done: (error: Error | null, response: IncomingMessage) => void) => void;

const maxAnswerBytes = 4 * 1024 * 1024;

/** docker-modem turns every status that is not listed into an error and buffers its body without a bound. */
const everyStatus = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [200 + index, true]));

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

/**
 * docker-modem follows redirects by requests that no one listens to, so that one which fails ends the process, and it
 * writes out all request options, agent included, for a debug line that is rarely printed. This agent keeps redirects
 * from its sight and is short to write out.
 */
function tame(agent: Agent): Agent {
  const inner = agent as Agent & { addRequest(request: ClientRequest, ...rest: unknown[]): void };
  const addRequest = inner.addRequest.bind(agent);
  inner.addRequest = (request, ...rest) => {
    request.prependListener('response', ({ headers }) => delete headers.location);
    if (/\/logs\?(?:.*&)?follow=true(?:&|$)/.test(request.path)) unframe(request);
    addRequest(request, ...rest);
  };
  return Object.assign(agent, { [inspect.custom]: () => 'Agent' });
}

/** Members that are undefined on purpose keep the environment's DOCKER_HOST and its like from being used. */
function connect(address: DockerAddress, agent: Agent): Dockerode {
  const own = { agent, timeout: undefined, username: undefined, pathPrefix: undefined };
  if ('socketPath' in address)
    return new Dockerode({
      ...own,
      ...{ host: undefined, port: undefined, ca: undefined, cert: undefined, key: undefined },
      socketPath: address.socketPath,
      protocol: 'http',
    });
  const { host, port } = address;
  const [ca, cert, key] = [address.ca, address.cert, address.key].map((path) => path && readFileSync(path));
  const protocol = isTls(address) ? 'https' : 'http';
  return new Dockerode({ ...own, host: `${protocol}://${bracket(host)}`, port, protocol, ca, cert, key });
}

const isTls = (address: DockerAddress): boolean =>
  'host' in address && (address.ca ?? address.cert ?? address.key) !== undefined;

const bracket = (host: string): string => (host.includes(':') ? `[${host}]` : host);

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
 * Reaches an engine through dockerode; connects with the first request, and anew whenever it must. The files of `ca`,
 * `cert` and `key` are read then, and a request rejects while they cannot be.
 */
export function createDockerApi(address: DockerAddress): DockerApi {
  const agent = tame(isTls(address) ? new TlsAgent({ keepAlive: true }) : new Agent({ keepAlive: true }));
  let dial: Dial | undefined;
  let isClosed = false;

  const send = async (
    method: 'GET' | 'POST',
    path: string,
    options: object,
    signal: AbortSignal,
    retry: boolean,
  ): Promise<IncomingMessage> => {
    if (isClosed) throw new Error('the connection to Docker is closed');
    if (dial === undefined) {
      const { modem } = connect(address, agent);
      dial = modem.dial.bind(modem) as Dial;
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const request = { method, path, options: { ...options }, statusCodes: everyStatus, isStream: true };
    dial({ ...request, abortSignal: signal }, (error, response) => (error ? reject(error) : resolve(response)));
    try {
      return await promise;
    } catch (error) {
      // An engine that was restarted has closed the connection that was kept for this request.
      const stale = ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');
      if (stale && retry && !isClosed) return send(method, path, options, signal, false);
      throw error;
    }
  };

  // To docker-modem a path that ends so has its options in the query, and another one in the body.
  const open: DockerApi['open'] = (path, query, signal) => send('GET', `${path}?`, query, signal, true);
  return {
    address:
      'socketPath' in address ? `unix://${address.socketPath}` : `tcp://${bracket(address.host)}:${address.port}`,
    open,
    post: (path, body, signal) => send('POST', path, body, signal, false),
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
