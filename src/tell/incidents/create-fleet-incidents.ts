import type { WatchedMs } from '../../lib/clock.ts';
import { inSlices } from '../../lib/values.ts';
import type { FleetPart } from '../../model/fleet.ts';
import type { Incident, IncidentStore } from '../../model/incident.ts';
import type { FollowedIncidents } from './follow-incidents.ts';
import { readStored } from './stored-incidents.ts';

/** Which stored incidents an instance reads, and which it writes: it may share them with others. */
export type FleetIncidents = ReturnType<typeof createFleetIncidents>;

/** Incidents as they were read. */
export interface StoredIncidents {
  readonly incidents: readonly Incident[];
  /** The subnets that were judged without what is stored of them: their problems that are not found by now are over. */
  readonly late: ReadonlySet<string>;
}

/** What it needs. */
export interface FleetIncidentsDeps {
  readonly part: FleetPart;
  readonly followed: () => FollowedIncidents;
  readonly now: () => WatchedMs;
}

const SUBNETS_AT_ONCE = 500;
/** How often the incidents of a subnet that another instance keeps are read again, while one is open. */
const READ_AGAIN_MS = 10_000;
/** How long an instance waits for what is stored when the database does not answer. */
const FIRST_WITHIN_MS = 30_000;

/** Starts without having read anything. */
export function createFleetIncidents({ part, followed, now }: FleetIncidentsDeps) {
  const reads = new Map<string, { readonly epoch: number; readonly at: WatchedMs }>();
  /** By subnet: since when its stored incidents are waited for, which begins when its nodes have been probed. */
  const since = new Map<string, WatchedMs>();
  let hasReadRemoved = false;
  const hasWaited = (subnet: string) => now() - (since.get(subnet) ?? now()) >= FIRST_WITHIN_MS;

  const isDue = (subnet: string, open: ReadonlySet<string>): boolean => {
    const last = reads.get(subnet);
    if (part.epochOf(subnet) === 0) return false;
    if (last === undefined || last.epoch !== part.epochOf(subnet)) return true;
    return !part.keeps(subnet) && open.has(subnet) && now() - last.at >= READ_AGAIN_MS;
  };

  /** One that comes back to the inventory is read and looked for from the beginning. */
  const forgetRemoved = () => {
    const watched = new Set(part.subnets());
    for (const known of [reads, since])
      for (const subnet of known.keys()) if (!watched.has(subnet)) known.delete(subnet);
  };

  return {
    /** What is stored of the subnets that are to be read now; undefined when there is none. */
    read: async (database: IncidentStore): Promise<StoredIncidents | undefined> => {
      forgetRemoved();
      const open = new Set([...followed().open.values()].map(({ subnet }) => subnet));
      const due = part.subnets().filter((subnet) => isDue(subnet, open));
      const late = new Set(due.filter((subnet) => !reads.has(subnet) && hasWaited(subnet)));
      const epochs = due.map((subnet) => [subnet, part.epochOf(subnet)] as const);
      const stored: Incident[] = [];
      for (const slice of inSlices(due, SUBNETS_AT_ONCE)) stored.push(...(await readStored(database, slice)));
      if (!hasReadRemoved && due.length > 0) {
        // The incidents of subnets that have left the inventory meanwhile are their shard's to end.
        const watched = new Set(part.subnets());
        const all = await readStored(database);
        stored.push(
          ...all.filter(
            ({ subnet, endedAt }) => endedAt === undefined && part.isWatched(subnet) && !watched.has(subnet),
          ),
        );
        hasReadRemoved = true;
      }
      for (const [subnet, epoch] of epochs) reads.set(subnet, { epoch, at: now() });
      return due.length === 0 ? undefined : { incidents: stored, late };
    },
    /** Whether this instance writes the incidents of a subnet: it keeps them, and knows what others have written. */
    isWritten: (subnet: string): boolean => {
      if (!part.keeps(subnet)) return false;
      const last = reads.get(subnet);
      // One that has left the inventory is not read again.
      if (last === undefined) return hasReadRemoved && !part.subnets().includes(subnet);
      return last.epoch === part.epochOf(subnet);
    },
    /** Whether what is stored of a subnet was read, or the database has not answered for too long. */
    isSettled: (subnet: string): boolean => {
      since.set(subnet, since.get(subnet) ?? now());
      return reads.has(subnet) || hasWaited(subnet);
    },
  };
}
