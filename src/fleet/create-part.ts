import type { Decider, FleetPart, FleetSubnet, Keeping, SeenMember } from '../model/fleet.ts';
import { isOwner } from '../model/shard.ts';
import { findDecider, findJudgedElsewhere, isFirst, planKeeping, planLeaving, type Self } from './plan-watch.ts';

/** What one instance of a fleet does, over time. It knows no clock and no database. */
export interface Part extends Omit<FleetPart, 'subnets'> {
  /**
   * Decides which subnets are watched, by what is known of all instances now. Returns whether that has changed. The first time, what
   * an earlier run of this instance watched is read from its own row.
   */
  planWatch(members: readonly SeenMember[]): boolean;
  /** Decides which subnets it keeps, of those that it watches; the result is for its row. */
  planKeeping(
    watched: readonly Pick<FleetSubnet, 'name' | 'isReady'>[],
    members: readonly SeenMember[],
  ): ReadonlyMap<string, Pick<FleetSubnet, 'isReady' | 'keeping'>>;
}

/** Starts with what its shard owns; `holds`: whether it holds the lock of its shard. */
export function createPart(self: Self, holds: () => boolean): Part {
  let leaving: ReadonlySet<string> = new Set();
  /** All rows were read once, with that of an earlier run. */
  let hasBegun = false;
  let keeping: ReadonlyMap<string, Keeping> = new Map();
  /** It was without its lock at some time since the last plan. Then it keeps nothing until the next plan. */
  let hasLapsed = true;
  let elsewhere: ReadonlySet<string> = new Set();
  let isSpeaker = false;
  /** As of the last plan, while this one does not hold the lock. */
  let decider: Decider = 'self';
  /** The subnets that were ready once since they are watched. */
  let ready: ReadonlySet<string> = new Set();
  let epochs: ReadonlyMap<string, number> = new Map();
  let epoch = 0;
  /** The epoch of subnets that have left the inventory; 0 until all rows were read. */
  let epochOfOthers = 0;
  const isWatched = (subnet: string) => isOwner(self.shard, subnet) || leaving.has(subnet);
  const hasHeldSincePlan = () => {
    hasLapsed ||= !holds();
    return !hasLapsed;
  };

  return {
    isWatched,
    // A subnet that has left the inventory is not among those that are watched, and its shard ends what is known of it.
    keeps: (subnet) => hasHeldSincePlan() && isWatched(subnet) && (keeping.get(subnet) ?? 'now') === 'now',
    decider: () => (hasHeldSincePlan() ? 'self' : decider),
    epochOf: (subnet) => epochs.get(subnet) ?? epochOfOthers,
    isSpeaker: () => isSpeaker,
    isShadowed: (subnet) => elsewhere.has(subnet) && !ready.has(subnet),
    planWatch: (members) => {
      const before = leaving;
      const own = members.find(({ instance }) => instance === self.instance);
      const watched = hasBegun ? before : (own?.subnets ?? []).map(({ name }) => name);
      hasBegun = true;
      leaving = planLeaving(self, watched, members);
      elsewhere = findJudgedElsewhere(self, members);
      isSpeaker = isFirst(self, members);
      decider = findDecider(self, members);
      return leaving.size !== before.size;
    },
    planKeeping: (watched, members) => {
      ready = new Set(watched.flatMap(({ name, isReady }) => (isReady || ready.has(name) ? [name] : [])));
      const withReadyOnce = watched.map(({ name }) => ({ name, isReady: ready.has(name) }));
      const isHolder = holds();
      const isNewTerm = hasLapsed && isHolder;
      const before: typeof keeping = hasLapsed ? new Map() : keeping;
      const next: typeof keeping = isHolder
        ? planKeeping(self, withReadyOnce, before, members)
        : new Map(watched.map(({ name }) => [name, 'no']));
      epoch += 1;
      if (isNewTerm || epoch === 1) epochOfOthers = epoch;
      const current = withReadyOnce.map(({ name }): readonly [string, number] => {
        const known = epochs.get(name);
        const isGained = next.get(name) === 'now' && before.get(name) !== 'now';
        return [name, known === undefined || isGained ? epoch : known];
      });
      // A subnet that has left the inventory needs no new epoch while it is kept: nobody else has written of it.
      const others = isNewTerm ? [] : [...epochs].filter(([name]) => isWatched(name));
      epochs = new Map([...others, ...current]);
      keeping = next;
      hasLapsed = !isHolder;
      return new Map(withReadyOnce.map(({ name, isReady }) => [name, { isReady, keeping: next.get(name) ?? 'no' }]));
    },
  };
}
