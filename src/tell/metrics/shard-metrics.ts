import type { Registry } from 'prom-client';
import { type FleetView, otherShards } from '../../model/fleet-view.ts';
import type { Shard } from '../../model/shard.ts';
import { Gauge } from './prom-client.ts';

/** The metrics of an instance that watches a shard; `view` is undefined where the instances share no database. */
export function addShardMetrics(registry: Registry, { index, total }: Shard, view: () => FleetView | undefined): void {
  const registers = [registry];
  new Gauge({
    name: 'subnetd_shard_info',
    help: 'The shard of this subnetd, from 0, and how many shards there are; always 1. Only with `--shard`.',
    labelNames: ['shard', 'total'],
    registers,
  })
    .labels(String(index), String(total))
    .set(1);
  new Gauge({
    name: 'subnetd_shard_seen',
    help: 'Whether this subnetd sees an instance of another shard of its fleet (1) or not (0); absent while it cannot know.',
    labelNames: ['shard'],
    registers,
    collect() {
      this.reset();
      for (const { shard, sight } of otherShards(view()))
        if (sight !== 'unknown') this.set({ shard: String(shard.index) }, Number(sight === 'seen'));
    },
  });
  new Gauge({
    name: 'subnetd_shard_differing_instances',
    help: 'Instances of the fleet that run with another number of shards, or with other subnets in their inventory, for ten minutes or longer.',
    registers,
    collect() {
      const differing = view()?.differing;
      if (differing === undefined) this.remove();
      else this.set(differing.length);
    },
  });
}
