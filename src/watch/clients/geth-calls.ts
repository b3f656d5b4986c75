import { listNames } from '../../lib/words.ts';
import type { ChainPart } from '../../model/chain.ts';
import type { Advised, AskedHeights, ClientAdvice, Method } from '../../model/client.ts';
import type { NodeCall } from '../../model/observation.ts';
import { serviceOf } from './commands-to-type.ts';

/** Path of the IPC socket in the container of the clients that are made from geth (XDC-Subnet docker/start.sh). */
export const IPC_SOCKET = '/work/xdcchain/XDC.ipc';

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

/** The env file that the generators write for a node of them. */
export const envFileOf = ({ name, container }: Advised): string => `${serviceOf(container, name)}.env`;

/** Their start scripts pass "*" by these flags, whatever the env file says. */
export const refusePagesBy =
  (flags: Readonly<Record<'hosts' | 'origins', string>>, older?: typeof flags): ClientAdvice['refusePages'] =>
  (about, nodes) => {
    const [only, ...others] = nodes;
    const one = others.length === 0 ? only : undefined;
    const value =
      about === 'origins' ? 'http://FRONTEND:5214' : `localhost,${one ? serviceOf(one.container, one.name) : 'NAME'}`;
    const inOlder = older ? ` (${older[about]} in older images)` : '';
    return `mount a copy of start.sh that passes ${flags[about]} ${value}${inOlder} over /work/start.sh in docker-compose.yml${one ? '' : `, of ${listNames(nodes.map(({ name }) => name))}`}; no line of ${one ? envFileOf(one) : 'an env file'} helps, as the start script always passes ${flags[about]} "*"`;
  };
