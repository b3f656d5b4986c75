import { describe, expect, it } from 'vitest';
import { candidatesOf, FAULTS } from '../../bench/soak/faults.ts';
import { listSubnets, nodesOf, SHARDS, STALL_MS } from '../../bench/soak/fleet.ts';
import { type Episode, planSoak } from '../../bench/soak/plan.ts';
import { shardOf } from '../../src/model/shard.ts';

describe('the plan of a soak', () => {
  const subnets = listSubnets();

  it('gives each shard 2,000 nodes, each in one subnet', () => {
    for (const { name, shard } of subnets) expect(shardOf(name, SHARDS)).toBe(shard);
    const all = subnets.flatMap(nodesOf);
    expect(all).toEqual([...Array(6_000).keys()]);
    for (let shard = 0; shard < SHARDS; shard += 1)
      expect(subnets.filter((one) => one.shard === shard).flatMap(nodesOf)).toHaveLength(2_000);
  });

  it('is the same for the same seed, and another for another', () => {
    expect(planSoak(5, 600, subnets)).toEqual(planSoak(5, 600, subnets));
    expect(planSoak(5, 600, subnets)).not.toEqual(planSoak(6, 600, subnets));
  });

  it('lets a subnet rest between two faults, and takes only nodes that the fault may take', () => {
    const steps = planSoak(5, 3_600, subnets);
    const lastEnd = new Map<string, { readonly at: number; readonly episode: Episode }>();
    for (const step of steps) {
      if (!('episode' in step)) continue;
      const { name } = step.episode.subnet;
      const before = lastEnd.get(name);
      if (before !== undefined && before.episode !== step.episode) expect(step.at - before.at).toBeGreaterThan(600);
      lastEnd.set(name, step);
      for (const node of step.episode.nodes)
        expect(candidatesOf(step.episode.fault, step.episode.subnet)).toContain(node);
    }
    for (const what of ['begin', 'pause', 'end', 'list', 'unlist', 'kill', 'postgres', 'alertmanager'])
      expect(steps.filter((step) => step.do === what).length, what).toBeGreaterThan(3);
  });

  it('lets each return of a fault with pauses last until it is seen', () => {
    const begun = new Map<Episode, number>();
    const shortest = new Map<boolean, number>();
    for (const step of planSoak(5, 3_600, subnets)) {
      if (!('episode' in step) || step.episode.pattern !== 'flapping') continue;
      const { episode: one, at } = step;
      if (step.do === 'begin') begun.set(one, at);
      else {
        const isStall = FAULTS[one.fault].mood === 'stalled';
        const lasted = at - (begun.get(one) ?? 0);
        shortest.set(isStall, Math.min(lasted, shortest.get(isStall) ?? lasted));
      }
    }
    expect(shortest.get(true)).toBeGreaterThanOrEqual(STALL_MS / 1_000 + 30);
    expect(shortest.get(false)).toBeGreaterThanOrEqual(30);
  });
});
