import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { hash } from 'bcrypt';
import { expect, test } from 'vitest';
import { createMonitorExposure } from '../../../../src/watch/probes/setup/create-monitor-exposure.ts';
import { readMonitorExposure } from '../../../../src/watch/probes/setup/read-monitor-exposure.ts';
import { startCli } from '../../../support/cli.ts';
import { startHttp } from '../../../support/fake-node.ts';
import { useCleanups } from '../../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

/** Starts a daemon with a web config, and gives its port. */
async function startAt(host: string, webConfig?: string): Promise<number> {
  writeFileSync(pathOf('c.yaml'), 'subnets: [{ name: s, nodes: [{ name: n, rpc: http://127.0.0.1:1 }] }]\n');
  if (webConfig !== undefined) writeFileSync(pathOf('web.yml'), webConfig);
  const daemon = startCli(['run', '--listen', `${host}:0`, '--config', pathOf('c.yaml')], {
    SUBNETD_DATABASE_URL: `sqlite:${pathOf('subnetd.db')}`,
    ...(webConfig !== undefined && { SUBNETD_WEB_CONFIG: pathOf('web.yml') }),
  });
  cleanups.push(async () => {
    daemon.child.kill('SIGTERM');
    await daemon.finished;
  });
  const [, port] = await daemon.waitFor(/"url":"https?:[^"]+:(\d+)"/);
  return Number(port);
}

const read = (port: number) => readMonitorExposure(port, new AbortController().signal, () => ['127.0.0.2']);

/** The IP addresses at which it answers anyone, or why that is not known. */
async function servedAt(port: number) {
  const result = await read(port);
  return result.ok ? result.value.servedAt.map(({ ip }) => ip) : result.why;
}

const unknown = (port: number) => `no subnetd answers without credentials at port ${port} of this machine`;

const certificate = () =>
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', '/CN=nobody.example', '-keyout', pathOf('server.key'), '-out', pathOf('server.crt')],
    ],
    { stdio: 'pipe' },
  );
const TLS = 'tls_server_config: { cert_file: server.crt, key_file: server.key';

test('a subnetd without a password serves anyone at each address at which it listens', async () => {
  const everywhere = await startAt('0.0.0.0');
  expect(await read(everywhere)).toEqual({
    ok: true,
    value: { servedAt: ['127.0.0.1', '127.0.0.2'].map((ip) => ({ ip, port: everywhere })) },
  });
  expect(await servedAt(await startAt('127.0.0.1'))).toEqual(['127.0.0.1']);
  expect(await servedAt(await startAt('127.0.0.2'))).toEqual(['127.0.0.2']);
});

test('a subnetd with users serves nobody else, and one with TLS alone serves all', async () => {
  const users = `basic_auth_users: { ann: '${await hash('open sesame', 4)}' }\n`;
  expect(await servedAt(await startAt('0.0.0.0', users))).toEqual([]);
  certificate();
  expect(await servedAt(await startAt('0.0.0.0', `${TLS} }\n${users}`))).toEqual([]);
  expect(await servedAt(await startAt('0.0.0.0', `${TLS} }\n`))).toEqual(['127.0.0.1', '127.0.0.2']);
});

test('what wants a client certificate, another program, and nothing at all are not known', async () => {
  certificate();
  const closed = await startAt(
    '0.0.0.0',
    `${TLS}, client_auth_type: RequireAndVerifyClientCert, client_ca_file: server.crt }\n`,
  );
  expect(await servedAt(closed)).toBe(unknown(closed));
  for (const [status, body] of [
    [200, 'say which node'],
    [400, 'a user name and password'],
    [401, 'say which node'],
    [401, 'Unauthorized'],
  ] as const) {
    const other = await startHttp((_, response) => void response.writeHead(status).end(body));
    const port = Number(new URL(other.url).port);
    expect(await servedAt(port)).toBe(unknown(port));
    await other.stop();
    expect(await servedAt(port)).toBe(unknown(port));
  }
});

test('it is asked for all subnets together: once an hour, and after five minutes while it is not known', async () => {
  let asked = 0;
  let isThere = false;
  const server = await startHttp(({ url }, response) => {
    if (url === '/safe-to-restart') asked += 1;
    response.writeHead(isThere ? 400 : 503).end(isThere ? 'say which node: …\n' : 'starting\n');
  });
  cleanups.push(server.stop);
  let minute = 0;
  const port = Number(new URL(server.url).port);
  const readShared = createMonitorExposure(port, () => minute * 60_000, new AbortController().signal);
  const askedAt = async (at: number) => {
    minute = at;
    const before = asked;
    const [one, other] = await Promise.all([readShared(), readShared()]);
    expect(other).toEqual(one);
    return [one.ok, asked - before];
  };
  // One request is for each protocol and address at which the server is.
  expect(await askedAt(0)).toEqual([false, 1]);
  expect(await askedAt(4)).toEqual([false, 0]);
  isThere = true;
  expect(await askedAt(5)).toEqual([true, 1]);
  expect(await askedAt(64)).toEqual([true, 0]);
  expect(await askedAt(65)).toEqual([true, 1]);
});
