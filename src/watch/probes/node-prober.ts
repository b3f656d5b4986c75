import type { ChainObservation } from '../../model/chain.ts';
import type { Client } from '../../model/client.ts';
import {
  type Block,
  type Fault,
  NODE_CALLS,
  type NodeCall,
  type NodeObservation,
  type Peers,
  type Result,
} from '../../model/observation.ts';
import type { ClientInfo, ClientName } from '../../model/target.ts';
import { CLIENTS, recogniseClient } from '../clients/clients.ts';
import {
  askChain,
  asksForEpoch,
  type ChainMemory,
  type ChainTiming,
  createChainMemory,
  createChainTiming,
  forgetAbsent,
  isDue,
  recordOutcome,
  recordQuestion,
  toChainCalls,
  toMark,
  toNextEpochMark,
} from './chain-question.ts';
import { toChain } from './chain-results.ts';
import { createHttpTransport } from './http-transport.ts';
import { askCalls, type BatchMemory, isMethodMissing } from './json-rpc.ts';
import { askHead, type NodeResult, type NodeResults, readResults, toNodeBody } from './node-calls.ts';
import {
  type Connection,
  type Exchange,
  exchangeWithRetry,
  type ReadResponse,
  type RpcTransport,
  type TransportResponse,
} from './transport.ts';

/** What is known of the node's process since its last start, as far as connections reveal starts. */
interface Session {
  /** `latest` has returned a number, so `committed` may be asked for. */
  hasNumber: boolean;
  /** The method that counts peers; absent while unknown, `none` when the node serves neither. */
  peersBy?: 'admin_peers' | 'net_peerCount' | 'none';
  modulesAskedAt?: number;
  /** What it says that it runs. */
  info?: ClientInfo;
  /** Its connection has lasted from one probe to the next. */
  isLasting?: boolean;
}

/** A run of a probe, with when it began and must end in milliseconds of `performance.now()`; it also ends when the signal aborts. */
interface Run {
  readonly begun: number;
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
  /** The calls so far, in the order of `NODE_CALLS`. */
  asked: readonly NodeCall[];
  /** The process has answered in this run. If its connection dies after that, a new one will do; before, its session begins anew. */
  isMet: boolean;
}

/** Probes one node repeatedly. */
export type NodeProber = ReturnType<typeof createNodeProber>;

/** The question about the chain has no more time than this, so that it cannot hold up a round. */
export const CHAIN_MS = 2_000;

const MODULES_EVERY_MS = 60 * 60 * 1000;

const isLimited = (result: Result<unknown>): boolean =>
  !result.ok && result.fault.kind === 'rpc-error' && result.fault.known === 'rate-limit';

/** The faults of a JSON-RPC server: errors of its own, and results that are none. */
const SERVER_FAULTS: ReadonlySet<Fault['kind']> = new Set(['rpc-error', 'result', 'result-error', 'no-committed']);

/** Does the answer prove that a JSON-RPC server is there? */
const isAnswer = (result: Result<unknown>): boolean => result.ok || SERVER_FAULTS.has(result.fault.kind);

/** A node that is probed again and again. Ten thousand have this in memory. */
interface Watched {
  readonly transport: RpcTransport;
  readonly consensus: string;
  /** Watched time. */
  readonly now: () => number;
  readonly chainTiming: ChainTiming;
  readonly chainMemory: ChainMemory;
  readonly batching: BatchMemory;
  /** What the inventory says that it runs. */
  readonly stated: ClientName | undefined;
  /** What it runs by what it last said. */
  client: Client;
  session: Session | undefined;
}

const QUESTION = { method: 'POST', contentType: 'application/json' } as const;

// The next two, and the begin of a run, do not await: of a thousand nodes that are asked at a time, and answer after more than two small
// collections, what waits becomes old, and stays until the next large one. A suspended function holds a place for all that it ever needs.

function send(node: Watched, names: readonly NodeCall[], current: Run): Promise<readonly NodeResult[]> {
  const { transport, consensus, client } = node;
  const question = { ...QUESTION, body: toNodeBody(names, consensus, client) };
  const read: ReadResponse<readonly NodeResult[]> = (response) => readResults(names, response);
  const exchanged = current.isMet
    ? exchangeWithRetry(transport, question, read, current.deadline, current.signal)
    : transport.exchange(question, read, current.deadline, current.signal);
  return exchanged.then((exchange) => {
    current.isMet ||= exchange.ok;
    if (exchange.ok) return exchange.value;
    // The last of several requests has only what is left of the time.
    const afterMs = Math.round(performance.now() - current.begun);
    const isLate = exchange.fault.kind === 'timeout';
    const failed = isLate ? { ...exchange, fault: { ...exchange.fault, afterMs } } : exchange;
    return names.map(() => failed);
  });
}

