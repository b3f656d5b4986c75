import type { Client } from '../model/client.ts';
import { toGethCalls, toGethChainCalls, toHex } from './geth-calls.ts';

/** Its configuration in the folder of the deployment. */
const CONFIG = 'xdc-nmc-subnet.json';

/** What it calls a namespace in its configuration; the methods of the engine are of the module Xdc. */
const toModule = (namespace: string): string =>
  namespace === 'XDPoS' ? 'Xdc' : `${namespace.charAt(0).toUpperCase()}${namespace.slice(1)}`;

/**
 * Nethermind, which the deployment generator gives the last nodes of a subnet. From its sources of 2026: it answers the
 * engine's methods in camelCase and hexadecimal, and takes no tag for the committed block.
 */
export const nethermind: Client = {
  name: 'nethermind',
  title: 'Nethermind',
  recognises: (version) => version.startsWith('Nethermind/'),
  calls: (consensus) => ({
    ...toGethCalls(consensus),
    latest: { method: 'eth_getBlockByNumber', params: ['latest', false] },
    committed: { method: 'eth_getBlockByNumber', params: ['finalized', false] },
  }),
  chainCalls: (consensus, heights = {}) => ({
    ...toGethChainCalls(consensus, heights),
    genesis: { method: 'eth_getBlockByNumber', params: [toHex(0), false] },
    block: { method: 'eth_getBlockByNumber', params: [toHex(heights.mark ?? 0), false] },
    address: { method: 'net_localAddress', params: [] },
    nodeId: { method: 'net_localEnode', params: [] },
    peerIds: { method: 'parity_netPeers', params: [] },
  }),
  // Unsettled, so both null and these are taken for that.
  noCommitted: [-39_001, -32_001, -32_000],
  epochsBy: 'block',
  isFinalitySettled: false,
  // It may not be able to write a pool that is not empty.
  askedApart: ['pool'],
  hasAdmin: false,
  hasConsole: false,
  logFile: 'logs/xdc.log',
  deployment: {
    isOf: ({ image, envFiles }) => /nethermind/i.test(image) || envFiles.some((path) => /\dnmc\.env$/.test(path)),
    rpcPort: ['NETHERMIND_JSONRPCCONFIG_PORT'],
    // Its port of JSON-RPC, where no other is set.
    wsPort: ['NETHERMIND_JSONRPCCONFIG_WEBSOCKETSPORT'],
    p2pPort: 'NETHERMIND_NETWORKCONFIG_P2PPORT',
    bootnodes: 'NETHERMIND_NETWORKCONFIG_BOOTNODES',
    chainFile: 'chainspec.json',
  },
  advice: {
    envFile: (name) => `${name}nmc.env`,
    openNamespace: (namespace, name) =>
      `add "${toModule(namespace)}" to JsonRpc.EnabledModules in ${CONFIG} and recreate ${name}; a file without that line serves no method of the engine`,
    showBlocks: (name) => `write --log=info into the command of ${name} in docker-compose.yml and recreate it`,
    acceptHosts: 'see which proxy answers for it, as the node itself refuses no host name',
    findCallError: 'read the line "Error during method execution" in its log, which names the cause',
    replaceNodeKey: (name) =>
      `give ${name} a key of its own in ${name}nmc.env (NETHERMIND_KEYSTORECONFIG_TESTNODEKEY), as it signs by the same key`,
    giveGenesis: () =>
      'run `scripts/check-chainspec.sh` in the folder of the deployment, which replaces a chainspec.json that differs from genesis.json',
    compareGenesis: () =>
      'run `scripts/check-chainspec.sh` in the folder of the deployment, which compares chainspec.json with genesis.json and replaces it',
  },
};
