import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createStampedReader } from '../../../../src/watch/logs/container/create-stamped-reader.ts';
import { createReadLines, MAX_RECENT, type Streams } from '../../../../src/watch/logs/container/read-lines.ts';

const stamp = (time: string): string => `2026-11-21T${time}.000000000Z`;

/** A log as the engine keeps it, and a follower whose connection to it can break. */
function createLog() {
  const kept: { readonly stream: string; readonly at: string; readonly text: string }[] = [];
  const reported: string[] = [];
  const lines = createReadLines({}, 0);
  let take: ReturnType<typeof createStampedReader> | undefined;
  return {
    reported,
    print: (stream: string, time: string, text: string) => {
      const at = stamp(time);
      kept.push({ stream, at, text });
      take?.(stream, `${at} ${text}\n`);
    },
    /** The engine leaves out what is stamped before, wherever it stands. */
    connect: () => {
      const since = lines.since() ?? 0;
      const opening = { openedAt: Date.parse(kept.at(-1)?.at ?? ''), readBefore: lines.last() };
      take = createStampedReader(lines, opening, (text, start, end, _at, old) => {
        if (!old) reported.push(text.slice(start, end));
      });
      for (const { stream, at, text } of kept) if (Date.parse(at) >= since) take(stream, `${at} ${text}\n`);
    },
    disconnect: () => {
      take = undefined;
    },
  };
}

test('after a broken connection only new lines are reported, also those with the same time', () => {
  const { print, connect, disconnect, reported } = createLog();
  print('1', '09:00:00', 'a');
  print('1', '09:00:01', 'b');
  print('2', '09:00:01', 'error');
  connect();
  disconnect();
  print('1', '09:00:01', 'c');
  print('1', '09:00:02', 'd');
  connect();
  connect();
  expect(reported).toEqual(['a', 'b', 'error', 'c', 'd']);
});

test('a line of one stream is not lost when the other stream was read further', () => {
  const { print, connect, disconnect, reported } = createLog();
  print('1', '09:00:03', 'a');
  connect();
  disconnect();
  print('2', '09:00:02', 'error');
  connect();
  expect(reported).toEqual(['a', 'error']);
});

test('when the clock of the engine is set back by hours no line of either stream is lost', () => {
  const { print, connect, disconnect, reported } = createLog();
  print('2', '08:59:00', 'error before');
  print('1', '09:00:00', 'before');
  connect();
  print('1', '04:00:00', 'since');
  disconnect();
  print('1', '04:00:01', 'while broken');
  print('2', '04:00:02', 'error while broken');
  connect();
  print('2', '04:00:03', 'error since');
  for (const line of ['before', 'error before', 'since', 'while broken', 'error while broken', 'error since'])
    expect(reported).toContain(line);
});

test('when the clock of the engine is set forward by hours each line is reported once', () => {
  const { print, connect, disconnect, reported } = createLog();
  print('1', '09:00:00', 'before');
  print('2', '09:00:00', 'error before');
  connect();
  print('1', '14:00:00', 'since');
  disconnect();
  print('2', '14:00:01', 'error while broken');
  connect();
  expect(reported).toEqual(['before', 'error before', 'since', 'error while broken']);
});

const NINE = Date.UTC(2026, 10, 21, 9);
/** Milliseconds after nine as Docker writes them. */
const stampAt = (millis: number): string => new Date(NINE + millis).toISOString().replace('Z', '000000Z');

/** Openings of one log in one process; each brings those of the lines that it was asked for and does not leave out. */
function createOpenings(streams: Streams = {}, files?: number) {
  const readLines = createReadLines(streams, 0);
  const reported: string[] = [];
  const lost: string[] = [];
  return {
    reported,
    lost,
    streams,
    open: (openedAtMs: number, lines: readonly { stream: string; at: number; text: string }[]) => {
      const openedAt = NINE + openedAtMs;
      const since = readLines.since() ?? 0;
      const opening = {
        openedAt,
        readBefore: readLines.last(),
        ...(files !== undefined && { rotated: { files, fillsMs: 1_000 } }),
        onLost: (after: string) => void lost.push(after),
      };
      const take = createStampedReader(readLines, opening, (text, start, end, _at, old) => {
        if (!old) reported.push(text.slice(start, end));
      });
      const asked = lines.filter(({ at }) => NINE + at >= since);
      for (const { stream, at, text } of asked) take(stream, `${stampAt(at)} ${text}\n`);
      return asked.length;
    },
  };
}

