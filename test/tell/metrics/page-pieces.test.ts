import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gzipPieces, joinPieces, type Piece, toPiece } from '../../../src/tell/metrics/page-pieces.ts';
import { finish } from '../../support/render-page.ts';

const join = (pieces: readonly Piece[]): string => Buffer.concat(finish(joinPieces(pieces))).toString();

const unpack = (pieces: readonly Piece[]): string => gunzipSync(Buffer.concat(finish(gzipPieces(pieces)))).toString();

const textOf = (pieces: readonly Piece[]): string => pieces.map((piece) => piece.text()).join('');

/** Of many sizes: most are small, and some are compressed by themselves. */
const piece = fc
  .tuple(fc.string({ maxLength: 40, unit: 'grapheme' }), fc.constantFrom(0, 1, 1, 100, 3_000, 40_000))
  .map(([text, times]) => toPiece(`${text}\n`.repeat(times)));

describe('a page that is compressed in pieces', () => {
  it('is the page to every program that reads one gzip member', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        expect(unpack(pieces)).toBe(textOf(pieces));
        expect(join(pieces)).toBe(textOf(pieces));
      }),
      { numRuns: 100 },
    );
  });

  it('stays so when some of its pieces are replaced, left out or added', () => {
    const pages = fc.tuple(
      fc.array(piece, { maxLength: 8 }),
      fc.array(fc.tuple(fc.nat(7), fc.option(piece)), { maxLength: 6 }),
    );
    fc.assert(
      fc.property(pages, ([first, changes]) => {
        const pieces = [...first];
        unpack(pieces);
        for (const [place, next] of changes) {
          if (next === null) pieces.splice(place, 1);
          else pieces[Math.min(place, pieces.length)] = next;
          expect(unpack(pieces)).toBe(textOf(pieces));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is not compressed again for the next scraper, nor what is unchanged for a later one', () => {
    const large = toPiece('large 1\n'.repeat(10_000));
    const small = toPiece('small 1\n');
    unpack([small, large]);
    const packed = [small.packed?.deflated, large.packed?.deflated];
    expect(packed).not.toContain(undefined);
    unpack([small, large]);
    expect([small.packed?.deflated, large.packed?.deflated]).toEqual(packed);

    const other = toPiece('small 2\n');
    expect(unpack([other, large])).toBe(textOf([other, large]));
    expect(large.packed?.deflated).toBe(packed[1]);
  });

  it('has the checksum of what is before an unchanged piece, too', () => {
    const large = toPiece('large 1\n'.repeat(10_000));
    unpack([large]);
    expect(unpack([toPiece('before 1\n'), large])).toContain('before 1\nlarge 1');
    expect(unpack([large, toPiece('behind 1\n')])).toContain('large 1\nbehind 1');
  });

  it('is sent in few chunks', () => {
    const pieces = Array.from({ length: 2_000 }, (_, index) => toPiece(`a_metric{of="${index}"} 1\n`));
    expect(finish(joinPieces(pieces))).toHaveLength(2);
    expect(finish(gzipPieces(pieces))).toHaveLength(1);
  });

  it('takes a step for each large piece, so that others have their turn between two', () => {
    const pieces = Array.from({ length: 20 }, (_, index) => toPiece(`large ${index}\n`.repeat(10_000)));
    expect([...gzipPieces(pieces)]).toHaveLength(20);
    expect([...joinPieces(pieces)]).toHaveLength(20);
  });
});
