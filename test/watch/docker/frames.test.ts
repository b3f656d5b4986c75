import { expect, test } from 'vitest';
import { createMessageReader } from '../../../src/watch/docker/frames.ts';
import { frameHeader } from '../../support/engine-streams.ts';

test('a frame that announces 100 MB is refused by its header, and one of a mebibyte is read in pieces', () => {
  const read: string[] = [];
  const push = createMessageReader((stream, text) => void read.push(`${stream} ${text.length}`));
  push(frameHeader(1024 * 1024));
  for (let piece = 0; piece < 16; piece += 1) push(Buffer.alloc(64 * 1024, 'x'));
  expect(read).toEqual(['1 1048576']);
  expect(() => push(frameHeader(1024 * 1024 + 1))).toThrow('not a container log');
  expect(() => createMessageReader(() => {})(frameHeader(100 * 1024 * 1024))).toThrow('not a container log');
});
