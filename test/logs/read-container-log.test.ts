import { get, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { DockerLinks } from '../../src/docker/links.ts';
import { createMemoryPositions } from '../../src/logs/tail/create-memory-positions.ts';
import { watchContainerLog } from '../../src/logs/watch-container-log.ts';
import { createProcessClock } from '../../src/model/clock.ts';
import { startHttp } from '../support/fake-node.ts';
import { nodeTarget, settings } from '../support/views.ts';

/** A line of stdout as the engine sends it. */
function toFrame(wallMs: number, line: string): Buffer {
  const text = Buffer.from(`${new Date(wallMs).toISOString().replace('Z', '000000Z')} ${line}\n`);
  const header = Buffer.from([1, 0, 0, 0, 0, 0, 0, 0]);
  header.writeUInt32BE(text.length, 4);
  return Buffer.concat([header, text]);
}

test('the log of a container counts as read once what was printed before has come, and not when it is opened', async () => {
  const engine = await startHttp((_request, response) => {
    response.setHeader('Date', new Date().toUTCString());
    response.flushHeaders();
    for (const [delay, height] of [
      [300, 2_734],
      [600, 2_740],
    ] as const)
      setTimeout(
        () =>
          response.write(
            toFrame(
              Date.now() - 60_000,
              `INFO [11-26|16:00:00] Imported new chain segment               blocks=1 number=${height}`,
            ),
          ),
        delay,
      );
  });
  onTestFinished(engine.stop);
  const clock = createProcessClock();
  const container = { name: 'n1' };
  const target = nodeTarget('n1', { container });
  const docker = {
    findLog: async () => ({ id: 'c', running: true, isKept: true, tty: false }),
    openLog: (_ref: unknown, _id: string, _since: number, signal: AbortSignal) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        get(engine.url, { signal }, resolve).on('error', reject);
      }),
    hasEvents: () => true,
  } as unknown as DockerLinks;
  const seen: string[] = [];
  const watch = watchContainerLog({
    ...{ target, container, docker, clock },
    settings: settings.logs,
    positions: createMemoryPositions(),
    collector: {
      addHit: ({ value }) => seen.push(value ?? ''),
      setState: (_source, _since, fault) => seen.push(fault?.what ?? 'read'),
      countLine: () => {},
      read: () => ({ sources: {}, patterns: {} }),
      lines: () => [],
      stop: () => {},
    },
    begun: clock.now(),
  });
  const { stop } = watch.follow();
  onTestFinished(stop);
  await vi.waitFor(() => expect(seen).toContain('read'), { timeout: 10_000 });
  expect(seen).toEqual(['2734', '2740', 'read']);
});
