import { createServer, get, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { LogFault } from '../../../src/model/log.ts';
import { followLog } from '../../../src/watch/docker/follow-log.ts';
import type { LogContainer } from '../../../src/watch/docker/log-container.ts';
import { createMemoryPositions } from '../../../src/watch/logs/tail/create-memory-positions.ts';

/** A message of the engine's stream: a line each tenth of a second. */
function frame(index: number, name = 'line'): Buffer {
  const stamp = new Date(Date.UTC(2026, 10, 21) + index * 100).toISOString().replace('Z', '000000Z');
  const text = Buffer.from(`${stamp} ${name} ${index}\n`);
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(text.length, 4);
  return Buffer.concat([header, text]);
}
const frames = (from: number, to: number, name?: string) =>
  Buffer.concat(Array.from({ length: to - from }, (_, index) => frame(from + index, name)));

/** Follows a log of which `answer` gives each opening, counted from 1. */
async function follow(
  find: () => LogContainer | LogFault,
  answer: (response: ServerResponse, opening: number, id: string) => void,
) {
  let opened = 0;
  const server = createServer((request, response) => {
    opened++;
    response.sendDate = false;
    response.setHeader('date', new Date(Date.UTC(2026, 10, 21)).toUTCString());
    answer(response, opened, request.url?.split('/')[2] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const lines: string[] = [];
  const lost: string[] = [];
  const follower = followLog({
    source: 'test',
    positions: createMemoryPositions(),
    find: async () => find(),
    openLog: (id, since, signal) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        get({ host: '127.0.0.1', port, path: `/containers/${id}/logs?since=${since}`, signal }, resolve).on(
          'error',
          reject,
        );
      }),
    startAt: 0,
    onLine: (text, start, end) => void lines.push(text.slice(start, end)),
    onState: () => {},
    onLost: (after) => void lost.push(after),
  });
  onTestFinished(async () => {
    await follower.stop();
    server.closeAllConnections();
    server.close();
  });
  return { lines, lost, wake: follower.wake, opened: () => opened };
}

const running = { id: 'a', running: true, startedAt: 1, isKept: true, tty: false };
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
