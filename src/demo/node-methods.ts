import { numberToHex } from 'viem/utils';
import { CHAIN_ID } from './chain.ts';
import { plain, type RpcMethod } from './rpc-method.ts';
import type { NodeView, PeerView } from './simulated-subnet.ts';
import { xdposMethods } from './xdpos-methods.ts';

const CLIENT = 'XDC/v2.0.0-unstable-82d26c17/linux-amd64/go1.21.13';

/** Blocks of XDPoS v2 all have difficulty 1, so a chain's total is its length. */
const totalDifficulty = (number: number): number => number + 1;

/** A dialling node's port is any free one; here it follows from the node, so that it stays the same. */
const EPHEMERAL = 30_000;

/** A connection as `admin_peers` shows it: no `enode` member, and a port that only shows who dialled. */
const toPeer = ({ identity, chain }: NodeView, peer: PeerView) => {
  const local = `${identity.ip}:${peer.inbound ? identity.p2pPort : EPHEMERAL + peer.identity.p2pPort}`;
  const remote = `${peer.identity.ip}:${peer.inbound ? EPHEMERAL + identity.p2pPort : peer.identity.p2pPort}`;
  return {
    id: peer.identity.id,
    name: CLIENT,
    caps: ['eth/62', 'eth/63', 'eth/100'],
    network: {
      localAddress: local,
      remoteAddress: remote,
      inbound: peer.inbound,
      trusted: false,
      static: false,
    },
    protocols: {
      eth: { version: 100, difficulty: totalDifficulty(peer.head), head: chain.hashOf(peer.head) },
    },
  };
};

const toSyncing = ({ head, highest }: NodeView) =>
  head >= highest
    ? false
    : {
        startingBlock: numberToHex(head),
        currentBlock: numberToHex(head),
        highestBlock: numberToHex(highest),
        pulledStates: '0x0',
        knownStates: '0x0',
      };

const byId = (a: PeerView, b: PeerView): number => (a.identity.id < b.identity.id ? -1 : 1);

/** Every method that the simulated nodes know, by its whole name. Those of a namespace that a node hides stay here. */
export const nodeMethods: Readonly<Record<string, RpcMethod>> = {
  ...xdposMethods,

  admin_peers: plain((view) => view.peers.toSorted(byId).map((peer) => toPeer(view, peer))),

  eth_blockNumber: plain(({ head }) => numberToHex(head)),
  eth_chainId: plain(() => numberToHex(CHAIN_ID)),
  eth_coinbase: plain(({ identity }) => identity.address),
  eth_syncing: plain(toSyncing),

  net_peerCount: plain(({ peers }) => numberToHex(peers.length)),
  net_version: plain(() => `${CHAIN_ID}`),

  rpc_modules: plain(({ modules }) => Object.fromEntries(modules.map((name) => [name, '1.0']))),

  web3_clientVersion: plain(() => CLIENT),
};
