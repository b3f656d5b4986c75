import { execFile, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createEpisode } from '../../src/daemon/limits/create-episode.ts';
import { LISTEN_LIMITS, type Listener, type ListenLimits, listen } from '../../src/web/listen.ts';
import type { WebConfig } from '../../src/web/web-config.ts';
import { eventually } from '../support/cli.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const MAX = 64;

/** A server that answers `/slow` never, `/long` with more than is read at once, and all else shortly. */
const answer: RequestListener = ({ url }, response) => {
  if (url !== '/slow') response.end(url === '/long' ? Buffer.alloc(50_000_000) : `answer to ${url}`);
};

async function start(limits: Partial<ListenLimits> = {}, web?: WebConfig) {
  const listener = await listen('127.0.0.1', 0, web, { ...LISTEN_LIMITS, maxConnections: MAX, ...limits });
  listener.setHandler(answer);
  cleanups.push(() => listener.stop(0));
  return listener;
}

/** One connection, with what came over it. */
async function open(listener: Listener, text = '', localAddress = '127.0.0.1') {
  const socket = connect({ port: Number(new URL(listener.url).port), host: '127.0.0.1', localAddress });
  let received = '';
  let isOpen = true;
  socket.setEncoding('utf8').on('data', (chunk) => {
    received += chunk;
  });
  socket.on('close', () => {
    isOpen = false;
  });
  socket.on('error', () => {});
  cleanups.push(() => socket.destroy());
  await once(socket, 'connect');
  socket.write(text);
  return { socket: socket as Socket, received: () => received, isOpen: () => isOpen };
}

const openMany = async (listener: Listener, count: number, text?: string, localAddress?: string) => {
  const opened: Awaited<ReturnType<typeof open>>[] = [];
  for (let i = 0; i < count; i += 1) opened.push(await open(listener, text, localAddress));
  return opened;
};

/** The status and the body of a request over a connection of its own. */
async function get(listener: Listener, path: string): Promise<string> {
  const { received } = await open(listener, `GET ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`);
  return eventually(() => {
    const [, status, body] = /^HTTP\/1.1 (\d+) .*?\r\n\r\n(?:[0-9a-f]+\r\n)?([^\r]*)/s.exec(received()) ?? [];
    if (status === undefined || body === '') throw new Error(`no answer: ${received()}`);
    return `${status} ${body?.trim()}`;
  });
}

it('idle connections and half requests make room for new ones, the oldest first, and each request is answered', async () => {
  const listener = await start();
  let dropped = 0;
  listener.setOnDropped(() => {
    dropped += 1;
  });
  const idle = await openMany(listener, 20);
  const half = await openMany(listener, 20, 'GET / HTTP/1.1\r\nHost: a\r\nX: ');
  const flood = [];
  for (let i = 0; i < 10; i += 1) {
    flood.push(...(await openMany(listener, 20)));
    expect(await get(listener, '/livez')).toBe('200 answer to /livez');
    expect(listener.connections().open).toBeLessThanOrEqual(MAX);
  }
  await eventually(() => expect([...idle, ...half].filter(({ isOpen }) => isOpen()).length).toBe(0));
  expect(flood.at(-1)?.isOpen()).toBe(true);
  expect(listener.connections()).toMatchObject({ max: MAX, dropped });
  expect(dropped).toBeGreaterThan(150);
});