/** Asks for some calls, which are in the order of `NODE_CALLS`. */
function ask(node: Watched, names: readonly NodeCall[], current: Run): Promise<NodeResults> {
  const before = current.asked;
  current.asked =
    before.length === 0 ? names : NODE_CALLS.filter((name) => names.includes(name) || before.includes(name));
  return askCalls(names, node.batching, (some) => send(node, some, current)).then((answered) => {
    const results: Record<string, NodeResult | undefined> = {};
    names.forEach((name, index) => {
      results[name] = answered[index];
    });
    return results as NodeResults;
  });
}

/** Takes the node for the client that it says it runs. An operator may have replaced it by another one. */
function readVersion(node: Watched, state: Session, result: NodeResults['version']): void {
  const known = result?.ok ? recogniseClient(result.value) : undefined;
  if (!result?.ok || known === undefined) return;
  state.info = { name: known.name, version: result.value };
  node.client = CLIENTS[node.stated ?? known.name];
}

/** An error that only says that no block is committed yet. */
const toCommitted = ({ noCommitted }: Client, result: NodeResults['committed']): NodeResults['committed'] =>
  result?.ok === false && result.fault.kind === 'rpc-error' && noCommitted.includes(result.fault.code)
    ? { ok: false, fault: { kind: 'no-committed' } }
    : result;

/** Derives the method that counts peers from `rpc_modules`. When the node refuses that, `admin` counts as absent. */
function readModules({ now, client }: Watched, state: Session, result: NodeResults['modules']): void {
  if (result === undefined || !isAnswer(result) || isLimited(result)) return;
  const modules = result.ok ? result.value : undefined;
  state.modulesAskedAt = now();
  if (client.hasAdmin && modules?.has('admin')) state.peersBy = 'admin_peers';
  else state.peersBy = modules === undefined || modules.has('net') ? 'net_peerCount' : 'none';
}

/** What counts peers, and what is tried where a node does not serve it. */
const PEER_METHODS = [
  ['admin_peers', 'net_peerCount'],
  ['net_peerCount', 'none'],
] as const;

async function askPeers(
  node: Watched,
  state: Session,
  results: NodeResults,
  current: Run,
): Promise<Result<Peers> | undefined> {
  for (const [method, next] of PEER_METHODS) {
    if (state.peersBy !== method) continue;
    const result = results[method] ?? (await ask(node, [method], current))[method];
    if (!isMethodMissing(result)) return result;
    state.peersBy = next;
  }
  // It has not said yet which method counts them.
  return state.peersBy === undefined && results.modules?.ok === false ? results.modules : undefined;
}

/** With which block the next epoch begins at the latest. Each round that brings no block lets it begin a block earlier. */
const findNextEpoch = ({ masternodes }: ChainObservation, { settings }: ChainMemory): number | undefined =>
  masternodes && settings && masternodes.number + settings.epoch - (masternodes.round % settings.epoch);

/**
 * Asks about the chain, when that is due. It is a request of its own, after the others: an answer that is slow, too
 * large or refused must not cost a check its observation.
 */
async function askAboutChain(
  { transport, consensus, now, chainTiming, chainMemory, batching, client }: Watched,
  state: Session,
  height: number | undefined,
  current: Run,
): Promise<ChainObservation | undefined> {
  const deadline = Math.min(current.deadline, performance.now() + CHAIN_MS);
  if (!isDue(chainTiming, now()) || performance.now() >= deadline) return undefined;
  const isEpochAsked = asksForEpoch(chainTiming, now());
  recordQuestion(chainTiming, now());
  const heights = { mark: toMark(height), next: toNextEpochMark(height, chainMemory.settings) };
  const servesMesh = !client.hasAdmin || state.peersBy === 'admin_peers';
  const calls = toChainCalls(client, consensus, { ...heights, servesMesh, isEpochAsked });
  const sendOn = <T>(body: string, read: ReadResponse<T>) =>
    exchangeWithRetry(transport, { ...QUESTION, body }, read, deadline, current.signal);
  chainMemory.singly ||= batching.singly;
  const chain = await askChain(calls, sendOn, chainMemory, (answers) => toChain(answers, heights), client);
  if (chain.consensus) chainMemory.settings = { epoch: chain.consensus.epoch, gap: chain.consensus.gap };
  chainMemory.nextEpochBy = client.epochsBy === 'round' ? findNextEpoch(chain, chainMemory) : undefined;
  return chain;
}

/** 503 is the answer of a node that is not well. */
const TELLS_HEALTH: ReadonlySet<number> = new Set([200, 503]);

