import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import type { NodeTarget } from '../../../../src/model/target.ts';
import { readExposure } from '../../../../src/watch/probes/setup/read-exposure.ts';
import { type FakeServer, startHttp, startTcp } from '../../../support/fake-node.ts';

/** A request without credentials as it comes over the wire. */
interface Asked {
  readonly method: string;
  readonly host: string | undefined;
  readonly origin: string | undefined;
  readonly authorization: string | undefined;
}

/** What a real stock node answers to `rpc_modules`. */
const recorded: { readonly result: unknown } = JSON.parse(
  readFileSync('test/fixtures/real-network/healthy.json', 'utf8'),
).rpc_modules;

const STOCK = ['XDPoS', 'debug', 'eth', 'miner', 'net', 'personal', 'rpc', 'txpool', 'web3'];

/** The flags of a node that anyone notices. */
interface Flags {
  readonly hosts?: readonly string[];
  readonly origins?: string;
  readonly wallets?: unknown;
}

const isIp = (host: string) => /^[\d.]+$/.test(host);

/** A node at the wire as XDC-Subnet rpc/http.go serves it. */
async function useNode({ hosts = ['*'], origins, wallets }: Flags) {
  const asked: Asked[] = [];
  const server = await startHttp((request, response, body) => {
    const { host = '', origin, authorization } = request.headers;
    const { id, method } = JSON.parse(body);
    asked.push({ method, host, origin, authorization });
    const name = host.replace(/:\d+$/, '');
    if (!isIp(name) && !hosts.includes('*') && !hosts.includes(name))
      return response.writeHead(403).end('invalid host specified\n');
    if (origin !== undefined && (origins === '*' || origins === origin))
      response.setHeader('access-control-allow-origin', origins);
    const result = method === 'rpc_modules' ? recorded.result : wallets;
    return response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  });
  onTestFinished(server.stop);
  return { ...server, port: Number(new URL(server.url).port), asked };
}

