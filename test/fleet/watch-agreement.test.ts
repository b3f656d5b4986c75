import { describe, expect, it } from 'vitest';
import { createAgreementWatch } from '../../src/fleet/agreement.ts';
import type { SeenMember } from '../../src/model/fleet.ts';
import { shardOf } from '../../src/model/shard.ts';

const MINUTE = 60_000;
const NAMES = Array.from({ length: 30 }, (_, index) => `net${index}`);
const ofShard = (index: number) => NAMES.filter((name) => shardOf(name, 3) === index);
const [first = '', ...rest] = ofShard(1);

const member = (subnets: readonly string[], over: Partial<SeenMember> = {}): SeenMember => ({
  ...{ instance: 'b', shard: { index: 1, total: 3 }, beat: 7, writtenAt: 0, seenAt: 0 },
  ...{ hasBeaten: true, isFresh: true, isSilent: false },
  subnets: subnets.map((name) => ({
    ...{ name, isReady: true, keeping: 'now', targets: 4, failing: 0, problems: [], problemCount: 0 },
  })),
  ...over,
});

/** What is said at each of these moments, with what is known of the others then. */
function saidAt(...moments: readonly (readonly [minutes: number, ...members: readonly SeenMember[]])[]) {
  const watch = createAgreementWatch({ instance: 'a', shard: { index: 0, total: 3 } });
  watch.setInventory(NAMES);
  return moments.map(([minutes, ...members]) => [watch.take(members, minutes * MINUTE), watch.differing()]);
}
const silence = [[], []];

describe('an instance of a fleet', () => {
  const same = member(ofShard(1));

  it('has nothing to say of one that watches what it should, or that hands over what it watched', () => {
    expect(saidAt([0, same], [20, same])).toEqual([silence, silence]);
    const handing = member([...ofShard(1), ...ofShard(2)]);
    expect(saidAt([0, handing], [20, handing])).toEqual([silence, silence]);
  });

  it('says once, after ten minutes, that another one counts other shards', () => {
    const other = member(ofShard(1), { shard: { index: 1, total: 4 } });
    const difference = { instance: 'b', shard: '1/4' };
    expect(saidAt([0, other], [9.9, other], [10, other], [11, other], [12, same], [13, other])).toEqual([
      silence,
      silence,
      [[difference], ['b']],
      [[], ['b']],
      silence,
      silence,
    ]);
  });

  it('names the subnets that one of both lacks', () => {
    const more = member([...ofShard(1), 'unknown']);
    expect(saidAt([0, more], [10, more])[1]).toEqual([[{ instance: 'b', shard: '1/3', subnets: ['unknown'] }], ['b']]);
    const fewer = member(rest);
    expect(saidAt([0, fewer], [10, fewer])[1]).toEqual([[{ instance: 'b', shard: '1/3', subnets: [first] }], ['b']]);
  });

  it('says nothing of itself, or of one that does not run', () => {
    for (const over of [{ instance: 'a' }, { isFresh: false }]) {
      const other = member([], over);
      expect(saidAt([0, other], [20, other])).toEqual([silence, silence]);
    }
  });

  it('says nothing before it has an inventory', () => {
    const watch = createAgreementWatch({ instance: 'a', shard: { index: 0, total: 3 } });
    watch.take([member(['unknown'])], 0);
    expect(watch.take([member(['unknown'])], 20 * MINUTE)).toEqual([]);
  });
});
