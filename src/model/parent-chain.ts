import type { WatchedMs } from '../lib/clock.ts';
import type { WalletFacts } from './wallet-spend.ts';

/** The chain on which the relayer submits the blocks of a subnet. Addresses are `0x` or `xdc` and 40 hexadecimal digits. */
export interface ParentChain {
  /** JSON-RPC over HTTP; may carry user info and a token, which no output shows. */
  readonly rpc: string;
  /** The checkpoint contract. */
  readonly contract?: string;
  /** The wallet of the relayer. */
  readonly wallet?: string;
}

/** A probe of a parent chain keeps two connections to it, and one to the node of the subnet that knows its block. */
export const PARENT_CONNECTIONS = 3;

/** XDC writes addresses as `xdc…` too. */
export const toAddress = (address: string): `0x${string}` => `0x${address.slice(-40).toLowerCase()}`;

/** A value read from the parent chain, or why there is none: a sentence about the chain without its subject, and what mends its address. */
export type ParentResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly why: string; readonly fix?: string };

/** What a checkpoint contract takes: every block, or only those at the gap and at the epoch. */
export const CHECKPOINT_MODES = ['full', 'lite', 'reverse_full'] as const;
export type CheckpointMode = (typeof CHECKPOINT_MODES)[number];

/** A block of the subnet as the contract holds it; the hash is lower-case `0x…`. */
export interface CheckpointBlock {
  readonly hash: string;
  readonly number: number;
}

/** Whether the subnet has a block of the contract: the same one, another one at its height, or none that high. */
export type FoundOnSubnet = 'same' | 'other' | 'absent';

/** What a checkpoint contract answers (XDC-CSC: `getLatestBlocks`, `MODE`). */
export interface Checkpoint {
  /** Absent when the contract does not say it, or says another word. */
  readonly mode?: CheckpointMode;
  /** The newest block that was submitted. */
  readonly latest: CheckpointBlock;
  /** The newest block that the contract counts as committed. */
  readonly committed: CheckpointBlock;
  /** The committed block as the nodes of the subnet know it; absent when none of them said. */
  readonly onSubnet?: { readonly found: FoundOnSubnet; readonly timestamp?: number };
}

/** What is at the address of the contract: a checkpoint contract, something else, or no code at all. */
export type ContractReading =
  | { readonly kind: 'checkpoint'; readonly checkpoint: Checkpoint }
  | { readonly kind: 'other' | 'missing' };

/** What a probe of the parent chain saw. What the inventory does not name is absent. */
export interface ParentObservation {
  /** The newest block; its time in Unix seconds. */
  readonly head: ParentResult<{ readonly number: number; readonly timestamp: number }>;
  readonly chainId?: ParentResult<number>;
  readonly contract?: ParentResult<ContractReading>;
  /** Of the wallet of the relayer, in the smallest unit. */
  readonly balance?: ParentResult<bigint>;
}

/** The height of the contract over many probes. Its numbers are those of the committed block. */
export interface CheckpointProgress {
  /** The last one that was read. */
  readonly checkpoint: Checkpoint;
  readonly readAt: WatchedMs;
  /** When it was last seen to rise; initially, when it was first read. */
  readonly advancedAt: WatchedMs;
  readonly hasAdvanced: boolean;
  /** What was read within the last minutes, the oldest first; not empty. */
  readonly recent: readonly { readonly at: WatchedMs; readonly number: number }[];
}

/** Facts about the parent chain over many probes. */
export interface ParentFacts {
  readonly observation: ParentObservation;
  readonly at: WatchedMs;
  /** Since when no probe obtains the newest block, and how many did not. */
  readonly unanswered?: { readonly since: WatchedMs; readonly probes: number };
  /** How old the newest block was when it was read, by our clock; negative when it is ahead. */
  readonly headAgeMs?: number;
  /** The first chain id that it gave. */
  readonly firstChainId?: number;
  /** Kept while the contract cannot be read; absent until it once could. */
  readonly progress?: CheckpointProgress;
  /** Kept while the balance cannot be read; absent until it once could. */
  readonly wallet?: WalletFacts;
}

/** The parent chains of the inventory, and what is read from them. */
export interface ParentChains {
  /** The subnets that name their parent chain, in the order of the inventory. */
  readonly list: () => readonly { readonly subnet: string; readonly rpc: string }[];
  /** In the smallest unit. */
  readonly readBalance: (rpc: string, address: string) => Promise<ParentResult<bigint>>;
}
