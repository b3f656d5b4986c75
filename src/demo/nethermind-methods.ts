import { numberToHex } from 'viem/utils';
import { CHAIN_ID, type ChainBlock, ZERO_ADDRESS } from './chain.ts';
import { contractMethods } from './contract-methods.ts';
import { VERSIONS } from './demo-client.ts';
import { byId, toHeader, toModules, toSyncing } from './node-methods.ts';
import { prefixOf } from './node-shape.ts';
import { epochOfRound, missedRoundsUpTo } from './pool-status.ts';
import type { RpcMethod, RpcOutcome } from './rpc-method.ts';
import type { NodeView, PeerView } from './simulated-subnet.ts';
import { consensusConfigs } from './xdpos-methods.ts';

/** Its namespaces by the prefixes of methods, as its configuration in a generated subnet has them. */
const MODULES: Readonly<Record<string, string>> = {
  XDPoS: 'xdc',
  eth: 'eth',
  trace: 'trace',
  txpool: 'txPool',
  web3: 'web3',
  net: 'net',
  parity: 'parity',
  health: 'health',
  rpc: 'rpc',
};

export const nethermindModules = (): readonly string[] => Object.values(MODULES);

export const nethermindNamespaceOf = (method: string): string => MODULES[prefixOf(method)] ?? '';

/** Errors always have a member `data`. */
const failure = (code: number, message: string): RpcOutcome => ({ error: { code, message, data: null } });

/** Namespaces that it has and does not serve. */
const OFF = ['admin', 'debug', 'personal'];

/** A module that is off is another error than a method that does not exist. */
export const refuseInNethermind = (method: string): RpcOutcome => {
  const prefix = prefixOf(method);
  if (!OFF.includes(prefix)) return failure(-32601, `Method ${method} is not supported`);
  const name = `${prefix.charAt(0).toUpperCase()}${prefix.slice(1)}`;
  return failure(
    -32600,
    `The method '${method}' is found but the namespace '${name}' is disabled for http://0.0.0.0:8545. Consider adding the namespace '${name}' to JsonRpc.AdditionalRpcUrls for an additional URL, or to JsonRpc.EnabledModules for the default URL.`,
  );
};

type Asked =
  | { readonly block: ChainBlock }
  | { readonly tag: 'finalized' | 'earliest' }
  | { readonly refused: 'params' | 'unknown' };

/** The block that the first parameter means. `committed` is not a tag here. */
const ask = ({ chain, head, committed }: NodeView, params: unknown): Asked & { readonly found?: ChainBlock } => {
  const tag: unknown = Array.isArray(params) ? (params[0] ?? 'latest') : 'latest';
  if (tag === 'latest' || tag === '' || tag === 'pending') return { block: chain.block(head) };
  if (tag === 'earliest') return { tag, found: chain.block(0) };
  if (tag === 'finalized' || tag === 'safe')
    return { tag: 'finalized', ...(committed !== undefined && { found: chain.block(committed) }) };
  const number = typeof tag === 'string' && /^0x[0-9a-f]{1,12}$/i.test(tag) ? Number(tag) : undefined;
  if (number === undefined) return { refused: 'params' };
  return number <= head ? { block: chain.block(number) } : { refused: 'unknown' };
};

const NO_NUMBER = failure(-32603, 'Block number is required.');

/** A method of the engine, which takes a block by its number or `latest`; the genesis has no round. */
const ofBlock =
  (answer: (view: NodeView, block: ChainBlock) => unknown, takesFinalized = false): RpcMethod =>
  (view, params) => {
    const asked = ask(view, params);
    if ('refused' in asked)
      return asked.refused === 'params' ? failure(-32602, 'Invalid params') : failure(-32603, 'Unknown block');
    const isTaken = 'tag' in asked && asked.tag === 'finalized' && takesFinalized;
    const block = 'block' in asked ? asked.block : isTaken ? asked.found : undefined;
    if (block === undefined) return NO_NUMBER;
    return block.number === 0
      ? failure(-32603, `Block ${block.hash} does not contain consensus data (round information)`)
      : { result: answer(view, block) };
  };

const toBlockInfo = ({ committed }: NodeView, block: ChainBlock) =>
  committed === undefined
    ? {
        hash: block.hash,
        committed: false,
        timestamp: '0x0',
        error: 'can not find latest committed block from consensus',
      }
    : {
        hash: block.hash,
        round: numberToHex(block.round),
        number: numberToHex(block.number),
        parentHash: block.parentHash,
        committed: block.number <= committed,
        miner: block.miner,
        timestamp: numberToHex(block.timestamp),
        encodedRLP: Buffer.from(block.encoded).toString('base64'),
      };

const toMasternodes = ({ chain }: NodeView, { number, round }: ChainBlock) => {
  const { masternodes, penalised, standby } = chain.officeAt(number);
  return {
    // By the round, although epochs of a subnet go by numbers.
    epoch: numberToHex(epochOfRound(round)),
    number: numberToHex(number),
    round: numberToHex(round),
    masternodesLen: masternodes.length,
    masternodes,
    penaltyLen: penalised.length,
    penalty: penalised,
    standbynodesLen: standby.length,
    standbynodes: standby,
  };
};

const toMissedRounds = ({ chain }: NodeView, { number }: ChainBlock) => {
  const { EpochRound, EpochBlockNumber, MissedRounds } = missedRoundsUpTo(chain, number);
  return {
    epochRound: numberToHex(EpochRound),
    epochBlockNumber: numberToHex(EpochBlockNumber),
    missedRounds: (MissedRounds ?? []).map((missed) => ({
      round: numberToHex(missed.Round),
      miner: missed.Miner,
      currentBlockHash: missed.CurrentBlockHash,
      currentBlockNum: numberToHex(missed.CurrentBlockNum),
      parentBlockHash: missed.ParentBlockHash,
      parentBlockNum: numberToHex(missed.ParentBlockNum),
    })),
  };
};

