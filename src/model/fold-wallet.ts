import { DAY_MS, HOUR_MS } from '../lib/duration.ts';
import { medianOf } from '../lib/numbers.ts';
import { FIRST_PART_MS, findSpend, type SpendPart, type WalletFacts, type WalletLevel } from './parent-chain.ts';

/** How often the balance is read. A longer time between two readings may hold more payments. */
const READING_MS = 30_000;

/** A fall this many times above the usual one is no fee: somebody took coins out. A new price is usual soon. */
const TRANSFER = { factor: 10n, after: 5, remembered: 15 };

/** How many days are left when a level begins, and when it is over: an estimate moves a little all the time. The gravest first. */
export type Levels<Level> = readonly (readonly [level: Level, below: number, until: number])[];

const WALLET_LEVELS: Levels<WalletLevel> = [
  ['nearly_empty', 2, 2.5],
  ['low', 7, 8],
];

/** The level of so many days; `daysToEnd` decides whether one that was reached, or a graver one, is over. */
export const findLevel = <Level>(levels: Levels<Level>, before: Level | undefined, days: number, daysToEnd = days) =>
  levels.find(([, below, until], index) => {
    const isReached = levels.slice(0, index + 1).some(([one]) => one === before);
    return days < below || (isReached && daysToEnd < until);
  })?.[0];

function addPart(parts: readonly SpendPart[], from: number, to: number, spent: bigint): readonly SpendPart[] {
  // The price of a transaction differs by day and night.
  const kept = parts.filter((part) => to - part.from < DAY_MS);
  const last = kept.at(-1);
  const next = { from, watchedMs: to - from, spent, payments: Number(spent > 0n) };
  const lastsMs = kept.length < HOUR_MS / FIRST_PART_MS ? FIRST_PART_MS : HOUR_MS;
  if (last === undefined || to - last.from >= lastsMs) return [...kept, next];
  const watchedMs = last.watchedMs + next.watchedMs;
  const both = { from: last.from, watchedMs, spent: last.spent + spent, payments: last.payments + next.payments };
  return [...kept.slice(0, -1), both];
}

/** Adds a balance that was read at a watched time. Only falls are spend, and the time of a top-up is not watched. */
export function foldWallet(before: WalletFacts | undefined, balance: bigint, at: number): WalletFacts {
  if (before === undefined) return { balance, readAt: at, richSince: at, changedAt: at, parts: [], recent: [] };
  const fall = before.balance - balance;
  const elapsed = Math.max(at - before.readAt, 0);
  const each = fall > 0n ? fall / BigInt(Math.max(1, Math.round(elapsed / READING_MS))) : 0n;
  // No fee takes half of a wallet, not even the first that is seen.
  const takesMost = each * 2n > before.balance;
  const isDear = before.recent.length >= TRANSFER.after && each > (medianOf(before.recent) ?? 0n) * TRANSFER.factor;
  const counts = elapsed > 0 && fall >= 0n && !takesMost && !isDear;
  const wallet: WalletFacts = {
    balance,
    readAt: at,
    richSince: fall < 0n ? at : before.richSince,
    changedAt: fall === 0n ? before.changedAt : at,
    parts: counts ? addPart(before.parts, before.readAt, at, fall) : before.parts,
    recent: fall > 0n && !takesMost ? [...before.recent, each].slice(-TRANSFER.remembered) : before.recent,
  };
  const { daysLeft = Number.NaN, overMs = 0 } = findSpend(wallet) ?? {};
  // A relayer that catches up spends more, so in the first hour even half of it must be too much.
  const level = findLevel(WALLET_LEVELS, before.level, overMs < HOUR_MS ? daysLeft * 2 : daysLeft, daysLeft);
  return { ...wallet, level };
}
