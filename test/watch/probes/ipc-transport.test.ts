import { execFileSync } from 'node:child_process';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttpAndIpcProber } from '../../../src/watch/probes/http-and-ipc-prober.ts';
import { createIpcTransport, createMessageCutter } from '../../../src/watch/probes/ipc-transport.ts';
import { createNodeProber, type NodeProber } from '../../../src/watch/probes/node-prober.ts';
import { answerText, messagesOf, socketFolder, startIpcNode } from '../../support/ipc-node.ts';

const own = (probe: NodeProber): NodeProber => {
  onTestFinished(() => probe.close());
  return probe;
};
const probeOf = (path: string) => own(createNodeProber(createIpcTransport(path), 'XDPoS', Date.now));

const well = {
  answered: true,
  latest: { ok: true, value: { number: 1234, timestamp: 1_732_174_920 } },
  committed: { ok: true, value: { number: 1234 } },
  peers: { ok: true, value: { count: 3, via: 'admin_peers' } },
};

test('a stream of messages is cut the same however it is cut into chunks', () => {
  const values = fc.array(fc.oneof(fc.object(), fc.array(fc.jsonValue())), { minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(values, fc.array(fc.nat(40)), fc.constantFrom('\n', '\n\n'), (sent, cuts, between) => {
      const texts = sent.map((value) => JSON.stringify(value));
      const bytes = Buffer.from(texts.map((text) => text + between).join(''));
      const cutter = createMessageCutter(1024 * 1024);
      const messages: string[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        const read = cutter.push(bytes.subarray(at, Math.min(at + cut, bytes.length)));
        expect(read.broken).toBeUndefined();
        messages.push(...read.messages.map(String));
        at = Math.min(at + cut, bytes.length);
      }
      expect(messages).toEqual(texts);
      expect(cutter.isMidMessage()).toBe(false);
    }),
  );
});

test('a message of exactly the maximum length is read, and one byte more is too large', () => {
  const message = JSON.stringify({ id: 1 });
  expect(createMessageCutter(message.length).push(Buffer.from(`${message}\n`))).toEqual({
    messages: [Buffer.from(message)],
  });
  expect(createMessageCutter(message.length - 1).push(Buffer.from(`${message}\n`))).toEqual({
    messages: [],
    broken: 'too-large',
  });
});

test('a socket is asked for nothing but calls, and stays connected', async () => {
  const node = await startIpcNode();
  const transport = createIpcTransport(node.path);
  onTestFinished(() => transport.close());
  const ask = (request: Parameters<typeof transport.exchange>[0]) =>
    transport.exchange(request, ({ body }) => String(body), performance.now() + 3_600_000);
  // Nobody waits for an answer, which would take an hour.
  expect(await ask({ method: 'GET', path: '/health' })).toMatchObject({ ok: false, fault: { kind: 'closed' } });
  const call = { jsonrpc: '2.0', id: 1, method: 'net_peerCount', params: [] };
  expect(await ask({ method: 'POST', body: JSON.stringify(call) })).toMatchObject({ ok: true });
});

describe('a node that is asked by its socket alone', () => {
  test('gives everything, over one connection', async () => {
    const node = await startIpcNode();
    const probe = probeOf(node.path);
    expect(await probe.probe(2_000)).toMatchObject(well);
    expect(await probe.probe(2_000)).toMatchObject(well);
    expect(node.connections()).toBe(1);
  });

  test('that writes byte by byte is understood', async () => {
    const node = await startIpcNode((value, socket) => {
      for (const byte of Buffer.from(answerText(value))) socket.write(Buffer.of(byte));
    });
    expect(await probeOf(node.path).probe(5_000)).toMatchObject(well);
  });

  test('that ends the calls in another order, each in a message of its own and several in a chunk, is understood', async () => {
    const node = await startIpcNode((value, socket) => {
      const stray = '{"jsonrpc":"2.0","method":"eth_subscription","params":{"subscription":"0x1","result":{}}}';
      socket.write(`${stray}\n${[...messagesOf(value)].reverse().map(answerText).join('')}`);
    });
    expect(await probeOf(node.path).probe(2_000)).toMatchObject(well);
  });

  test('that was restarted is asked again', async () => {
    const node = await startIpcNode();
    const probe = probeOf(node.path);
    await probe.probe(2_000);
    await node.close();
    await node.listen();
    expect(await probe.probe(2_000)).toMatchObject(well);
    expect(node.connections()).toBe(2);
  });

  test.each<readonly [string, Parameters<typeof startIpcNode>[0], object]>([
    ['never answers', () => {}, { kind: 'timeout', received: false }],
    ['begins an answer and hangs', (_, socket) => void socket.write('{"a":'), { kind: 'timeout', received: true }],
    ['answers garbage', (_, socket) => void socket.write('hello'), { kind: 'not-json', looksLike: 'other' }],
    ['cuts its answer', (_, socket) => void socket.end('{"jsonrpc":'), { kind: 'not-json', looksLike: 'cut' }],
    ['closes without an answer', (_, socket) => void socket.end(), { kind: 'closed' }],
    [
      'answers without an end',
      (_, socket) => void socket.write(`{"a":"${'x'.repeat(3 * 1024 * 1024)}`),
      { kind: 'too-large' },
    ],
  ])('that %s has that fault', async (_, behave, fault) => {
    const node = await startIpcNode(behave);
    expect((await probeOf(node.path).probe(400)).latest).toMatchObject({ ok: false, fault });
  });

  test('that sends a frame of 100 MB is cut off after the first of them, and asked for each call by itself', async () => {
    const frame = Buffer.alloc(100 * 1024 * 1024, 'x');
    frame.write('{"a":"');
    frame.write('"}\n', frame.length - 3);
    const { promise: taken, resolve } = Promise.withResolvers<number>();
    let isFirst = true;
    const node = await startIpcNode((value, socket) => {
      if (!isFirst) return void socket.write(answerText(value));
      isFirst = false;
      let written = 0;
      socket.on('error', () => {}).on('close', () => resolve(written));
      for (let at = 0; at < frame.length; at += 65_536)
        socket.write(frame.subarray(at, at + 65_536), (error) => {
          if (!error) written += 65_536;
        });
    });
    const probe = probeOf(node.path);
    expect(await probe.probe(20_000)).toMatchObject(well);
    expect(await taken).toBeLessThan(8 * 1024 * 1024);
    expect(await probe.probe(20_000)).toMatchObject(well);
  });

  test('that answers too late does not have it taken for the next answer', async () => {
    let first = true;
    const node = await startIpcNode((value, socket) => {
      if (!first) socket.write(answerText(value));
      first = false;
    });
    const probe = probeOf(node.path);
    expect((await probe.probe(300)).latest).toMatchObject({ ok: false, fault: { kind: 'timeout' } });
    expect(await probe.probe(2_000)).toMatchObject(well);
    expect(node.connections()).toBe(2);
  });

  test('ends its probe at once when it is closed', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const node = await startIpcNode(() => resolve());
    const probe = probeOf(node.path);
    const looking = probe.probe(30_000);
    await asked;
    probe.close();
    expect((await looking).latest).toMatchObject({ ok: false });
  });
});