/** Integers of its settings stay numbers, and long ones are written in hexadecimal. */
const toNetworkInformation = ({ chain }: NodeView) => {
  const { period, epoch, gap, reward, v2 } = consensusConfigs(chain);
  return {
    networkId: numberToHex(CHAIN_ID),
    xdcValidatorAddress: '0x0000000000000000000000000000000000000088',
    xdcxListingAddress: '0x0000000000000000000000000000000000000091',
    lendingAddress: '0x0000000000000000000000000000000000000093',
    consensusConfigs: {
      epoch,
      gap,
      period,
      reward,
      switchEpoch: 0,
      switchBlock: '0x0',
      v2Configs: [
        {
          switchRound: '0x0',
          maxMasternodes: 108,
          maxProtectorNodes: 0,
          maxObserverNodes: 0,
          certificateThreshold: v2.config.certificateThreshold,
          timeoutSyncThreshold: v2.config.timeoutSyncThreshold,
          timeoutPeriod: v2.config.timeoutPeriod,
          minePeriod: numberToHex(v2.config.minePeriod),
        },
      ],
    },
  };
};

/** A header, with the lists that newer versions have. */
const toNethermindHeader = (view: NodeView, block: ChainBlock) => ({
  ...toHeader(view, block),
  author: block.miner,
  baseFeePerGas: '0x2e90edd00',
  extraData: '0x02d3',
  gasLimit: '0x1908b100',
  gasUsed: '0x0',
});

const toEnode = ({ identity: { id, ip, p2pPort } }: NodeView): string => `enode://${id}@${ip}:${p2pPort}`;

const toPeer = ({ identity, chain, head }: PeerView) => ({
  id: identity.id,
  name: VERSIONS[identity.client],
  caps: ['eth/100'],
  network: { remoteAddress: `${identity.ip}:${identity.p2pPort}` },
  protocols: { eth: { version: '0x64', difficulty: numberToHex(head + 1), headHash: chain.hashOf(head) } },
});

const toPeers = ({ peers }: NodeView) => ({
  active: numberToHex(peers.length),
  connected: numberToHex(peers.length),
  max: '0x32',
  peers: peers.toSorted(byId).map(toPeer),
});

/** Blocks that it may be behind and is not syncing. */
const SYNCED_WITHIN = 8;

const answers =
  (result: (view: NodeView) => unknown): RpcMethod =>
  (view) => ({ result: result(view) });

/** Every method that a node of Nethermind serves in a generated subnet and subnetd may ask, by its sources of 2026. */
export const nethermindMethods: Readonly<Record<string, RpcMethod>> = {
  XDPoS_getV2BlockByNumber: ofBlock(toBlockInfo),
  XDPoS_getMasternodesByNumber: ofBlock(toMasternodes, true),
  XDPoS_getMissedRoundsInEpochByBlockNum: ofBlock(toMissedRounds, true),
  XDPoS_networkInformation: answers(toNetworkInformation),
  // Its pools have keys that its serializer refuses, so it can answer for empty ones only.
  XDPoS_getLatestPoolStatus: ({ head }) =>
    head > 0 ? failure(-32603, 'Internal error') : { result: { vote: {}, timeout: {}, syncInfo: {} } },

  ...contractMethods,
  eth_blockNumber: answers(({ head }) => numberToHex(head)),
  eth_chainId: answers(() => numberToHex(CHAIN_ID)),
  eth_coinbase: answers(() => ZERO_ADDRESS),
  eth_getBlockByNumber: (view, params) => {
    const asked = ask(view, params);
    if ('refused' in asked && asked.refused === 'params') return failure(-32602, 'Invalid params');
    const block = 'block' in asked ? asked.block : asked.found;
    return { result: block === undefined ? null : toNethermindHeader(view, block) };
  },
  eth_syncing: answers((view) => (view.highest - view.head > SYNCED_WITHIN ? toSyncing(view) : false)),

  net_localAddress: answers(({ identity }) => identity.address),
  net_localEnode: answers(toEnode),
  net_peerCount: answers(({ peers }) => numberToHex(peers.length)),
  net_version: answers(() => `${CHAIN_ID}`),
  parity_netPeers: answers(toPeers),

  rpc_modules: answers(() => toModules(nethermindModules())),
  web3_clientVersion: answers(({ identity }) => VERSIONS[identity.client]),
};

/** What `GET /health` says: a halted chain is healthy, and a node without peers is not. */
export const healthOf = ({ head, highest, peers }: NodeView) => {
  const isSyncing = highest - head > SYNCED_WITHIN;
  const status = peers.length === 0 ? 'Unhealthy' : 'Healthy';
  const state = isSyncing
    ? `The node is still syncing, CurrentBlock: ${head}, HighestBlock: ${highest}. The status will change to healthy once synced.`
    : 'The node is now fully synced with a network.';
  const connected = peers.length === 0 ? 'Node is not connected to any peers.' : `Peers: ${peers.length}.`;
  return {
    status,
    totalDuration: '00:00:00.0006931',
    entries: {
      'node-health': {
        data: { IsSyncing: isSyncing, Errors: peers.length === 0 ? ['NoPeers'] : [] },
        description: `${state} ${connected}`,
        duration: '00:00:00.0003797',
        status,
        tags: [],
      },
    },
  };
};
