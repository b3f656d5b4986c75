import type { WatchedMs } from '../lib/clock.ts';
import { DAY_MS, formatDuration, HOUR_MS } from '../lib/duration.ts';
import { ascending, medianOf } from '../lib/numbers.ts';

/** What a wallet paid within a part of the time, in the smallest unit. */
export interface SpendPart {
  readonly from: WatchedMs;
  /** How long it was watched in this part. */
  readonly watchedMs: number;
  readonly spent: bigint;
  /** Readings that were lower than the one before. */
  readonly payments: number;
}

/** How near the end of a wallet is. */
export type WalletLevel = 'low' | 'nearly_empty';

/** The balance of a wallet over many probes. */
export interface WalletFacts {
  /** The last one that was read, in the smallest unit. */
  readonly balance: bigint;
  readonly readAt: WatchedMs;
  /** When it was first read, or last found to have risen: it has had at least the balance of now since then. */
  readonly richSince: WatchedMs;
  /** When it was first read, or last found to be another one. */
  readonly changedAt: WatchedMs;
  /** The last 24 hours, the oldest first. */
  readonly parts: readonly SpendPart[];
  /** The last payments, the oldest first: what is far above them is no fee. */
  readonly recent: readonly bigint[];
  /** Absent while there is enough, or nobody can say. */
  readonly level?: WalletLevel;
}

/** What a wallet spends, in the smallest unit. */
export interface Spend {
  readonly payments: number;
  /** How long it was watched. */
  readonly overMs: number;
  readonly perDay: bigint;
  readonly daysLeft: number;
}

/** The parent chain is read each 30 s: the age of what may have changed since is mentioned when it was read longer ago. */
export const OLD_READING_MS = 5_000;

/** An estimate needs as many payments, and as long a time: with less, one payment would change it by half. */
export const ENOUGH = { payments: 3, ms: 600_000 };

const MILLI = 1_000n;

/** In the first hour, what a wallet paid is kept in parts of so long: minutes in which a relayer catches up are no usual ones. */
export const FIRST_PART_MS = 300_000;

const toDay = ({ spent, watchedMs }: Pick<SpendPart, 'spent' | 'watchedMs'>): bigint =>
  (spent * BigInt(DAY_MS)) / BigInt(Math.round(watchedMs));

/** Whether two differ by no more than an eighth, as one payment more or less brings it. */
const isAlike = (one: bigint, other: bigint): boolean => one * 8n <= other * 9n && other * 8n <= one * 9n;

/** What a wallet spends; undefined while too little was seen, and for a wallet that pays nothing. */
export function findSpend({ balance, parts }: Pick<WalletFacts, 'balance' | 'parts'>): Spend | undefined {
  let payments = 0;
  let overMs = 0;
  let spent = 0n;
  for (const part of parts) {
    payments += part.payments;
    overMs += part.watchedMs;
    spent += part.spent;
  }
  if (payments < ENOUGH.payments || overMs < ENOUGH.ms) return undefined;
  // In the first hour what it spends in most parts; nothing where it pays in few of them.
  const all = overMs < HOUR_MS ? parts.filter(({ watchedMs }) => watchedMs >= FIRST_PART_MS / 2).map(toDay) : [];
  // Of two that differ nobody knows which is usual, and half of an even number may be of a pace that is over.
  const [first = 0n, second = first, ...more] = all;
  if (more.length === 0 && !isAlike(first, second)) return undefined;
  const usual = medianOf(all.slice(1 - (all.length % 2))) || undefined;
  const perDay = usual ?? toDay({ spent, watchedMs: overMs });
  if (perDay === 0n) return undefined;
  return { payments, overMs, perDay, daysLeft: Number((balance * MILLI) / perDay) / Number(MILLI) };
}

/** The smallest of the last payments; undefined while none was seen. */
export const findLeastPayment = ({ recent }: Pick<WalletFacts, 'recent'>): bigint | undefined =>
  recent.toSorted(ascending)[0];

/** Whether a wallet has less than any of its last payments took. */
export const cannotPay = (wallet: Pick<WalletFacts, 'balance' | 'recent'>): boolean =>
  wallet.balance < (findLeastPayment(wallet) ?? 1n);

