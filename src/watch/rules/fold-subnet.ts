import { DAY_MS } from '../../lib/duration.ts';
import { type DiskFacts, type DiskObservation, isNearlyFull } from '../../model/disk.ts';
import { findPace, foldFill } from '../../model/fill.ts';
import { findLevel, foldWallet, type Levels } from '../../model/fold-wallet.ts';
import type { Checkpoint, CheckpointProgress, ParentFacts, ParentObservation } from '../../model/parent-chain.ts';
import { DIRECTIONS, type RelayFacts, type RelayObservation, WALLET_ROLES } from '../../model/relay.ts';
import type { SubnetFacts, SubnetObservation, SubnetObservations, SubnetProbeKind } from '../../model/subnet-facts.ts';

const DISK_LEVELS: Levels<NonNullable<DiskFacts['level']>> = [
  ['full', 1 / 24, 2 / 24],
  ['filling', 7, 8],
];

/** For as long, what was read of the contract is remembered: its pace is judged over this time. */
const RECENT_MS = 300_000;

function foldCheckpoint(before: CheckpointProgress | undefined, checkpoint: Checkpoint, { at, newest }: Context) {
  const { number } = checkpoint.committed;
  const { checkpoint: known = checkpoint, advancedAt = at, hasAdvanced = false, recent = [] } = before ?? {};
  const rises = number > known.committed.number;
  // A contract that falls was replaced, or its chain was reorganised: its pace begins again.
  const pace = number < known.committed.number ? [] : recent.filter((one) => at - one.at < RECENT_MS);
  return {
    checkpoint,
    readAt: at,
    newest,
    advancedAt: rises ? at : advancedAt,
    hasAdvanced: rises || hasAdvanced,
    recent: [...pace, { at, number }],
  };
}

/** The watched time of an observation, and the same in Unix milliseconds; the newest committed block of the subnet, if one is known. */
interface Context {
  readonly at: number;
  readonly wallMs: number;
  readonly newest?: CheckpointProgress['newest'];
}

/** Adds what a probe of the parent chain saw at a watched time, which is `wallMs` in Unix milliseconds. */
export function foldParent(before: ParentFacts | undefined, observation: ParentObservation, context: Context) {
  const { at, wallMs } = context;
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
  // A contract that is back shows that the chain was put back, also where that took less time than lies between two readings.
  const isBack = checkpoint && before?.observation.contract?.ok && before.contractSince === undefined;
  return {
    observation,
    at,
    headAgeMs: head.ok ? wallMs - head.value.timestamp * 1000 : undefined,
    headSince: head.ok ? ((isSameHead ? before?.headSince : undefined) ?? at) : undefined,
    highest: head.ok ? Math.max(before?.highest ?? 0, head.value.number) : before?.highest,
    unanswered: head.ok ? undefined : { since, probes: probes + 1 },
    answersSince: isBack || (head.ok && headBefore?.ok === false) ? at : before?.answersSince,
    firstChainId,
    // A contract that comes after there was none is another one, with a pace of its own.
    progress: checkpoint
      ? foldCheckpoint(before?.contractSince === undefined ? undefined : before.progress, checkpoint, context)
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

export const foldSubnet = <Kind extends SubnetProbeKind>(
  facts: SubnetFacts,
  one: SubnetObservation<Kind>,
  context: Context,
): SubnetFacts => ({ ...facts, [one.kind]: folds[one.kind](facts[one.kind], one.seen, context) });
