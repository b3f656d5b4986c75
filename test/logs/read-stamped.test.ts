import { expect, test } from 'vitest';
import { createStamped, findSince, type Streams } from '../../src/logs/read-stamped.ts';

const stamp = (time: string): string => `2026-11-21T${time}.000000000Z`;

/** A log as the engine keeps it, and a follower whose connection to it can break. */
function createLog() {
  const kept: { readonly stream: string; readonly at: string; readonly text: string }[] = [];
  const streams: Streams = {};
  const told: string[] = [];
  let take: ReturnType<typeof createStamped> | undefined;
  return {
    told,
    print: (stream: string, time: string, text: string) => {
      const at = stamp(time);
      kept.push({ stream, at, text });
      take?.(stream, `${at} ${text}\n`);
    },
    /** The engine leaves out what is stamped before, wherever it stands. */
    connect: () => {
      const since = findSince(streams) ?? 0;
      take = createStamped(streams, 0, (text, start, end, _at, old) => void (old || told.push(text.slice(start, end))));
      for (const { stream, at, text } of kept) if (Date.parse(at) >= since) take(stream, `${at} ${text}\n`);
    },
    disconnect: () => {
      take = undefined;
    },
  };
}

test('after a broken connection only what has been added is told, lines with the same time too', () => {
  const { print, connect, disconnect, told } = createLog();
  print('1', '09:00:00', 'a');
  print('1', '09:00:01', 'b');
  print('2', '09:00:01', 'error');
  connect();
  disconnect();
  print('1', '09:00:01', 'c');
  print('1', '09:00:02', 'd');
  connect();
  connect();
  expect(told).toEqual(['a', 'b', 'error', 'c', 'd']);
});

test('what one stream printed a moment later than the other is not lost', () => {
  const { print, connect, disconnect, told } = createLog();
  print('1', '09:00:03', 'a');
  connect();
  disconnect();
  print('2', '09:00:02', 'error');
  connect();
  expect(told).toEqual(['a', 'error']);
});

test('when the clock of the engine is set back by hours no line of either stream is lost', () => {
  const { print, connect, disconnect, told } = createLog();
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
    expect(told).toContain(line);
});

test('when the clock of the engine is set forward by hours each line is told once', () => {
  const { print, connect, disconnect, told } = createLog();
  print('1', '09:00:00', 'before');
  print('2', '09:00:00', 'error before');
  connect();
  print('1', '14:00:00', 'since');
  disconnect();
  print('2', '14:00:01', 'error while broken');
  connect();
  expect(told).toEqual(['before', 'error before', 'since', 'error while broken']);
});