/** How many more times a wallet can pay what it usually paid of late; undefined before it was seen to pay a few times. */
export function countPaymentsLeft({ balance, recent }: Pick<WalletFacts, 'balance' | 'recent'>): number | undefined {
  const usual = recent.length < ENOUGH.payments ? undefined : medianOf(recent);
  return usual ? Number(balance / usual) : undefined;
}

/** Without an estimate for this long, a wallet pays nothing, or next to nothing. */
const PATIENCE_MS = 3_600_000;

/** Whether it can be said how long a wallet lasts: its spend is known, or was looked for long enough, or it was filled meanwhile. */
export const isSpendJudged = (wallet: WalletFacts | undefined): boolean =>
  wallet !== undefined &&
  (findSpend(wallet) !== undefined ||
    wallet.richSince > (wallet.parts[0]?.from ?? Number.POSITIVE_INFINITY) ||
    wallet.parts.reduce((sum, { watchedMs }) => sum + watchedMs, 0) >= PATIENCE_MS);

const COIN = 1e18;

/** An amount in the smallest unit as whole coins. */
export const toCoins = (amount: bigint): number => Number(amount) / COIN;

/** That many digits of an amount below 1,000 coins are shown. */
const DIGITS = 4;

/** As a person says it: `0.00123`, `12.35`, `2000`. */
export function formatCoins(amount: bigint): string {
  const coins = toCoins(amount);
  if (coins >= 1_000) return coins.toFixed(0);
  const decimals = DIGITS - 1 - Math.floor(Math.log10(Math.max(coins, 1 / COIN)));
  return coins.toFixed(decimals).replace(/\.?0+$/, '');
}

/** The next amount with two digits. */
export function roundUp(amount: bigint): bigint {
  const unit = 10n ** BigInt(Math.max(`${amount}`.length - 2, 0));
  return ((amount + unit - 1n) / unit) * unit;
}

/** Of what was watched for less than an hour, the figure changes with each reading. */
export const isRough = ({ overMs }: Pick<Spend, 'overMs'>): boolean => overMs < HOUR_MS;

/** What a wallet spends in a day, in coins: `1440`, and in the first hour `about 1500`. */
export const formatSpend = ({ perDay, overMs }: Pick<Spend, 'perDay' | 'overMs'>): string =>
  isRough({ overMs }) ? `about ${formatCoins(roundUp(perDay))}` : formatCoins(perDay);

/** As a person says it: `6.5 days`, `5h 20m`. */
export function formatDays(days: number): string {
  if (days < 1) return formatDuration(days * DAY_MS);
  return days < 10 ? `${Math.floor(days * 10) / 10} days` : `${Math.floor(days)} days`;
}

/** The chain on which the relayer submits the blocks of a subnet. Addresses are `0x` or `xdc` and 40 hexadecimal digits. */
export interface ParentChain {
  /** JSON-RPC over HTTP; may carry user info and a token, which no output shows. */
  readonly rpc: string;
  /** The checkpoint contract. */
  readonly contract?: string;
  /** The wallet of the relayer. */
  readonly wallet?: string;
  /** The endpoints of XDC-Zero, on the parent chain and on the subnet. */
  readonly zeroContract?: string;
  readonly subnetZeroContract?: string;
  /** The checkpoint contract on the subnet, which takes the blocks of the parent chain. */
  readonly reverseContract?: string;
  /** The other wallets of the relayer, where the inventory names them: else by its transactions. */
  readonly zeroWallet?: string;
  readonly subnetWallet?: string;
  readonly subnetZeroWallet?: string;
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

/** What a checkpoint contract would do with the block that the relayer submits next, by an `eth_call` of `receiveHeader`. */
export interface NextBlock {
  readonly number: number;
  /** The words with which it would refuse the block, which may be empty; absent when it would take it. */
  readonly refusal?: string;
}

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
  /** As last asked, up to a minute ago; absent when no committed block waits, and when nobody can say. */
  readonly next?: NextBlock;
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
  /** The usual time between two blocks, by the times of the last hundred; absent while it is not known. */
  readonly paceMs?: number;
  readonly contract?: ParentResult<ContractReading>;
  /** Of the wallet of the relayer, in the smallest unit. */
  readonly balance?: ParentResult<bigint>;
}

