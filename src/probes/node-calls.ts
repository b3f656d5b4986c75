import type { Client } from '../model/client.ts';
import { type Block, NODE_CALLS, type NodeCall, type Peers, type Result } from '../model/observation.ts';
import { type CallResult, toBody } from './json-rpc.ts';
import { toAdminPeers, toBlock, toCommitted, toModules, toPeerCount, toVersion } from './node-results.ts';
import { countPeers, type SkimValue, skimMembers, skimOrParse, skimWhole } from './skim-answer.ts';
import type { Exchange, TransportResponse } from './transport.ts';

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
  return (CALL_SETS[bits] as readonly NodeCall[]).map((name, index) => {
    const result = parsed[index] as CallResult;
    return result.ok ? READERS[name](result.value) : result;
  });
}
