import type { ServerResponse } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { LogContainer } from '../../../../src/watch/docker/log-container.ts';
import { followLog } from '../../../../src/watch/logs/container/follow-log.ts';
import { createMemoryPositions } from '../../../../src/watch/monitor/create-kept-values.ts';
import { serveLogs, toFrame } from '../../../support/engine-streams.ts';

const timeOf = (index: number): number => Date.UTC(2026, 10, 21) + index * 100;
const frame = (index: number): Buffer => toFrame(timeOf(index), `line ${index}`);

/** The lines that a follower reads of what an engine sends. */
async function followServed(
  send: (response: ServerResponse, since: number) => void,
  more: { readonly silenceMs?: number; readonly rotation?: LogContainer['rotation'] },
) {
  const { silenceMs, rotation } = more;
  const lines: string[] = [];
  const states: unknown[] = [];
  const { stop } = followLog({
    source: 'test',
    positions: createMemoryPositions(),
    find: async () => ({ id: 'c', running: true, startedAt: 1, isKept: true, tty: false, created: {}, rotation }),
    ...(await serveLogs(send)),
    startAt: 0,
    silenceMs,
    onLine: (text, start, end) => void lines.push(text.slice(start, end)),
    onState: (fault) => void states.push(fault),
  });
  onTestFinished(stop);
  return { lines, states, stop };
}

const sendFrom = (since: number, printed: number, response: ServerResponse) => {
  for (let index = 0; index < printed; index++) if (timeOf(index) >= since) response.write(frame(index));
  response.flushHeaders();
};

test('a silent stream is reopened, and brings each line once', async () => {
  let printed = 100;
  let opened = 0;
  const send = (response: ServerResponse, since: number) => {
    opened++;
    sendFrom(since, printed, response);
  };
  const { lines } = await followServed(send, { silenceMs: 1_000 });
  await vi.waitFor(() => expect(lines).toHaveLength(100), 10_000);
  const before = opened;
  printed += 50;
  await vi.waitFor(() => expect(lines).toHaveLength(150), { timeout: 15_000, interval: 5 });
  expect(opened).toBe(before + 1);
  expect(lines).toEqual(Array.from({ length: 150 }, (_, index) => `line ${index}`));
}, 90_000);

test('a stream that leaves out lines but is never silent is reopened, and brings each line once', async () => {
  let printed = 100;
  let opened = 0;
  const streams = new Set<ServerResponse>();
  const printing = setInterval(() => {
    if (printed === 500) return;
    for (const stream of streams) if (printed % 10 === 0) stream.write(frame(printed));
    printed++;
  }, 5);
  onTestFinished(() => clearInterval(printing));
  const send = (response: ServerResponse, since: number) => {
    opened++;
    response.setHeader('date', new Date(timeOf(printed - 10)).toUTCString());
    sendFrom(since, printed, response);
    streams.add(response);
    response.on('close', () => streams.delete(response));
  };
  const { lines, stop } = await followServed(send, { rotation: { fileBytes: 6_000, files: 2 } });
  await vi.waitFor(() => expect(lines.length).toBeGreaterThanOrEqual(500), { timeout: 20_000, interval: 20 });
  await stop();
  expect(opened).toBeGreaterThanOrEqual(3);
  expect(lines).toHaveLength(500);
  expect(new Set(lines).size).toBe(500);
}, 90_000);

test('an engine that sends no header before the first line is silent, not broken', async () => {
  const opened: ServerResponse[] = [];
  const { lines, states } = await followServed((response) => void opened.push(response), {});
  await vi.waitFor(() => expect(states).toEqual([undefined]), { timeout: 20_000, interval: 20 });
  opened[0]?.write(frame(0));
  await vi.waitFor(() => expect(lines).toEqual(['line 0']), { timeout: 5_000, interval: 20 });
  expect(opened).toHaveLength(1);
}, 60_000);
