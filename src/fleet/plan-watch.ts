import type { Decider, FleetSubnet, Keeping, SeenMember } from '../model/fleet.ts';
import { isOwner, type Shard } from '../model/shard.ts';
import type { Inventory } from '../model/target.ts';

/** The part of an inventory that is watched here; who is notified stays the same. */
export const keepSubnets = (inventory: Inventory, isWatched: (subnet: string) => boolean): Inventory => ({
  ...inventory,
  subnets: inventory.subnets.filter(({ name }) => isWatched(name)),
});

/** The instance that decides. */
export interface Self {
  readonly instance: string;
  readonly shard: Shard;
}

const isSameShard = (one: Shard, other: Shard): boolean => one.index === other.index && one.total === other.total;

/** The names of the subnets of some instances that pass a test. */
const namesOf = (
  members: readonly SeenMember[],
  isWanted: (subnet: FleetSubnet, member: SeenMember) => boolean,
): ReadonlySet<string> =>
  new Set(members.flatMap((member) => member.subnets.filter((one) => isWanted(one, member)).map(({ name }) => name)));

/**
 * The subnets that an instance goes on watching although another shard owns them: those that it watched before it was started
 * again with another total. Each leaves once an instance that owns it by the same total is ready for it.
 */
export function planLeaving(
  { instance, shard }: Self,
  watched: Iterable<string>,
  members: readonly SeenMember[],
): ReadonlySet<string> {
  const peers = members.filter((one) => one.isFresh && one.instance !== instance && one.shard.total === shard.total);
  const taken = namesOf(peers, ({ name, isReady }, member) => isReady && isOwner(member.shard, name));
  return new Set([...watched].filter((name) => !isOwner(shard, name) && !taken.has(name)));
}

/** Who decides while an instance does not hold the lock of its shard. */
export function findDecider({ instance, shard }: Self, members: readonly SeenMember[]): Decider {
  const others = members.filter((one) => one.instance !== instance && !one.isSilent && isSameShard(one.shard, shard));
  if (others.length === 0) return 'self';
  return namesOf(others, ({ keeping }) => keeping === 'now').size > 0 ? 'other' : 'unknown';
}

/** Whether no other instance that runs comes before it, by shard and name. Only the first one notifies of what all of them see. */
export const isFirst = ({ instance, shard }: Self, members: readonly SeenMember[]): boolean =>
  !members.some(
    (one) =>
      one.isFresh &&
      one.instance !== instance &&
      (one.shard.index - shard.index || (one.instance < instance ? -1 : 1)) < 0,
  );

/** The subnets that another instance judges now. */
export const findJudgedElsewhere = ({ instance }: Self, members: readonly SeenMember[]): ReadonlySet<string> =>
  namesOf(
    members.filter((one) => !one.isSilent && one.instance !== instance),
    ({ isReady }) => isReady,
  );

/**
 * Which subnets an instance keeps, of those that it watches, when it holds the lock of its shard. While the total
 * changes, two shards may watch a subnet, and the lower index is there before and after. It keeps the subnet once it is ready
 * and the other has stopped.
 */
export function planKeeping(
  { shard }: Self,
  watched: readonly Pick<FleetSubnet, 'name' | 'isReady'>[],
  before: ReadonlyMap<string, Keeping>,
  members: readonly SeenMember[],
): ReadonlyMap<string, Keeping> {
  const others = members.filter((one) => one.shard.index !== shard.index && !one.isSilent);
  const lower = others.filter((one) => one.isFresh && one.shard.index < shard.index);
  const wanted = namesOf(lower, ({ keeping }) => keeping !== 'no');
  const kept = namesOf(others, ({ keeping }) => keeping === 'now');
  return new Map(
    watched.map(({ name, isReady }): readonly [string, Keeping] => {
      if (wanted.has(name)) return [name, 'no'];
      if (before.get(name) === 'now' || !kept.has(name)) return [name, 'now'];
      return [name, isReady ? 'next' : 'no'];
    }),
  );
}
