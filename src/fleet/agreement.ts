import type { WallMs, WatchedMs } from '../lib/clock.ts';
import type { SeenMember } from '../model/fleet.ts';
import { formatShard, shardOf } from '../model/shard.ts';
import type { Self } from './plan-watch.ts';

/** One foreign row proves nothing: a database that was restored has an older row of this instance. */
const PROOF_ROWS = 2;

/**
 * Notices that another process writes the row of this instance: two were given the same name.
 * Starts without a write: until then the row is that of an earlier run.
 */
export function createNameWatch() {
  /** When this process wrote, the last two times: a write that failed may have arrived. */
  let own: readonly WallMs[] = [];
  let foreign = 0;
  let isReported = false;
  return {
    /** Takes when the row was last written, as read from it. True once: when another process wrote it, two times in a row. */
    take: (writtenAt: WallMs | undefined): boolean => {
      const isForeign = own.length > 0 && writtenAt !== undefined && !own.includes(writtenAt);
      foreign = isForeign ? foreign + 1 : 0;
      if (isReported || foreign < PROOF_ROWS) return false;
      isReported = true;
      return true;
    },
    /** To be called before each write, with what it writes. */
    willWrite: (writtenAt: WallMs): void => {
      own = [...own.slice(-1), writtenAt];
    },
  };
}

/** Longer than a change of the total, or of the inventory, takes from the first instance to the last. */
const DIFFERS_MS = 10 * 60_000;

/** How another instance differs from this one: in the total of shards, or in the subnets that only one of both knows. */
export interface Difference {
  readonly instance: string;
  readonly shard: string;
  /** Absent where the totals differ: nothing can be said of the inventories then. */
  readonly subnets?: readonly string[];
}

/**
 * Notices other instances of a fleet that do not divide the subnets as this one does.
 * Starts with an inventory that is not known: until then nothing differs.
 */
export function createAgreementWatch({ instance: own, shard: { total } }: Self) {
  let byShard: ReadonlyMap<number, readonly string[]> | undefined;
  let all: ReadonlySet<string> = new Set();
  let since: ReadonlyMap<string, WatchedMs> = new Map();
  let differing: readonly string[] = [];

  const compare = ({ instance, shard, subnets }: SeenMember): Difference | undefined => {
    if (shard.total !== total) return { instance, shard: formatShard(shard) };
    const reported = new Set(subnets.map(({ name }) => name));
    const unknown = [...reported].filter((name) => !all.has(name));
    const missing = (byShard?.get(shard.index) ?? []).filter((name) => !reported.has(name));
    const lacking = [...unknown, ...missing];
    return lacking.length === 0 ? undefined : { instance, shard: formatShard(shard), subnets: lacking };
  };

  return {
    /** The names of all subnets of the inventory. */
    setInventory: (names: readonly string[]): void => {
      all = new Set(names);
      byShard = Map.groupBy(names, (name) => shardOf(name, total));
    },
    /** Takes all instances as of `now`. Gives those that have differed for ten minutes by now, each once. */
    take: (members: readonly SeenMember[], now: WatchedMs): readonly Difference[] => {
      if (byShard === undefined) return [];
      const found = members.flatMap((one) => (one.isFresh && one.instance !== own ? (compare(one) ?? []) : []));
      since = new Map(found.map(({ instance }) => [instance, since.get(instance) ?? now]));
      const before = differing;
      const long = found.filter(({ instance }) => now - (since.get(instance) ?? now) >= DIFFERS_MS);
      differing = long.map(({ instance }) => instance);
      return long.filter(({ instance }) => !before.includes(instance));
    },
    /** The instances that have differed for ten minutes, as of the last call of `take`. */
    differing: (): readonly string[] => differing,
  };
}
