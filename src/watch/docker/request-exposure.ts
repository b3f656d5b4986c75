import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import { readBounded } from '../../lib/bytes.ts';
import { type Endpoint, type OpenDockerApi, unmapIpv4 } from '../../model/exposure.ts';
import { type DockerClient, openAnswer } from './client.ts';
import { toMembers } from './memory.ts';

const MAX_BYTES = 1024 * 1024;

/** The engine's own words, in the warnings of `GET /info` (moby daemon/info.go, since 2018). */
const OPEN = /\bAPI is accessible on (https?:\/\/[\w.:[\]-]{1,100}) without (encryption|TLS client verification)/;

function toOpenApi(warning: unknown): readonly OpenDockerApi[] {
  const [, url, lacking] = OPEN.exec(String(warning)) ?? [];
  return url === undefined ? [] : [{ url, lacks: lacking === 'encryption' ? 'encryption' : 'client certificates' }];
}

/**
 * Asks the engine at which TCP addresses it serves its API to anybody. Undefined when it does not say: a proxy may refuse the
 * question. Never rejects.
 */
export async function requestOpenApis(
  client: DockerClient,
  signal: AbortSignal,
): Promise<readonly OpenDockerApi[] | undefined> {
  try {
    const bytes = await readBounded(await openAnswer(client, '/info', {}, signal), MAX_BYTES);
    if (bytes === undefined) return undefined;
    const warnings = toMembers(JSON.parse(bytes.toString()))?.Warnings;
    return Array.isArray(warnings) ? warnings.flatMap(toOpenApi) : [];
  } catch {
    return undefined;
  }
}

/** Where an answer came from over TCP without TLS; undefined for a socket, ssh and TLS. */
export function toPlainEndpoint({ socket }: IncomingMessage): Endpoint | undefined {
  const { remoteAddress, remotePort } = socket;
  if (socket instanceof TLSSocket || remoteAddress === undefined || remotePort === undefined) return undefined;
  return { ip: unmapIpv4(remoteAddress), port: remotePort };
}
