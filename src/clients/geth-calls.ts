import type { ChainPart } from '../model/chain.ts';
import type { AskedHeights, Method } from '../model/client.ts';
import type { NodeCall } from '../model/observation.ts';

export const toHex = (height: number): string => `0x${height.toString(16)}`;

/** The calls of a probe that the clients made from geth serve. */
export const toGethCalls = (consensus: string): Readonly<Record<NodeCall, Method>> => ({
  latest: { method: `${consensus}_getV2BlockByNumber`, params: ['latest'] },
  committed: { method: `${consensus}_getV2BlockByNumber`, params: ['committed'] },
  admin_peers: { method: 'admin_peers', params: [] },
  net_peerCount: { method: 'net_peerCount', params: [] },
  modules: { method: 'rpc_modules', params: [] },
  version: { method: 'web3_clientVersion', params: [] },
});

/** Their calls of the question about the chain. */
export const toGethChainCalls = (
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
