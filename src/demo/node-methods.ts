import { numberToHex } from 'viem/utils';
import { CHAIN_ID, type Chain, type ChainBlock, ZERO_HASH } from './chain.ts';
import { contractMethods } from './contract-methods.ts';
import { VERSIONS } from './demo-client.ts';
import { GAP } from './elections.ts';
import { optionalBlockTag, optionalFlag, plain, type RpcMethod, rpcMethod } from './rpc-method.ts';
import type { NodeView, PeerView } from './simulated-subnet.ts';
import { EPOCH } from './timeline.ts';
import { blockByTag, consensusConfigs, xdposMethods } from './xdpos-methods.ts';

/** Blocks of XDPoS v2 all have difficulty 1, so a chain's total is its length. */
const totalDifficulty = (number: number): number => number + 1;

/** A dialling node's port is any free one; here it follows from the node, so that it stays the same. */
const EPHEMERAL = 30_000;

/** A connection as `admin_peers` shows it: no `enode` member, and a port that only tells who dialled. */
const toPeer = ({ identity }: NodeView, peer: PeerView) => {
  const local = `${identity.ip}:${peer.inbound ? identity.p2pPort : EPHEMERAL + peer.identity.p2pPort}`;
  const remote = `${peer.identity.ip}:${peer.inbound ? EPHEMERAL + identity.p2pPort : peer.identity.p2pPort}`;
  return {
    id: peer.identity.id,
    name: VERSIONS[peer.identity.client],
    caps: peer.identity.client === 'nethermind' ? ['eth/100'] : ['eth/62', 'eth/63', 'eth/100'],
    network: {
      localAddress: local,
      remoteAddress: remote,
      inbound: peer.inbound,
      trusted: false,
      static: false,
    },
    protocols: {
      eth: { version: 100, difficulty: totalDifficulty(peer.head), head: peer.chain.hashOf(peer.head) },
    },
  };
};

/** The first block of which a transaction names its chain; before it a node says that its chain is 0. */
const EIP155_BLOCK = 3;

const toChainConfig = (chain: Chain) => ({
  chainId: CHAIN_ID,
  homesteadBlock: 1,
  eip150Block: 2,
  eip150Hash: ZERO_HASH,
  eip155Block: EIP155_BLOCK,
  eip158Block: 3,
  byzantiumBlock: 4,
  XDPoS: consensusConfigs(chain),
});

const toNodeInfo = ({ identity, chain, head }: NodeView) => {
  const { id, p2pPort: port } = identity;
  return {
    id,
    name: VERSIONS[identity.client],
    enode: `enode://${id}@[::]:${port}`,
    ip: '::',
    ports: { discovery: port, listener: port },
    listenAddr: `[::]:${port}`,
    protocols: {
      eth: {
        network: CHAIN_ID,
        difficulty: totalDifficulty(head),
        genesis: chain.hashOf(0),
        config: toChainConfig(chain),
        head: chain.hashOf(head),
      },
    },
  };
};

export const toSyncing = ({ head, highest }: NodeView) =>
  head >= highest
    ? false
    : {
        startingBlock: numberToHex(head),
        currentBlock: numberToHex(head),
        highestBlock: numberToHex(highest),
        pulledStates: '0x0',
        knownStates: '0x0',
      };

/** What the headers of all clients say of a block. */
export const toCommonHeader = ({ number, hash, parentHash, miner, timestamp }: ChainBlock) => ({
  number: numberToHex(number),
  hash,
  parentHash,
  miner,
  timestamp: numberToHex(timestamp),
  difficulty: '0x1',
  totalDifficulty: numberToHex(totalDifficulty(number)),
  transactions: [],
  uncles: [],
});

/** A header. The one after a gap block lists who is chosen for the next epoch (XDC-Subnet engine_v2/verifyHeader.go). */
export const toHeader = ({ chain, head }: NodeView, block: ChainBlock) => {
  const { number } = block;
  const { masternodes, penalised } = chain.officeAt(head);
  const lists = number % EPOCH === EPOCH - GAP + 1;
  const choice = chain.choiceAt(number - 1);
  return {
    ...toCommonHeader(block),
    nextValidators: lists ? (choice?.candidates ?? [...masternodes, ...penalised].toSorted()) : [],
    penalties: lists ? (choice?.penalised ?? penalised) : [],
    validators: number % EPOCH === 0 ? masternodes : [],
  };
};

export const byId = (a: PeerView, b: PeerView): number => (a.identity.id < b.identity.id ? -1 : 1);

/** Namespaces that a generated subnet serves over HTTP, as `rpc_modules` names them. */
const STOCK_MODULES = ['debug', 'eth', 'miner', 'net', 'personal', 'rpc', 'txpool', 'web3', 'XDPoS'];

/** Those of a node of XDC-Subnet. */
export const goModules = ({ servesAdmin }: NodeView): readonly string[] =>
  servesAdmin ? ['admin', ...STOCK_MODULES] : STOCK_MODULES;

/** Namespaces as `rpc_modules` answers them. */
export const toModules = (names: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(names.map((name) => [name, '1.0']));

/** Every method that a node of XDC-Subnet knows, by its whole name. Those of a namespace that a node hides stay here. */
export const nodeMethods: Readonly<Record<string, RpcMethod>> = {
  ...xdposMethods,
  ...contractMethods,

  admin_nodeInfo: plain(toNodeInfo),
  admin_peers: plain((view) => view.peers.toSorted(byId).map((peer) => toPeer(view, peer))),

  eth_blockNumber: plain(({ head }) => numberToHex(head)),
  eth_chainId: plain(({ head }) => numberToHex(head < EIP155_BLOCK ? 0 : CHAIN_ID)),
  eth_getBlockByNumber: rpcMethod([optionalBlockTag, optionalFlag], (view, tag, _isWhole) => {
    const block = blockByTag(view, tag);
    return { result: block === undefined ? null : toHeader(view, block) };
  }),
  eth_coinbase: plain(({ identity }) => identity.address),
  eth_syncing: plain(toSyncing),

  net_peerCount: plain(({ peers }) => numberToHex(peers.length)),
  net_version: plain(() => `${CHAIN_ID}`),

  rpc_modules: plain((view) => toModules(goModules(view))),

  web3_clientVersion: plain(({ identity }) => VERSIONS[identity.client]),
};
