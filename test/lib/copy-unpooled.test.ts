import { expect, test } from 'vitest';
import { copyUnpooled } from '../../src/lib/bytes.ts';

test('a copy has the same bytes, in memory of its own', () => {
  const bytes = Buffer.from('a few bytes of a slab');
  expect(bytes.buffer.byteLength).toBeGreaterThan(bytes.length);
  const copy = copyUnpooled(bytes);
  expect(copy.toString()).toBe('a few bytes of a slab');
  expect(copy.buffer.byteLength).toBe(copy.length);
  bytes.fill(0);
  expect(copy.toString()).toBe('a few bytes of a slab');
});
