import type { WatchedMs } from '../../lib/clock.ts';
import { isDatabaseFailure } from '../../lib/database-failure.ts';
import { type FleetPart, forgetUnwatched } from '../../model/fleet.ts';

/**
 * Where values are kept over a restart, by key; those about subnets are read and written by all instances of a fleet. After an outage
 * it is another object: the database may have lost what was written.
 */
export interface StateStore<T> {
  load(): Promise<readonly T[]>;
  save(changed: ReadonlyMap<string, T>, gone: readonly string[]): Promise<void>;
}

/** What a saver needs. */
export interface StateSaverDeps<T> {
  readonly part: FleetPart;
  readonly now: () => WatchedMs;
  /** Rejects while the database is down. */
  readonly store: () => Promise<StateStore<T>>;
  /** Whether what is stored of a subnet is needed yet. */
  readonly isWanted: (subnet: string) => boolean;
  /** All that this instance knows, of all subnets. */
  readonly current: () => ReadonlyMap<string, T>;
  readonly keyOf: (one: T) => string;
  readonly subnetOf: (one: T) => string;
  readonly isSame: (one: T, other: T) => boolean;
  /** Takes what is stored of subnets, each time that it was read, before anything of them is written. */
  readonly onRead: (stored: readonly T[]) => void;
  readonly onBug: (error: unknown) => void;
}

/** How long an instance waits for what is stored when the database does not answer. */
const FIRST_WITHIN_MS = 30_000;

/** What is about no subnet is each instance's own. */
const withOwn = ({ subnets, isWatched, keeps, epochOf }: FleetPart) => ({
  subnets: () => ['', ...subnets()],
  isWatched: (subnet: string) => subnet === '' || isWatched(subnet),
  keeps: (subnet: string) => subnet === '' || keeps(subnet),
  epochOf: (subnet: string) => (subnet === '' ? 1 : epochOf(subnet)),
});

/** Keeps what is known of subnets, and of this instance itself, which is the subnet with an empty name. Creates a saver that has read nothing. */
export function createStateSaver<T>(deps: StateSaverDeps<T>) {
  const { now, store, isWanted, current, keyOf, subnetOf, isSame, onRead, onBug } = deps;
  const part = withOwn(deps.part);
  /** What the database has of the subnets that were read, and by subnet the epoch in which it was read. */
  const saved = new Map<string, T>();
  const epochs = new Map<string, number>();
  /** The subnets that have been watched here or have stored values, also those that have left the inventory since. */
  const candidates = new Set<string>();
  /** By subnet: since when what is stored of it in this epoch is waited for. */
  const waiting = new Map<string, { readonly epoch: number; readonly since: WatchedMs }>();
  let readFrom: StateStore<T> | undefined;

  const forget = (isForgotten: (subnet: string) => boolean) => {
    for (const subnet of epochs.keys()) if (isForgotten(subnet)) epochs.delete(subnet);
    for (const [key, one] of saved) if (isForgotten(subnetOf(one))) saved.delete(key);
  };

  const isCurrent = (subnet: string) => epochs.get(subnet) === part.epochOf(subnet);
  const isWritten = (subnet: string) => part.keeps(subnet) && isCurrent(subnet);
  /** Whether that took too long; the first call begins to wait. */
  const hasWaited = (subnet: string) => {
    const epoch = part.epochOf(subnet);
    const known = waiting.get(subnet);
    const since = known?.epoch === epoch ? known.since : now();
    waiting.set(subnet, { epoch, since });
    return now() - since >= FIRST_WITHIN_MS;
  };

  /** Whether what is stored of a subnet must be read, for the first time or again. */
  const isUnread = (subnet: string) =>
    part.epochOf(subnet) > 0 && !isCurrent(subnet) && (subnet === '' || isWanted(subnet));

  const read = async (database: StateStore<T>) => {
    for (const subnet of part.subnets()) candidates.add(subnet);
    // What others write while this reads is of a later epoch, and read again.
    const wanted = new Map([...candidates].filter(isUnread).map((subnet) => [subnet, part.epochOf(subnet)]));
    if (readFrom === database && wanted.size === 0) return;
    const rows = await database.load();
    readFrom = database;
    // Values of subnets that have left the inventory are ended by the shard that owns them, from the next read on.
    for (const one of rows) candidates.add(subnetOf(one));
    forget((subnet) => wanted.has(subnet));
    for (const [subnet, epoch] of wanted) epochs.set(subnet, epoch);
    const taken = rows.filter((one) => wanted.has(subnetOf(one)));
    for (const one of taken) saved.set(keyOf(one), one);
    onRead(taken);
  };

  const saveNow = async () => {
    for (const subnet of part.subnets()) if (isUnread(subnet)) hasWaited(subnet);
    try {
      const database = await store();
      if (readFrom !== undefined && readFrom !== database) forget(() => true);
      forgetUnwatched(part, candidates, waiting);
      forget((subnet) => !part.isWatched(subnet));
      await read(database);
      const known = current();
      const changed = new Map(
        [...known].filter(([key, one]) => {
          const before = saved.get(key);
          return isWritten(subnetOf(one)) && (before === undefined || !isSame(before, one));
        }),
      );
      const gone = [...saved].flatMap(([key, one]) => (isWritten(subnetOf(one)) && !known.has(key) ? [key] : []));
      if (changed.size + gone.length > 0) await database.save(changed, gone);
      for (const [key, one] of changed) saved.set(key, one);
      for (const key of gone) saved.delete(key);
    } catch (error) {
      // The database link reports an outage; the next save tries again.
      if (!isDatabaseFailure(error)) onBug(error);
    }
  };
  let saving: Promise<void> | undefined;
  let isDue = false;
  const saveAll = async () => {
    while (isDue) {
      isDue = false;
      await saveNow();
    }
    saving = undefined;
  };
  return {
    /** Whether what is stored of a subnet was read since it is watched here, or the database has not answered for too long. */
    isKnown: (subnet: string): boolean => epochs.has(subnet) || hasWaited(subnet),
    /** Whether this instance keeps a subnet, and knows what others have stored of it until it began to. */
    isKept: (subnet: string): boolean => part.keeps(subnet) && (isCurrent(subnet) || hasWaited(subnet)),
    /**
     * Reads what is new to this instance, and writes what it keeps; once more if that is running already. Never rejects, and
     * resolves when nothing is written any more.
     */
    save: (): Promise<void> => {
      isDue = true;
      saving ??= saveAll();
      return saving;
    },
  };
}
