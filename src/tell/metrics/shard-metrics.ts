import type { Registry } from 'prom-client';
import { type FleetView, otherShards } from '../../model/fleet-view.ts';
import type { Shard } from '../../model/shard.ts';
import { addTo } from './prom-client.ts';

/** The metrics of an instance that watches a shard; `view` is undefined where the instances share no database. */
export function addShardMetrics(registry: Registry, { index, total }: Shard, view: () => FleetView | undefined): void {
  const { info, gauge, gauges } = addTo(registry);
  info(
    'subnetd_shard_info',
    'The shard of this subnetd, from 0, and how many shards there are; always 1. Only with `--shard`.',
    { shard: String(index), total: String(total) },
  );
  gauges(
    'subnetd_shard_seen',
    'Whether this subnetd sees an instance of another shard of its fleet (1) or not (0); absent while it cannot know.',
    'shard',
    () =>
      otherShards(view()).map(({ shard, sight }) => [
        String(shard.index),
        sight === 'unknown' ? undefined : sight === 'seen',
      ]),
  );
  gauge(
    'subnetd_shard_differing_instances',
    'Instances of the fleet that run with another number of shards, or with other subnets in their inventory, for ten minutes or longer.',
    () => view()?.differing?.length,
  );
}
