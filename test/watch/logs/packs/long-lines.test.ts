import { expect, test } from 'vitest';
import { MAX_LINE_BYTES } from '../../../../src/lib/bytes.ts';
import { createLogReader } from '../../../../src/watch/logs/match/create-log-reader.ts';
import { packs } from '../../../../src/watch/logs/packs.ts';

/** Far more than any of them takes, and far less than one whose time grows with the square of the length. */
const WITHIN_MS = 80;

/** What lines begin with, and what comes after each text that is repeated in them. */
const HEADS = [
  'WARN [11-21|07:42:00] ',
  '[1] {"name":"xdc-relayer","msg":"',
  't=1 lvl=warn msg="',
  'a | ',
  '',
  'Returned values aren ',
];
const TAILS = [
  ' ',
  '"msg":"',
  'PARENTNET ',
  ' into PARENTNET ',
  'from PARENTNET ',
  ' 5',
  'a b ',
  ' x="a" ',
  ' x="a b',
  ' err="',
];

/** How often a line is read again that took too long: another program may have run meanwhile. */
const AGAIN = 5;

/** How long the pack takes for its slowest line. */
function findSlowest(pack: (typeof packs)[keyof typeof packs]) {
  const reader = createLogReader({ pack, own: [], timezone: 'UTC', now: () => 0, onHit: () => {} });
  const measure = (line: string) => {
    const from = performance.now();
    reader.read(line, 0, line.length);
    return performance.now() - from;
  };
  let slowest = { line: '', ms: 0 };
  for (const { literal } of pack)
    for (const head of HEADS)
      for (const tail of TAILS) {
        const piece = literal + tail;
        const line = (head + piece.repeat(MAX_LINE_BYTES / piece.length + 1)).slice(0, MAX_LINE_BYTES);
        let ms = measure(line);
        for (let again = 0; ms >= WITHIN_MS && again < AGAIN; again += 1) ms = Math.min(ms, measure(line));
        if (ms > slowest.ms) slowest = { line: line.slice(0, 120), ms };
      }
  return slowest;
}

test.each(Object.entries(packs))('no line of a %s is slow to read, whatever somebody made it print', (_, pack) => {
  const { line, ms } = findSlowest(pack);
  expect(ms, line).toBeLessThan(WITHIN_MS);
});
