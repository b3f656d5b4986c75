import { constants, crc32, deflateRawSync } from 'node:zlib';
import { copyUnpooled } from '../../lib/bytes.ts';

type Bytes = Buffer<ArrayBuffer>;

/** A piece of a page, and what was made of it when it was compressed. Another text is another piece. */
export interface Piece {
  /** About that of its text, which is written anew each time. */
  length(): number;
  text(): string;
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

/** A piece with the same text each time. */
export const toPiece = (text: string): Piece => ({ length: () => text.length, text: () => text, packed: undefined });

/** A piece of this length is sent and compressed by itself, whatever is beside it; smaller ones are joined up to this. */
const GROUP_LENGTH = 32 * 1024;

/** The head of a gzip member without name and time, by RFC 1952. */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

/** An empty last block of deflate, by RFC 1951. */
const LAST_BLOCK = Buffer.from([3, 0]);

/**
 * The lowest level takes a third of the usual one's time. A full flush ends on a whole byte, and nothing behind it refers to what
 * is before it, so that pieces compressed by themselves are one stream. A window of more than 8 KiB makes no page smaller. V8 counts
 * the memory of zlib: with that of the usual window for hundreds of pieces, it collected all garbage after each page.
 */
const OPTIONS = { level: 1, windowBits: 13, memLevel: 5, chunkSize: 4096, finishFlush: constants.Z_FULL_FLUSH };

/** The polynomial of the checksum of gzip, by RFC 1952. Its lowest power is in the highest bit, as in all numbers here. */
const POLYNOMIAL = 0xedb88320;
const ONE = 0x8000_0000;
/** x to the power of 8: a byte more. */
const BYTE = ONE >>> 8;

/** The product of two polynomials, modulo that of the checksum. */
function multiply(one: number, other: number): number {
  let product = 0;
  let shifted = other;
  for (let bit = ONE; bit !== 0; bit >>>= 1) {
    if ((one & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ POLYNOMIAL;
  }
  return product;
}

/** The CRC-32 of a text and the `length` bytes that follow it, from the checksum of each. No byte is read, as in zlib's crc32_combine. */
function joinChecksums(first: number, second: number, length: number): number {
  let shifted = first;
  let power = BYTE;
  for (let rest = length; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shifted = multiply(shifted, power);
    power = multiply(power, power);
  }
  return (shifted ^ second) >>> 0;
}

/** Pieces that go together: a large one alone, whatever is beside it, or small ones that follow each other. */
function* groupPieces(pieces: Iterable<Piece>): Generator<readonly Piece[]> {
  let small: Piece[] = [];
  let length = 0;
  for (const piece of pieces) {
    const own = piece.length();
    const isLarge = own >= GROUP_LENGTH;
    if (small.length > 0 && (isLarge || length >= GROUP_LENGTH)) {
      yield small;
      small = [];
      length = 0;
    }
    if (isLarge) yield [piece];
    else {
      small.push(piece);
      length += own;
    }
  }
  if (small.length > 0) yield small;
}

const toText = (pieces: readonly Piece[]): string => {
  let text = '';
  for (const piece of pieces) text += piece.text();
  return text;
};

/** What is compressed is put here: V8 counts the memory of a buffer for each piece too. */
const SCRATCH = Buffer.allocUnsafeSlow(256 * 1024);

/** A character takes three bytes at most. */
const toScratch = (text: string): Buffer =>
  text.length * 3 > SCRATCH.length ? Buffer.from(text) : SCRATCH.subarray(0, SCRATCH.write(text));

/** Compresses pieces as one, unless they have been, for this scraper or another one. */
function pack(pieces: readonly Piece[]): Packed {
  const [first] = pieces;
  const last = first?.packed;
  if (last?.pieces.length === pieces.length && pieces.every((piece, place) => piece === last.pieces[place]))
    return last;
  const bytes = toScratch(toText(pieces));
  // What zlib returns lies in memory of 4 KiB.
  const packed = {
    pieces,
    deflated: copyUnpooled(deflateRawSync(bytes, OPTIONS)),
    crc: crc32(bytes),
    length: bytes.length,
  };
  if (first !== undefined) first.packed = packed;
  return packed;
}

/** The pieces of a page in chunks, in steps of a millisecond or so. */
export function* joinPieces(pieces: Iterable<Piece>): Generator<void, readonly Bytes[]> {
  const chunks: Bytes[] = [];
  for (const group of groupPieces(pieces)) {
    chunks.push(Buffer.from(toText(group)));
    yield;
  }
  return chunks;
}

/** The same as one gzip member, as many programs read no second one, in one chunk. */
export function* gzipPieces(pieces: Iterable<Piece>): Generator<void, readonly Bytes[]> {
  const parts: Bytes[] = [HEAD];
  let [crc, length] = [0, 0];
  for (const group of groupPieces(pieces)) {
    const packed = pack(group);
    parts.push(packed.deflated);
    crc = joinChecksums(crc, packed.crc, packed.length);
    length += packed.length;
    yield;
  }
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc, 0);
  trailer.writeUInt32LE(length % 2 ** 32, 4);
  return [Buffer.concat([...parts, LAST_BLOCK, trailer])];
}
