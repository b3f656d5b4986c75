import { promisify } from 'node:util';
import { constants, crc32, deflateRaw } from 'node:zlib';

const deflate = promisify(deflateRaw);

/** Bytes of a page, in memory of their own. */
export type Bytes = Buffer<ArrayBuffer>;

/** A piece of a page. Its bytes never change, so what was made of them is kept with it. */
export interface Piece {
  readonly bytes: Bytes;
  packed: Packed | undefined;
}

/** Pieces that were compressed as one. */
interface Packed {
  readonly pieces: readonly Piece[];
  readonly deflated: Promise<Bytes>;
  /** The checksum of the page up to these pieces, and with them. */
  crc: { readonly before: number; readonly after: number };
}

/** A piece of this size is compressed by itself, whatever is beside it; smaller ones are joined up to this. */
const PACKED_BYTES = 32 * 1024;

/** Smaller chunks than this are joined. */
const CHUNK_BYTES = 64 * 1024;

/** So many are compressed ahead of the one that is sent next. */
const AHEAD = 2;

/** The head of a gzip member without name and time, by RFC 1952. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** An empty last block of deflate, by RFC 1951. */
const LAST_BLOCK = Buffer.from([3, 0]);

/**
 * The lowest level takes a third of the usual one's time. A full flush ends on a whole byte, and nothing behind it refers to what
 * is before it, so that pieces compressed by themselves are one stream.
 */
const OPTIONS = { level: 1, finishFlush: constants.Z_FULL_FLUSH };

const areSame = (one: readonly Piece[], other: readonly Piece[]): boolean =>
  one.length === other.length && one.every((piece, index) => piece === other[index]);

const checksum = (pieces: readonly Piece[], before: number) => ({
  before,
  after: pieces.reduce((crc, { bytes }) => crc32(bytes, crc), before),
});

/** Compresses pieces as one, unless they have been, for this scraper or another one. */
function pack(pieces: readonly [Piece, ...Piece[]], before: number): Packed {
  const [first, ...others] = pieces;
  const { packed } = first;
  if (packed !== undefined && areSame(packed.pieces, pieces)) {
    if (packed.crc.before !== before) packed.crc = checksum(pieces, before);
    return packed;
  }
  const bytes = others.length === 0 ? first.bytes : Buffer.concat(pieces.map((piece) => piece.bytes));
  const deflated = deflate(bytes, OPTIONS);
  // Who waits for it has the error.
  deflated.catch(() => {});
  first.packed = { pieces, deflated, crc: checksum(pieces, before) };
  return first.packed;
}

/** Joins small buffers to chunks; a large one is a chunk as it is. */
function createJoiner() {
  let joined: Bytes[] = [];
  let length = 0;
  const take = (): readonly Bytes[] => {
    const chunks = joined.length < 2 ? joined : [Buffer.concat(joined)];
    joined = [];
    length = 0;
    return chunks;
  };
  return {
    /** The chunks that are complete with it. */
    add: (bytes: Bytes): readonly Bytes[] => {
      if (bytes.length >= CHUNK_BYTES) return [...take(), bytes];
      joined.push(bytes);
      length += bytes.length;
      return length < CHUNK_BYTES ? [] : take();
    },
    take,
  };
}

/** The pieces of a page as they are, in chunks. */
export async function* joinPieces(pieces: Iterable<Piece>): AsyncGenerator<Bytes> {
  const joiner = createJoiner();
  for (const { bytes } of pieces) yield* joiner.add(bytes);
  yield* joiner.take();
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

/** The pieces of a page as one gzip member, as many programs read no second one. */
export async function* gzipPieces(pieces: Iterable<Piece>): AsyncGenerator<Bytes> {
  const joiner = createJoiner();
  const waiting: Packed[] = [];
  let [crc, length] = [0, 0];
  yield* joiner.add(HEAD);
  for (const group of groupPieces(pieces)) {
    const packed = pack(group, crc);
    crc = packed.crc.after;
    for (const { bytes } of group) length += bytes.length;
    waiting.push(packed);
    if (waiting.length > AHEAD) yield* joiner.add(await (waiting.shift() as Packed).deflated);
  }
  for (const { deflated } of waiting) yield* joiner.add(await deflated);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  yield* joiner.add(Buffer.concat([LAST_BLOCK, trailer]));
  yield* joiner.take();
}
