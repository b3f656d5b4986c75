import { settleWithin } from '../../lib/promises.ts';
import type { Incident, Incidents } from '../../model/incident.ts';

/** How many incidents of a subnet are known, and for how long: about as often the problems are followed. */
const MOST = 200;
const KNOWN_MS = 2_000;
/** A page does not wait longer for the database. */
const WAIT_MS = 500;

/** Keeps the newest incidents of subnets for pages that are made at once. `now` is watched time. */
export function createRecentIncidents(
  { list }: Pick<Incidents, 'list'>,
  { now, onBug }: { readonly now: () => number; readonly onBug: (error: unknown) => void },
) {
  const known = new Map<string, { readonly at: number; readonly incidents: readonly Incident[] }>();
  const reading = new Map<string, Promise<void>>();
  const read = async (subnet: string) => {
    try {
      const { incidents } = await list({ subnet, onlyGrave: true, limit: MOST });
      known.set(subnet, { at: now(), incidents });
    } catch (error) {
      onBug(error);
    } finally {
      reading.delete(subnet);
    }
  };
  /** Reads those of a subnet again, unless they are new enough. */
  const renew = (subnet: string): Promise<void> => {
    if (now() - (known.get(subnet)?.at ?? Number.NEGATIVE_INFINITY) < KNOWN_MS) return Promise.resolve();
    const begun = reading.get(subnet) ?? read(subnet);
    reading.set(subnet, begun);
    return begun;
  };
  return {
    /** Those that were read last; they are read again in the background. */
    of: (subnet: string): readonly Incident[] => {
      void renew(subnet);
      return known.get(subnet)?.incidents ?? [];
    },
    /** Reads those of some subnets, for a limited time. */
    read: (subnets: readonly string[]) => settleWithin(WAIT_MS, Promise.all(subnets.map(renew))),
  };
}
