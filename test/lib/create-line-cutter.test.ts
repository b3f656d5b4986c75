import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineCutter, MAX_LINE_BYTES, type OnLine } from '../../src/lib/bytes.ts';

const pieces = fc.oneof(
  { weight: 3, arbitrary: fc.constant('\n') },
  fc.constantFrom('\r', '\r\n', '\0', '\xff', '\xe2\x91', ''),
  fc.string({ unit: fc.integer({ min: 0, max: 255 }).map((byte) => String.fromCharCode(byte)), maxLength: 40 }),
  fc.integer({ min: -3, max: 3 }).map((off) => 'x'.repeat(MAX_LINE_BYTES + off)),
  fc.integer({ min: 0, max: 3 * MAX_LINE_BYTES }).map((size) => 'y'.repeat(size)),
);
const borders = fc.array(fc.oneof(fc.nat(50), fc.nat(2 * MAX_LINE_BYTES)), { maxLength: 20 });

test('any bytes in any chunks are cut into the lines that they are as a whole, each up to 64 KiB', () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 20 }), borders, (parts, sizes) => {
      const text = parts.join('');
      const cutter = createLineCutter();
      const reported: string[] = [];
      const onLine: OnLine = (all, start, end) => void reported.push(all.slice(start, end));
      let at = 0;
      for (const size of sizes) {
        cutter.push(text.slice(at, at + size), onLine);
        at += size;
      }
      cutter.push(text.slice(at), onLine);
      const lines = text.split('\n');
      const rest = lines.pop() ?? '';
      expect(cutter.pendingBytes()).toBe(rest.length);
      cutter.flush(onLine);
      expect(cutter.pendingBytes()).toBe(0);
      const whole = rest === '' ? lines : [...lines, rest];
      expect(reported.length).toBe(whole.length);
      // Texts of megabytes would make a failure unreadable, and slow.
      expect(reported.findIndex((line, index) => line !== whole[index]?.slice(0, MAX_LINE_BYTES))).toBe(-1);
    }),
    { numRuns: 300 },
  );
});
