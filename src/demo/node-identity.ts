import { getHashes, hash } from 'node:crypto';
import type { Hex } from 'viem';
import { keccak256 as viemKeccak256 } from 'viem/utils';
import type { DemoClient } from './demo-client.ts';

/**
 * Ethereum's hash. OpenSSL's is taken where Node has it: it is ten times faster, and a demo that starts at block 2,500
 * hashes as many blocks before its first answer.
 */
export const keccak256: (bytes: Uint8Array) => Hex = getHashes().includes('keccak-256')
  ? (bytes) => `0x${hash('keccak-256', bytes, 'hex')}`
  : (bytes) => viemKeccak256(bytes);

/** Who a simulated node is; everything follows from its name and place, so that each demo shows the same subnet. */
export interface NodeIdentity {
  readonly name: string;
  /** The masternode's account, lower case, as the node prints addresses. */
  readonly address: Hex;
  /** The node's public key as peers know it: 128 hex digits without `0x` (XDC-Subnet p2p/discover/node.go). */
  readonly id: string;
  /** The address that the deployment generator would give it on its Docker network. */
  readonly ip: string;
  readonly p2pPort: number;
  readonly client: DemoClient;
}

const digest = (text: string): Hex => keccak256(Buffer.from(text));

/** The identity of the node `name`, the `index`th of its subnet counted from 0. */
export const toNodeIdentity = (name: string, index: number, client: DemoClient = 'go'): NodeIdentity => ({
  name,
  address: `0x${digest(`subnetd demo masternode ${name}`).slice(-40)}`,
  id: [1, 2].map((half) => digest(`subnetd demo node key ${name} ${half}`).slice(2)).join(''),
  ip: `192.168.${25 + ((11 + index) >> 8)}.${(11 + index) & 255}`,
  p2pPort: 20303 + index,
  client,
});

/** Where the bootnode answers: not in 192.168.25.0/24 as in a real deployment, because a hundred nodes fill the addresses there. */
export const BOOTNODE = `enode://${'5d'.repeat(64)}@192.168.24.51:20301`;
