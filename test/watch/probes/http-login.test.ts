import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import type { HttpLogin } from '../../../src/model/http-login.ts';
import { createSubnetFinder } from '../../../src/watch/probes/find-on-subnet.ts';
import { createHttpTransport } from '../../../src/watch/probes/http-transport.ts';
import { readClient } from '../../../src/watch/probes/setup/read-client.ts';
import { explainFault } from '../../../src/watch/rules/explain-fault.ts';
import { useCleanups } from '../../support/use-cleanups.ts';
import { nodeTarget, settings } from '../../support/views.ts';

const { cleanups, pathOf } = useCleanups();

/** A server that says who asked. */
const sayWho: RequestListener = (request, response) => void response.end(request.headers.authorization ?? 'nobody');

async function start(tls?: { readonly key: Buffer; readonly cert: Buffer }, listener = sayWho): Promise<number> {
  const server = tls === undefined ? createServer(listener) : createTlsServer(tls, listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanups.push(() => void server.close());
  return (server.address() as AddressInfo).port;
}

function createAsker(url: string, login: HttpLogin, keepsAlive = true) {
  const transport = createHttpTransport(url, () => keepsAlive, login);
  cleanups.push(transport.close);
  return async () => {
    const exchange = await transport.exchange({ method: 'GET' }, ({ body }) => String(body), performance.now() + 5_000);
    return exchange.ok ? exchange.value : exchange.fault;
  };
}

const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

it('the password is what its file holds when a connection begins', async () => {
  const port = await start();
  writeFileSync(pathOf('password'), 'first\n');
  const basicAuth = { username: 'ann', passwordFile: pathOf('password') };
  const kept = createAsker(`http://127.0.0.1:${port}`, { basicAuth });
  const renewed = createAsker(`http://127.0.0.1:${port}`, { basicAuth }, false);
  expect([await kept(), await renewed()]).toEqual([basic('ann:first'), basic('ann:first')]);
  writeFileSync(pathOf('password'), 'second');
  expect([await kept(), await renewed()]).toEqual([basic('ann:first'), basic('ann:second')]);
});

/** Writes a certificate that has signed itself, and its key. */
function makeCertificate(cert: string, key: string): void {
  const words = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'];
  const named = ['-subj', '/CN=node', '-addext', 'subjectAltName=DNS:node.example'];
  execFileSync('openssl', [...words, ...named, '-keyout', pathOf(key), '-out', pathOf(cert)], { stdio: 'pipe' });
}

it('a certificate is good by the authority that the inventory names, and by no other', async () => {
  makeCertificate('cert', 'key');
  const url = `https://127.0.0.1:${await start({ key: readFileSync(pathOf('key')), cert: readFileSync(pathOf('cert')) })}`;
  const tls = { ca: pathOf('cert'), serverName: 'node.example' };
  expect(await createAsker(url, { tls })()).toBe('nobody');
  expect(await createAsker(url, { tls: { ca: tls.ca } })()).toMatchObject({ kind: 'tls' });
  expect(await createAsker(url, { tls: { serverName: tls.serverName } })()).toMatchObject({ kind: 'tls' });
});

it('a file that cannot be read is named with its setting, and is read again', async () => {
  const port = await start();
  const path = pathOf('password');
  const ask = createAsker(`http://127.0.0.1:${port}`, { basicAuth: { username: 'ann', passwordFile: path } });
  const fault = { kind: 'file', setting: 'basicAuth.passwordFile', path, why: 'cannot be read (ENOENT)' } as const;
  expect(await ask()).toEqual(fault);
  expect(explainFault(fault, nodeTarget('a'))).toEqual({
    seen: `basicAuth.passwordFile in the inventory names ${path}, which cannot be read (ENOENT)`,
    fix: 'correct its path, its mode or its content',
  });
  writeFileSync(path, 'late');
  expect(await ask()).toBe(basic('ann:late'));
});

it('names the setting of the file that cannot be used', async () => {
  makeCertificate('cert', 'key');
  makeCertificate('cert2', 'key2');
  writeFileSync(pathOf('text'), 'no certificate');
  const good = { ca: pathOf('cert'), cert: pathOf('cert'), key: pathOf('key') };
  const ask = createAsker('https://127.0.0.1:1', { tls: good });
  expect(await ask()).toMatchObject({ kind: 'refused' });
  for (const [setting, file, why] of [
    ['ca', 'text', 'holds no usable PEM'],
    ['cert', 'text', 'holds no usable PEM'],
    ['key', 'text', 'holds no usable PEM'],
    ['key', 'key2', 'is not the key of tls.cert'],
    ['ca', '.', 'cannot be read (EISDIR)'],
  ] as const)
    expect(await createAsker('https://127.0.0.1:1', { tls: { ...good, [setting]: pathOf(file) } })()).toEqual({
      kind: 'file',
      setting: `tls.${setting}`,
      path: pathOf(file),
      why,
    });
});

it('whatever asks a node signs in', async () => {
  const hash = `0x${'a'.repeat(64)}`;
  const answers: RequestListener = async (request, response) => {
    const { id, method } = JSON.parse((await request.toArray()).join(''));
    const isKnown = request.headers.authorization === basic('ann:secret');
    response.writeHead(isKnown ? 200 : 401, { 'content-type': 'application/json' });
    const result = method === 'web3_clientVersion' ? 'XDC/v1.0.0' : { Hash: hash, Number: 900 };
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  };
  writeFileSync(pathOf('password'), 'secret');
  const login = { basicAuth: { username: 'ann', passwordFile: pathOf('password') } };
  const node = nodeTarget('a', { rpc: `http://127.0.0.1:${await start(undefined, answers)}`, login });
  expect(await readClient(node, AbortSignal.timeout(10_000))).toMatchObject({
    value: { version: { value: 'XDC/v1.0.0' } },
  });
  const finder = createSubnetFinder({ name: 'd', consensus: 'XDPoS', targets: [node], settings }, () => true);
  cleanups.push(finder.close);
  expect(await finder.find({ number: 900, hash }, AbortSignal.timeout(10_000))).toEqual({ found: 'same' });
});