/** A committed block of the subnet, its own time in Unix seconds, and when the first node was seen to rise to it. */
export interface CommittedBlock {
  readonly number: number;
  readonly timestamp?: number;
  readonly advancedAt: WatchedMs;
}

/** The height of the contract over many probes. Its numbers are those of the committed block. */
export interface CheckpointProgress {
  /** The last one that was read. */
  readonly checkpoint: Checkpoint;
  readonly readAt: WatchedMs;
  /** The newest committed block of the subnet when it was read; absent when none was known. */
  readonly newest?: CommittedBlock | undefined;
  /** When it was last seen to rise; initially, when it was first read. */
  readonly advancedAt: WatchedMs;
  readonly hasAdvanced: boolean;
  /** What was read within the last minutes, the oldest first; not empty. */
  readonly recent: readonly { readonly at: WatchedMs; readonly number: number }[];
}

/** A chain that misses so many blocks in a row, and makes none for as long, shows more than a round that timed out. */
const MISSED = { blocks: 10, ms: 20_000 };

/** Where the pace of a chain is not known, or newer blocks come all the same, a newest block this old is not that of the chain. */
const OLD_MS = 120_000;

/** How old the newest block of a chain of this pace is when it is the last one. */
export const lastMs = (paceMs: number): number => Math.max(MISSED.ms, MISSED.blocks * paceMs);

/** Whether a newest block of this age may be the last one, so that another reading should show it, or the next one, soon. */
export function mayBeLast(ageMs: number, paceMs: number | undefined): boolean {
  return paceMs !== undefined && ageMs >= lastMs(paceMs) / 3;
}

/** Facts about the parent chain over many probes. */
export interface ParentFacts {
  readonly observation: ParentObservation;
  readonly at: WatchedMs;
  /** Since when no probe obtains the newest block, and how many did not. */
  readonly unanswered?: { readonly since: WatchedMs; readonly probes: number };
  /** Since when they obtain it again, or have a contract again that was gone; absent until one did not. */
  readonly answersSince?: WatchedMs | undefined;
  /** How old the newest block was when it was read, by our clock; negative when it is ahead. */
  readonly headAgeMs?: number;
  /** When a probe first gave this newest block; absent while none does. */
  readonly headSince?: WatchedMs;
  /** The highest block that it ever gave. */
  readonly highest?: number;
  /** The first chain id that it gave. */
  readonly firstChainId?: number;
  /** Kept while the contract cannot be read; absent until it once could. */
  readonly progress?: CheckpointProgress;
  /** Since when the chain has it. */
  readonly contractSince?: WatchedMs | undefined;
  /** Kept while the balance cannot be read; absent until it once could. */
  readonly wallet?: WalletFacts;
}

/** Readings over this share of the time in which a chain shows that it stands must give the same block: our clock may be wrong. */
const WATCHED = 0.4;

/** Since when readings give the same newest block although the next ones were due; undefined while they do not. */
export function standsSince({ observation: { paceMs }, headSince, at }: ParentFacts): WatchedMs | undefined {
  if (paceMs === undefined || headSince === undefined) return undefined;
  return at - headSince >= lastMs(paceMs) * WATCHED ? headSince : undefined;
}

/** From which age on the newest block is too old. */
export function headLimitMs(parent: ParentFacts): number {
  const { paceMs } = parent.observation;
  if (paceMs === undefined) return OLD_MS;
  return standsSince(parent) === undefined ? Math.max(OLD_MS, lastMs(paceMs)) : lastMs(paceMs);
}

/** The parent chains of the inventory, and what is read from them. */
export interface ParentChains {
  /** The subnets that name their parent chain, in the order of the inventory. */
  readonly list: () => readonly { readonly subnet: string; readonly rpc: string }[];
  /** In the smallest unit. */
  readonly readBalance: (rpc: string, address: string) => Promise<ParentResult<bigint>>;
}
