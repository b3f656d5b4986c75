import type { ChainPart } from './chain.ts';
import type { NodeCall } from './observation.ts';

/** A JSON-RPC method with its parameters. */
export interface Method {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** The calls of a probe of a node; `consensus` is the prefix of the engine's methods. */
export const toNodeMethods = (consensus: string): Readonly<Record<NodeCall, Method>> => ({
  latest: { method: `${consensus}_getV2BlockByNumber`, params: ['latest'] },
  committed: { method: `${consensus}_getV2BlockByNumber`, params: ['committed'] },
  admin_peers: { method: 'admin_peers', params: [] },
  net_peerCount: { method: 'net_peerCount', params: [] },
  modules: { method: 'rpc_modules', params: [] },
});

const toHex = (height: number): string => `0x${height.toString(16)}`;

/** The blocks that the question about the chain names by their heights. */
export interface AskedHeights {
  /** The one whose hash is asked for. */
  readonly mark?: number | undefined;
  /** The one whose header lists the masternodes of the next epoch. */
  readonly next?: number | undefined;
}

/** The calls of the question about the chain. */
export const toChainMethods = (
  consensus: string,
  { mark = 0, next = 0 }: AskedHeights = {},
): Readonly<Record<ChainPart, Method>> => ({
  chainId: { method: 'eth_chainId', params: [] },
  genesis: { method: `${consensus}_getV2BlockByNumber`, params: ['earliest'] },
  address: { method: 'eth_coinbase', params: [] },
  nodeId: { method: 'admin_nodeInfo', params: [] },
  peerIds: { method: 'admin_peers', params: [] },
  consensus: { method: `${consensus}_networkInformation`, params: [] },
  masternodes: { method: `${consensus}_getMasternodesByNumber`, params: ['latest'] },
  missedRounds: { method: `${consensus}_getMissedRoundsInEpochByBlockNum`, params: ['latest'] },
  nextEpoch: { method: 'eth_getBlockByNumber', params: [toHex(next), false] },
  pool: { method: `${consensus}_getLatestPoolStatus`, params: [] },
  block: { method: `${consensus}_getV2BlockByNumber`, params: [toHex(mark)] },
  syncing: { method: 'eth_syncing', params: [] },
});

/** The path that each service is asked for, below that of its address. */
export const SERVICE_PATHS = { relayer: '/api/queues', stats: '/information/network', frontend: '/' } as const;
