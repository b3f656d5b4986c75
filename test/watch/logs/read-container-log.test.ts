import { get, type IncomingMessage } from 'node:http';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Target } from '../../../src/model/target.ts';
import type { DockerLinks } from '../../../src/watch/docker/links.ts';
import { watchContainerLog } from '../../../src/watch/logs/watch-container-log.ts';
import { createMemoryPositions } from '../../../src/watch/monitor/create-kept-values.ts';
import { collectHits } from '../../support/collect-hits.ts';
import { toFrame } from '../../support/engine-streams.ts';
import { startHttp } from '../../support/fake-node.ts';
import { nodeTarget, serviceTarget, settings } from '../../support/views.ts';

/** A line that the engine sends `afterMs` after the log was opened, with a time of so long ago. */
interface SentLine {
  readonly afterMs: number;
  readonly agoMs: number;
  readonly height: number;
}

/** Follows the log of a container that an engine serves. */
async function follow(lines: readonly SentLine[], engineBehindMs = 0, own: Target = nodeTarget('n1'), created = {}) {
  const engine = await startHttp((_request, response) => {
    response.setHeader('Date', new Date(Date.now() - engineBehindMs).toUTCString());
    response.flushHeaders();
    for (const { afterMs, agoMs, height } of lines)
      setTimeout(() => {
        const line = `Imported new chain segment               blocks=1 number=${height}`;
        response.write(toFrame(Date.now() - agoMs, line));
      }, afterMs);
  });
  onTestFinished(engine.stop);
  const { clock, seen, collector } = collectHits();
  const container = { name: 'n1' };
  const target = { ...own, container } as Target;
  const docker = {
    findLog: async () => ({ id: 'c', running: true, isKept: true, tty: false, created }),
    openLog: (_ref: unknown, _id: string, _since: number, signal: AbortSignal) =>
      new Promise<IncomingMessage>((resolve, reject) => {
        get(engine.url, { signal }, resolve).on('error', reject);
      }),
    hasEvents: () => true,
  } as unknown as DockerLinks;
  const watch = watchContainerLog({
    ...{ target, container, docker, clock },
    settings: settings.logs,
    positions: createMemoryPositions(),
    collector,
    begun: clock.now(),
  });
  const { stop } = watch.follow();
  onTestFinished(stop);
  return { seen, watch };
}

/** What comes of the log of a container: the height of each hit with how long ago it was, in seconds, and the states. */
const watchLog = async (lines: readonly SentLine[], engineBehindMs = 0) => (await follow(lines, engineBehindMs)).seen;

test('the log of a container counts as read once what was printed before has come, and not when it is opened', async () => {
  const seen = await watchLog([
    { afterMs: 300, agoMs: 60_500, height: 2_734 },
    { afterMs: 600, agoMs: 60_500, height: 2_740 },
  ]);
  await vi.waitFor(() => expect(seen).toContain('read'), { timeout: 10_000 });
  expect(seen).toEqual(['2734 60', '2740 60', 'read']);
});

test('a live line that comes late is as old as Docker says, but no older than two seconds, as its clock may be behind', async () => {
  const late = await watchLog([{ afterMs: 2_500, agoMs: 1_500, height: 7 }]);
  const behind = await watchLog([{ afterMs: 2_500, agoMs: 60_000, height: 7 }], 60_000);
  await vi.waitFor(() => expect([...late, ...behind]).toHaveLength(4), { timeout: 10_000 });
  expect([late, behind]).toEqual([
    ['7 1', 'read'],
    ['7 2', 'read'],
  ]);
});

test('all that is judged by the environment of a node or a relayer is known with its log, and nothing of others', async () => {
  const created = { contract: '0xab', unset: ['PARENTNET_URL'], isZeroKeyBare: true, networkId: 551, level: 2 };
  for (const target of [nodeTarget('n1'), serviceTarget('relayer')]) {
    const { watch } = await follow([], 0, target, created);
    await vi.waitFor(() => expect(watch.facts()).toEqual({ created }));
  }
  const { seen, watch } = await follow([{ afterMs: 10, agoMs: 60_000, height: 7 }], 0, serviceTarget('stats'), created);
  await vi.waitFor(() => expect(seen).toContain('read'), { timeout: 10_000 });
  expect(watch.facts()).toEqual({});
});
