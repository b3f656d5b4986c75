import { listNames } from '../../lib/words.ts';
import type { Client } from '../../model/client.ts';
import { envFileOf, refusePagesBy, toGethCalls, toGethChainCalls } from './geth-calls.ts';

const resync = (name: string): string =>
  `stop ${name}, move only XDC/chaindata out of its data folder, and start it to sync again`;

/** XDC-Subnet, the fork of geth 1.8 that subnets began with. Read and recorded from v0.3.2. */
export const xdcSubnet: Client = {
  name: 'xdc-subnet',
  title: 'XDC-Subnet',
  // Every image says 2.0.0-unstable, whatever its tag (params/version.go).
  recognises: (version) => /^XDC\/v(?:0\.|2\.0\.0-unstable\b)/.test(version),
  calls: toGethCalls,
  chainCalls: toGethChainCalls,
  noCommitted: [],
  epochsBy: 'block',
  isFinalitySettled: true,
  askedApart: [],
  hasAdmin: true,
  metricsPath: '/debug/metrics/prometheus',
  hasConsole: true,
  unlockFlag: '--unlock',
  logFile: 'xdc.log',
  deployment: {
    isOf: () => true,
    rpcPort: ['RPCPORT', 'RPC_PORT'],
    wsPort: ['WSPORT', 'WS_PORT'],
    p2pPort: 'PORT',
    bootnodes: 'BOOTNODES',
    logLevel: { variable: 'LOG_LEVEL', unset: 2 },
    chainFile: 'genesis.json',
  },
  advice: {
    envFile: envFileOf,
    openNamespace: (namespace, node) =>
      `add ${namespace} to the line RPC_API= of ${envFileOf(node)} and recreate the node`,
    // It serves rpc in any case.
    serveOnly: (namespaces, nodes) =>
      `set RPC_API=${namespaces.filter((one) => one !== 'rpc').join() || 'net,web3'} in ${listNames(nodes.map(envFileOf))} and recreate ${listNames(nodes.map(({ name }) => name))}`,
    refusePages: refusePagesBy({ hosts: '--rpcvhosts', origins: '--rpccorsdomain' }),
    showBlocks: (node) => `set LOG_LEVEL=3 in ${envFileOf(node)} and recreate the node`,
    acceptHosts: 'start the node with --rpcvhosts "*", or use its IP address in the inventory',
    findCallError: 'read the line "Served" in its log, which names the cause',
    setNetworkId: (id, node) => `set NETWORK_ID=${id} in ${envFileOf(node)} and recreate ${node.name}`,
    replaceNodeKey: ({ name }) =>
      `remove the file XDC/nodekey from the data folder of ${name}, so that it makes a key of its own`,
    giveGenesis: ({ name }) => `give ${name} the genesis file of the subnet`,
    resync,
    repairDatabase: (name) => `check its disk, then restore a backup of its data folder, or ${resync(name)}`,
    checkKey: (node) =>
      `check PRIVATE_KEY in ${envFileOf(node)}, which is imported only into an empty data folder, and the keystore in that folder`,
    compareGenesis: (names, other) =>
      `compare genesis.json of ${names} with that of ${other} by \`sha256sum genesis.json\`, put the right file in its place`,
  },
};
