import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readBounded } from '../../src/lib/bytes.ts';

const streamOf = (...texts: readonly string[]) => Readable.from(texts.map((text) => Buffer.from(text)));

test('a stream is read to its end up to the limit, and one byte more makes it too long', async () => {
  expect((await readBounded(streamOf('ab', 'cd'), 4))?.toString()).toBe('abcd');
  expect(await readBounded(streamOf('ab', 'cd', 'e'), 4)).toBeUndefined();
  expect((await readBounded(streamOf(), 0))?.toString()).toBe('');
});

test('a stream that is too long is closed, not read on', async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield Buffer.from('abc');
    })(),
  );
  expect(await readBounded(endless, 5)).toBeUndefined();
  expect(endless.destroyed).toBe(true);
});
