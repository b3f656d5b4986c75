import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { addShardMetrics } from '../../../src/tell/metrics/shard-metrics.ts';
import { viewOf } from '../../support/fleet-views.ts';

const pageOf = async (view: ReturnType<typeof viewOf> | undefined) => {
  const registry = new Registry();
  addShardMetrics(registry, { index: 0, total: 3 }, () => view);
  return (await registry.metrics()).split('\n').filter((line) => line.startsWith('subnetd'));
};
const info = 'subnetd_shard_info{shard="0",total="3"} 1';

const same = 'subnetd_shard_differing_instances 0';

it('an instance says of each other shard whether it sees it, and nothing of its own', async () => {
  const missing = 'subnetd_shard_seen{shard="2"} 0';
  expect(await pageOf(viewOf('seen'))).toEqual([info, 'subnetd_shard_seen{shard="1"} 1', missing, same]);
  expect(await pageOf(viewOf('unseen'))).toEqual([info, 'subnetd_shard_seen{shard="1"} 0', missing, same]);
});

it('an instance that cannot know, or shares no database, says nothing of other shards', async () => {
  expect(await pageOf(viewOf('unknown'))).toEqual([info, same]);
  expect(await pageOf(undefined)).toEqual([info]);
});

it('an instance counts those that were started otherwise', async () => {
  expect((await pageOf({ ...viewOf('seen'), differing: ['b', 'c'] })).at(-1)).toBe(
    'subnetd_shard_differing_instances 2',
  );
});