describe('a socket that is of no use says which it is', () => {
  const faultOf = async (path: string) => (await probeOf(path).probe(1_000)).latest;

  test('missing, a folder, a file, longer than the system takes', async () => {
    const folder = await socketFolder();
    expect(await faultOf(join(folder, 'none.ipc'))).toMatchObject({ fault: { kind: 'socket', state: 'missing' } });
    await writeFile(join(folder, 'file.ipc'), '');
    expect(await faultOf(join(folder, 'file.ipc'))).toMatchObject({ fault: { kind: 'socket', state: 'no-socket' } });
    await mkdir(join(folder, 'folder.ipc'));
    expect(await faultOf(join(folder, 'folder.ipc'))).toMatchObject({ fault: { kind: 'socket', state: 'no-socket' } });
    const long = join(folder, `${'x'.repeat(108)}.ipc`);
    expect(await faultOf(long)).toMatchObject({ fault: { kind: 'socket', state: 'too-long' } });
  });

  test('stale: its process was killed', async () => {
    const path = join(await socketFolder(), 'XDC.ipc');
    const script = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 'SIGKILL'))`;
    expect(() => execFileSync(process.execPath, ['-e', script])).toThrow();
    expect(await faultOf(path)).toMatchObject({ fault: { kind: 'socket', state: 'stale' } });
  });

  test('not ours: with its owner and mode, or those of the folder that hides it', async () => {
    const node = await startIpcNode();
    await chmod(node.path, 0o600);
    const folder = join(node.path, '..');
    await chmod(folder, 0o755);
    const denied = async () => {
      process.seteuid?.(65_534);
      try {
        return await faultOf(node.path);
      } finally {
        process.seteuid?.(0);
      }
    };
    const fault = { kind: 'socket', state: 'denied', owner: 'root' };
    expect(await denied()).toMatchObject({ fault: { ...fault, mode: '0600' } });
    await chmod(folder, 0o700);
    expect(await denied()).toMatchObject({ fault: { ...fault, mode: '0700' } });
  });
});

describe('a node with HTTP and a socket', () => {
  /** HTTP without admin, as a stock node's. */
  const startHttp = async (hangs = false) => {
    const seen: string[] = [];
    const server = createServer(async (request, response) => {
      let body = '';
      for await (const chunk of request) body += chunk;
      if (hangs) return;
      const sent = JSON.parse(body);
      const messages = messagesOf(sent);
      seen.push(...messages.map(({ method }) => method));
      const answers = messages.map((message) =>
        message.method === 'rpc_modules'
          ? { jsonrpc: '2.0', id: message.id, result: { net: '1.0', XDPoS: '1.0' } }
          : JSON.parse(answerText(message)),
      );
      response.end(JSON.stringify(Array.isArray(sent) ? answers : answers[0]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  };

  test('gets its peers by the socket, and HTTP is never asked for admin', async () => {
    const http = await startHttp();
    const node = await startIpcNode();
    const probe = own(createHttpAndIpcProber(http.url, node.path, 'XDPoS', Date.now));
    for (const _ of [1, 2]) expect(await probe.probe(2_000)).toMatchObject(well);
    expect(http.seen).not.toContain('admin_peers');
  });

  test('whose socket is missing has its peers counted by HTTP, and says why', async () => {
    const http = await startHttp();
    const probe = own(createHttpAndIpcProber(http.url, join(await socketFolder(), 'none.ipc'), 'XDPoS', Date.now));
    expect(await probe.probe(2_000)).toMatchObject({
      peers: { ok: true, value: { count: 3, via: 'net_peerCount' } },
      ipcFault: { kind: 'socket', state: 'missing' },
    });
  });

  test('is not asked by its socket in what a hanging HTTP leaves of the time', async () => {
    const http = await startHttp(true);
    const probe = own(createHttpAndIpcProber(http.url, join(await socketFolder(), 'none.ipc'), 'XDPoS', Date.now));
    expect((await probe.probe(300)).ipcFault).toBeUndefined();
    expect((await probe.probe(300)).ipcFault).toMatchObject({ kind: 'socket' });
  });

  test('whose HTTP hangs still gets its peers from the second probe on', async () => {
    const http = await startHttp(true);
    const node = await startIpcNode();
    const probe = own(createHttpAndIpcProber(http.url, node.path, 'XDPoS', Date.now));
    await probe.probe(300);
    expect(await probe.probe(300)).toMatchObject({ latest: { ok: false }, peers: well.peers });
  });
});
