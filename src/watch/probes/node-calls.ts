import { isRecord } from '../../lib/values.ts';
import type { Client } from '../../model/client.ts';
import type { Block, Fault, NodeCall, Peers, Result } from '../../model/observation.ts';
import { memberOf, toCount, toNumber } from './chain-values.ts';
import { parseAnswer, parseSingle, toBody } from './json-rpc.ts';
import { type Exchange, exchangeWithRetry, type RpcTransport, type TransportResponse } from './transport.ts';

const badResult = (what: string): Result<never> => ({ ok: false, fault: { kind: 'result', what } });

/** The node's error while it has no committed block: XDC-Subnet consensus/XDPoS/api.go. */
const NO_COMMITTED = 'can not find latest committed block from consensus';

/** Parses a block. A successful answer can hide a non-empty `Error`. */
export function toBlock(result: unknown): Result<Block> {
  if (!isRecord(result)) return badResult(result === null ? 'the block is null' : 'the block is not an object');
  const error = memberOf(result, 'Error');
  if (error === NO_COMMITTED) return { ok: false, fault: { kind: 'no-committed' } };
  if (error !== undefined && error !== null && error !== '') return { ok: false, fault: { kind: 'result-error' } };
  const given = memberOf(result, 'Number');
  const number = toNumber(given);
  if (number === undefined)
    return badResult(typeof given === 'string' ? 'the block number is a string' : 'the block has no number');
  if (number < 0) return badResult('the block number is negative');
  if (!Number.isSafeInteger(number)) return badResult('the block number is not an integer below 2^53');
  const timestamp = toNumber(memberOf(result, 'Timestamp'));
  const known = timestamp !== undefined && Number.isFinite(timestamp) && timestamp >= 0;
  const round = toCount(memberOf(result, 'Round'));
  return { ok: true, value: { number, ...(known && { timestamp }), ...(round !== undefined && { round }) } };
}

/** Parses the committed block: null where there is none yet. */
export const toCommitted = (result: unknown): Result<Block> =>
  result === null ? { ok: false, fault: { kind: 'no-committed' } } : toBlock(result);

/** Parses the result of `admin_peers`, a list without duplicates (XDC-Subnet p2p/server.go). */
export function toAdminPeers(result: unknown): Result<Peers> {
  if (!Array.isArray(result)) return badResult('the peers are not a list');
  if (!result.every((peer) => isRecord(peer) && typeof peer.id === 'string')) return badResult('a peer has no id');
  return { ok: true, value: { count: result.length, via: 'admin_peers' } };
}

/** Parses the result of `net_peerCount`. No node has as many as 2^24. */
function toPeerCount(result: unknown): Result<Peers> {
  const count = toCount(result);
  return count !== undefined && count < 2 ** 24
    ? { ok: true, value: { count, via: 'net_peerCount' } }
    : badResult('the peer count is not a number');
}

/** A version has no secret, but comes from the other side. */
const VERSION = /^[\w./+@:() -]{1,200}$/;

/** Parses the result of `web3_clientVersion`. */
export const toVersion = (result: unknown): Result<string> =>
  typeof result === 'string' && VERSION.test(result)
    ? { ok: true, value: result }
    : badResult('its answer to web3_clientVersion is not a version');

/** Parses the result of `rpc_modules`: the namespaces that the node serves. */
const toModules = (result: unknown): ReadonlySet<string> | undefined =>
  isRecord(result) ? new Set(Object.keys(result)) : undefined;

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

/** The bodies of requests by client, engine and calls. To put one together for each probe costs more than to send it. */
const BODIES = new Map<string, string>();

/** The body of the request for some calls. */
export function toNodeBody(names: readonly NodeCall[], consensus: string, client: Client): string {
  const key = `${client.name} ${consensus} ${names.join()}`;
  const known = BODIES.get(key);
  if (known !== undefined) return known;
  const calls = client.calls(consensus);
  const body = toBody(names.map((name) => calls[name]));
  BODIES.set(key, body);
  return body;
}

/** The result of one call, or why the request of all has none. */
export type NodeResult = Exchange<Values[NodeCall]>;

/** The results of some calls, in their order. */
export const readResults = (names: readonly NodeCall[], response: TransportResponse): readonly NodeResult[] =>
  parseAnswer(response, names.length).map((result, index) =>
    result.ok ? READERS[names[index] as NodeCall](result.value) : result,
  );

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
