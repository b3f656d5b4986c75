import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createDockerLinks } from '../../../src/watch/docker/links.ts';
import { readEngine } from '../../../src/watch/probes/setup/read-target.ts';
import type { SetupTools } from '../../../src/watch/probes/setup/setup-tools.ts';
import { startHttp } from '../../support/fake-node.ts';

/** As Docker 20.10 writes it, and newer ones (moby daemon/info.go). */
const WARNINGS = [
  'WARNING: No swap limit support',
  "WARNING: API is accessible on http://0.0.0.0:2375 without encryption.\n         Access to the remote API is equivalent to root access on the host. Refer\n         to the 'Docker daemon attack surface' section in the documentation for\n         more information: https://docs.docker.com/go/attack-surface/",
  '[DEPRECATION NOTICE]: API is accessible on https://10.0.0.2:2376 without TLS client verification.\n         Access to the remote API is equivalent to root access on the host.',
  'API is accessible on http://<b>:1 without encryption',
  7,
];

/** What is read of an engine over TCP that answers so to `GET /info`. */
async function readFrom(info: (request: IncomingMessage, response: ServerResponse) => void) {
  const engine = await startHttp((request, response) => {
    if (request.url?.startsWith('/containers/json')) response.end('[]');
    else if (request.url === '/info') info(request, response);
    else response.writeHead(404).end();
  });
  onTestFinished(engine.stop);
  const docker = createDockerLinks(() => {});
  onTestFinished(docker.stop);
  const port = Number(new URL(engine.url).port);
  docker.setEngines({ default: { host: '127.0.0.1', port } });
  const tools: SetupTools = {
    docker,
    now: () => 0,
    wall: () => 0,
    namedContainers: () => [],
    known: new WeakMap(),
    takeTurn: () => 0,
    keepsConnections: () => true,
  };
  const read = await readEngine('default', [], [], tools, AbortSignal.timeout(10_000));
  if (!read.ok) throw new Error(read.why);
  expect(read.value.plainAt).toEqual({ ip: '127.0.0.1', port });
  return read.value.openApis;
}

test('an engine says by its warnings where its API is open', async () => {
  expect(await readFrom((_, response) => response.end(JSON.stringify({ Warnings: WARNINGS })))).toEqual([
    { url: 'http://0.0.0.0:2375', lacks: 'encryption' },
    { url: 'https://10.0.0.2:2376', lacks: 'client certificates' },
  ]);
  expect(await readFrom((_, response) => response.end(JSON.stringify({ Warnings: null })))).toEqual([]);
});

test('what refuses the question, or answers nonsense without end, says nothing', async () => {
  expect(await readFrom((_, response) => response.writeHead(403).end())).toBeUndefined();
  expect(await readFrom((_, response) => response.end('<html>'))).toBeUndefined();
  const endless = await readFrom((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });
  expect(endless).toBeUndefined();
});
