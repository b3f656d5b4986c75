import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gzipPieces, joinPieces, type Piece } from '../../src/metrics/gzip-pieces.ts';

const toPiece = (text: string): Piece => ({ bytes: Buffer.from(text), packed: undefined });

const collect = async (chunks: AsyncIterable<Uint8Array>): Promise<Buffer> =>
  Buffer.concat(await Array.fromAsync(chunks));

const unpack = async (pieces: readonly Piece[]): Promise<string> =>
  gunzipSync(await collect(gzipPieces(pieces))).toString();

const textOf = (pieces: readonly Piece[]): string => pieces.map(({ bytes }) => bytes.toString()).join('');

/** Of many sizes: most are small, and some are compressed by themselves. */
const piece = fc
  .tuple(fc.string({ maxLength: 40 }), fc.constantFrom(0, 1, 1, 100, 3_000, 40_000))
  .map(([text, times]) => toPiece(`${text}\n`.repeat(times)));

describe('a page that is compressed in pieces', () => {
  it('is the page to every program that reads one gzip member', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        expect(await unpack(pieces)).toBe(textOf(pieces));
        expect((await collect(joinPieces(pieces))).toString()).toBe(textOf(pieces));
      }),
      { numRuns: 100 },
    );
  });

  it('stays so when some of its pieces are replaced, left out or added', async () => {
    const pages = fc.tuple(
      fc.array(piece, { maxLength: 8 }),
      fc.array(fc.tuple(fc.nat(7), fc.option(piece)), { maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(pages, async ([first, changes]) => {
        const pieces = [...first];
        await unpack(pieces);
        for (const [place, next] of changes) {
          if (next === null) pieces.splice(place, 1);
          else pieces[Math.min(place, pieces.length)] = next;
          expect(await unpack(pieces)).toBe(textOf(pieces));
        }
      }),
      { numRuns: 100 },
    );
  });

  it('is not compressed again for the next scraper, nor what is unchanged for a later one', async () => {
    const large = toPiece('large 1\n'.repeat(10_000));
    const small = toPiece('small 1\n');
    await unpack([small, large]);
    const packed = [small.packed?.deflated, large.packed?.deflated];
    expect(packed).not.toContain(undefined);
    await Promise.all([unpack([small, large]), unpack([small, large])]);
    expect([small.packed?.deflated, large.packed?.deflated]).toEqual(packed);

    const other = toPiece('small 2\n');
    expect(await unpack([other, large])).toBe(textOf([other, large]));
    expect(large.packed?.deflated).toBe(packed[1]);
  });

  it('has the checksum of what is before an unchanged piece, too', async () => {
    const large = toPiece('large 1\n'.repeat(10_000));
    await unpack([large]);
    expect(await unpack([toPiece('before 1\n'), large])).toContain('before 1\nlarge 1');
    expect(await unpack([large, toPiece('behind 1\n')])).toContain('large 1\nbehind 1');
  });

  it('is sent in few chunks', async () => {
    const pieces = Array.from({ length: 2_000 }, (_, index) => toPiece(`a_metric{of="${index}"} 1\n`));
    expect(await Array.fromAsync(joinPieces(pieces))).toHaveLength(1);
    expect(await Array.fromAsync(gzipPieces(pieces))).toHaveLength(1);
  });
});
