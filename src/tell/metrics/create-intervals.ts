import type { RoundName } from '../../model/target.ts';
import type { IntervalSeconds } from './parts.ts';

/** Asks for each interval once in a rendering. */
export function createIntervals(read: IntervalSeconds) {
  const known = new Map<string, Map<RoundName, number | undefined>>();
  const get: IntervalSeconds = (subnet, round) => {
    let rounds = known.get(subnet);
    if (rounds === undefined) {
      rounds = new Map();
      known.set(subnet, rounds);
    }
    if (!rounds.has(round)) rounds.set(round, read(subnet, round));
    return rounds.get(round);
  };
  return {
    get,
    /** Asks again for what is known of these subnets, forgets the others, and finds those for which one is different. */
    renew: (subnets: ReadonlySet<string>): ReadonlySet<string> => {
      const changed = new Set<string>();
      for (const [subnet, rounds] of known) {
        if (!subnets.has(subnet)) known.delete(subnet);
        else
          for (const [round, before] of rounds) {
            const now = read(subnet, round);
            rounds.set(round, now);
            if (now !== before) changed.add(subnet);
          }
      }
      return changed;
    },
  };
}
