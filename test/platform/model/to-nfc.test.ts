import { globSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { toNfc } from '../../../src/platform/model/to-nfc.ts';

const lengthOf = (text: string) => [...text].length;

/** What joins, sorts, or has many parts, of several scripts. */
const pieces = fc.constantFrom(
  ...['a', 'α', '\u0300', '\u0316', '\u0345', '\u0313', '\u0344', '\u0301', '\u1f82', '\u{16126}', '\u{1611e}'],
  ...['\u1100', '\u1161', '\u11a8', '각', '\u09c7', '\u09be', '\u05b0', '\u0651', '\u{1d165}', '\u212b', '\ud800'],
);
const texts = fc
  .array(fc.tuple(pieces, fc.integer({ min: 1, max: 40 })), { maxLength: 8 })
  .map((parts) => parts.map(([piece, times]) => piece.repeat(times)).join(''));

describe('NFC of a text from outside', () => {
  it('is that of the language, and missing exactly when it is too long', () => {
    const property = fc.property(texts, fc.integer({ min: 0, max: 60 }), (text, most) => {
      const normal = text.normalize('NFC');
      expect(toNfc(text, most)).toBe(lengthOf(normal) <= most ? normal : undefined);
    });
    fc.assert(property, { numRuns: 2_000 });
  });

  it('stands for four characters at most, of which three are sorted', () => {
    const parts = Array.from({ length: 0x110000 }, (_, code) => code)
      .filter((code) => code < 0xd800 || code > 0xdfff)
      .map((code) => [...String.fromCodePoint(code).normalize('NFD')]);
    expect(parts.filter(({ length }) => length > 4)).toEqual([]);
    expect(parts.filter((all) => all.length > 3 && all.every((one) => /\p{M}/u.test(one)))).toEqual([]);
  });

  it('takes a text whose characters have as many parts as there can be', () => {
    for (const whole of ['\u1f82', '\u{16126}', '각', '\u01d5'])
      expect(toNfc(whole.repeat(200).normalize('NFD'), 200), whole).toBe(whole.repeat(200));
  });

  it.each([
    ['marks in the wrong order', `a${'\u0300'.repeat(15_500)}${'\u0316'.repeat(15_500)}`],
    ['marks by turns', `a${'\u0300\u0316'.repeat(2_000)}`],
    ['points of Hebrew', `א${'\u05b9\u05b0'.repeat(2_000)}`],
    ['marks of music', `a${'\u{1d165}\u0316'.repeat(2_000)}`],
    ['letters', 'a'.repeat(60_000)],
  ])('never sorts more marks than are allowed: %s', (_what, text) => {
    const normalize = vi.spyOn(String.prototype, 'normalize');
    try {
      expect(toNfc(text, 1_024)).toBeUndefined();
      expect(Math.max(0, ...normalize.mock.contexts.map((one) => lengthOf(String(one))))).toBeLessThanOrEqual(2);
      // No more is looked at than can matter.
      expect(normalize.mock.calls.length).toBeLessThanOrEqual(4 * 1_024 + 1);
    } finally {
      normalize.mockRestore();
    }
  });

  it('is made in one place only', () => {
    const files = globSync('src/**/*.ts').filter((file) => readFileSync(file, 'utf8').includes(".normalize('"));
    expect(files).toEqual(['src/platform/model/to-nfc.ts']);
  });
});
