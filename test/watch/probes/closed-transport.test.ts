import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { NodeTarget } from '../../../src/model/target.ts';
import { createHttpTransport } from '../../../src/watch/probes/http-transport.ts';
import { createIpcTransport } from '../../../src/watch/probes/ipc-transport.ts';
import type { RpcTransport } from '../../../src/watch/probes/transport.ts';
import { explainFault } from '../../../src/watch/rules/explain-fault.ts';
import { eventually } from '../../support/cli.ts';
import { socketFolder } from '../../support/ipc-node.ts';

/** A server that answers nothing, over TCP or a socket of a folder. */
async function startSilent(path?: string) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => void sockets.push(socket.on('error', () => {})));
  server.listen(path === undefined ? { port: 0, host: '127.0.0.1' } : { path });
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { sockets, port: (server.address() as AddressInfo).port };
}

const startHttp = async () => {
  const { sockets, port } = await startSilent();
  const address = `http://127.0.0.1:${port}`;
  return { sockets, address, create: () => createHttpTransport(address) };
};
const startIpc = async () => {
  const path = join(await socketFolder(), 'XDC.ipc');
  const { sockets } = await startSilent(path);
  return { sockets, address: `unix:${path}`, create: () => createIpcTransport(path) };
};

const target: NodeTarget = {
  ...{ subnet: 'one', component: 'node', name: 'n1' },
  ...{ logFiles: [], patterns: [], consoleExec: false, expectedPeers: 0 },
};

/** What people would read. */
const ask = async (transport: RpcTransport) => {
  const exchange = await transport.exchange(
    { method: 'POST', body: '{}' },
    () => 'an answer',
    performance.now() + 60_000,
  );
  return exchange.ok ? exchange.value : explainFault(exchange.fault, target).seen;
};

it.each([
  ['HTTP', startHttp],
  ['IPC', startIpc],
])('a transport over %s that was closed ends what it asked, says so, and connects no more', async (_, start) => {
  const { sockets, address, create } = await start();
  const [transport, other] = [create(), create()];
  onTestFinished(() => other.close());
  const asked = ask(transport);
  await eventually(() => expect(sockets).toHaveLength(1));
  transport.close();
  const closed = `${address} closed the connection before its answer was whole`;
  expect([await asked, await ask(transport), transport.connection()]).toEqual([closed, closed, 'new']);
  // Connections are accepted in their order: one of the closed transport would have come before this one.
  void ask(other);
  await eventually(() => expect(sockets).toHaveLength(2));
});
