import { expect, test } from 'vitest';
import { createClock } from '../../../src/lib/clock.ts';
import { createHitReader } from '../../../src/watch/logs/create-hit-reader.ts';
import { packs } from '../../../src/watch/logs/packs.ts';

const WALL = Date.UTC(2026, 10, 26, 12, 0, 0);
const MINUTE = 60_000;

/** What a line that was printed so long before the last read says, of a program whose clock is known to be so far ahead. */
function read(agoMs: number, aheadMs: number | undefined) {
  const clock = createClock({ monotonic: () => 0, wall: () => WALL });
  const observed: number[] = [];
  const hits: boolean[] = [];
  const reader = createHitReader({
    clock,
    timezone: 'UTC',
    pack: packs.node,
    own: [],
    until: clock.now,
    since: clock.now,
    clockAheadMs: () => aheadMs,
    onOwnTime: (own) => observed.push(own),
    onHit: (_hit, _line, isOld) => hits.push(isOld),
  });
  const [, time = ''] = new Date(WALL - agoMs).toISOString().split('T');
  const line = `INFO [11-26|${time.slice(0, 12)}] Imported new chain segment               number=42 hash=0x1f22 blocks=1`;
  reader.read(line, 0, line.length);
  return { isOld: hits, isMeasure: observed.length > 0 };
}

test('a line is old that a program whose clock is known printed more than a minute before the last read', () => {
  expect(read(MINUTE, 0)).toEqual({ isOld: [false], isMeasure: true });
  expect(read(MINUTE + 1, 0)).toEqual({ isOld: [true], isMeasure: false });
  expect(read(MINUTE + 1, -1)).toEqual({ isOld: [false], isMeasure: true });
  expect(read(180 * MINUTE, undefined)).toEqual({ isOld: [false], isMeasure: true });
});
