import { listNames } from '../../lib/words.ts';
import type { Advised, Client } from '../../model/client.ts';
import { envFileOf, refusePagesBy, toGethChainCalls } from './geth-calls.ts';
import { xdcSubnet } from './xdc-subnet.ts';

/** Its start script takes the namespaces from no variable. */
const serve = (namespaces: string, nodes: readonly Advised[]): string =>
  `mount a copy of start.sh that serves ${namespaces} (--http-api, or --rpcapi in older images) over /work/start.sh in docker-compose.yml, and recreate ${listNames(nodes.map(({ name }) => name))}`;

/** XDPoSChain 2.x, a fork of a newer geth. Recorded from 2.7.0-beta, and read in its branch dev-upgrade. */
export const xdposchain: Client = {
  ...xdcSubnet,
  name: 'xdposchain',
  title: 'XDPoSChain',
  recognises: (version) => /^XDC\/v[1-9]/.test(version) && !xdcSubnet.recognises(version),
  chainCalls: (consensus, heights) => ({
    ...toGethChainCalls(consensus, heights),
    // Its headers do not list them.
    nextEpoch: { method: 'eth_getCandidates', params: ['latest'] },
  }),
  headCall: { method: 'eth_getBlockByNumber', params: ['latest', false] },
  epochsBy: 'round',
  deployment: {
    ...xdcSubnet.deployment,
    isOf: ({ name, image }) => /xdposchain/i.test(image) || /^masternode\d/.test(name),
    rpcPort: ['RPC_PORT', 'RPCPORT'],
    wsPort: ['WS_PORT', 'WSPORT'],
    logLevel: { variable: 'LOG_LEVEL', unset: 3 },
  },
  advice: {
    ...xdcSubnet.advice,
    openNamespace: (namespace, node) => serve(namespace, [node]),
    serveOnly: (namespaces, nodes) =>
      serve(`only ${namespaces.filter((one) => one !== 'rpc').join() || 'net,web3'}`, nodes),
    refusePages: refusePagesBy(
      { hosts: '--http-vhosts', origins: '--http-corsdomain' },
      { hosts: '--rpcvhosts', origins: '--rpccorsdomain' },
    ),
    acceptHosts:
      'start the node with --http-vhosts "*" (--rpcvhosts in older images), or use its IP address in the inventory',
    setNetworkId: (id, node) =>
      `start ${node.name} with --networkid ${id}: its start script may pass another one whatever ${envFileOf(node)} says`,
  },
};
