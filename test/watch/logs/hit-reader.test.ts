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

test('a line has its own time, that of Go too, where one without a time may be no newer than its file', () => {
  const clock = createClock({ monotonic: () => 0, wall: () => WALL });
  const ages: number[] = [];
  const reader = createHitReader({
    clock,
    timezone: 'UTC',
    pack: packs.node,
    own: [],
    until: (hasTime) => clock.now() - (hasTime ? 0 : MINUTE),
    onHit: ({ at }) => ages.push(clock.now() - at),
  });
  const failure = 'http: Accept error: accept tcp 127.0.0.1:8545: accept4: too many open files; retrying in 1s';
  for (const line of [
    'ERROR[11-26|11:59:50.000] IPC accept failed err="accept unix /XDC.ipc: accept4: too many open files"',
    `2026/11/26 11:59:40 ${failure}`,
    failure,
  ])
    reader.read(line, 0, line.length);
  expect(ages).toEqual([10_000, 20_000, MINUTE]);
});

test('a torn line is as old as the one before in a log that is read late, and is of now once its log is read to the end', () => {
  const clock = createClock({ monotonic: () => 0, wall: () => WALL });
  const ages: number[] = [];
  let readToEnd = clock.now() - 50_000;
  const reader = createHitReader({
    clock,
    timezone: 'UTC',
    pack: packs.node,
    own: [],
    until: clock.now,
    since: () => readToEnd,
    onHit: ({ at }) => ages.push(clock.now() - at),
  });
  const read = (line: string) => reader.read(line, 0, line.length);
  const torn = 'Temporary read error   err="accept tcp [::]:20307: accept4: too many open files"';
  read(torn);
  read(`WARN [11-26|11:59:20.000] ${torn}`);
  read(torn);
  readToEnd = clock.now();
  read(torn);
  expect(ages).toEqual([0, 40_000, 40_000, 0]);
});
