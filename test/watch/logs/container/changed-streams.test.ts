import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { LogFault } from '../../../../src/model/log.ts';
import type { LogContainer } from '../../../../src/watch/docker/log-container.ts';
import { followLog } from '../../../../src/watch/logs/container/follow-log.ts';
import { createMemoryPositions } from '../../../../src/watch/monitor/create-kept-values.ts';
import { serveLogs, toFrame } from '../../../support/engine-streams.ts';

/** A line each tenth of a second. */
const frame = (index: number, name = 'line'): Buffer =>
  toFrame(Date.UTC(2026, 10, 21) + index * 100, `${name} ${index}`);
const frames = (from: number, to: number, name?: string) =>
  Buffer.concat(Array.from({ length: to - from }, (_, index) => frame(from + index, name)));

/** Follows a log of which `answer` gives each opening, counted from 1. */
async function follow(
  find: () => LogContainer | LogFault,
  answer: (response: ServerResponse, opening: number, id: string) => void,
) {
  let opened = 0;
  const engine = await serveLogs((response, _since, id) => {
    opened++;
    response.setHeader('date', new Date(Date.UTC(2026, 10, 21)).toUTCString());
    answer(response, opened, id);
  });
  const lines: string[] = [];
  const lost: string[] = [];
  const follower = followLog({
    source: 'test',
    positions: createMemoryPositions(),
    find: async () => find(),
    ...engine,
    startAt: 0,
    onLine: (text, start, end) => void lines.push(text.slice(start, end)),
    onState: () => {},
    onLost: (after) => void lost.push(after),
  });
  onTestFinished(follower.stop);
  return { lines, lost, wake: follower.wake, opened: () => opened };
}

const running = { id: 'a', running: true, startedAt: 1, isKept: true, tty: false, created: {} };
const numbered = (to: number, name = 'line') => Array.from({ length: to }, (_, index) => `${name} ${index}`);
const wait = { timeout: 15_000, interval: 10 };

/** Follows a log of ten lines that is opened again; `answer` gets the stream before, which still lives, and the new one. */
function followReopened(answer: (before: ServerResponse, response: ServerResponse) => void) {
  let before: ServerResponse | undefined;
  return follow(
    () => ({ ...running, rotation: { fileBytes: 6_000, files: 1 } }),
    (response) => {
      if (before !== undefined) return answer(before, response);
      before = response;
      response.write(frames(0, 10));
    },
  );
}

test('a line that is printed and discarded while the log is reopened is read from the previous stream', async () => {
  const { lines, lost } = await followReopened((before, response) => {
    before.write(frame(10));
    setTimeout(() => response.write(frame(11)), 200);
  });
  await vi.waitFor(() => expect(lines).toHaveLength(12), wait);
  expect(lines).toEqual(numbered(12));
  expect(lost).toEqual([]);
}, 90_000);

test('when the new stream starts late, the previous one is read until that point', async () => {
  const { lines, lost } = await followReopened((before, response) => {
    response.write(frames(14, 16));
    setTimeout(() => before.write(frames(10, 15)), 100);
  });
  await vi.waitFor(() => expect(lines.length).toBeGreaterThanOrEqual(16), wait);
  expect(lines).toEqual(numbered(16));
  expect(lost).toEqual([]);
}, 90_000);

test('the log of a container that has ended is read at once, as it may be removed', async () => {
  let endedAt: number | undefined;
  const { lines } = await follow(
    () =>
      endedAt === undefined
        ? { ...running }
        : performance.now() - endedAt < 900
          ? { ...running, running: false }
          : { what: 'no-container' },
    (response, opening) => {
      if (opening > 1) {
        response.end(frames(0, 10));
        return;
      }
      response.write(frames(0, 5));
      setTimeout(() => {
        response.end(frame(9));
        endedAt = performance.now();
      }, 1_100);
    },
  );
  await vi.waitFor(() => expect([...lines].sort()).toEqual(numbered(10)), wait);
}, 90_000);

test('the log of a new container is read although the replaced one still prints', async () => {
  let stands = 'a';
  const { lines, wake } = await follow(
    () => ({ ...running, id: stands }),
    (response, _opening, id) => {
      response.write(frames(0, 5, id));
      if (id !== 'a') return;
      let index = 5;
      const printing = setInterval(() => response.write(frame(index++, id)), 20);
      response.on('close', () => clearInterval(printing));
    },
  );
  await vi.waitFor(() => expect(lines.length).toBeGreaterThan(10), wait);
  wake();
  await vi.waitFor(() => expect(lines.length).toBeGreaterThan(20), wait);
  expect(lines.every((line) => line.startsWith('a'))).toBe(true);
  stands = 'b';
  wake();
  await vi.waitFor(() => expect(lines.slice(-5)).toEqual(numbered(5, 'b')), wait);
  expect(new Set(lines).size).toBe(lines.length);
}, 90_000);