it('a connection that asks now and then is not the oldest', async () => {
  const listener = await start();
  const asking = await open(listener);
  for (let i = 0; i < 10; i += 1) {
    asking.socket.write('GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(() => expect(asking.received().match(/answer to \/x/g)).toHaveLength(i + 1));
    await openMany(listener, 20);
  }
  expect(asking.isOpen()).toBe(true);
});

it('a connection that was answered is kept longer than one that sent no request', async () => {
  const listener = await start({ freshMs: 0 });
  const answered = await open(listener, 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
  await eventually(() => expect(answered.received()).toContain('answer to /x'));
  const silent = await openMany(listener, 20);
  await openMany(listener, 2 * MAX);
  await eventually(() => expect(silent.filter(({ isOpen }) => isOpen()).length).toBe(0));
  expect(answered.isOpen()).toBe(true);
});

it('an answer that is owed is never cut off; a body that does not come makes room', async () => {
  const listener = await start();
  const owed = await openMany(listener, 20, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n');
  const uploads = await openMany(listener, 20, 'POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{');
  await openMany(listener, 40, 'POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{');
  expect(await get(listener, '/')).toBe('200 answer to /');
  await eventually(() => expect(uploads.filter(({ isOpen }) => isOpen()).length).toBe(0));
  await openMany(listener, 2 * MAX);
  expect(await get(listener, '/')).toBe('200 answer to /');
  expect(owed.filter(({ isOpen }) => isOpen())).toHaveLength(20);
});

it('while every connection waits for an answer, a reserve answers probes and scrapes, and asks all others to wait', async () => {
  const listener = await start();
  // One address may have three quarters of the 64 connections, and 45 of those 48 may wait for other answers.
  const slow = 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n';
  const owed = await openMany(listener, 45, slow);
  expect(await get(listener, '/metrics?x=1')).toBe('200 answer to /metrics?x=1');
  expect(await get(listener, '/livez')).toBe('200 answer to /livez');
  expect(await get(listener, '/')).toBe('503 too many requests are under way; try again in a second');
  expect(await get(listener, '/api/x')).toBe(
    '400 {"status":"failed","appErrorCode":1102,"errMessage":"too many requests are under way; try again in a second"}',
  );
  const other = await open(listener, 'GET /y HTTP/1.1\r\nHost: a\r\n\r\n', '127.0.0.2');
  await eventually(() => expect(other.received()).toContain('answer to /y'));
  const more = await openMany(listener, MAX, slow);
  await eventually(() => expect(more.filter(({ isOpen }) => isOpen()).length).toBe(0));
  expect(await get(listener, '/livez')).toBe('200 answer to /livez');
  expect(owed.filter(({ isOpen }) => isOpen())).toHaveLength(45);
});

it('a connection that sends nothing, or a byte now and then, ends although there is room', async () => {
  const listener = await start({ headersMs: 300 });
  const silent = await open(listener);
  const drip = await open(listener, 'GET / HTTP/1.1\r\nHost: a\r\nX: ');
  const timer = setInterval(() => drip.socket.write('a'), 50);
  cleanups.push(() => clearInterval(timer));
  await eventually(() => expect([silent.isOpen(), drip.isOpen()]).toEqual([false, false]));
  expect(drip.received()).toContain('the request did not arrive completely in time');
  expect(silent.received(), 'what asks nothing gets no answer').toBe('');
});

it('a connection whose answer is not read is closed', async () => {
  const listener = await start({ silentMs: 300 });
  const { socket } = await open(listener, 'GET /long HTTP/1.1\r\nHost: a\r\n\r\n');
  socket.pause();
  await eventually(() => expect(listener.connections().open).toBe(0));
});

describe('a request that came while the process got no CPU time is answered', () => {
  const ask = async ({ socket, received }: Awaited<ReturnType<typeof open>>) => {
    // Here timers run next, before anything is read.
    await new Promise((resolve) => setImmediate(resolve));
    socket.write('GET /late HTTP/1.1\r\nHost: a\r\n\r\n');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_500);
    await eventually(() => expect(received()).toMatch(/^HTTP\/1.1 200 .*answer to \/late$/s), 5_000);
    socket.write('GET /late HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(() => expect(received().match(/HTTP\/1.1 200|answer to \/late$/g)).toHaveLength(3), 5_000);
  };

  it('on a connection that was answered before', async () => {
    const asked = await open(await start({ keepAliveMs: 100 }), 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
    await eventually(() => expect(asked.received()).toContain('answer to /x'));
    await ask(asked);
  });

  it('on a new connection', async () => {
    const listener = await start({ headersMs: 300, silentMs: 300 });
    const fresh = await open(listener);
    await eventually(() => expect(listener.connections().open).toBe(1));
    await ask(fresh);
  });

  it('when its answer takes longer than any connection may be silent', async () => {
    const listener = await start({ silentMs: 300 });
    listener.setHandler((_request, response) => void setTimeout(() => response.end('answer to /late'), 1_000));
    await ask(await open(listener));
  });
});

it('a connection that was answered ends when no other request comes', async () => {
  const asked = await open(await start({ keepAliveMs: 100 }), 'GET /x HTTP/1.1\r\nHost: a\r\n\r\n');
  await eventually(() => expect([asked.received().slice(0, 12), asked.isOpen()]).toEqual(['HTTP/1.1 200', false]));
});

it('the same holds by TLS, before a handshake too', async () => {
  const args = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'];
  execFileSync('openssl', [...args, '-subj', '/CN=a', '-keyout', pathOf('k'), '-out', pathOf('c')], {
    stdio: 'ignore',
  });
  const tls = () => ({ cert: readFileSync(pathOf('c')), key: readFileSync(pathOf('k')) });
  const listener = await start({ silentMs: 500 }, { tls, hasNewCertificate: () => false, checkUser: undefined });
  const ask = async (path: string) => {
    const { port } = new URL(listener.url);
    const socket = connectTls({ port: Number(port), host: '127.0.0.1', rejectUnauthorized: false });
    socket.on('error', () => {});
    cleanups.push(() => socket.destroy());
    await once(socket, 'secureConnect');
    socket.write(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`);
    return socket;
  };
  const asked = await ask('/slow');
  (await ask('/long')).pause();
  await eventually(() => expect(listener.connections().open).toBe(1));
  const waits = await openMany(listener, 10);
  await openMany(listener, 200);
  await eventually(() => expect(waits.filter(({ isOpen }) => isOpen()).length).toBe(0));
  expect([asked.destroyed, listener.connections().open <= MAX]).toEqual([false, true]);
  listener.setHandler((_request, response) => response.end('ok'));
  const { stdout } = await promisify(execFile)('curl', ['-sk', '-m', '10', `${listener.url}/livez`]);
  expect(stdout).toBe('ok');
  // One whose handshake never ends holds up no stop.
  await open(listener);
  await listener.stop(50);
  await eventually(() => expect(listener.connections().open).toBe(0));
});

it('an episode is reported once when it begins and once when it ends', async () => {
  const reports: string[] = [];
  const episode = createEpisode(100, {
    began: () => reports.push('began'),
    ended: (events) => reports.push(`ended after ${events}`),
  });
  for (let i = 0; i < 1_000; i += 1) episode.record();
  expect(reports).toEqual(['began']);
  await eventually(() => expect(reports).toEqual(['began', 'ended after 1000']));
  episode.record();
  expect(reports).toEqual(['began', 'ended after 1000', 'began']);
  episode.stop();
});
