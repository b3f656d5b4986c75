import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSameData } from '../../src/lib/values.ts';

describe('plain data is the same', () => {
  it.each<readonly [string, unknown, unknown, boolean]>([
    ['in another order of members', { a: 1, b: [2] }, { b: [2], a: 1 }, true],
    ['with equal numbers and texts', [1, 'x', null, true, undefined], [1, 'x', null, true, undefined], true],
    ['not with a member more', { a: 1 }, { a: 1, b: 2 }, false],
    ['not with a member less', { a: 1, b: 2 }, { a: 1 }, false],
    ['not with a member that is undefined and one that is not there', { a: undefined }, { b: undefined }, false],
    ['not when a list and a mapping have the same members', ['x'], { 0: 'x' }, false],
    ['not when nothing and a mapping are compared', null, {}, false],
    ['not with another value deep inside', { a: [{ b: 1 }] }, { a: [{ b: 2 }] }, false],
  ])('%s', (_what, one, other, isSame) => {
    expect(isSameData(one, other)).toBe(isSame);
    expect(isDeepStrictEqual(one, other)).toBe(isSame);
  });

  it('when isDeepStrictEqual says so', () => {
    const leaf = fc.constantFrom(0, 1, '', 'a', null, true, undefined);
    const { data } = fc.letrec<{ readonly data: unknown }>((tie) => ({
      data: fc.oneof(
        { depthSize: 'small' },
        leaf,
        fc.array(tie('data'), { maxLength: 2 }),
        fc.dictionary(fc.constantFrom('a', 'b'), tie('data'), { noNullPrototype: true }),
      ),
    }));
    fc.assert(
      fc.property(data, data, (one, other) => {
        expect(isSameData(one, other)).toBe(isDeepStrictEqual(one, other));
        expect(isSameData(one, structuredClone(one))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
