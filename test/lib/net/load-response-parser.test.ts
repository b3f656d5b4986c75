import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  createReply,
  loadResponseParser,
  MOST_BYTES,
  type ReadResult,
  type Reply,
} from '../../../src/lib/net/load-response-parser.ts';

const MAX_BYTES = 200_000;
const parser = loadResponseParser(MAX_BYTES);

const textOf = ({ whole }: Reply): string | undefined => whole?.toString();

/** Reads pieces of a response, and at `end` the end of the connection. */
function read(
  pieces: readonly (string | Buffer)[],
  end = false,
): { readonly result: ReadResult; readonly reply: Reply } {
  const own = parser.open();
  const reply = createReply();
  let result: ReadResult = 'more';
  for (const bytes of pieces.map((piece) => Buffer.from(piece as string, 'latin1')))
    for (let at = 0; at < bytes.length && (result === 'more' || result === 'whole'); at += MOST_BYTES)
      result = parser.read(own, reply, bytes.subarray(at, at + MOST_BYTES));
  if (end && result === 'more') result = parser.end(own, reply);
  parser.close(own);
  return { result, reply };
}

const HEAD = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';
const withLength = (body: string) => `${HEAD}Content-Length: ${body.length}\r\n\r\n${body}`;
const inChunks = (chunks: readonly string[]) =>
  `${HEAD}Transfer-Encoding: chunked\r\n\r\n${chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;

/** Cuts a text after these shares of its length. */
function cut(text: string, shares: readonly number[]): readonly string[] {
  const places = [...shares.map((share) => Math.floor(share * text.length)), 0, text.length].sort((a, b) => a - b);
  return places.slice(1).map((place, i) => text.slice(places[i], place));
}
const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
const letters = fc.string({ unit: fc.constantFrom('a', '{', '\n', '\r', '0', '"'), maxLength: 300 });

describe('a response', () => {
  it('is the same however it is cut, with a length, in chunks, and until the end of the connection', () => {
    fc.assert(
      fc.property(
        fc.array(
          letters.filter((text) => text !== ''),
          { maxLength: 9 },
        ),
        shares,
        (chunks, places) => {
          const body = chunks.join('');
          for (const text of [withLength(body), inChunks(chunks)]) {
            const { result, reply } = read(cut(text, places));
            expect([result, textOf(reply), reply.keepsOpen]).toEqual(['whole', body, true]);
          }
          const { result, reply } = read(cut(`${HEAD}\r\n${body}`, places), true);
          expect([result, textOf(reply), reply.keepsOpen]).toEqual(['whole', body, false]);
        },
      ),
    );
  });

  it('that is damaged is read alike however it is cut, and breaks nothing', () => {
    const good = fc.oneof(letters.map(withLength), fc.array(letters, { maxLength: 4 }).map(inChunks));
    fc.assert(
      fc.property(good, fc.nat(), fc.integer({ min: 0, max: 255 }), shares, (text, place, byte, places) => {
        const at = place % text.length;
        const damaged = text.slice(0, at) + String.fromCharCode(byte) + text.slice(at + 1);
        const [whole, pieces] = [read([damaged], true), read(cut(damaged, places), true)];
        const seen = ({ result, reply }: typeof whole) => [
          result === 'surplus' ? 'whole' : result,
          reply.status,
          textOf(reply),
        ];
        expect(seen(pieces)).toEqual(seen(whole));
      }),
      { numRuns: 500 },
    );
  });

  it('has its text as UTF-8, also where a letter is cut in two', () => {
    const body = Buffer.from('{"näme":"子网"}');
    const text = Buffer.concat([Buffer.from(`${HEAD}Content-Length: ${body.length}\r\n\r\n`), body]);
    for (let at = 1; at < text.length; at += 1)
      expect(textOf(read([text.subarray(0, at), text.subarray(at)]).reply)).toBe('{"näme":"子网"}');
  });

  it('shows the headers that matter, in any case', () => {
    const text =
      'HTTP/1.1 200 OK\r\nCONTENT-type: text/html\r\ncontent-encoding: gzip\r\nKeep-alive: timeout=5\r\nx-other: y\r\n';
    expect(read(cut(`${text}Content-Length: 0\r\n\r\n`, [0.1, 0.2, 0.5, 0.7])).reply).toMatchObject({
      status: 200,
      contentType: 'text/html',
      contentEncoding: 'gzip',
      keepAlive: 'timeout=5',
    });
  });

  it('comes after informational ones', () => {
    const hints = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\ncontent-length: 5\r\n\r\n';
    expect(textOf(read([`HTTP/1.1 100 Continue\r\n\r\n${hints}`, hints, withLength('a')]).reply)).toBe('a');
  });

  it.each([
    ['another response', withLength('b')],
    ['letters', 'abc'],
  ])('that %s follows is whole, but nobody asked for what follows', (_what, more) => {
    const { result, reply } = read([withLength('a') + more]);
    expect([result, textOf(reply)]).toEqual(['surplus', 'a']);
  });

  it.each([
    ['HTTP/1.0', 'HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n'],
    ['that says so', 'HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'],
    ['204 with a length', 'HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n'],
    ['304', 'HTTP/1.1 304 Not Modified\r\n\r\n'],
  ])('%s is the last on its connection', (_what, text) => {
    const { result, reply } = read([text]);
    expect([result, reply.keepsOpen, textOf(reply)]).toEqual(['whole', false, '']);
  });
});

describe('no response', () => {
  it.each([
    ['another protocol', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['two lengths', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcdef'],
    ['a length beside chunks', 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['a length that is none', 'HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n'],
    ['a chunk size that is none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n'],
    ['a switch of protocols', 'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n'],
    ['a head without an end', `${HEAD}x: ${'a'.repeat(20_000)}`],
    ['heads without an end', 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n'.repeat(2_000)],
    ['trailers without an end', `${HEAD}Transfer-Encoding: chunked\r\n\r\n0\r\nx: ${'a'.repeat(20_000)}`],
  ])('is %s', (_what, text) => {
    expect(read([text]).result).toBe('broken');
  });

  it('is one that ends early', () => {
    for (const text of [withLength('abcdef'), inChunks(['abc', 'def'])])
      expect(read([text.slice(0, -1)], true).result).toBe('broken');
  });

  it('is one that is too large, in one piece and in many, in many chunks and without an end', () => {
    const half = 'a'.repeat(MAX_BYTES / 2);
    expect(textOf(read([inChunks([half, half])]).reply)).toHaveLength(MAX_BYTES);
    for (const text of [inChunks([half, half, 'a']), withLength(`${half}${half}a`), `${HEAD}\r\n${half}${half}a`]) {
      expect(read([text]).result).toBe('too-large');
      expect(read(cut(text, [0.2, 0.4, 0.6, 0.8])).result).toBe('too-large');
    }
  });
});

it('responses on several connections do not mix', () => {
  const [one, other] = [parser.open(), parser.open()];
  const [first, second] = [createReply(), createReply()];
  const [text, otherText] = [withLength('abcdef'), withLength('uvwxyz')];
  for (let at = 0; at < text.length; at += 1) {
    parser.read(one, first, Buffer.from(text[at] ?? ''));
    parser.read(other, second, Buffer.from(otherText[at] ?? ''));
  }
  expect([textOf(first), textOf(second)]).toEqual(['abcdef', 'uvwxyz']);
});

it('a thousand connections have their parsers, although its memory grows for them', () => {
  const parsers = Array.from({ length: 5_000 }, () => parser.open());
  for (const own of parsers) {
    const reply = createReply();
    expect(parser.read(own, reply, Buffer.from(withLength('abc')))).toBe('whole');
    expect(textOf(reply)).toBe('abc');
  }
  for (const own of parsers) parser.close(own);
});
