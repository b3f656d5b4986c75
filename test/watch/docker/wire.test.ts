import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ContainerObservation } from '../../../src/model/observation.ts';
import type { DockerAddress } from '../../../src/model/target.ts';
import { createDocker, type Docker } from '../../../src/watch/docker/engine.ts';
import { findProgram } from '../../support/engine.ts';

const soon = () => AbortSignal.timeout(5_000);
const LONG = { timeout: 30_000 };
const byName = { name: 'n' };
const State = { Status: 'running', StartedAt: '2026-01-01T00:00:00.5Z', FinishedAt: '0001-01-01T00:00:00Z' };
const inspected = JSON.stringify({ Id: 'a1', Name: '/n', State, RestartCount: 2, HostConfig: { Memory: 0 } });
const statistics = (stats: object) => JSON.stringify({ memory_stats: { usage: 1_000, stats } });

describe('an engine at the wire', () => {
  const open: (() => Promise<unknown>)[] = [];

  afterEach(async () => {
    await Promise.all(open.splice(0).map((close) => close()));
  });

  async function listen(server: Server): Promise<number> {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    return (server.address() as AddressInfo).port;
  }

  function reach(address: DockerAddress): Docker {
    const docker = createDocker(address);
    open.push(async () => docker.stop());
    return docker;
  }

  const serve = async (listener: RequestListener): Promise<Docker> =>
    reach({ host: '127.0.0.1', port: await listen(createServer(listener)) });

  const memoryOf = async (docker: Docker, signal = soon()): Promise<number | undefined> => {
    const observation: ContainerObservation = await docker.inspect(byName, signal);
    expect(observation.kind).toBe('found');
    return observation.kind === 'found' ? observation.container.memoryBytes : undefined;
  };

  const codeOf = async (docker: Docker, timeoutMs = 3_000): Promise<string> => {
    const observation = await docker.inspect({ project: 'p', service: 's' }, AbortSignal.timeout(timeoutMs));
    return observation.kind === 'docker-unreachable' ? observation.why.code : observation.kind;
  };

  test('a log comes as the stream that the engine sends, from the time that is asked for', async () => {
    const asked: unknown[] = [];
    const docker = await serve(({ url, httpVersion }, answer) => {
      // The engine would send a chunk for each line over HTTP/1.1.
      asked.push(`${url} by HTTP/${httpVersion}`);
      answer.write('one');
      answer.end(' two');
    });
    let text = '';
    for await (const chunk of await docker.openLog('n', 1_795_000_000.25, soon())) text += chunk;
    expect(text).toBe('one two');
    expect(asked).toEqual([
      '/containers/n/logs?follow=true&stdout=true&stderr=true&timestamps=true&since=1795000000.25 by HTTP/1.0',
    ]);
  });

  test('that has no log, or sends one elsewhere, gives none', async () => {
    for (const status of [404, 302, 500]) {
      const docker = await serve((_, answer) => answer.writeHead(status, { location: 'gopher://nowhere/' }).end());
      await expect(docker.openLog('n', 0, soon())).rejects.toMatchObject({ statusCode: status });
    }
  });

  test.each([
    ['nonsense', 201, 'nonsense', 'docker'],
    ['null', 201, 'null', 'docker'],
    ['an id that is none', 201, '{"Id":"../1"}', 'docker'],
    ['404', 404, '{"message":"No such container: a1"}', 'no-container'],
    ['409', 409, '{"message":"the container is paused"}', 'not-running'],
    ['403 of a socket proxy', 403, 'Forbidden', 'forbidden'],
  ])('that answers a command with %s says why it was not run', async (_, status, body, why) => {
    const docker = await serve((request, answer) => {
      request.resume();
      answer.writeHead(status).end(body);
    });
    expect(await docker.exec('a1', ['true'], soon())).toEqual({ ok: false, why });
  });

  test.each<readonly [string, RequestListener]>([
    ['HTML', (_, answer) => answer.setHeader('content-type', 'text/html').end('<html>hello</html>')],
    ['500', (_, answer) => answer.writeHead(500).end('{"message":"broken"}')],
    ['403 of a socket proxy', (_, answer) => answer.writeHead(403).end('Forbidden')],
    ['a list of nonsense', (_, answer) => answer.end('[null, 1, {"Id":"abc","State":[]}]')],
    [
      'a redirect to where nobody listens',
      (_, answer) => answer.writeHead(301, { location: 'http://127.0.0.1:1/' }).end(),
    ],
    ['a redirect by an unknown scheme', (_, answer) => answer.writeHead(302, { location: 'gopher://nowhere/' }).end()],
    [
      'a cut answer',
      (_, answer) => answer.writeHead(200, { 'content-length': '99' }).write('[', () => answer.destroy()),
    ],
    ['no HTTP', (_, answer) => answer.socket?.end('hello\r\n\r\n')],
    ['nothing but the end', (_, answer) => answer.destroy()],
    [
      'an answer without end',
      (_, answer) => {
        // Without the look at the error it would go on for ever in a process that runs other tests, too.
        const more = (): void =>
          void answer.write(Buffer.alloc(65_536, 0x20), (error) => {
            if (!error) setImmediate(more);
          });
        more();
      },
    ],
  ])('that answers %s is other', async (_, listener) => {
    expect(await codeOf(await serve(listener))).toBe('other');
  });

  test('that never answers, or stops in the middle, is a timeout', async () => {
    expect(await codeOf(await serve(() => {}), 200)).toBe('timeout');
    expect(await codeOf(await serve((_, answer) => void answer.writeHead(200).write('[')), 200)).toBe('timeout');
  });

  test('whose path does not exist, or a port without a listener, has the error code of the system', async () => {
    const docker = reach({ socketPath: '/nonexistent/docker.sock' });
    expect(await docker.inspect({ name: 'n' }, soon())).toEqual({
      kind: 'docker-unreachable',
      why: { address: 'unix:///nonexistent/docker.sock', code: 'ENOENT' },
    });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    expect(await codeOf(reach({ host: '127.0.0.1', port }))).toBe('ECONNREFUSED');
  });

  test('with certificates that cannot be read is other', async () => {
    expect(await codeOf(reach({ host: '127.0.0.1', port: 1, ca: '/nonexistent/ca.pem' }))).toBe('other');
  });

  test('that refuses only statistics leaves the memory out', async () => {
    const docker = await serve(({ url }, answer) =>
      url?.includes('/stats') ? answer.writeHead(403).end() : answer.end(inspected),
    );
    expect(await docker.inspect(byName, soon())).toEqual({
      kind: 'found',
      container: {
        ...{ id: 'a1', name: 'n', running: true, status: 'running', oomKilled: false, restartCount: 2 },
        startedAt: Date.parse('2026-01-01T00:00:00.500Z'),
      },
    });
  });

  /** An engine that answers a request for statistics when it is told to, and all others at once. */
  async function serveLate() {
    const asked: ServerResponse[] = [];
    const docker = await serve(({ url }, answer) => {
      if (url?.includes('/stats')) asked.push(answer);
      else answer.end(inspected);
    });
    return { docker, asked };
  }

  test('whose statistics hang leaves the memory out, and is not waited for again', async () => {
    const { docker, asked } = await serveLate();
    expect(await memoryOf(docker, AbortSignal.timeout(300))).toBeUndefined();
    await vi.waitFor(() => expect(asked).toHaveLength(1), LONG);
    expect(await memoryOf(docker)).toBeUndefined();
    // Somebody who had waited for this answer would have given it up by now.
    await vi.waitFor(() => expect(asked).toHaveLength(2), LONG);
    asked[1]?.end(statistics({}));
    await vi.waitFor(async () => expect(await memoryOf(docker)).toBe(1_000), LONG);
  });

  test('that is slow with statistics is waited for only the first time', async () => {
    const { docker, asked } = await serveLate();
    const first = memoryOf(docker);
    await vi.waitFor(() => expect(asked).toHaveLength(1), LONG);
    asked[0]?.end(statistics({}));
    expect(await first).toBe(1_000);
    expect(await memoryOf(docker)).toBe(1_000);
    await vi.waitFor(() => expect(asked).toHaveLength(2), LONG);
    asked[1]?.end(statistics({ inactive_file: 100 }));
    await vi.waitFor(async () => expect(await memoryOf(docker)).toBe(900), LONG);
  });

  test.each([
    ['cgroup v1', { total_inactive_file: 300, inactive_file: 1 }, 700],
    ['cgroup v2', { inactive_file: 400 }, 600],
    ['a cache larger than the use', { inactive_file: 4_000 }, 1_000],
  ])('has its memory counted as the docker CLI does: %s', async (_, stats, expected) => {
    const docker = await serve(({ url }, answer) =>
      answer.end(url?.includes('/stats') ? statistics(stats) : inspected),
    );
    expect(await memoryOf(docker)).toBe(expected);
  });

  /** A key and a certificate of its own name, in a folder and as texts. */
  async function createCertificate(folder: string, name: string) {
    const [key, cert] = [join(folder, `${name}-key.pem`), join(folder, `${name}.pem`)];
    const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', `/CN=${name}`];
    const names = ['-addext', 'subjectAltName=IP:127.0.0.1', '-keyout', key, '-out', cert];
    execFileSync(findProgram('openssl', 'openssl'), [...request, ...names], { stdio: 'pipe' });
    return { files: { key, cert }, pem: { key: await readFile(key), cert: await readFile(cert) } };
  }

  async function createFolder(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'tls-'));
    open.push(() => rm(folder, { recursive: true }));
    return folder;
  }

  test('with TLS is asked with the certificates of the inventory, and refused without', async () => {
    const { files, pem } = await createCertificate(await createFolder(), 'localhost');
    const { key, cert } = files;
    const trusted = { ...pem, ca: pem.cert, requestCert: true, rejectUnauthorized: true };
    const server = createTlsServer(trusted, (_, answer) => {
      answer.writeHead(404).end('{"message":"No such container: n"}');
    });
    const address = { host: '127.0.0.1', port: await listen(server) };
    expect(await reach({ ...address, ca: cert, cert, key }).inspect(byName, soon())).toEqual({ kind: 'missing' });
    expect(await codeOf(reach({ ...address, ca: cert }))).toBe('other');
    expect(await codeOf(reach(address))).toBe('other');
  });

  test('with TLS is asked with renewed certificates as soon as it is connected to again', async () => {
    const folder = await createFolder();
    const { pem: before } = await createCertificate(folder, 'before');
    const { pem: after } = await createCertificate(folder, 'after');
    const shown: (string | undefined)[] = [];
    const toOptions = (pem: typeof before) => ({ ...pem, ca: pem.cert, requestCert: true, rejectUnauthorized: true });
    const server = createTlsServer(toOptions(before), ({ socket }, answer) => {
      shown.push(String((socket as TLSSocket).getPeerCertificate().subject.CN));
      answer.writeHead(404).end('{"message":"No such container: n"}');
    });
    const [ca, cert, key] = ['ca.pem', 'cert.pem', 'key.pem'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ];
    const renew = (pem: typeof before) =>
      Promise.all([writeFile(ca, pem.cert), writeFile(cert, pem.cert), writeFile(key, pem.key)]);
    await renew(before);
    const docker = reach({ host: '127.0.0.1', port: await listen(server), ca, cert, key });
    expect(await docker.inspect(byName, soon())).toEqual({ kind: 'missing' });
    // As when the engine is restarted with a new certificate: it lets in nobody who shows the old one.
    server.setSecureContext(toOptions(after));
    server.closeAllConnections();
    await renew(after);
    expect(await docker.inspect(byName, soon())).toEqual({ kind: 'missing' });
    expect(shown).toEqual(['before', 'after']);
    // While they are being written nothing breaks, and afterwards all is well.
    server.closeAllConnections();
    await rm(key);
    expect(await codeOf(docker)).toBe('other');
    await renew(after);
    expect(await docker.inspect(byName, soon())).toEqual({ kind: 'missing' });
  });

  test('that is Podman says stopped of a container that has exited', async () => {
    const ended = { ...State, Status: 'stopped', ExitCode: 3, FinishedAt: '2026-01-01T00:00:09Z' };
    const docker = await serve((_, answer) => answer.end(JSON.stringify({ ...JSON.parse(inspected), State: ended })));
    expect(await docker.inspect(byName, soon())).toMatchObject({
      container: { status: 'exited', running: false, exitCode: 3, finishedAt: Date.parse(ended.FinishedAt) },
    });
  });

  test('is asked once about a container of that name for its log', async () => {
    const key = '4f'.repeat(64);
    const asked: unknown[] = [];
    const docker = await serve(({ url }, answer) => {
      asked.push(url);
      const Config = {
        Tty: true,
        Env: [
          'KEY=secret',
          // Set twice, as by --env-file and --env: the last one counts.
          'LOG_LEVEL=2',
          'LOG_LEVEL=3',
          'PORT=30303',
          `BOOTNODES=enode://${key}@10.0.0.5:20301`,
          'NETWORK_ID=551',
          'CHECKPOINT_CONTRACT=xdcAB00000000000000000000000000000000000001',
          'PARENTNET_WALLET_PK=',
          `SUBNET_ZERO_WALLET_PK=${'5e'.repeat(32)}`,
        ],
      };
      const LogConfig = { Type: 'json-file', Config: { 'max-size': '1m' } };
      const NetworkSettings = { Networks: { subnet: { IPAddress: '10.0.0.7' } } };
      answer.end(JSON.stringify({ ...JSON.parse(inspected), Config, HostConfig: { LogConfig }, NetworkSettings }));
    });
    expect(await docker.inspectLog(byName, soon())).toEqual({
      kind: 'found',
      log: {
        ...{ id: 'a1', running: true, startedAt: Date.parse('2026-01-01T00:00:00.500Z'), isKept: true, tty: true },
        rotation: { fileBytes: 1e6, files: 1 },
        created: {
          ...{ level: 3, p2p: '10.0.0.7:30303', networkId: 551 },
          bootnodes: [`${key}@10.0.0.5:20301`],
          contract: '0xab00000000000000000000000000000000000001',
          unset: ['PARENTNET_URL', 'PARENTNET_WALLET_PK'],
          isZeroKeyBare: true,
        },
      },
    });
    expect(asked).toEqual(['/containers/n/json']);
  });

  test.each([
    [`0x${'5e'.repeat(32)}`, undefined],
    ['', undefined],
    ['5e', true],
  ])('says whether the key of XDC-Zero begins with 0x, and nothing more of it: %s', async (key, isZeroKeyBare) => {
    const docker = await serve((_, answer) => {
      answer.end(JSON.stringify({ ...JSON.parse(inspected), Config: { Env: [`SUBNET_ZERO_WALLET_PK=${key}`] } }));
    });
    const found = await docker.inspectLog(byName, soon());
    expect(found.kind === 'found' && found.log.created.isZeroKeyBare).toBe(isZeroKeyBare);
    if (key !== '') expect(JSON.stringify(found)).not.toContain(key);
  });

  test('names the ports and the bootnode of a node of Nethermind, whose variables are its own', async () => {
    const key = '4f'.repeat(64);
    const docker = await serve((_, answer) => {
      const Env = [
        ...['NETHERMIND_JSONRPCCONFIG_ENABLED=true', 'NETHERMIND_JSONRPCCONFIG_PORT=8548'],
        ...['NETHERMIND_NETWORKCONFIG_P2PPORT=20306', `NETHERMIND_KEYSTORECONFIG_TESTNODEKEY=0x${'5e'.repeat(32)}`],
        `NETHERMIND_NETWORKCONFIG_BOOTNODES=enode://${key}@192.168.25.254:20301`,
      ];
      const NetworkSettings = { Networks: { docker_net: { IPAddress: '192.168.25.14' } } };
      answer.end(JSON.stringify({ ...JSON.parse(inspected), Config: { Env }, NetworkSettings }));
    });
    const [read, setup] = [await docker.inspectLog(byName, soon()), await docker.inspectSetup(byName, soon())];
    expect(read).toMatchObject({
      log: { created: { p2p: '192.168.25.14:20306', bootnodes: [`${key}@192.168.25.254:20301`] } },
    });
    expect(setup).toMatchObject({ setup: { ports: { rpc: 8_548, p2p: 20_306 } } });
    expect(JSON.stringify([read, setup])).not.toContain('5e5e');
  });

  test('that loses the container between the list and the inspection is asked once more', async () => {
    const ended = JSON.stringify({ Id: 'here', Name: '/n', State: { Status: 'exited', ExitCode: 0 } });
    const ids = ['gone', 'here'];
    const docker = await serve(({ url }, answer) => {
      if (url?.startsWith('/containers/json')) answer.end(JSON.stringify([{ Id: ids.shift(), State: 'exited' }]));
      else if (url?.startsWith('/containers/here')) answer.end(ended);
      else answer.writeHead(404).end('{"message":"No such container: gone"}');
    });
    expect(await docker.inspect({ project: 'p', service: 's' }, soon())).toMatchObject({
      container: { id: 'here', exitCode: 0 },
    });
  });

  test('that ends its stream of events is asked for the rest, and nothing is reported twice', async () => {
    const line = (action: string, nano: number): string =>
      `${JSON.stringify({ Type: 'container', Action: action, Actor: { ID: 'a', Attributes: { name: 'n' } }, timeNano: nano })}\n`;
    const asked: (string | null)[] = [];
    const streams = [
      line('start', 1_795_000_000_000_000_000) + line('kill', 1_795_000_002_000_000_000),
      line('kill', 1_795_000_002_000_000_000) + line('die', 1_795_000_001_999_000_000),
    ];
    const docker = await serve(({ url }, answer) => {
      asked.push(new URL(url ?? '', 'http://engine').searchParams.get('since'));
      answer.writeHead(200, { 'content-type': 'application/json', date: 'Tue, 18 Nov 2025 00:00:00 GMT' });
      const text = streams.shift();
      if (text === undefined) answer.flushHeaders();
      else answer.end(text);
    });
    const actions: string[] = [];
    const states: boolean[] = [];
    const end = docker.follow(
      ({ action }) => actions.push(action),
      (up) => states.push(up),
    );
    await vi.waitFor(() => expect(asked).toHaveLength(3), { timeout: 30_000 });
    end();
    expect(actions).toEqual(['start', 'kill', 'die']);
    expect(asked.slice(0, 2)).toEqual([null, '1795000001']);
    expect(states).toEqual([true]);
  });

  test('that is no longer asked has no connection left', async () => {
    const server = createServer(({ url }, answer) => {
      if (url?.startsWith('/events')) answer.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
      else answer.end(inspected);
    });
    const docker = reach({ host: '127.0.0.1', port: await listen(server) });
    const countConnections = () =>
      new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
    const { promise: up, resolve } = Promise.withResolvers<boolean>();
    docker.follow(() => {}, resolve);
    await up;
    await docker.inspect(byName, soon());
    expect(await countConnections()).toBeGreaterThan(0);
    docker.stop();
    await vi.waitFor(async () => expect(await countConnections()).toBe(0), { timeout: 30_000 });
  });
});
