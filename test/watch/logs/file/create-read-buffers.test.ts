import { expect, test } from 'vitest';
import { createReadBuffers } from '../../../../src/watch/logs/file/open-files.ts';

test('of more readers than there are buffers each has one in its turn, and none has that of another', async () => {
  const buffers = createReadBuffers(2, 16);
  const made = new Set<Buffer>();
  const lent = new Set<Buffer>();
  const turns: number[] = [];
  const results = await Promise.allSettled(
    Array.from({ length: 20 }, (_, index) =>
      buffers.use(async (buffer) => {
        expect(lent.has(buffer)).toBe(false);
        made.add(buffer);
        lent.add(buffer);
        turns.push(index);
        await new Promise(setImmediate);
        lent.delete(buffer);
        if (index === 7) throw new Error('broken');
        return buffer.length;
      }),
    ),
  );
  expect(made.size).toBe(2);
  expect(turns).toEqual(results.map((_, index) => index));
  expect(results.map((result) => (result.status === 'fulfilled' ? result.value : 'broken'))).toEqual(
    results.map((_, index) => (index === 7 ? 'broken' : 16)),
  );
});
