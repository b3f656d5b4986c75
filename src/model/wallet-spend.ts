import type { WatchedMs } from '../lib/clock.ts';
import { formatDuration } from '../lib/duration.ts';

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

/** The age of a balance is mentioned when it was read longer ago. */
export const OLD_BALANCE_MS = 90_000;

const DAY_MS = 86_400_000;

/** An estimate needs as many payments, and as long a time: with less, one payment would change it by half. */
const ENOUGH = { payments: 3, ms: 600_000 };

const MILLI = 1_000n;

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
  const perDay = (spent * BigInt(DAY_MS)) / BigInt(Math.round(overMs));
  if (perDay === 0n) return undefined;
  return { payments, overMs, perDay, daysLeft: Number((balance * MILLI) / perDay) / Number(MILLI) };
}

/** Without an estimate for this long, a wallet pays nothing, or next to nothing. */
const PATIENCE_MS = 3_600_000;

/** Whether it can be said how long a wallet lasts: its spend is known, or was looked for long enough. */
export const isSpendJudged = (wallet: WalletFacts | undefined): boolean =>
  wallet !== undefined &&
  (findSpend(wallet) !== undefined || wallet.parts.reduce((sum, { watchedMs }) => sum + watchedMs, 0) >= PATIENCE_MS);

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

/** As a person says it: `6.5 days`, `5h 20m`. */
export function formatDays(days: number): string {
  if (days < 1) return formatDuration(days * DAY_MS);
  return days < 10 ? `${Math.floor(days * 10) / 10} days` : `${Math.floor(days)} days`;
}
