import type { WatchedMs } from '../lib/clock.ts';
import {
  type ContractReading,
  formatCoins,
  type ParentChain,
  type ParentFacts,
  type ParentResult,
  toAddress,
  type WalletFacts,
} from './parent-chain.ts';

/** Where packets of XDC-Zero go. Each way has its mode of the relayer, its endpoints and its wallet. */
export const DIRECTIONS = ['to_parent', 'to_subnet'] as const;
export type Direction = (typeof DIRECTIONS)[number];

/** Each direction in words, and the mode of the relayer that carries its packets (XDC-Relayer src/processors). */
export const WAYS = {
  to_parent: { words: 'to the parent chain', from: 'the subnet', to: 'the parent chain', mode: 'zero' },
  to_subnet: { words: 'to the subnet', from: 'the parent chain', to: 'the subnet', mode: 'reverse_zero' },
} as const;

/** The wallets of a relayer: the setting of the key of each, and the chain on which it pays (XDC-Relayer src/config.ts). */
export const WALLETS = {
  parent: { setting: 'PARENTNET_WALLET_PK', chain: 'the parent chain', inventory: 'wallet' },
  parent_zero: { setting: 'PARENTNET_ZERO_WALLET_PK', chain: 'the parent chain', inventory: 'zeroWallet' },
  subnet: { setting: 'SUBNET_WALLET_PK', chain: 'the subnet', inventory: 'subnetWallet' },
  subnet_zero: { setting: 'SUBNET_ZERO_WALLET_PK', chain: 'the subnet', inventory: 'subnetZeroWallet' },
} as const satisfies Readonly<Record<string, { inventory: keyof ParentChain; [text: string]: string }>>;
export type WalletRole = keyof typeof WALLETS;
export const WALLET_ROLES = Object.keys(WALLETS) as readonly WalletRole[];

/** What the endpoint that receives packets is told to accept (XDC-Zero Endpoint.sol, `getSendChain`). Addresses are `0x`, lower case. */
export interface Route {
  /** The chain that sends is registered there. */
  readonly isRegistered: boolean;
  /** Packets of the endpoint that sends are accepted. */
  readonly isEndpoint: boolean;
  /** They are proven by the checkpoint contract of the inventory. */
  readonly isContract: boolean;
  /** What is at the address of the contract that proves them. */
  readonly contract?: ContractReading;
}

/** What the endpoints of one direction say. Packets have indexes from 1 on, and arrive in their order. */
export interface PacketReading {
  /** The index of the last one that was sent: `getReceiveChainLastIndex` of the endpoint that sends. */
  readonly sent: number;
  /** The index of the last one that was received: `getSendChainLastIndex` of the endpoint that receives. */
  readonly received: number;
  /** The time of the block of the oldest one that is pending, in Unix seconds; absent while its event was not found. */
  readonly oldestAt?: number | undefined;
  /** The block of the newest one that is pending, for whose checkpoint the relayer waits. */
  readonly newestBlock?: number | undefined;
  /** Read while packets are pending. */
  readonly route?: Route;
}

/** What a checkpoint contract in lite mode holds of the blocks that it takes: those at the gap and at the epoch. */
export interface LiteReading {
  readonly epoch: number;
  readonly gap: number;
  /** The newest one that was submitted. */
  readonly latest: number;
  /** Those of the last ten that were submitted and are not committed (`getHeaderByNumber`, `finalized`). */
  readonly buffered: number;
}

/** What a probe of the relayer's other work saw, once a minute. What is not configured is absent. */
export interface RelayObservation {
  readonly packets: Readonly<Partial<Record<Direction, ParentResult<PacketReading>>>>;
  /** Absent while it cannot be read. */
  readonly lite?: LiteReading;
  /** The balances of the wallets whose address is known, in the smallest unit. */
  readonly wallets: Readonly<Partial<Record<WalletRole, { address: string; balance: ParentResult<bigint> }>>>;
}

