import { describe, expect, it } from 'vitest';
import { isFirst, planLeaving } from '../../src/fleet/plan-watch.ts';
import type { SeenMember } from '../../src/model/fleet.ts';
import { shardOf } from '../../src/model/shard.ts';

/** A subnet that moves from shard 1 of 3 to shard 3 of 4. */
const moving =
  Array.from({ length: 1_000 }, (_, index) => `net${index}`).find(
    (name) => shardOf(name, 3) === 1 && shardOf(name, 4) === 3,
  ) ?? '';
const self = { instance: 'b', shard: { index: 1, total: 4 } };
const owner = (over: Partial<SeenMember> = {}, isReady = true): SeenMember => ({
  ...{ instance: 'd', shard: { index: 3, total: 4 }, beat: 7, writtenAt: 0, seenAt: 0 },
  ...{ hasBeaten: true, isFresh: true, isSilent: false },
  subnets: [{ name: moving, isReady, keeping: 'no', targets: 4, failing: 0, problems: [], problemCount: 0 }],
  ...over,
});
const leavingBeside = (...members: readonly SeenMember[]) => [...planLeaving(self, [moving], members)];

describe('a subnet that another shard owns now', () => {
  it('is watched on until its owner is ready for it', () => {
    expect(leavingBeside()).toEqual([moving]);
    expect(leavingBeside(owner({}, false))).toEqual([moving]);
    expect(leavingBeside(owner())).toEqual([]);
  });

  it('is not left to an instance that is silent, or of another total, or that hands it over itself', () => {
    expect(leavingBeside(owner({ isFresh: false }))).toEqual([moving]);
    expect(leavingBeside(owner({ shard: { index: 1, total: 3 } }))).toEqual([moving]);
    expect(leavingBeside(owner({ shard: { index: 0, total: 4 } }))).toEqual([moving]);
  });

  it('is not left because of the own row of before the start', () => {
    expect(leavingBeside(owner({ instance: 'b' }))).toEqual([moving]);
  });
});

describe('what every instance sees of the fleet', () => {
  const of = (instance: string, index: number, over: Partial<SeenMember> = {}) =>
    owner({ instance, shard: { index, total: 4 }, ...over });

  it('is reported by the first of those that run: of the lowest shard, and of a pair by its name', () => {
    expect(isFirst(self, [])).toBe(true);
    expect(isFirst(self, [of('b', 1), of('c', 2), of('a', 3)])).toBe(true);
    expect(isFirst(self, [of('z', 0)])).toBe(false);
    expect(isFirst(self, [of('z', 0, { isFresh: false })])).toBe(true);
    expect(isFirst(self, [of('a', 1)])).toBe(false);
    expect(isFirst(self, [of('c', 1)])).toBe(true);
  });
});