/** Asks a node that answers how it is. One that does not say that there is asked again when its methods are. */
async function askHealth(
  { transport, chainMemory, client: { health } }: Watched,
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

function run(node: Watched, current: Run, retry: boolean): Promise<NodeObservation> {
  current.asked = [];
  current.isMet = false;
  const { session } = node;
  const connection = node.transport.connection();
  const state: Session = connection !== 'new' && session ? session : { hasNumber: false };
  node.session = state;
  // A restart may be too short for a probe to see it. What was said before it, such as an address, may no longer be so.
  if (state !== session && session?.isLasting) node.chainTiming.isChanged = true;
  const modulesDue = node.now() - (state.modulesAskedAt ?? Number.NEGATIVE_INFINITY) >= MODULES_EVERY_MS;
  const first: NodeCall[] = ['latest'];
  if (state.hasNumber && connection === 'reused') first.push('committed');
  if (state.peersBy === 'admin_peers' || state.peersBy === 'net_peerCount') first.push(state.peersBy);
  if (modulesDue) {
    first.push('modules', 'version');
    if (state.modulesAskedAt !== undefined) node.batching.singly = false;
    forgetAbsent(node.chainMemory);
  }

  const asked = node.client;
  return ask(node, first, current).then((results) => goOn(node, current, retry, { state, connection, asked, results }));
}

/** What a run has begun with. */
interface Begun {
  readonly state: Session;
  readonly connection: Connection;
  /** The client whose calls were asked. */
  readonly asked: Client;
  readonly results: NodeResults;
}

/** Goes on with a run when the first request is answered. */
async function goOn(
  node: Watched,
  current: Run,
  retry: boolean,
  { state, connection, asked, results }: Begun,
): Promise<NodeObservation> {
  readVersion(node, state, results.version);
  // Another client may answer other calls than those that were asked.
  if (node.client.name !== asked.name) {
    forgetAbsent(node.chainMemory);
    Object.assign(results, { committed: undefined }, await ask(node, ['latest'], current));
  }
  const ofEngine = results.latest as Exchange<Block>;
  if (!ofEngine.ok && ofEngine.stale && retry) return run(node, current, false);
  if (connection === 'reused') state.isLasting = true;
  readModules(node, state, results.modules);
  state.hasNumber = ofEngine.ok;
  const latest = await askHead(node, ofEngine, current);
  if (!Object.values(results).some(isAnswer)) {
    const { fault } = latest as { readonly fault: Fault };
    node.session = undefined;
    recordOutcome(node.chainTiming, node.now(), false);
    return { asked: current.asked, answered: false, latest: { ok: false, fault }, peers: { ok: false, fault } };
  }

  const second: NodeCall[] = [];
  if (ofEngine.ok && results.committed === undefined) second.push('committed');
  const { peersBy } = state;
  if ((peersBy === 'admin_peers' || peersBy === 'net_peerCount') && !results[peersBy]) second.push(peersBy);
  if (second.length > 0) Object.assign(results, await ask(node, second, current));
  const peers = await askPeers(node, state, results, current);
  const height = latest.ok ? latest.value.number : undefined;
  recordOutcome(node.chainTiming, node.now(), true, height, node.chainMemory);
  const chain = await askAboutChain(node, state, height, current);
  return {
    asked: current.asked,
    answered: true,
    latest,
    ...(state.info && { client: state.info }),
    committed: toCommitted(node.client, results.committed),
    peers,
    ...(chain && {
      chain: {
        ...chain,
        ...(await askHealth(node, Math.min(current.deadline, performance.now() + CHAIN_MS), current.signal)),
      },
    }),
  };
}

/**
 * A probe of a node by JSON-RPC: one batch per run in steady state. `committed` crashes inside a process without a
 * committed block (XDC-Subnet consensus/XDPoS/api.go), and a new connection may lead to a new process. There it gets
 * its own request, once `latest` has returned a number. The client and the namespaces are read again after a failure, and
 * hourly.
 * `now` gives watched time. `rpc` is an HTTP address or another transport. `chainTiming` says when the chain is asked about,
 * `stated` what the node runs, whatever it says itself.
 */
export function createNodeProber(
  rpc: string | RpcTransport,
  consensus: string,
  now: () => number,
  chainTiming = createChainTiming(0),
  stated?: ClientName,
) {
  const transport = typeof rpc === 'string' ? createHttpTransport(rpc) : rpc;
  const node: Watched = {
    transport,
    consensus,
    now,
    chainTiming,
    chainMemory: createChainMemory(),
    batching: { singly: false },
    stated,
    client: CLIENTS[stated ?? 'xdc-subnet'],
    session: undefined,
  };
  return {
    /** Ends after `timeoutMs` or when the signal aborts. */
    probe: (timeoutMs: number, signal?: AbortSignal): Promise<NodeObservation> => {
      const begun = performance.now();
      return run(node, { begun, deadline: begun + timeoutMs, signal, asked: [], isMet: false }, true);
    },
    close: transport.close,
  };
}
