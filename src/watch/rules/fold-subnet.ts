import { DAY_MS, HOUR_MS } from '../../lib/duration.ts';
import { medianOf } from '../../lib/numbers.ts';
import { type DiskFacts, type DiskObservation, isNearlyFull } from '../../model/disk.ts';
import { findPace, foldFill } from '../../model/fill.ts';
import {
  type Checkpoint,
  type CheckpointProgress,
  findSpend,
  type ParentFacts,
  type ParentObservation,
  type SpendPart,
  type WalletFacts,
  type WalletLevel,
} from '../../model/parent-chain.ts';
import { DIRECTIONS, type RelayFacts, type RelayObservation, WALLET_ROLES } from '../../model/relay.ts';
import type { SubnetFacts, SubnetObservation, SubnetObservations, SubnetProbeKind } from '../../model/subnet-facts.ts';

/** How often the balance is read. A longer time between two readings may hold more payments. */
const READING_MS = 30_000;

/** A fall this many times above the usual one is no fee: somebody took coins out. A new price is usual soon. */
const TRANSFER = { factor: 10n, after: 5, remembered: 15 };

/** How many days are left when a level begins, and when it is over: an estimate moves a little all the time. The gravest first. */
type Levels<Level> = readonly (readonly [level: Level, below: number, until: number])[];

const WALLET_LEVELS: Levels<WalletLevel> = [
  ['nearly_empty', 2, 2.5],
  ['low', 7, 8],
];
const DISK_LEVELS: Levels<NonNullable<DiskFacts['level']>> = [
  ['full', 1 / 24, 2 / 24],
  ['filling', 7, 8],
];

/** The level of so many days; `daysToEnd` decides whether one that was reached, or a graver one, is over. */
const findLevel = <Level>(levels: Levels<Level>, before: Level | undefined, days: number, daysToEnd = days) =>
  levels.find(([, below, until], index) => {
    const isReached = levels.slice(0, index + 1).some(([one]) => one === before);
    return days < below || (isReached && daysToEnd < until);
  })?.[0];

function addPart(parts: readonly SpendPart[], from: number, to: number, spent: bigint): readonly SpendPart[] {
  // The price of a transaction differs by day and night.
  const kept = parts.filter((part) => to - part.from < DAY_MS);
  const last = kept.at(-1);
  const next = { from, watchedMs: to - from, spent, payments: Number(spent > 0n) };
  if (last === undefined || to - last.from >= HOUR_MS) return [...kept, next];
  const watchedMs = last.watchedMs + next.watchedMs;
  const both = { from: last.from, watchedMs, spent: last.spent + spent, payments: last.payments + next.payments };
  return [...kept.slice(0, -1), both];
}

/** Adds a balance that was read at a watched time. Only falls are spend, and the time of a top-up is not watched. */
export function foldWallet(before: WalletFacts | undefined, balance: bigint, at: number): WalletFacts {
  if (before === undefined) return { balance, readAt: at, richSince: at, parts: [], recent: [] };
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
    parts: counts ? addPart(before.parts, before.readAt, at, fall) : before.parts,
    recent: fall > 0n && !takesMost ? [...before.recent, each].slice(-TRANSFER.remembered) : before.recent,
  };
  const { daysLeft = Number.NaN, overMs = 0 } = findSpend(wallet) ?? {};
  // A relayer that catches up spends more, so in the first hour even half of it must be too much.
  const level = findLevel(WALLET_LEVELS, before.level, overMs < HOUR_MS ? daysLeft * 2 : daysLeft, daysLeft);
  return { ...wallet, level };
}

/** For as long, what was read of the contract is remembered: its pace is judged over this time. */
const RECENT_MS = 300_000;

function foldCheckpoint(before: CheckpointProgress | undefined, checkpoint: Checkpoint, at: number) {
  const { number } = checkpoint.committed;
  const { checkpoint: known = checkpoint, advancedAt = at, hasAdvanced = false, recent = [] } = before ?? {};
  const rises = number > known.committed.number;
  // A contract that falls was replaced, or its chain was reorganised: its pace begins again.
  const pace = number < known.committed.number ? [] : recent.filter((one) => at - one.at < RECENT_MS);
  return {
    checkpoint,
    readAt: at,
    advancedAt: rises ? at : advancedAt,
    hasAdvanced: rises || hasAdvanced,
    recent: [...pace, { at, number }],
  };
}

/** The watched time of an observation, and the same in Unix milliseconds. */
interface Context {
  readonly at: number;
  readonly wallMs: number;
}

