import type { ChainObservation } from '../../model/chain.ts';
import type { Client } from '../../model/client.ts';
import type { ChainMemory } from './chain-question.ts';
import { exchangeWithRetry, type RpcTransport, type TransportResponse } from './transport.ts';

/** Who is asked, and what is remembered of it. */
interface Asked {
  readonly transport: RpcTransport;
  readonly chainMemory: ChainMemory;
  readonly client: Client;
}

/** 503 is the answer of a node that is not well. */
const TELLS_HEALTH: ReadonlySet<number> = new Set([200, 503]);

/** Asks a node that answers how it is. One that does not say that there is asked again when its methods are. */
export async function askHealth(
  { transport, chainMemory, client: { health } }: Asked,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<Pick<ChainObservation, 'health'>> {
  if (health === undefined || chainMemory.absent.has(health.path)) return {};
  const read = ({ status, body }: TransportResponse) =>
    TELLS_HEALTH.has(status) ? health.read(body.toString()) : undefined;
  const said = await exchangeWithRetry(transport, { method: 'GET', path: health.path }, read, deadline, signal);
  if (said.ok && said.value !== undefined) return { health: said.value };
  chainMemory.absent = new Map(chainMemory.absent).set(health.path, undefined);
  return {};
}
