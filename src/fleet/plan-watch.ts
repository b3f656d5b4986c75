import type { FleetSubnet, SeenMember } from '../model/fleet.ts';
import { isOwner, type Shard } from '../model/shard.ts';

/** The instance that decides. */
export interface Self {
  readonly instance: string;
  readonly shard: Shard;
}

const mapReady = (
  members: readonly SeenMember[],
  isMeant: (member: SeenMember) => boolean,
): readonly (readonly [SeenMember, FleetSubnet])[] =>
  members.flatMap((member) =>
    isMeant(member) ? member.subnets.flatMap((one) => (one.isReady ? [[member, one] as const] : [])) : [],
  );

/**
 * The subnets that an instance goes on watching although another shard owns them: those that it watched before it was started
 * again with another total. Each leaves once an instance that owns it by the same total is ready for it.
 */
export function planLeaving(
  { instance, shard }: Self,
  watched: Iterable<string>,
  members: readonly SeenMember[],
): ReadonlySet<string> {
  const taken = new Set(
    mapReady(members, (one) => one.isFresh && one.instance !== instance && one.shard.total === shard.total)
      .filter(([member, { name }]) => isOwner(member.shard, name))
      .map(([, { name }]) => name),
  );
  return new Set([...watched].filter((name) => !isOwner(shard, name) && !taken.has(name)));
}