test('each line that any stream brought is reported once, and the position never goes back', () => {
  const line = fc.record({ stream: fc.constantFrom('1', '2'), gap: fc.constantFrom(0, 1, 40, 900, 3_000, 9_000) });
  const opening = fc.record({ ends: fc.nat(100), leavesOut: fc.array(fc.nat(4), { minLength: 1, maxLength: 20 }) });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 60 }),
      fc.array(opening, { minLength: 1, maxLength: 8 }),
      (gaps, openings) => {
        let at = 0;
        const lines = gaps.map(({ stream, gap }, index) => {
          at += gap;
          return { stream, at, text: `line ${index}` };
        });
        const log = createOpenings({}, 2);
        const most = new Map<string, number>();
        let position = '';
        let printed = 0;
        for (const { ends, leavesOut } of openings) {
          const openedAt = lines[printed - 1]?.at ?? 0;
          const next = Math.max(printed, Math.round((ends / 100) * lines.length));
          // What was there when it was opened is brought by each opening; of what comes then some is left out.
          const given = lines
            .slice(0, next)
            .filter((_, index) => index < printed || leavesOut[index % leavesOut.length] !== 0);
          log.open(openedAt, given);
          for (const [key, same] of Map.groupBy(given, ({ stream, at }) => `${stream} ${at}`))
            most.set(key, Math.max(most.get(key) ?? 0, same.length));
          const now = Object.values(log.streams).reduce((last, { at }) => (at > last ? at : last), '');
          expect(now >= position).toBe(true);
          position = now;
          printed = next;
          expect(log.reported.length).toBe([...most.values()].reduce((sum, count) => sum + count, 0));
        }
        expect(log.lost).toEqual([]);
      },
    ),
    { numRuns: 500 },
  );
});

const every = (count: number, gap: number, begin = 0) =>
  Array.from({ length: count }, (_, index) => ({ stream: '1', at: begin + index * gap, text: `line ${index}` }));

test('of more lines than are remembered the later ones that were left out are still reported, and none twice', () => {
  const lines = every(MAX_RECENT + 1_000, 1);
  const log = createOpenings();
  const leftOut = lines.length - 10;
  log.open(
    0,
    lines.filter((_, index) => index !== leftOut && index !== 100),
  );
  const asked = log.open(lines.length, lines);
  expect(asked).toBeLessThan(lines.length);
  expect(log.reported.length).toBe(lines.length - 1);
  expect(log.reported.at(-1)).toBe(`line ${leftOut}`);
});

test('a restarted process reports nothing from before the last line that was read', () => {
  const lines = every(100, 200);
  const first = createOpenings();
  first.open(
    0,
    lines.slice(0, 50).filter((_, index) => index % 7 !== 0 || index === 49),
  );
  const second = createOpenings(structuredClone(first.streams));
  second.open(10_000, lines);
  second.open(20_000, lines);
  expect(second.reported).toEqual(lines.slice(50).map(({ text }) => text));
});

test('a restarted process reports the lines after those that it has read with the same time', () => {
  const streams: Streams = {};
  const lines = ['a', 'b', 'c'].map((text) => `${stamp('09:00:00')} ${text}\n`);
  const read = (count: number): readonly string[] => {
    const reported: string[] = [];
    const openedAt = Date.parse(stamp('09:00:00'));
    const readLines = createReadLines(streams, 0);
    const opening = { openedAt, readBefore: readLines.last() };
    const take = createStampedReader(readLines, opening, (text, start, end, _at, old) => {
      if (!old) reported.push(text.slice(start, end));
    });
    for (const line of lines.slice(0, count)) take('1', line);
    return reported;
  };
  expect(read(2)).toEqual(['a', 'b']);
  expect(streams).toEqual({ 1: { at: stamp('09:00:00'), count: 2 } });
  expect(read(3)).toEqual(['c']);
});

