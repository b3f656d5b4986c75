import type { Client } from '../../model/client.ts';
import { type Block, type Fault, NODE_CALLS, type NodeCall, type Peers, type Result } from '../../model/observation.ts';
import { parseSingle, toBody } from './json-rpc.ts';
import { toAdminPeers, toBlock, toCommitted, toModules, toPeerCount, toVersion } from './node-results.ts';
import { countPeers, type SkimValue, skimMembers, skimOrParse, skimWhole } from './skim-answer.ts';
import { type Exchange, exchangeWithRetry, type RpcTransport, type TransportResponse } from './transport.ts';

/** What is read from the result of each call. */
interface Values {
  readonly latest: Block;
  readonly committed: Block;
  readonly admin_peers: Peers;
  readonly net_peerCount: Peers;
  /** Undefined for a result that names no namespaces. */
  readonly modules: ReadonlySet<string> | undefined;
  readonly version: string;
}

/** The results of the calls that were sent. */
export type NodeResults = { [Name in NodeCall]?: Result<Values[Name]> };

const READERS: { readonly [Name in NodeCall]: (result: unknown) => Result<Values[Name]> } = {
  latest: toBlock,
  committed: toCommitted,
  admin_peers: toAdminPeers,
  net_peerCount: toPeerCount,
  modules: (result) => ({ ok: true, value: toModules(result) }),
  version: toVersion,
};

const skimBlock = skimMembers('Error', 'Number', 'Timestamp', 'error', 'number', 'timestamp');

const SKIMMERS: { readonly [Name in NodeCall]: SkimValue } = {
  latest: skimBlock,
  committed: skimBlock,
  admin_peers: countPeers,
  net_peerCount: skimWhole,
  modules: skimWhole,
  version: skimWhole,
};

/** Every set of calls by its bits. Observations share them, as ten thousand nodes are asked the same. */
export const CALL_SETS: readonly (readonly NodeCall[])[] = Array.from({ length: 2 ** NODE_CALLS.length }, (_, bits) =>
  NODE_CALLS.filter((_, index) => (bits >> index) & 1),
);

/** How the answer to every set of calls is read. */
const SKIMMERS_OF_SETS: readonly (readonly SkimValue[])[] = CALL_SETS.map((names) =>
  names.map((name) => SKIMMERS[name]),
);

/** The bits of a set of calls. */
export function toBits(names: readonly NodeCall[]): number {
  let bits = 0;
  for (const name of names) bits |= 1 << NODE_CALLS.indexOf(name);
  return bits;
}

/** The prefix of the engine's methods on most subnets. */
const USUAL_ENGINE = 'XDPoS';

function toBodyOf(names: readonly NodeCall[], consensus: string, client: Client): string {
  const calls = client.calls(consensus);
  return toBody(names.map((name) => calls[name]));
}

const toBodies = (client: Client): readonly string[] => CALL_SETS.map((names) => toBodyOf(names, USUAL_ENGINE, client));

/** The body of the request for every set of calls. To put it together for each probe costs more than to send it. */
const USUAL_BODIES = new Map<Client, readonly string[]>();

/** The body of the request for a set of calls by its bits. */
export function toNodeBody(bits: number, consensus: string, client: Client): string {
  if (consensus !== USUAL_ENGINE) return toBodyOf(CALL_SETS[bits] as readonly NodeCall[], consensus, client);
  const bodies = USUAL_BODIES.get(client) ?? toBodies(client);
  USUAL_BODIES.set(client, bodies);
  return bodies[bits] as string;
}

/** The result of one call of a set, or why the request of all has none. */
export type NodeResult = Exchange<Values[NodeCall]>;

/** The results of the calls of a set by its bits, in its order. */
export function readResults(bits: number, response: TransportResponse): readonly NodeResult[] {
  const parsed = skimOrParse(response, SKIMMERS_OF_SETS[bits] as readonly SkimValue[]);
  const names = CALL_SETS[bits] as readonly NodeCall[];
  return parsed.map((result, index) => (result.ok ? READERS[names[index] as NodeCall](result.value) : result));
}

/** The faults of an engine that speaks of no block. */
const isOfEngine = (fault: Fault): boolean =>
  fault.kind === 'no-committed' ||
  fault.kind === 'result-error' ||
  (fault.kind === 'rpc-error' && fault.known === 'v1-block');

/** The latest block by the client's `headCall`, where its engine gave none. */
export async function askHead(
  { transport, client }: { readonly transport: RpcTransport; readonly client: Client },
  latest: Exchange<Block>,
  { deadline, signal }: { readonly deadline: number; readonly signal: AbortSignal | undefined },
): Promise<Exchange<Block>> {
  if (latest.ok || client.headCall === undefined || !isOfEngine(latest.fault)) return latest;
  const question = { method: 'POST', contentType: 'application/json', body: toBody([client.headCall]) } as const;
  const read = (response: TransportResponse): Result<Block> => {
    const result = parseSingle(response);
    return result.ok ? toBlock(result.value) : result;
  };
  const exchange = await exchangeWithRetry(transport, question, read, deadline, signal);
  return exchange.ok && exchange.value.ok ? exchange.value : latest;
}
