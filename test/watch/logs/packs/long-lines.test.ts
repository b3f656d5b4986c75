import { expect, test } from 'vitest';
import { MAX_LINE_BYTES } from '../../../../src/lib/bytes.ts';
import { createLogReader } from '../../../../src/watch/logs/match/create-log-reader.ts';
import { packs } from '../../../../src/watch/logs/packs.ts';

/** How much longer than a short line a long one is. It takes about as much more time, and the square of that where time grows so. */
const TIMES_LONGER = 8;

/** Between the two. */
const MOST_TIMES = 24;

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

/** How often a line is read: another program may run meanwhile. */
const AGAIN = 10;

/** So many of the slowest lines of a pack are compared. */
const SLOWEST = 10;

/** The slowest lines of the pack, with how many times as long as a short one such a line takes. */
function findSlowest(pack: (typeof packs)[keyof typeof packs]) {
  const reader = createLogReader({ pack, own: [], timezone: 'UTC', now: () => 0, onHit: () => {} });
  const measure = (line: string) => {
    const from = performance.now();
    reader.read(line, 0, line.length);
    return performance.now() - from;
  };
  const makeLine = (head: string, piece: string, bytes: number) =>
    (head + piece.repeat(bytes / piece.length + 1)).slice(0, bytes);
  const measured = pack.flatMap(({ literal }) =>
    HEADS.flatMap((head) =>
      TAILS.map((tail) => {
        const piece = literal + tail;
        return { head, piece, ms: measure(makeLine(head, piece, MAX_LINE_BYTES)) };
      }),
    ),
  );
  return measured
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, SLOWEST)
    .map(({ head, piece }) => {
      const long = makeLine(head, piece, MAX_LINE_BYTES);
      const short = makeLine(head, piece, MAX_LINE_BYTES / TIMES_LONGER);
      // In turn, so that both are read by expressions that were compiled at the same time.
      const both = Array.from({ length: AGAIN }, () => [measure(long), measure(short)] as const);
      const least = (of: 0 | 1) => Math.min(...both.map((ms) => ms[of]));
      return { line: makeLine(head, piece, 120), times: least(0) / least(1) };
    });
}

test.each(Object.entries(packs))('no line of a %s is slow to read, whatever somebody made it print', (_, pack) => {
  for (const { line, times } of findSlowest(pack)) expect(times, line).toBeLessThan(MOST_TIMES);
});
