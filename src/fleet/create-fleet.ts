import type { Logger } from 'pino';
import type { Clock } from '../lib/clock.ts';
import { describeCause, isAway, isDatabaseFailure } from '../lib/database-failure.ts';
import { listNames } from '../lib/words.ts';
import type { Election } from '../model/fleet.ts';
import { createWholePart, FLEET_STATE, type FleetPart, type FleetStore, type FleetSubnet } from '../model/fleet.ts';
import type { FleetView } from '../model/fleet-view.ts';
import { formatShard, isOwner, type Shard } from '../model/shard.ts';
import type { Snapshot } from '../model/snapshot.ts';
import type { Inventory } from '../model/target.ts';
import { createAgreementWatch, createNameWatch, type Difference } from './agreement.ts';
import { createPart } from './create-part.ts';
import { keepSubnets } from './plan-watch.ts';
import { toFleetSubnets } from './to-fleet-subnets.ts';
import { createMemberTracker } from './track-members.ts';
import { viewFleet } from './view-fleet.ts';

/** The part of this instance in a fleet; one that runs alone is a fleet of one. */
export interface Fleet {
  /** What it may do with which subnets. */
  readonly part: FleetPart;
  /** The name under which the database has the history and the incidents of the subnets that are watched here. */
  readonly stateOf: string;
  /** Begins to take part. Before that, nothing is loaded. */
  start(link: FleetLink): void;
  /** Watches this instance's part of an inventory, which it returns, or throws and changes nothing. */
  load(whole: Inventory): Inventory;
  /** All instances as of now, for pages and metrics; undefined without a fleet. */
  view(): FleetView | undefined;
  /** The subnets that are watched here, as this instance would write them into its row now. */
  ownSubnets(): readonly FleetSubnet[];
  stop(): Promise<void>;
}

/** What the fleet asks, and tells, of what is watched here. */
export interface FleetLink {
  /** Whether all that others know to be wrong with a subnet has been found here since it is watched. */
  readonly isSettled: (subnet: string) => boolean;
  /** Whether the alerts of a subnet have been judged with what others have stored of them, if alerts are sent at all. */
  readonly areAlertsJudged: (subnet: string) => boolean;
  /** Watches all of a part of the inventory and nothing else, or throws and changes nothing. */
  readonly watch: (part: Inventory) => void;
}

/** What an instance of a fleet needs. */
export interface FleetDeps {
  /** Undefined for an instance that watches all. */
  readonly shard: Shard | undefined;
  readonly instance: string;
  readonly database: {
    readonly isShared: boolean;
    /** Rejects while the database is down: then everything stays as it is. */
    readonly fleet: () => Promise<FleetStore>;
    /** Where it stands for the lock of its shard, which is that of its index alone: totals change one by one. */
    readonly election: Pick<Election, 'standFor'>;
  };
  readonly clock: Pick<Clock, 'now' | 'toWall'>;
  readonly snapshot: () => Snapshot;
  readonly onBug: (error: unknown) => void;
  readonly log: Logger;
  readonly beatMs?: number;
}

const BEAT_MS = 5_000;
const TRIM_EVERY_MS = 3_600_000;
/** How long the row of an instance that is gone stays. */
const KEPT_MS = 7 * 24 * 3_600_000;

/** An instance that knows of no other. */
function watchAlone({ shard, instance }: FleetDeps): Fleet {
  let link: FleetLink | undefined;
  let names: readonly string[] = [];
  const isWatched = (subnet: string) => isOwner(shard, subnet);
  return {
    part: createWholePart({ subnets: () => names, isWatched }),
    stateOf: instance,
    start: (next) => {
      link = next;
    },
    load: (whole) => {
      const watched = keepSubnets(whole, isWatched);
      link?.watch(watched);
      names = watched.subnets.map(({ name }) => name);
      return watched;
    },
    view: () => undefined,
    ownSubnets: () => [],
    stop: async () => {},
  };
}

