import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { createServer as createTlsServer, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { expect, it } from 'vitest';
import { createHttpTransport } from '../../../src/watch/probes/http-transport.ts';
import type { Exchange, RpcTransport } from '../../../src/watch/probes/transport.ts';
import { startBlackHole } from '../../support/black-hole.ts';
import { eventually } from '../../support/cli.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const answer = (body: string, headers = '') =>
  `HTTP/1.1 200 OK\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;

/** A server whose connections do what the test says. */
async function start(onConnection: (socket: Socket) => void) {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}));
    onConnection(socket);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  const transport = createHttpTransport(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  cleanups.push(transport.close);
  return { sockets, transport };
}

const ask = (transport: RpcTransport, withinMs = 20_000, signal?: AbortSignal): Promise<Exchange<string>> =>
  transport.exchange({ method: 'GET' }, ({ body }) => body.toString(), performance.now() + withinMs, signal);
const textOf = (exchange: Exchange<string>) => (exchange.ok ? exchange.value : exchange.fault.kind);

it('answers that come in pieces, in turns on several connections, do not mix', async () => {
  const texts = ['a'.repeat(200_000), 'b'.repeat(200_000), 'c'.repeat(200_000)];
  const servers = await Promise.all(texts.map(() => start(() => {})));
  const asked = servers.map(({ transport }) => ask(transport));
  const sockets = await eventually(() => {
    const open = servers.flatMap((server) => server.sockets);
    expect(open).toHaveLength(3);
    return open;
  });
  const whole = texts.map((text) => answer(text));
  for (let at = 0; at < (whole[0]?.length ?? 0); at += 9_000)
    for (const [i, socket] of sockets.entries())
      await new Promise((resolve) => socket.write(whole[i]?.slice(at, at + 9_000) ?? '', resolve));
  expect((await Promise.all(asked)).map(textOf)).toEqual(texts);
});

it('what a server says unasked is not an answer, and the next request goes over a new connection', async () => {
  const { sockets, transport } = await start((socket) => socket.on('data', () => socket.write(answer('asked'))));
  expect(textOf(await ask(transport))).toBe('asked');
  expect(transport.connection()).toBe('reused');
  sockets[0]?.write(answer('unasked'));
  await eventually(() => expect(transport.connection()).toBe('new'));
  expect(textOf(await ask(transport))).toBe('asked');
  expect(sockets).toHaveLength(2);
});

it('what a server says unasked just before a request is not an answer to it', async () => {
  const { sockets, transport } = await start((socket) => socket.on('data', () => socket.write(answer('asked'))));
  await ask(transport);
  // Rounds begin in timers, and the event loop reads after those.
  const exchange = await new Promise<Exchange<string>>((resolve) =>
    setTimeout(() => {
      sockets[0]?.write(answer('unasked'));
      resolve(ask(transport));
    }, 0),
  );
  expect(exchange).toMatchObject({ ok: false, stale: true });
  expect(textOf(await ask(transport))).toBe('asked');
});

it('a second answer behind the first makes the connection one that is not used again', async () => {
  const { sockets, transport } = await start((socket) =>
    socket.on('data', () => socket.write(answer('a') + answer('b'))),
  );
  expect([textOf(await ask(transport)), transport.connection()]).toEqual(['a', 'new']);
  expect([textOf(await ask(transport)), sockets.length]).toEqual(['a', 2]);
});

it('a connection that the server will close soon is closed before, in order', async () => {
  const { sockets, transport } = await start((socket) =>
    socket.on('data', () => socket.write(answer('a', 'Keep-Alive: timeout=3\r\n'))),
  );
  await ask(transport);
  expect(transport.connection()).toBe('reused');
  await eventually(() => expect(sockets[0]?.readableEnded).toBe(true));
  expect(transport.connection()).toBe('reconnected');
});

it('a connection that the server will close at once is used once', async () => {
  const { sockets, transport } = await start((socket) =>
    socket.on('data', () => socket.write(answer('a', 'Keep-Alive: timeout=2\r\n'))),
  );
  expect([textOf(await ask(transport)), transport.connection()]).toEqual(['a', 'reconnected']);
  expect([textOf(await ask(transport)), sockets.length]).toEqual(['a', 2]);
});

it('an answer without a length ends with its connection', async () => {
  const { transport } = await start((socket) =>
    socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\n\r\nall of it')),
  );
  expect([textOf(await ask(transport)), transport.connection()]).toEqual(['all of it', 'reconnected']);
});

it('a request in progress ends when its signal aborts', async () => {
  const { sockets, transport } = await start(() => {});
  const controller = new AbortController();
  const asked = ask(transport, 20_000, controller.signal);
  await eventually(() => expect(sockets).toHaveLength(1));
  controller.abort();
  expect(await asked).toMatchObject({ ok: false, fault: { kind: 'closed' } });
  expect(await ask(transport, 20_000, controller.signal)).toMatchObject({ ok: false, fault: { kind: 'closed' } });
});

it('a connection that is not accepted ends with its time', async () => {
  const { host, stop } = await startBlackHole();
  cleanups.push(stop);
  const transport = createHttpTransport(`http://${host}`);
  cleanups.push(transport.close);
  const afterMs = expect.closeTo(200, -2);
  expect(await ask(transport, 200)).toEqual({
    ok: false,
    fault: { kind: 'unreachable', address: `http://${host}`, afterMs },
  });
  expect(transport.connection()).toBe('new');
});

it('over TLS a certificate counts only for its name and from an authority, and the connection is kept', async () => {
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  execFileSync('openssl', [...words, ...named, '-keyout', pathOf('key'), '-out', pathOf('cert')], { stdio: 'pipe' });
  const cert = readFileSync(pathOf('cert'), 'utf8');
  let connections = 0;
  const body = 'x'.repeat(100_000);
  const server = createTlsServer({ key: readFileSync(pathOf('key')), cert }, (socket) => {
    connections += 1;
    socket.on('error', () => {}).on('data', () => socket.write(answer(body)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const transports = ['localhost', '127.0.0.1'].map((host) => createHttpTransport(`https://${host}:${port}`));
  const [byName, byAddress] = transports as [RpcTransport, RpcTransport];
  const known = getCACertificates('default');
  cleanups.push(() => {
    setDefaultCACertificates(known);
    for (const { close } of transports) close();
    server.close();
  });
  expect(textOf(await ask(byName))).toBe('tls');
  setDefaultCACertificates([...known, cert]);
  connections = 0;
  for (let i = 0; i < 3; i += 1) expect(textOf(await ask(byName))).toBe(body);
  expect(connections).toBe(1);
  expect(textOf(await ask(byAddress))).toBe('tls');
});
