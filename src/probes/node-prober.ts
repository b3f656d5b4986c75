import { copyUnpooled } from '../model/copy-unpooled.ts';
import type { Block, Fault, NodeObservation, Peers, Result } from '../model/observation.ts';
import { createHttpTransport, type Exchange, type RpcTransport } from './http-transport.ts';
import { type Call, type CallResult, parseAnswer, toBody } from './json-rpc.ts';
import { toAdminPeers, toBlock, toModules, toPeerCount } from './node-results.ts';

type CallName = 'latest' | 'committed' | 'admin_peers' | 'net_peerCount' | 'modules';
type Results = Partial<Record<CallName, CallResult>>;

/** What is known of the node since its last start, as far as the connection lets us see starts. */
interface Session {
  /** `latest` has answered with a number: from then on `committed` may be asked. */
  hasNumber: boolean;
  /** How peers are asked for; absent while not known, `none` when no method is served. */
  peersBy?: 'admin_peers' | 'net_peerCount' | 'none';
  modulesAskedAt?: number;
  batch: 'untried' | 'taken' | 'refused';
}

/** When a look has to end: in milliseconds of `performance.now()`, and when the signal aborts. */
interface Bounds {
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

/** Looks at one node again and again. */
export interface NodeProber {
  /** `timeoutMs` bounds the whole look, and the signal ends it. */
  look(timeoutMs: number, signal?: AbortSignal): Promise<NodeObservation>;
  close(): void;
}

const MODULES_EVERY_MS = 60 * 60 * 1000;

/** Statuses with which servers refuse a list of calls; others are the node's own trouble. */
const REFUSES_BATCH = new Set([400, 405, 406, 413, 422, 500, 501]);

const isMethodMissing = (result: CallResult | undefined): boolean =>
  result?.ok === false && result.fault.kind === 'rpc-error' && result.fault.known === 'method-not-found';

/** An answer that proves a JSON-RPC server on the other side, an error of its own included. */
const isAnswer = (result: CallResult): boolean => result.ok || result.fault.kind === 'rpc-error';

const read = <T>(result: CallResult, parse: (value: unknown) => Result<T>): Result<T> =>
  result.ok ? parse(result.value) : result;

/**
 * A probe of a node by JSON-RPC over HTTP: in steady state one batch a look. `committed` crashes inside a process that
 * knows no committed block yet (XDC-Subnet consensus/XDPoS/api.go), and a connection that is not the one before may lead
 * to a new process: there it is asked in a request of its own, once `latest` has answered with a number. After a failure
 * the namespaces are learnt anew too, and hourly. `now` gives Unix milliseconds; what is no address is another way than
 * HTTP to the node.
 */
export function createNodeProber(rpc: string | RpcTransport, consensus: string, now: () => number): NodeProber {
  const peer = typeof rpc === 'string' ? createHttpTransport(rpc) : rpc;
  const calls: Readonly<Record<CallName, Call>> = {
    latest: { method: `${consensus}_getV2BlockByNumber`, params: ['latest'] },
    committed: { method: `${consensus}_getV2BlockByNumber`, params: ['committed'] },
    admin_peers: { method: 'admin_peers', params: [] },
    net_peerCount: { method: 'net_peerCount', params: [] },
    modules: { method: 'rpc_modules', params: [] },
  };
  const bodies = new Map<string, Buffer>();
  let session: Session | undefined;

  const bodyOf = (names: readonly CallName[]): Buffer => {
    const key = names.join();
    const body = bodies.get(key) ?? copyUnpooled(toBody(names.map((name) => calls[name])));
    bodies.set(key, body);
    return body;
  };

  const send = (names: readonly CallName[], bounds: Bounds): Promise<Exchange> =>
    peer.exchange(
      { method: 'POST', contentType: 'application/json', body: bodyOf(names) },
      bounds.deadline,
      bounds.signal,
    );

  const toResults = (names: readonly CallName[], outcomes: readonly CallResult[]): Results =>
    Object.fromEntries(names.map((name, i) => [name, outcomes[i]]));

  const askSingly = async (names: readonly CallName[], bounds: Bounds): Promise<Results> => {
    const results: Results = {};
    for (const name of names) {
      const exchange = await send([name], bounds);
      const outcome = exchange.ok ? parseAnswer(exchange.value, 1) : [exchange];
      const [result] = outcome === 'refused' ? [] : outcome;
      if (result) results[name] = result;
      if (!exchange.ok) return { ...Object.fromEntries(names.map((rest) => [rest, exchange])), ...results };
    }
    return results;
  };

  const ask = async (state: Session, names: readonly CallName[], bounds: Bounds): Promise<Results> => {
    if (names.length === 1 || state.batch === 'refused') return askSingly(names, bounds);
    const exchange = await send(names, bounds);
    if (!exchange.ok) return toResults(names, Array(names.length).fill(exchange));
    const outcomes = parseAnswer(exchange.value, names.length);
    if (outcomes === 'refused' || (state.batch === 'untried' && REFUSES_BATCH.has(exchange.value.status))) {
      const results = await askSingly(names, bounds);
      if (Object.values(results).some(isAnswer)) state.batch = 'refused';
      return results;
    }
    if (outcomes.some(isAnswer)) state.batch = 'taken';
    return toResults(names, outcomes);
  };

  /** What `rpc_modules` says of the ways to count peers; refused, `admin` is taken as absent. */
  const learn = (state: Session, result: CallResult | undefined) => {
    if (result === undefined || !isAnswer(result)) return;
    const modules = result.ok ? toModules(result.value) : undefined;
    state.modulesAskedAt = now();
    if (modules?.has('admin')) state.peersBy = 'admin_peers';
    else state.peersBy = modules === undefined || modules.has('net') ? 'net_peerCount' : 'none';
  };

  const askPeers = async (state: Session, results: Results, bounds: Bounds): Promise<Result<Peers> | undefined> => {
    for (const [method, next, parse] of [
      ['admin_peers', 'net_peerCount', toAdminPeers],
      ['net_peerCount', 'none', toPeerCount],
    ] as const) {
      if (state.peersBy !== method) continue;
      const result = results[method] ?? (await ask(state, [method], bounds))[method];
      if (result === undefined) return undefined;
      if (!isMethodMissing(result)) return read(result, parse);
      state.peersBy = next;
    }
    return undefined;
  };

  const look = async (bounds: Bounds, retry: boolean): Promise<NodeObservation> => {
    const connection = peer.connection();
    const state: Session =
      connection !== 'new' && session ? session : { hasNumber: false, batch: session?.batch ?? 'untried' };
    session = state;
    const modulesDue = now() - (state.modulesAskedAt ?? Number.NEGATIVE_INFINITY) >= MODULES_EVERY_MS;
    const first: CallName[] = ['latest'];
    if (state.hasNumber && connection === 'kept') first.push('committed');
    if (state.peersBy === 'admin_peers' || state.peersBy === 'net_peerCount') first.push(state.peersBy);
    if (modulesDue) first.push('modules');

    const results = await ask(state, first, bounds);
    const latestResult = results.latest as CallResult & { readonly stale?: boolean };
    if (latestResult.stale && retry) {
      session = undefined;
      return look(bounds, false);
    }
    learn(state, results.modules);
    const latest = read(latestResult, toBlock);
    state.hasNumber = latest.ok;
    if (!Object.values(results).some(isAnswer)) {
      const { fault } = latestResult as { readonly fault: Fault };
      session = undefined;
      return { answered: false, latest: { ok: false, fault }, peers: { ok: false, fault } };
    }

    const second: CallName[] = [];
    if (latest.ok && results.committed === undefined) second.push('committed');
    const { peersBy } = state;
    if ((peersBy === 'admin_peers' || peersBy === 'net_peerCount') && !results[peersBy]) second.push(peersBy);
    Object.assign(results, second.length > 0 ? await ask(state, second, bounds) : {});
    const peers = await askPeers(state, results, bounds);
    const committed: Result<Block> | undefined = results.committed && read(results.committed, toBlock);
    return { answered: true, latest, committed, peers };
  };

  return {
    look: (timeoutMs, signal) => look({ deadline: performance.now() + timeoutMs, signal }, true),
    close: peer.close,
  };
}
