import { isDatabaseFailure } from '../../lib/database-failure.ts';
import { type FleetPart, forgetUnwatched } from '../../model/fleet.ts';

/**
 * Where values are kept that several instances read and write, by key. After an outage it is another object: the database may
 * have lost what was written.
 */
export interface SharedStore<T> {
  load(): Promise<readonly T[]>;
  save(changed: ReadonlyMap<string, T>, gone: readonly string[]): Promise<void>;
}

/** Keeps what is known of subnets in a database where other instances read it and write it. */
export interface SharedSaver {
  /** Whether what others have stored of a subnet was read since it is watched here. */
  isRead(subnet: string): boolean;
  /** Whether this instance keeps a subnet, and has read what others have stored of it until it began to. */
  isKept(subnet: string): boolean;
  /**
   * Reads what is new to this instance, and writes what it keeps; once more if that is running already. Never rejects, and
   * resolves when nothing is written any more.
   */
  save(): Promise<void>;
  /** Waits for the running save, and saves once more. */
  stop(): Promise<void>;
}

/** What a shared saver needs. */
export interface SharedSaverDeps<T> {
  readonly part: FleetPart;
  /** Rejects while the database is down. */
  readonly store: () => Promise<SharedStore<T>>;
  /** Whether what is stored of a subnet is needed yet. */
  readonly isWanted: (subnet: string) => boolean;
  /** All that this instance knows, of all subnets. */
  readonly current: () => ReadonlyMap<string, T>;
  readonly keyOf: (one: T) => string;
  readonly subnetOf: (one: T) => string;
  readonly isSame: (one: T, other: T) => boolean;
  /** Takes what others have stored of subnets, each time that it was read, before anything of them is written. */
  readonly onRead: (stored: readonly T[]) => void;
  readonly onBug: (error: unknown) => void;
}

/** Creates a saver that has read nothing. */
export function createSharedSaver<T>(deps: SharedSaverDeps<T>): SharedSaver {
  const { part, store, isWanted, current, keyOf, subnetOf, isSame, onRead, onBug } = deps;
  /** What the database has of the subnets that were read, and by subnet the epoch in which it was read. */
  const saved = new Map<string, T>();
  const epochs = new Map<string, number>();
  /** The subnets that have been watched here or have stored values, also those that have left the inventory since. */
  const candidates = new Set<string>();
  let readFrom: SharedStore<T> | undefined;

  const forget = (isForgotten: (subnet: string) => boolean) => {
    for (const subnet of epochs.keys()) if (isForgotten(subnet)) epochs.delete(subnet);
    for (const [key, one] of saved) if (isForgotten(subnetOf(one))) saved.delete(key);
  };

  const isKept = (subnet: string) => part.keeps(subnet) && epochs.get(subnet) === part.epochOf(subnet);

  /** Whether what is stored of a subnet must be read, for the first time or again. */
  const isUnread = (subnet: string) =>
    part.epochOf(subnet) > 0 && part.epochOf(subnet) !== epochs.get(subnet) && isWanted(subnet);

  const read = async (database: SharedStore<T>) => {
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
    try {
      const database = await store();
      if (readFrom !== undefined && readFrom !== database) forget(() => true);
      forgetUnwatched(part, candidates);
      forget((subnet) => !part.isWatched(subnet));
      await read(database);
      const known = current();
      const changed = new Map(
        [...known].filter(([key, one]) => {
          const before = saved.get(key);
          return isKept(subnetOf(one)) && (before === undefined || !isSame(before, one));
        }),
      );
      const gone = [...saved].flatMap(([key, one]) => (isKept(subnetOf(one)) && !known.has(key) ? [key] : []));
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
  const save = (): Promise<void> => {
    isDue = true;
    saving ??= saveAll();
    return saving;
  };
  return {
    isRead: (subnet) => epochs.has(subnet),
    isKept,
    save,
    stop: save,
  };
}
