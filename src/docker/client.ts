import { IncomingMessage } from 'node:http';
import type Dockerode from 'dockerode';
import { loadOnce } from '../model/load-once.ts';
import type { DockerAddress } from '../model/target.ts';
import { createTransport } from './transport.ts';

/** One Docker Engine through dockerode, whose requests go through a transport that bounds them. */
export interface DockerClient {
  /** As `DOCKER_HOST` writes it, for people: `unix:///var/run/docker.sock`, `tcp://10.0.0.1:2376`. */
  readonly address: string;
  /** Loads dockerode with the first call: it takes 0.1 s and 19 MB, of which ssh and gRPC are most. Rejects when it cannot be loaded. */
  readonly get: () => Promise<Dockerode>;
  /** Ends all connections; what is under way, and what comes after, rejects. */
  readonly close: () => void;
}

const bracket = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** Prepares to reach an engine; nothing is loaded or opened before it is asked. */
export function createDockerClient(address: DockerAddress): DockerClient {
  const transport = createTransport(address);
  // Its types know no own modem.
  const options: object = { modem: { dial: transport.dial } };
  const client = loadOnce(async () => {
    const { default: Client } = await import('dockerode');
    return new Client(options);
  });
  return {
    address:
      'socketPath' in address ? `unix://${address.socketPath}` : `tcp://${bracket(address.host)}:${address.port}`,
    get: client.get,
    close: transport.close,
  };
}

/** A stream of dockerode as the answer that it is, with its headers. */
export function toResponse(stream: unknown): IncomingMessage {
  if (stream instanceof IncomingMessage) return stream;
  throw new Error('the engine answers with no stream');
}
