import { IncomingMessage } from 'node:http';
import { loadOnce } from '../../lib/promises.ts';
import type { DockerAddress } from '../../model/target.ts';
import { createTransport } from './transport.ts';

/** A client of one Docker Engine: dockerode over a transport with limits and timeouts. */
export type DockerClient = ReturnType<typeof createDockerClient>;

const formatHost = ({ host, port }: { readonly host: string; readonly port: number }): string =>
  `${host.includes(':') ? `[${host}]` : host}:${port}`;

/** Without the user of ssh, as no user info of an address is shown. */
function formatAddress(address: DockerAddress): string {
  if ('socketPath' in address) return `unix://${address.socketPath}`;
  return 'ssh' in address ? `ssh://${formatHost(address.ssh)}` : `tcp://${formatHost(address)}`;
}

/** Loads and opens nothing before the first request. */
export function createDockerClient(address: DockerAddress) {
  const transport = createTransport(address);
  // dockerode's types do not know a custom modem.
  const options: object = { modem: { dial: transport.dial } };
  const client = loadOnce(async () => {
    const { default: Client } = await import('dockerode');
    return new Client(options);
  });
  return {
    /** In the form of `DOCKER_HOST`, for people: `unix:///var/run/docker.sock`, `tcp://10.0.0.1:2376`, `ssh://10.0.0.1:22`. */
    address: formatAddress(address),
    /** Loads dockerode at the first call: 0.1 s and 19 MB, mostly for ssh and gRPC. Rejects when it cannot be loaded. */
    get: client.get,
    /** The transport itself: dockerode collects an answer that it does not follow, and a log may be long. */
    dial: transport.dial,
    /** Closes all connections; requests in progress and later ones reject. */
    close: transport.close,
  };
}

/** Narrows a stream of dockerode to the HTTP response that it is, with headers. */
export function toResponse(stream: unknown): IncomingMessage {
  if (stream instanceof IncomingMessage) return stream;
  throw new Error('the engine answers with no stream');
}

/** GETs a path, which ends in `?` when the options are a query. Rejects unless the status is 200; the body may be long. */
export async function openAnswer(
  { dial }: DockerClient,
  path: string,
  options: Readonly<Record<string, unknown>>,
  abortSignal: AbortSignal,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  dial({ path, method: 'GET', options, abortSignal, isStream: true, statusCodes: { 200: true } }, (error, answer) =>
    error ? reject(error) : resolve(answer),
  );
  return toResponse(await promise);
}

/** Opens a stream that ends with `until`, or is given up when the engine does not answer in time. */
export async function openInTime<T>(
  open: (signal: AbortSignal) => Promise<T>,
  until: AbortSignal,
  timeoutMs: number,
): Promise<T> {
  const attempt = new AbortController();
  const timer = setTimeout(() => attempt.abort(), timeoutMs);
  try {
    return await open(AbortSignal.any([until, attempt.signal]));
  } finally {
    clearTimeout(timer);
  }
}