async function useServer(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<FakeServer> {
  const server = await startHttp(answer);
  onTestFinished(server.stop);
  return server;
}

const read = (rpc: string | undefined, over: Partial<NodeTarget> = {}, own: readonly string[] = []) => {
  const target: NodeTarget = {
    ...{ subnet: 'd', component: 'node', name: 'n1', rpc },
    ...{ consoleExec: false, expectedPeers: 1, logFiles: [], patterns: [] },
    ...over,
  };
  return readExposure(target, AbortSignal.timeout(20_000), () => own);
};

test('a stock node serves its namespaces to any host and any origin', async () => {
  const { url, port, asked } = await useNode({ origins: '*' });
  expect(await read(url)).toEqual({
    ok: true,
    value: { servedAt: [{ ip: '127.0.0.1', port }], modules: STOCK, anyHost: true, anyOrigin: true },
  });
  expect(asked.map(({ method, host, origin }) => [method, host, origin])).toEqual([
    ['rpc_modules', `127.0.0.1:${port}`, 'https://subnetd-exposure.invalid'],
    ['rpc_modules', 'subnetd-exposure.invalid', undefined],
  ]);
});

test('a node with its own names and origins refuses those of others', async () => {
  const { url } = await useNode({ hosts: ['localhost'], origins: 'http://127.0.0.1:5214' });
  expect(await read(url)).toMatchObject({ ok: true, value: { anyHost: false, anyOrigin: false } });
});

test('an origin that is echoed is any origin', async () => {
  const { url } = await useNode({ origins: 'https://subnetd-exposure.invalid' });
  expect(await read(url)).toMatchObject({ value: { anyOrigin: true } });
});

test('the user name and password of the inventory are not sent, so what needs them is not exposed', async () => {
  const sent: (string | undefined)[] = [];
  const { url } = await useServer((request, response) => {
    sent.push(request.headers.authorization);
    response.writeHead(401, { 'www-authenticate': 'Basic' }).end();
  });
  expect(await read(url.replace('//', '//reader:secret@'))).toEqual({
    ok: true,
    value: { servedAt: [], modules: [], anyOrigin: false },
  });
  expect(sent).toEqual([undefined, undefined]);
});

test('personal_listWallets is asked only when the inventory allows it, and only its state is kept', async () => {
  const wallet = (status: string) => ({
    url: 'keystore:///work/xdcchain/keystore/UTC--2026',
    status,
    accounts: [{ address: '0x00aa' }],
  });
  const { url, asked } = await useNode({ wallets: [wallet('Locked'), wallet('Unlocked')] });
  expect(await read(url)).not.toHaveProperty('value.wallet');
  expect(asked.map(({ method }) => method)).not.toContain('personal_listWallets');
  const seen = await read(url, { listWallets: true });
  expect(seen).toHaveProperty('value.wallet', 'unlocked');
  expect(JSON.stringify(seen)).not.toMatch(/keystore|0x00aa/);

  const locked = await useNode({ wallets: [wallet('Locked')] });
  expect(await read(locked.url, { listWallets: true })).toHaveProperty('value.wallet', 'locked');
  const odd = await useNode({ wallets: 'Unlocked' });
  expect(await read(odd.url, { listWallets: true })).not.toHaveProperty('value.wallet');
});

test('a node that is reached at 127.0.0.1 is looked for at the other addresses of the machine', async () => {
  const here = await startHttp((_request, response) => response.end(JSON.stringify({ id: 1, result: { eth: '1.0' } })));
  onTestFinished(here.stop);
  const port = Number(new URL(here.url).port);
  // 127.0.0.1 serves for another address here; on 127.0.0.2 nothing listens.
  const seen = await read(here.url, {}, ['127.0.0.2', '127.0.0.1']);
  const endpoint = { ip: '127.0.0.1', port };
  expect(seen).toMatchObject({ ok: true, value: { servedAt: [endpoint, endpoint], modules: ['eth'] } });
});

test('what does not answer well is not an exposure: a redirect, an endless answer, another page, an error', async () => {
  const unknown = { ok: false, why: 'it does not list its namespaces by rpc_modules' };
  const target = await useNode({});
  const redirect = await useServer((_request, response) => response.writeHead(307, { location: target.url }).end());
  expect(await read(redirect.url)).toEqual(unknown);
  expect(target.asked).toEqual([]);
  const page = await useServer((_request, response) => response.end('<html>'));
  expect(await read(page.url)).toEqual(unknown);
  const list = await useServer((_request, response) => response.end('{"result":["personal"]}'));
  expect(await read(list.url)).toEqual(unknown);
  const huge = await useServer((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
    };
    response.on('drain', more);
    more();
  });
  expect(await read(huge.url)).toEqual({ ok: false, why: 'it does not answer' });
});

test('names of namespaces that no node has are left out, and so are more than fifty', async () => {
  const many = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`n${index + 10}`, '1.0']));
  const { url } = await useServer((_request, response) =>
    response.end(JSON.stringify({ id: 1, result: { '<b>': 1, 'per sonal': 1, [`${'x'.repeat(33)}`]: 1, ...many } })),
  );
  const seen = await read(url);
  expect(seen?.ok && seen.value.modules).toHaveLength(50);
  expect(seen?.ok && seen.value.modules.every((name) => /^n\d+$/.test(name))).toBe(true);
});

test('a node that hangs, or is not there, does not answer', async () => {
  const hole = await startTcp(() => {});
  onTestFinished(hole.stop);
  const signal = AbortSignal.timeout(200);
  const target = { subnet: 'd', component: 'node', name: 'n1', rpc: hole.url, consoleExec: false } as const;
  const hanging = { ...target, expectedPeers: 1, logFiles: [], patterns: [] };
  expect(await readExposure(hanging, signal)).toEqual({ ok: false, why: 'it does not answer' });
  const { url, stop } = await startHttp(() => {});
  await stop();
  expect(await read(url)).toEqual({ ok: false, why: 'it does not answer' });
  expect(await read(undefined)).toBeUndefined();
});