/** Adds what a probe of the parent chain saw at a watched time, which is `wallMs` in Unix milliseconds. */
export function foldParent(
  before: ParentFacts | undefined,
  observation: ParentObservation,
  { at, wallMs }: Context,
): ParentFacts {
  const { head, chainId, contract } = observation;
  const headBefore = before?.observation.head;
  const isSameHead = head.ok && headBefore?.ok && headBefore.value.number === head.value.number;
  const { since = at, probes = 0 } = before?.unanswered ?? {};
  const firstChainId = before?.firstChainId ?? (chainId?.ok ? chainId.value : undefined);
  // Contract and wallet of another chain are others.
  const isOwn = !chainId?.ok || chainId.value === firstChainId;
  const balance = isOwn && observation.balance?.ok ? observation.balance.value : undefined;
  const checkpoint =
    isOwn && contract?.ok && contract.value.kind === 'checkpoint' ? contract.value.checkpoint : undefined;
  const isGone = contract?.ok && checkpoint === undefined;
  return {
    observation,
    at,
    headAgeMs: head.ok ? wallMs - head.value.timestamp * 1000 : undefined,
    headSince: head.ok ? ((isSameHead ? before?.headSince : undefined) ?? at) : undefined,
    highest: head.ok ? Math.max(before?.highest ?? 0, head.value.number) : before?.highest,
    unanswered: head.ok ? undefined : { since, probes: probes + 1 },
    answersSince: head.ok && headBefore?.ok === false ? at : before?.answersSince,
    firstChainId,
    // A contract that comes after there was none is another one, with a pace of its own.
    progress: checkpoint
      ? foldCheckpoint(before?.contractSince === undefined ? undefined : before.progress, checkpoint, at)
      : before?.progress,
    contractSince: isGone ? undefined : (before?.contractSince ?? (checkpoint && at)),
    wallet: balance === undefined ? before?.wallet : foldWallet(before?.wallet, balance, at),
  };
}

function foldPackets(
  before: RelayFacts['packets']['to_parent'],
  seen: RelayObservation['packets']['to_parent'],
  { at, wallMs }: Context,
) {
  if (!seen?.ok) return before;
  const { sent, received, oldestAt } = seen.value;
  const pending = Math.max(sent - received, 0);
  const hasMoved = before === undefined || received !== before.reading.received;
  const seenAt = hasMoved ? undefined : before.oldestAt;
  const sentAt = oldestAt === undefined ? (seenAt ?? at) : Math.min(at - wallMs + oldestAt * 1000, at);
  return {
    reading: seen.value,
    pending,
    movedAt: hasMoved ? at : before.movedAt,
    ...(pending > 0 && { oldestAt: sentAt }),
  };
}

/** Adds what a probe of the relayer's other work saw. */
export function foldRelay(before: RelayFacts | undefined, observation: RelayObservation, context: Context): RelayFacts {
  const packets = DIRECTIONS.flatMap((each) => {
    const facts = foldPackets(before?.packets[each], observation.packets[each], context);
    return facts === undefined ? [] : [[each, facts] as const];
  });
  const wallets = WALLET_ROLES.flatMap((role) => {
    const [known, balance] = [before?.wallets[role], observation.wallets[role]?.balance];
    const facts = balance?.ok ? foldWallet(known, balance.value, context.at) : known;
    return facts === undefined ? [] : [[role, facts] as const];
  });
  return { observation, packets: Object.fromEntries(packets), wallets: Object.fromEntries(wallets) };
}

/** Adds what was read of disks. One that is seen no more is forgotten. */
export const foldDisks = (before: readonly DiskFacts[] | undefined, { disks }: DiskObservation, at: number) =>
  disks.map(({ folder, targets, free, total }) => {
    const known = before?.find((one) => one.folder === folder);
    const fill = foldFill(known?.fill, { used: total - free, free, total }, at);
    const daysLeft = (findPace(fill)?.leftMs ?? Number.POSITIVE_INFINITY) / DAY_MS;
    const isFull = isNearlyFull(fill, known?.level === 'full');
    return { folder, targets, fill, level: isFull ? 'full' : findLevel(DISK_LEVELS, known?.level, daysLeft) };
  });

const folds: {
  readonly [Kind in SubnetProbeKind]: (
    before: SubnetFacts[Kind],
    seen: SubnetObservations[Kind],
    context: Context,
  ) => SubnetFacts[Kind];
} = {
  parent: foldParent,
  relay: foldRelay,
  governance: (before, seen) => ({ ...before, ...seen }),
  setup: (_, observation, { at }) => ({ observation, at }),
  disks: (before, seen, { at }) => foldDisks(before, seen, at),
  election: (before, seen) => seen ?? before,
};

/** Folds an observation into the facts of its subnet. */
export const foldSubnet = <Kind extends SubnetProbeKind>(
  facts: SubnetFacts,
  one: SubnetObservation<Kind>,
  context: Context,
): SubnetFacts => ({ ...facts, [one.kind]: folds[one.kind](facts[one.kind], one.seen, context) });
