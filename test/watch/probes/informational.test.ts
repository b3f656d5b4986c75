import { describe, expect, it } from 'vitest';
import { createClient } from '../../../src/tell/notify/create-client.ts';
import { createDocker } from '../../../src/watch/docker/engine.ts';
import { createNodeProber } from '../../../src/watch/probes/node-prober.ts';
import { createServiceProber } from '../../../src/watch/probes/service-prober.ts';
import { startTcp } from '../../support/fake-node.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups } = useCleanups();

const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const HINTS = 'HTTP/1.1 103 Early Hints\r\nlink: </a>; rel=preload\r\n\r\n';

const answer = (body: string) =>
  `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;

/** A server that sends these pieces for each request, each by itself. */
async function start(pieces: readonly string[]) {
  const server = await startTcp((socket) => {
    socket.setNoDelay(true);
    socket.on('data', async () => {
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    });
  });
  cleanups.push(server.stop);
  return server;
}

const HEIGHT = JSON.stringify({ jsonrpc: '2.0', id: 1, result: { Number: 7, Timestamp: 1, Error: '' } });

const before: readonly (readonly [string, readonly string[]])[] = [
  ['100 Continue by itself', [CONTINUE]],
  ['100 Continue in pieces', ['HTTP', '/1.1 1', '00 Continue\r', '\n\r\n']],
  ['103 Early Hints', [HINTS]],
  ['several', [CONTINUE + HINTS, HINTS + CONTINUE]],
];

describe('informational answers before an answer are ignored', () => {
  it.each(before)('of a node: %s', async (_, pieces) => {
    const { url } = await start([...pieces, answer(HEIGHT)]);
    const probe = createNodeProber(url, 'XDPoS', Date.now);
    cleanups.push(probe.close);
    for (let i = 0; i < 2; i += 1)
      expect((await probe.probe(2_000)).latest).toMatchObject({ ok: true, value: { number: 7 } });
  });

  it('in one piece with the answer, whose own text stays as it is', async () => {
    const { url } = await start([CONTINUE + answer(`{"queues":["${'HTTP/1.1 100 Continue'}"]}`)]);
    const probe = createServiceProber('relayer', url);
    cleanups.push(probe.close);
    expect(await probe.probe(2_000)).toEqual({ ok: true, value: {} });
  });

  it('of Alertmanager', async () => {
    const { url } = await start([CONTINUE, answer('[]')]);
    const client = createClient(url, {});
    cleanups.push(client.close);
    expect(await client.call('GET', '/alerts')).toEqual({ ok: true, body: [] });
  });

  it('of Docker', async () => {
    const { url } = await start([CONTINUE, HINTS, answer('[]')]);
    const docker = createDocker({ host: '127.0.0.1', port: Number(new URL(url).port) });
    cleanups.push(docker.stop);
    const found = await docker.inspect({ project: 'p', service: 's' }, AbortSignal.timeout(2_000));
    expect(found).toEqual({ kind: 'missing' });
  });
});
