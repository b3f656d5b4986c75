import { createReadStream } from 'node:fs';
import type { Transform } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { toLatin1 } from '../watch/logs/match/line-form.ts';

/** By the first two bytes, in Latin-1: what Windows' tools write before UTF-16. */
const ENCODINGS: Readonly<Record<string, string>> = {
  '\xff\xfe': 'utf-16le',
  '\xfe\xff': 'utf-16be',
  // Without the mark, as a piece of such a file is: each second byte of ASCII is 0.
  'x\0': 'utf-16le',
  '\0x': 'utf-16be',
};
/** What packed files begin with. */
const PACKERS: Readonly<Record<string, () => Transform>> = {
  '\x1f\x8b': createGunzip,
  '\x28\xb5': createZstdDecompress,
};
const UTF8_MARK = '\xef\xbb\xbf';

async function readStart(file: string): Promise<string> {
  const chunks = createReadStream(file, { end: 1 }) as AsyncIterable<Buffer>;
  let start = '';
  for await (const chunk of chunks) start += chunk.toString('latin1');
  return start;
}

async function openBytes(file: string): Promise<AsyncIterable<Buffer>> {
  const unpack = PACKERS[await readStart(file)];
  const bytes = createReadStream(file);
  if (unpack === undefined) return bytes as AsyncIterable<Buffer>;
  const unpacked = unpack();
  bytes.on('error', (error) => unpacked.destroy(error));
  return bytes.pipe(unpacked) as AsyncIterable<Buffer>;
}

/**
 * The text of a saved log, in Latin-1 of its UTF-8, as logs are searched. It may be packed with gzip or
 * zstd, and may be UTF-16. Rejects when it cannot be read.
 */
export async function* readSavedLog(file: string): AsyncGenerator<string> {
  let decode: ((chunk: Buffer) => string) | undefined;
  for await (const chunk of await openBytes(file)) {
    if (decode !== undefined) {
      yield decode(chunk);
      continue;
    }
    const text = chunk.toString('latin1');
    const encoding = ENCODINGS[text.slice(0, 2)] ?? ENCODINGS[text.slice(0, 2).replace(/[^\0]/, 'x')];
    if (encoding === undefined) {
      decode = (next) => next.toString('latin1');
      yield text.startsWith(UTF8_MARK) ? text.slice(UTF8_MARK.length) : text;
    } else {
      const decoder = new TextDecoder(encoding);
      decode = (next) => toLatin1(decoder.decode(next, { stream: true }));
      yield decode(chunk);
    }
  }
}
