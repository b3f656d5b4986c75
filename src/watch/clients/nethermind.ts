import { isRecord, parseJson } from '../../lib/values.ts';
import { listNames } from '../../lib/words.ts';
import type { HealthFault } from '../../model/chain.ts';
import type { Advised, Client } from '../../model/client.ts';
import { serviceOf } from './commands-to-type.ts';
import { toGethCalls, toGethChainCalls, toHex } from './geth-calls.ts';

/** Its configuration in the folder of the deployment. */
const CONFIG = 'xdc-nmc-subnet.json';

/** The modules that today's generator serves. The line replaces what is served without it, where the engine is off. */
const MODULES = '["Xdc", "Eth", "Subscribe", "Trace", "TxPool", "Web3", "Proof", "Net", "Parity", "Health", "Rpc"]';
/** Its env file, which also holds the key that it signs with. */
const envFile = ({ name, container }: Advised): string => `${serviceOf(container, name)}nmc.env`;

/** What it calls a namespace in its configuration; the methods of the engine are of the module Xdc. */
const toModule = (namespace: string): string =>
  namespace === 'XDPoS' ? 'Xdc' : `${namespace.charAt(0).toUpperCase()}${namespace.slice(1)}`;

/** What it calls its faults in `GET /health`, and how it describes them (Nethermind.HealthChecks, NodeHealthService). */
const FAULTS: readonly (readonly [name: string, description: RegExp, fault: HealthFault])[] = [
  [
    'NotProcessingBlocks',
    /stopped processing blocks/,
    { of: 'blocks', seen: 'it has stopped processing blocks', fix: 'restart it, as it does not begin again by itself' },
  ],
  [
    'NotProducingBlocks',
    /stopped producing blocks/,
    { of: 'blocks', seen: 'it has stopped making blocks', fix: 'restart it, as it does not begin again by itself' },
  ],
  [
    'NoPeers',
    /not connected to any peers/,
    { of: 'peers', seen: 'it is connected to no peer', fix: 'check its bootnode and the firewall for its p2p port' },
  ],
  [
    'LowDiskSpace',
    /running out of free disk space/,
    {
      of: 'disk',
      seen: 'its disk is nearly full',
      fix: 'free space on the disk of its data folder: below 1 % it ends itself, and again after each start',
    },
  ],
];

/** Reads `GET /health`. A halted chain is healthy there: only a loop that has ended is not. */
function readHealth(text: string): readonly HealthFault[] | undefined {
  const answer = parseJson(text);
  const entries = isRecord(answer) && isRecord(answer.entries) ? answer.entries : {};
  const node = entries['node-health'];
  if (!isRecord(node)) return undefined;
  const description = typeof node.description === 'string' ? node.description : '';
  const { Errors, errors = Errors } = isRecord(node.data) ? node.data : {};
  const named: readonly unknown[] = Array.isArray(errors) ? errors : [];
  const [, gb, percent] = /only ([\d.,]{1,12}) GB \(([\d.,]{1,7}) ?%\) left/.exec(description) ?? [];
  return FAULTS.flatMap(([name, words, fault]) => {
    if (!named.includes(name) && !words.test(description)) return [];
    const isSized = fault.of === 'disk' && percent !== undefined;
    return [isSized ? { ...fault, seen: `${fault.seen}, with ${gb} GB (${percent} %) free` } : fault];
  });
}

const resync = (name: string): string =>
  `stop ${name}, move only nethermind_db out of its data folder, and start it to sync again`;

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
  health: { path: '/health', read: readHealth },
  hasAdmin: false,
  metricsPath: '/metrics',
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
    envFile,
    openNamespace: (namespace, { name }) =>
      `add "${toModule(namespace)}" to JsonRpc.EnabledModules in ${CONFIG} and recreate ${name}; in an older file, which lacks that line, write all of them: ${MODULES}`,
    serveOnly: (namespaces, nodes) =>
      `set JsonRpc.EnabledModules in ${CONFIG} to ${JSON.stringify(namespaces.map(toModule))} and recreate ${listNames(nodes.map(({ name }) => name))}`,
    refusePages: (about, nodes) =>
      `put a proxy before the RPC port of ${listNames(nodes.map(({ name }) => name))} that refuses ${about === 'hosts' ? 'other host names' : 'requests with a header Origin'}, as the node itself refuses none`,
    showBlocks: ({ name, container }) =>
      `write --log=info into the command of ${serviceOf(container, name)} in docker-compose.yml and recreate it`,
    acceptHosts: 'see which proxy answers for it, as the node itself refuses no host name',
    findCallError: 'read the line "Error during method execution" in its log, which names the cause',
    replaceNodeKey: (node) =>
      `give ${node.name} a key of its own in ${envFile(node)} (NETHERMIND_KEYSTORECONFIG_TESTNODEKEY), as it signs by the same key`,
    giveGenesis: () =>
      'run `scripts/check-chainspec.sh` in the folder of the deployment, which replaces a chainspec.json that differs from genesis.json',
    resync,
    repairDatabase: (name) =>
      `restart ${name}, as it repairs its database when it starts; if the line comes back, ${resync(name)}`,
    checkKey: (node) => `check NETHERMIND_KEYSTORECONFIG_TESTNODEKEY in ${envFile(node)}`,
    compareGenesis: () =>
      'run `scripts/check-chainspec.sh` in the folder of the deployment, which compares chainspec.json with genesis.json and replaces it',
  },
};
