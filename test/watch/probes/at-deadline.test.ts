import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished } from 'vitest';
import { atDeadline } from '../../../src/watch/probes/at-deadline.ts';
import { createHttpTransport } from '../../../src/watch/probes/http-transport.ts';
import { createIpcTransport } from '../../../src/watch/probes/ipc-transport.ts';
import type { RpcTransport } from '../../../src/watch/probes/transport.ts';
import { socketFolder } from '../../support/ipc-node.ts';

const TIMEOUT_MS = 150;
const ANSWER = '{"id":1}';

/** Does nothing else for so long, as a process that gets no processor. */
function block(ms: number) {
  const end = performance.now() + ms;
  while (performance.now() < end);
}

async function listen<Listening extends Server>(server: Listening, where: object): Promise<Listening> {
  await new Promise<void>((resolve) => server.listen(where, resolve));
  onTestFinished(() => void server.close());
  return server;
}

const own = (transport: RpcTransport) => {
  onTestFinished(() => transport.close());
  return transport;
};

async function startHttp() {
  const server = await listen(
    createHttpServer((_, response) => response.end(ANSWER)),
    { port: 0, host: '127.0.0.1' },
  );
  return own(createHttpTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`));
}

async function startIpc(onConnection: (socket: Socket) => void) {
  const path = join(await socketFolder(), 'node.ipc');
  await listen(createServer(onConnection), { path });
  return own(createIpcTransport(path));
}

const startAnsweringIpc = () => startIpc((socket) => socket.on('data', () => socket.write(`${ANSWER}\n`)));

const ask = (transport: RpcTransport) =>
  transport.exchange({ method: 'POST', body: '{}' }, ({ body }) => body.toString(), performance.now() + TIMEOUT_MS);

it.each([
  ['HTTP', startHttp, ['new', 'reused']],
  // Over one that is open the request is written at once.
  ['a socket', startAnsweringIpc, ['new']],
])(
  'a node that answers by %s is not said to hang when this process was busy for longer',
  async (_, start, connections) => {
    const transport = await start();
    for (const connection of connections) {
      expect(transport.connection()).toBe(connection);
      const answer = ask(transport);
      block(3 * TIMEOUT_MS);
      expect(await answer).toEqual({ ok: true, value: ANSWER });
    }
  },
);

it('an answer that its connection ends, as by HTTP/1.0, is whole when this process was busy meanwhile', async () => {
  const server = new Worker(
    `const { createServer } = require('node:net');
    const { parentPort } = require('node:worker_threads');
    const server = createServer((socket) => {
      socket.on('data', () => socket.end('HTTP/1.0 200 OK\\r\\n\\r\\n${ANSWER}')).on('error', () => {});
      parentPort.postMessage('connected');
    });
    server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));`,
    { eval: true },
  );
  onTestFinished(() => void server.terminate());
  const [port] = await once(server, 'message');
  const transport = own(createHttpTransport(`http://127.0.0.1:${port}`));
  const answer = ask(transport);
  await once(server, 'message');
  block(3 * TIMEOUT_MS);
  expect(await answer).toEqual({ ok: true, value: ANSWER });
});

it('a node that hangs is found when this process was busy', async () => {
  const transport = await startIpc(() => {});
  const answer = ask(transport);
  block(3 * TIMEOUT_MS);
  expect(await answer).toMatchObject({ ok: false, fault: { kind: 'timeout' } });
});

it('only a request that this process has sent too late gets more time', async () => {
  const passed: string[] = [];
  await new Promise<void>((resolve) => {
    const deadline = performance.now() + TIMEOUT_MS;
    atDeadline(
      deadline,
      () => false,
      () => resolve(void passed.push('unsent')),
    );
    atDeadline(
      deadline,
      () => true,
      () => passed.push('sent'),
    );
    block(3 * TIMEOUT_MS);
  });
  expect(passed).toEqual(['sent', 'unsent']);
});

it('what is answered at the deadline is not given up after it', async () => {
  const passed: string[] = [];
  await new Promise<void>((resolve) => {
    const cancel = atDeadline(
      performance.now(),
      () => true,
      () => passed.push('deadline'),
    );
    // It runs after the timer of the deadline, and before what that leaves for later.
    setTimeout(() => {
      cancel();
      passed.push('answer');
      setImmediate(() => setImmediate(resolve));
    }, 0);
  });
  expect(passed).toEqual(['answer']);
});
