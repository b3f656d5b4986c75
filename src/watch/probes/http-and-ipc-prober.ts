import type { ChainObservation } from '../../model/chain.ts';
import type { NodeObservation, Peers, Result } from '../../model/observation.ts';
import type { ClientName } from '../../model/target.ts';
import { askChain, type ChainTiming, createChainMemory, MESH_CALLS } from './chain-question.ts';
import { addMesh } from './chain-results.ts';
import { createIpcTransport } from './ipc-transport.ts';
import { parseSingle, toBody } from './json-rpc.ts';
import { toAdminPeers } from './node-calls.ts';
import { CHAIN_MS, createNodeProber, type NodeProber } from './node-prober.ts';
import { exchangeWithRetry, type ReadResponse, type RpcTransport, type TransportResponse } from './transport.ts';

const ADMIN_PEERS = toBody([{ method: 'admin_peers', params: [] }]);

const LEAST_MS = 500;

const readPeers = (response: TransportResponse): Result<Peers> => {
  const result = parseSingle(response);
  return result.ok ? toAdminPeers(result.value) : result;
};

/**
 * A probe of a node by HTTP that gets the peers from the IPC socket when HTTP does not serve `admin`. From then on both
 * are asked at the same time, so that one that hangs takes no time from the other. When HTTP was asked about the chain,
 * the socket is asked about the peer mesh.
 */
export function createHttpAndIpcProber(
  rpc: string | RpcTransport,
  ipc: string,
  consensus: string,
  now: () => number,
  chainTiming?: ChainTiming,
  stated?: ClientName,
): NodeProber {
  const httpProber = createNodeProber(rpc, consensus, now, chainTiming, stated);
  const ipcTransport = createIpcTransport(ipc);
  const meshMemory = createChainMemory();
  let needsIpc = false;

  const askPeers = async (deadline: number, signal?: AbortSignal): Promise<Result<Peers>> => {
    const ask = { method: 'POST', body: ADMIN_PEERS } as const;
    const exchange = await exchangeWithRetry(ipcTransport, ask, readPeers, deadline, signal);
    return exchange.ok ? exchange.value : { ok: false, fault: exchange.fault };
  };

  const askMesh = async (
    chain: ChainObservation,
    deadline: number,
    signal?: AbortSignal,
  ): Promise<ChainObservation> => {
    const end = Math.min(deadline, performance.now() + CHAIN_MS);
    const send = <T>(body: string, read: ReadResponse<T>) =>
      exchangeWithRetry(ipcTransport, { method: 'POST', body }, read, end, signal);
    return askChain(MESH_CALLS, send, meshMemory, (answers) => addMesh(chain, answers));
  };

  const merge = (seen: NodeObservation, peers: Result<Peers>): NodeObservation =>
    peers.ok
      ? { ...seen, answered: true, peers, isPeersByIpc: true }
      : { ...seen, ipcFault: peers.fault, isPeersByIpc: true };

  return {
    probe: async (timeoutMs, signal) => {
      const deadline = performance.now() + timeoutMs;
      const early = needsIpc ? askPeers(deadline, signal) : undefined;
      const seen = await httpProber.probe(timeoutMs, signal);
      needsIpc = !(seen.peers?.ok && seen.peers.value.via === 'admin_peers');
      if (!needsIpc) {
        await early;
        return seen;
      }
      // What HTTP has left of the time may be too little for an answer.
      if (early === undefined && deadline - performance.now() < LEAST_MS) return seen;
      const peers = await (early ?? askPeers(deadline, signal));
      const chain = seen.chain && (await askMesh(seen.chain, deadline, signal));
      return { ...merge(seen, peers), ...(chain && { chain }) };
    },
    close: () => {
      httpProber.close();
      ipcTransport.close();
    },
  };
}
