import type { WallMs, WatchedMs } from '../lib/clock.ts';
import { ascending } from '../lib/numbers.ts';
import type { FleetSubnet, SeenMember } from '../model/fleet.ts';
import type { ElsewhereSubnet, FleetView, InstanceView, ShardView, Sight } from '../model/fleet-view.ts';
import { isOwner, type Shard, shardOf } from '../model/shard.ts';
import type { Self } from './plan-watch.ts';

/** What a view is made of. */
export interface ViewInput {
  readonly self: Self;
  readonly members: readonly SeenMember[];
  /** The subnets that are watched here. */
  readonly own: readonly Pick<FleetSubnet, 'name' | 'targets'>[];
  /** The names of all subnets of the inventory. */
  readonly inventory: readonly string[];
  readonly nowWall: WallMs;
  readonly toWall: (at: WatchedMs) => WallMs;
}

/** A row that another instance wrote of a subnet. */
interface Report {
  readonly member: SeenMember;
  readonly view: InstanceView;
  readonly known: FleetSubnet;
}

const BEST_FIRST: readonly Sight[] = ['seen', 'unknown', 'unseen', 'missing'];

/** Sorts first who knows more of a subnet: an instance that runs, has judged it, owns it, keeps it; then the one that was seen last. */
function compareReports(one: Report, other: Report): number {
  const rank = ({ member, view, known }: Report) =>
    BEST_FIRST.indexOf(view.sight) * 8 +
    Number(!known.isReady) * 4 +
    Number(!isOwner(member.shard, known.name)) * 2 +
    Number(known.keeping !== 'now');
  return rank(one) - rank(other) || other.view.lastSeen - one.view.lastSeen;
}

const bestFirst = (one: InstanceView, other: InstanceView): number =>
  BEST_FIRST.indexOf(one.sight) - BEST_FIRST.indexOf(other.sight) || ascending(one.instance, other.instance);

/** A shard is as well as the best of its instances, which comes first. */
function viewShard(shard: Shard, instances: readonly InstanceView[], isBlind: boolean): ShardView {
  return {
    shard: instances[0]?.shard ?? shard,
    sight: instances[0]?.sight ?? (isBlind ? 'unknown' : 'missing'),
    ...(instances.length > 0 && { lastSeen: Math.max(...instances.map(({ lastSeen }) => lastSeen)) }),
    instances,
  };
}

/** Merges the rows of all instances into what one of them shows of the others. */
export function viewFleet({ self, members, own, inventory, nowWall, toWall }: ViewInput): Omit<FleetView, 'differing'> {
  const { index: ownIndex, total } = self.shard;
  const ownRow = members.find(({ instance }) => instance === self.instance);
  // An instance that cannot write its own row, or has read nothing yet, knows nothing of others.
  const isBlind = members.length === 0 || ownRow?.isSilent === true;
  const sightOf = ({ isFresh, isSilent }: SeenMember) => (isFresh ? 'seen' : isSilent ? 'unseen' : 'unknown');
  // An instance of an earlier, larger total that has ended is not part of the fleet any more.
  const others = members.filter((one) => one.instance !== self.instance && !(one.isSilent && one.shard.index >= total));
  const viewed = others.map((member) => ({
    member,
    view: {
      instance: member.instance,
      shard: member.shard,
      isOwn: false,
      sight: isBlind ? 'unknown' : sightOf(member),
      lastSeen: member.hasBeaten ? toWall(member.seenAt) : Math.min(member.writtenAt, toWall(member.seenAt)),
      subnets: member.subnets.length,
      targets: member.subnets.reduce((sum, { targets }) => sum + targets, 0),
    } satisfies InstanceView,
  }));
  const ownView: InstanceView = {
    instance: self.instance,
    shard: self.shard,
    isOwn: true,
    sight: 'seen',
    lastSeen: nowWall,
    subnets: own.length,
    targets: own.reduce((sum, { targets }) => sum + targets, 0),
  };
  const byIndex = Map.groupBy([ownView, ...viewed.map(({ view }) => view)], ({ shard }) => shard.index);
  const beyond = [...byIndex.keys()].filter((index) => index >= total);
  const shards = [...Array(total).keys(), ...beyond.toSorted((one, other) => one - other)].map((index) =>
    viewShard({ index, total }, (byIndex.get(index) ?? []).toSorted(bestFirst), isBlind),
  );

  const watchedHere = new Set(own.map(({ name }) => name));
  const inInventory = new Set(inventory);
  const rows = viewed.flatMap(({ member, view }) =>
    member.subnets.flatMap((known): readonly Report[] =>
      // A subnet that a silent instance reported last may have left the inventory since.
      watchedHere.has(known.name) || (member.isSilent && !inInventory.has(known.name)) ? [] : [{ member, view, known }],
    ),
  );
  const seen = [...Map.groupBy(rows, ({ known }) => known.name)].flatMap(([name, of]): readonly ElsewhereSubnet[] => {
    const [best] = of.toSorted(compareReports);
    if (best === undefined) return [];
    const { instance, shard, sight, lastSeen } = best.view;
    return [{ name, shard, sight, instance, lastSeen, known: best.known }];
  });
  const reportedNames = new Set(seen.map(({ name }) => name));
  const unreported = inventory.flatMap((name): readonly ElsewhereSubnet[] => {
    const index = shardOf(name, total);
    if (watchedHere.has(name) || index === ownIndex || reportedNames.has(name)) return [];
    return [{ name, shard: { index, total }, sight: isBlind ? 'unknown' : 'missing' }];
  });
  const elsewhere = [...seen, ...unreported].toSorted((one, other) => ascending(one.name, other.name));
  return { ...self, shards, elsewhere };
}