test('lines that a stream left out and the engine discarded are reported as lost, with the last complete time', () => {
  const lines = every(300, 100);
  const log = createOpenings({}, 2);
  log.open(0, lines.slice(0, 100));
  log.open(
    10_000,
    lines.slice(0, 280).filter((_, index) => index < 100 || index % 10 === 0),
  );
  expect(log.lost).toEqual([]);
  log.open(28_000, lines.slice(200));
  expect(log.lost).toEqual([stampAt(9_900)]);
});

test('when the only file of a log was discarded, and a stream had left out nothing, no loss is reported', () => {
  const lines = every(300, 100);
  const log = createOpenings({}, 1);
  log.open(0, lines.slice(0, 100));
  log.open(10_000, lines.slice(0, 280));
  log.open(28_000, lines.slice(200));
  log.open(30_000, [{ stream: '1', at: 30_000, text: 'line 300' }]);
  expect(log.lost).toEqual([]);
  expect(log.reported.length).toBe(301);
});

test('when the only file of a log was discarded, a silence in which another was filled is reported as a loss', () => {
  const log = createOpenings({}, 1);
  log.open(0, every(100, 100));
  log.open(12_000, [{ stream: '1', at: 12_000, text: 'line 100' }]);
  expect(log.lost).toEqual([stampAt(9_900)]);
});

test('lines that the engine discarded before the log was reopened are reported as lost', () => {
  const lines = every(400, 100);
  const log = createOpenings({}, 2);
  log.open(0, lines.slice(0, 100));
  log.open(10_000, lines.slice(0, 280));
  log.open(28_000, lines.slice(90, 300));
  expect(log.lost).toEqual([]);
  log.open(30_000, lines.slice(290));
  expect(log.lost).toEqual([stampAt(27_900)]);
  expect(log.reported.length).toBe(400);
});

test('a reported loss is not reported again when the log is reopened within the second', () => {
  const lines = every(300, 1);
  const log = createOpenings({}, 2);
  log.open(0, lines.slice(0, 10));
  log.open(0, lines.slice(200));
  log.open(0, lines.slice(200));
  expect(log.lost).toEqual([stampAt(9)]);
  expect(log.reported.length).toBe(110);
});

test('a log with few lines never reports a loss', () => {
  const lines = every(20, 60_000);
  const log = createOpenings({}, 2);
  for (let end = 1; end <= lines.length; end++) log.open(end * 60_000 - 1_000, lines.slice(0, end));
  expect(log.lost).toEqual([]);
  expect(log.reported.length).toBe(20);
});

test.each([
  ['Docker', '2026-11-21T09:00:01.123456789Z', 1_123],
  ['Podman, whole seconds', '2026-11-21T09:00:01Z', 1_000],
  ['Podman, with its zone', '2026-11-21T11:00:01.5+02:00', 1_500],
])('the time of a line of %s is known', (_, written, ms) => {
  const seen: (readonly [text: string, at: number])[] = [];
  const streams: Streams = {};
  const openedAt = Date.parse('2026-11-21T09:00:00Z');
  const opening = { openedAt, readBefore: '' };
  const take = createStampedReader(createReadLines(streams, 0), opening, (text, start, end, at) => {
    seen.push([text.slice(start, end), at - openedAt]);
  });
  take('2', `${written} Fatal: it broke\n`);
  // Docker tells errors of its own in the stream.
  take('3', 'Error grabbing logs: unexpected EOF\n');
  expect(seen).toEqual([['Fatal: it broke', ms]]);
  expect(Object.keys(streams)).toEqual(['2']);
});
