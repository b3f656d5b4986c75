import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isOwner, parseShard, shardOf } from '../../src/model/shard.ts';

const SUBNETS = Array.from({ length: 3_000 }, (_, index) => `subnet-${index}`);

describe('a shard', () => {
  it('is read from its index and the total, with indices from 0', () => {
    expect(parseShard('0/1')).toEqual({ index: 0, total: 1 });
    expect(parseShard('11/12')).toEqual({ index: 11, total: 12 });
  });

  it.each(['', '3/3', '1', '0/0', '-1/3', '01/3', '1/3 ', '1 /3', 'a/b', '0/1001', '0x1/3', '1/3/5'])(
    'is not read from %j',
    (text) => expect(parseShard(text)).toBeUndefined(),
  );

  it('owns the subnets that it owned in every version', () => {
    const owners = ['devnet', 'mainnet', 'subnet-7', 'Ünïcode'].map((name) =>
      [1, 3, 4, 100].map((n) => shardOf(name, n)),
    );
    expect(owners).toMatchInlineSnapshot(`
      [
        [
          0,
          0,
          0,
          68,
        ],
        [
          0,
          1,
          1,
          4,
        ],
        [
          0,
          2,
          2,
          19,
        ],
        [
          0,
          1,
          3,
          67,
        ],
      ]
    `);
  });

  it('shares every subnet with no other shard', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 1, max: 50 }), (name, total) => {
        const owners = Array.from({ length: total }, (_, index) => isOwner({ index, total }, name)).filter(Boolean);
        expect(owners).toHaveLength(1);
      }),
    );
  });

  it('owns about as many subnets as each other one', () => {
    for (const total of [2, 3, 7]) {
      const counts = Array.from({ length: total }, () => 0);
      for (const name of SUBNETS) counts[shardOf(name, total)] = (counts[shardOf(name, total)] ?? 0) + 1;
      const share = SUBNETS.length / total;
      for (const count of counts) expect(Math.abs(count - share)).toBeLessThan(share * 0.15);
    }
  });

  it('is the only one to take subnets when it is new', () => {
    for (const total of [1, 3, 9]) {
      const moved = SUBNETS.filter((name) => shardOf(name, total) !== shardOf(name, total + 1));
      expect(moved.every((name) => shardOf(name, total + 1) === total)).toBe(true);
      expect(Math.abs(moved.length - SUBNETS.length / (total + 1))).toBeLessThan((SUBNETS.length / (total + 1)) * 0.15);
    }
  });

  it('owns everything without others', () => expect(isOwner(undefined, 'devnet')).toBe(true));
});
