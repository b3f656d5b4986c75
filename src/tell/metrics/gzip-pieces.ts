import { constants, crc32, deflateRawSync } from 'node:zlib';
import { copyUnpooled } from '../../lib/bytes.ts';
import { joinChecksums } from './join-checksums.ts';

/** Bytes of a page, in memory of their own. */
export type Bytes = Buffer<ArrayBuffer>;

/** A piece of a page. Its bytes do not change while it is part of a page, so what was made of them is kept with it. */
export interface Piece {
  readonly bytes: Bytes;
  packed: Packed | undefined;
}

/** Pieces that were compressed as one. */
interface Packed {
  readonly pieces: readonly Piece[];
  readonly deflated: Bytes;
  readonly crc: number;
  /** Before it was compressed. */
  readonly length: number;
}

/** A piece of this size is compressed by itself, whatever is beside it; smaller ones are joined up to this. */
const PACKED_BYTES = 32 * 1024;

/** Smaller chunks than this are joined. */
const CHUNK_BYTES = 64 * 1024;

/** The head of a gzip member without name and time, by RFC 1952. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** An empty last block of deflate, by RFC 1951. */
const LAST_BLOCK = Buffer.from([3, 0]);

/**
 * The lowest level takes a third of the usual one's time. A full flush ends on a whole byte, and nothing behind it refers to what
 * is before it, so that pieces compressed by themselves are one stream. A window of more than 8 KiB makes no page smaller. V8 counts
 * the memory of zlib: with that of the usual window for hundreds of pieces, it collected all garbage after each page.
 */
const OPTIONS = { level: 1, windowBits: 13, memLevel: 5, finishFlush: constants.Z_FULL_FLUSH };

const areSame = (one: readonly Piece[], other: readonly Piece[]): boolean =>
  one.length === other.length && one.every((piece, index) => piece === other[index]);

/**
 * Compresses pieces as one, unless they have been, for this scraper or another one. A piece takes a third of a millisecond; a thread
 * would take as long again to be handed it.
 */
function pack(pieces: readonly [Piece, ...Piece[]]): Packed {
  const [first, ...others] = pieces;
  if (first.packed !== undefined && areSame(first.packed.pieces, pieces)) return first.packed;
  const bytes = others.length === 0 ? first.bytes : Buffer.concat(pieces.map((piece) => piece.bytes));
  // What zlib returns lies in memory of 16 KiB.
  const deflated = copyUnpooled(deflateRawSync(bytes, OPTIONS));
  first.packed = { pieces, deflated, crc: crc32(bytes), length: bytes.length };
  return first.packed;
}

/** Copies buffers into chunks. */
function createJoiner() {
  const chunks: Bytes[] = [];
  let joined: Bytes[] = [];
  let length = 0;
  const end = (): readonly Bytes[] => {
    if (joined.length > 0) chunks.push(Buffer.concat(joined));
    joined = [];
    length = 0;
    return chunks;
  };
  return {
    add: (bytes: Bytes) => {
      joined.push(bytes);
      length += bytes.length;
      if (length >= CHUNK_BYTES) end();
    },
    /** All chunks. */
    end,
  };
}

/** The pieces of a page as they are, in chunks of their own. */
export function* joinPieces(pieces: Iterable<Piece>): Generator<void, readonly Bytes[]> {
  const joiner = createJoiner();
  for (const { bytes } of pieces) {
    joiner.add(bytes);
    yield;
  }
  return joiner.end();
}

/** Pieces that are compressed as one: a large one alone, whatever is beside it, or small ones that follow each other. */
function* groupPieces(pieces: Iterable<Piece>): Generator<readonly [Piece, ...Piece[]]> {
  let small: [Piece, ...Piece[]] | undefined;
  let bytes = 0;
  for (const piece of pieces) {
    const isLarge = piece.bytes.length >= PACKED_BYTES;
    if (small !== undefined && (isLarge || bytes >= PACKED_BYTES)) {
      yield small;
      small = undefined;
    }
    if (isLarge) yield [piece];
    else if (small === undefined) {
      small = [piece];
      bytes = piece.bytes.length;
    } else {
      small.push(piece);
      bytes += piece.bytes.length;
    }
  }
  if (small !== undefined) yield small;
}

/** The pieces of a page as one gzip member, as many programs read no second one, in chunks of their own. */
export function* gzipPieces(pieces: Iterable<Piece>): Generator<void, readonly Bytes[]> {
  const joiner = createJoiner();
  let [crc, length] = [0, 0];
  joiner.add(HEAD);
  for (const group of groupPieces(pieces)) {
    const packed = pack(group);
    joiner.add(packed.deflated);
    crc = joinChecksums(crc, packed.crc, packed.length);
    length += packed.length;
    yield;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  joiner.add(LAST_BLOCK);
  joiner.add(trailer);
  return joiner.end();
}
