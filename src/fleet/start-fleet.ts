import type { Logger } from 'pino';
import type { Clock } from '../model/clock.ts';
import type { FleetStore, SeenMember } from '../model/fleet.ts';
import { isOwner, type Shard } from '../model/shard.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Inventory } from '../model/target.ts';
import { keepSubnets } from './keep-subnets.ts';
import { planLeaving } from './plan-watch.ts';
import { toFleetSubnets } from './to-fleet-subnets.ts';
import { createMemberTracker } from './track-members.ts';

/** The part of this instance in a fleet; one that runs alone watches all. */
export interface Fleet {
  /**
   * Whether its shard owns a subnet, or it was watched here before and no owner is ready for it yet. It need not be in the
   * inventory.
   */
  readonly isWatched: (subnet: string) => boolean;
  /** Whether this instance does what one of all that watch a subnet does: keeps its history, and sends through channels. */
  readonly keeps: (subnet: string) => boolean;
  /** The part of an inventory that is watched here now. */
  keep(whole: Inventory): Inventory;
  /** All instances as last read, this one too; empty without a fleet. */
  members(): readonly SeenMember[];
  stop(): Promise<void>;
}

/** What an instance of a fleet needs. */
export interface FleetDeps {
  /** Undefined for an instance that watches all. */
  readonly shard: Shard | undefined;
  readonly instance: string;
  /** Whether the instances share a database. */
  readonly isShared: boolean;
  /** Rejects while the database is down: then everything stays as it is. */
  readonly store: () => Promise<FleetStore>;
  readonly clock: Pick<Clock, 'now' | 'toWall'>;
  readonly snapshot: () => Snapshot;
  /** Whether a subnet has been judged since it is watched here. */
  readonly isReady: (subnet: string) => boolean;
  /** Whether this instance holds the lock of its shard, which is that of its index alone: totals change one by one. */
  readonly holds?: () => boolean;
  /** Other subnets are watched here than before. */
  readonly onChange: () => void;
  readonly onBug: (error: unknown) => void;
  readonly log: Logger;
  readonly beatMs?: number;
}

const BEAT_MS = 5_000;

/** An instance that knows of no other. */
function watchAlone(shard: Shard | undefined): Fleet {
  const isWatched = (subnet: string) => isOwner(shard, subnet);
  return {
    isWatched,
    keeps: isWatched,
    keep: (whole) => keepSubnets(whole, isWatched),
    members: () => [],
    stop: async () => {},
  };
}

/** Writes what this instance does every few seconds, and reads what the others do. */
export function startFleet(deps: FleetDeps): Fleet {
  const { shard, instance, isShared, store, clock, snapshot, isReady, holds = () => true, onChange, onBug, log } = deps;
  if (shard === undefined) return watchAlone(shard);
  if (!isShared) {
    log.warn(
      'each shard has a database of its own, so none knows of the others; set SUBNETD_DATABASE_URL to one PostgreSQL for all',
    );
    return watchAlone(shard);
  }
  const tracker = createMemberTracker();
  let leaving: ReadonlySet<string> = new Set();
  /** The beat of the last write; undefined until the row of an earlier run was read. */
  let beat: number | undefined;
  const isWatched = (subnet: string) => isOwner(shard, subnet) || leaving.has(subnet);
  const keeps = (subnet: string) => isWatched(subnet) && holds();

  const plan = (watched: Iterable<string>) => {
    const next = planLeaving({ instance, shard }, watched, tracker.read(clock.now()));
    const isSame = next.size === leaving.size && [...next].every((name) => leaving.has(name));
    leaving = next;
    if (isSame) return;
    try {
      onChange();
    } catch (error) {
      onBug(error);
    }
  };
  const beatOnce = async () => {
    const database = await store();
    const rows = await database.list();
    tracker.take(rows, clock.now());
    const own = rows.find((row) => row.instance === instance);
    plan(beat === undefined ? (own?.subnets ?? []).map(({ name }) => name) : leaving);
    beat = Math.max(beat ?? 0, own?.beat ?? 0) + 1;
    const subnets = toFleetSubnets(snapshot(), isReady, keeps);
    await database.write({ instance, shard, beat, writtenAt: clock.toWall(clock.now()), subnets });
  };
  let beating: Promise<void> | undefined;
  const beatNow = () => {
    // The database link reports an outage; the next beat tries again.
    beating ??= beatOnce()
      .catch(() => {})
      .finally(() => {
        beating = undefined;
      });
  };
  const timer = setInterval(beatNow, deps.beatMs ?? BEAT_MS);
  timer.unref();
  beatNow();

  return {
    isWatched,
    keeps,
    keep: (whole) => keepSubnets(whole, isWatched),
    members: () => tracker.read(clock.now()),
    stop: async () => {
      clearInterval(timer);
      await beating;
    },
  };
}
