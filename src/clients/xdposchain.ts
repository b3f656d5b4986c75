import type { Client } from '../model/client.ts';
import { toGethCalls, toGethChainCalls } from './geth-calls.ts';
import { xdcSubnet } from './xdc-subnet.ts';

/** Its start script takes the namespaces from no variable. */
const openNamespace = (namespace: string, name: string): string =>
  `mount a copy of start.sh that serves ${namespace} (--http-api, or --rpcapi in older images) over /work/start.sh in docker-compose.yml, and recreate ${name}`;

/** XDPoSChain 2.x, a fork of a newer geth. Recorded from 2.7.0-beta, and read in its branch dev-upgrade. */
export const xdposchain: Client = {
  name: 'xdposchain',
  title: 'XDPoSChain',
  recognises: (version) => /^XDC\/v[1-9]/.test(version) && !xdcSubnet.recognises(version),
  calls: toGethCalls,
  chainCalls: (consensus, heights) => ({
    ...toGethChainCalls(consensus, heights),
    // Its headers do not list them.
    nextEpoch: { method: 'eth_getCandidates', params: ['latest'] },
  }),
  headCall: { method: 'eth_getBlockByNumber', params: ['latest', false] },
  noCommitted: [],
  epochsBy: 'round',
  isFinalitySettled: true,
  askedApart: [],
  hasAdmin: true,
  hasConsole: true,
  logFile: 'xdc.log',
  deployment: {
    isOf: ({ name, image }) => /xdposchain/i.test(image) || /^masternode\d/.test(name),
    rpcPort: ['RPC_PORT', 'RPCPORT'],
    wsPort: ['WS_PORT', 'WSPORT'],
    p2pPort: 'PORT',
    bootnodes: 'BOOTNODES',
    logLevel: { variable: 'LOG_LEVEL', unset: 3 },
    chainFile: 'genesis.json',
  },
  advice: {
    ...xdcSubnet.advice,
    openNamespace,
    acceptHosts:
      'start the node with --http-vhosts "*" (--rpcvhosts in older images), or use its IP address in the inventory',
    setNetworkId: (id, name) =>
      `start ${name} with --networkid ${id}: its start script may pass another one whatever ${name}.env says`,
  },
};
