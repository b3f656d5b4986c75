import { crc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { joinChecksums } from '../../../src/tell/metrics/join-checksums.ts';

it('the joined checksum of two texts is that of both in one', () => {
  const bytes = fc.uint8Array({ maxLength: 5_000 });
  fc.assert(
    fc.property(bytes, bytes, (first, second) => {
      const both = crc32(Buffer.concat([first, second]));
      expect(joinChecksums(crc32(first), crc32(second), second.length)).toBe(both);
    }),
  );
});
