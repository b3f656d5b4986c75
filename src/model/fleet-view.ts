import type { WallMs } from '../lib/clock.ts';
import type { FleetSubnet } from './fleet.ts';
import type { Shard } from './shard.ts';

/**
 * Whether something of a fleet is seen. `seen`: it has written its row in the last seconds. `unseen`: it was there, and is
 * silent. `missing`: there is no row of it. `unknown`: this instance does not reach the database, or has only begun to read.
 */
export type Sight = 'seen' | 'unseen' | 'missing' | 'unknown';

/** An instance as another one shows it. */
export interface InstanceView {
  readonly instance: string;
  readonly shard: Shard;
  readonly isOwn: boolean;
  readonly sight: Exclude<Sight, 'missing'>;
  readonly lastSeen: WallMs;
  readonly subnets: number;
  readonly targets: number;
}

/** A shard with its instances, of which a hot pair has two. */
export interface ShardView {
  readonly shard: Shard;
  readonly sight: Sight;
  /** Of the instance that was seen last; absent without any. */
  readonly lastSeen?: WallMs;
  readonly instances: readonly InstanceView[];
}

/** A subnet that this instance does not watch. */
export interface ElsewhereSubnet {
  readonly name: string;
  /** The shard that watches it, or would. */
  readonly shard: Shard;
  readonly sight: Sight;
  /** The instance that reported it last, when, and what; all absent if none did. */
  readonly instance?: string;
  readonly lastSeen?: WallMs;
  readonly known?: FleetSubnet;
}

/** A fleet as one of its instances sees it. */
export interface FleetView {
  readonly instance: string;
  readonly shard: Shard;
  /** Each shard of the total, by its index, and those beyond it that run. */
  readonly shards: readonly ShardView[];
  /** Each subnet once, by its name. */
  readonly elsewhere: readonly ElsewhereSubnet[];
  /** The other instances that have run for ten minutes with another total, or with other subnets in their inventory. */
  readonly differing: readonly string[];
}

/** The shards but that of the instance itself, of which each instance says whether it sees them. */
export const otherShards = (view: FleetView | undefined): readonly ShardView[] =>
  view?.shards.filter(({ shard }) => shard.index !== view.shard.index) ?? [];