/** The packets of one direction over many probes. */
export interface PacketFacts {
  readonly reading: PacketReading;
  readonly pending: number;
  /** When a packet was last seen to arrive; at first when they were first read. */
  readonly movedAt: WatchedMs;
  /** When the oldest that is pending was sent; where its event was not found, when it was first seen. */
  readonly oldestAt?: WatchedMs;
}

/** Facts about the relayer's other work over many probes. */
export interface RelayFacts {
  readonly observation: RelayObservation;
  /** Kept while the endpoints cannot be read. */
  readonly packets: Readonly<Partial<Record<Direction, PacketFacts>>>;
  readonly wallets: Readonly<Partial<Record<WalletRole, WalletFacts>>>;
}

/** What is known of a subnet that concerns its relayer. */
interface Known {
  readonly parent?: ParentFacts;
  readonly relay?: RelayFacts;
}

/** The heights that a lite contract takes, the newest first, at most `most` of those up to `height`. */
export function findLiteHeights({ epoch, gap }: Pick<LiteReading, 'epoch' | 'gap'>, height: number, most: number) {
  const heights: number[] = [];
  for (let base = height - (height % epoch); base >= 0 && heights.length < most; base -= epoch)
    heights.push(...[base + epoch - gap + 1, base].filter((each) => each > 0 && each <= height));
  return heights.slice(0, most);
}

/** A lite contract must have a block when so many blocks came after it: five minutes, in which the relayer looks twice. */
const DUE_AFTER_BLOCKS = 150;

/** How many blocks that it should have a lite contract misses, while the subnet is at this height. */
export function countMissed(lite: LiteReading, height: number): number {
  const most = Math.max(Math.ceil(((height - lite.latest) * 2) / lite.epoch) + 2, 0);
  return findLiteHeights(lite, height - DUE_AFTER_BLOCKS, most).filter((each) => each > lite.latest).length;
}

/** The state of a lite contract as last read; undefined for another one. */
export function readLite({ relay }: Known = {}, height: number | undefined) {
  const lite = relay?.observation.lite;
  return lite && { buffered: lite.buffered, missed: height === undefined ? undefined : countMissed(lite, height) };
}

/** A wallet of the relayer whose balance was read. */
export interface RelayerWallet {
  readonly role: WalletRole;
  readonly address: string;
  readonly wallet: WalletFacts;
  /** The last probe has read it. */
  readonly isRead: boolean;
}

/** The balance of a wallet in words, with when it was read where that matters. */
export const describeBalance = ({ role, wallet }: RelayerWallet, read: string): string =>
  `${role === 'parent' ? 'its' : `of ${WALLETS[role].setting} the`} balance is ${formatCoins(wallet.balance)} coins${read}`;

/** Where coins are to be sent. */
export const describePayee = ({ role, address }: RelayerWallet): string =>
  `${address} (${role === 'parent' ? 'PARENTNET_WALLET' : `the key of ${WALLETS[role].setting}`}) on ${WALLETS[role].chain}`;

/** The wallets of a relayer. One key that pays on a chain in two modes is one wallet. */
export function listWallets(parentChain: ParentChain | undefined, facts: Known = {}): readonly RelayerWallet[] {
  const { parent, relay } = facts;
  const found = WALLET_ROLES.flatMap((role): RelayerWallet[] => {
    const seen = relay?.observation.wallets[role];
    const wallet = role === 'parent' ? parent?.wallet : relay?.wallets[role];
    const address = role === 'parent' ? parentChain?.wallet : seen?.address;
    const balance = role === 'parent' ? parent?.observation.balance : seen?.balance;
    return wallet && address ? [{ role, address: toAddress(address), wallet, isRead: balance?.ok === true }] : [];
  });
  return found.filter(({ role, address }, index) =>
    found.slice(0, index).every((one) => one.address !== address || WALLETS[one.role].chain !== WALLETS[role].chain),
  );
}