/** Writes what this instance does every few seconds, and reads what the others do. */
export function createFleet(deps: FleetDeps): Fleet {
  const { shard, instance, database, clock, snapshot, log } = deps;
  if (shard === undefined) return watchAlone(deps);
  if (!database.isShared) {
    log.warn(
      'each shard has a database of its own, so none knows of the others; set SUBNETD_DATABASE_URL to one PostgreSQL for all',
    );
    return watchAlone(deps);
  }
  const tracker = createMemberTracker();
  const part = createPart(
    { instance, shard },
    database.election.standFor(`shard-${shard.index}`, () => inventory && beatNow()),
  );
  const readMembers = () => tracker.read(clock.now());
  let link: FleetLink | undefined;
  const isReady = (subnet: string) => link?.isSettled(subnet) === true && link.areAlertsJudged(subnet);
  const nameWatch = createNameWatch();
  const agreement = createAgreementWatch({ instance, shard });
  let isFailing = false;
  let beat = 0;
  let trimmedAt = Number.NEGATIVE_INFINITY;
  let inventory: Inventory | undefined;
  let names: readonly string[] = [];
  let planned: ReturnType<typeof part.planKeeping> = new Map();

  const load = (whole: Inventory) => {
    const watched = keepSubnets(whole, part.isWatched);
    link?.watch(watched);
    const isFirst = inventory === undefined;
    inventory = whole;
    names = watched.subnets.map(({ name }) => name);
    agreement.setInventory(whole.subnets.map(({ name }) => name));
    if (isFirst) beatNow();
    return watched;
  };

  const watchOthers = () => {
    try {
      if (inventory !== undefined) load(inventory);
    } catch (error) {
      deps.onBug(error);
    }
  };
  const warnOfDifference = ({ instance: other, shard: theirs, subnets }: Difference) => {
    if (subnets === undefined)
      log.warn(
        { other, theirs, own: formatShard(shard) },
        'another instance counts other shards than this one for ten minutes, so a subnet may be watched by two or by nobody; start all with the same N of --shard I/N',
      );
    else
      log.warn(
        { other, subnets: listNames(subnets) },
        'the inventory of another instance has other subnets than the one here for ten minutes, so a subnet may be watched by nobody; give all the same inventory',
      );
  };
  const beatOnce = async () => {
    const store = await database.fleet();
    const rows = await store.list();
    tracker.take(rows, clock.now());
    const ownRow = rows.find((row) => row.instance === instance);
    if (nameWatch.take(ownRow?.writtenAt))
      log.error(
        { instance },
        'another subnetd writes to the fleet by the same name, so neither knows what is its own; give each a SUBNETD_INSTANCE of its own',
      );
    const members = readMembers();
    for (const one of agreement.take(members, clock.now())) warnOfDifference(one);
    if (part.planWatch(members)) watchOthers();
    const current = snapshot();
    const watched = current.map(({ subnet: { name } }) => ({ name, isReady: isReady(name) }));
    planned = part.planKeeping(watched, members);
    const subnets = toFleetSubnets(current, planned, clock.toWall);
    // The beat must differ from the last one of an earlier run.
    beat = Math.max(beat, ownRow?.beat ?? 0) + 1;
    // Rows store whole milliseconds.
    const writtenAt = Math.floor(clock.toWall(clock.now()));
    nameWatch.willWrite(writtenAt);
    await store.write({ instance, shard, beat, writtenAt, subnets });
    if (clock.now() - trimmedAt < TRIM_EVERY_MS) return;
    trimmedAt = clock.now();
    await store.trim(clock.toWall(trimmedAt) - KEPT_MS);
  };
  /** The next beat tries again. The database link reports when it is away. */
  const report = (error: unknown) => {
    if (!isDatabaseFailure(error)) return deps.onBug(error);
    const cause = describeCause(error);
    if (isAway(cause)) return;
    if (!isFailing)
      log.error(
        { cause },
        'the table fleet_member of the database cannot be read or written; what is known of the fleet stays, and the others soon do not see this instance; let its user read and write that table, or restore the database from a backup',
      );
    isFailing = true;
  };
  let beating: Promise<void> | undefined;
  const beatNow = () => {
    beating ??= beatOnce()
      .then(() => {
        isFailing = false;
      }, report)
      .finally(() => {
        beating = undefined;
      });
  };
  let timer: NodeJS.Timeout | undefined;

  return {
    stateOf: FLEET_STATE,
    part: { ...part, subnets: () => names },
    start: (next) => {
      link = next;
      timer = setInterval(() => inventory && beatNow(), deps.beatMs ?? BEAT_MS).unref();
    },
    load,
    ownSubnets: () => toFleetSubnets(snapshot(), planned, clock.toWall),
    view: () => ({
      ...viewFleet({
        self: { instance, shard },
        members: readMembers(),
        own: snapshot().map(({ subnet: { name }, targets }) => ({ name, targets: targets.length })),
        inventory: (inventory?.subnets ?? []).map(({ name }) => name),
        nowWall: clock.toWall(clock.now()),
        toWall: clock.toWall,
      }),
      differing: agreement.differing(),
    }),
    stop: async () => {
      clearInterval(timer);
      await beating;
    },
  };
}
