import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { hash } from 'bcrypt';
import { describe, expect, it } from 'vitest';
import { runCli, startDaemon } from '../support/cli.ts';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();
const INVENTORY = 'subnets: [{ name: s, nodes: [{ name: n, rpc: http://127.0.0.1:1 }] }]\n';

const makePair = (name: string) =>
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
      ...['-subj', '/CN=nobody.example', '-keyout', pathOf(`${name}.key`), '-out', pathOf(`${name}.crt`)],
    ],
    { stdio: 'pipe' },
  );

/** Starts a daemon, and gives what `subnetd health` says with the same settings. */
async function startAndAsk(environment: Readonly<Record<string, string>> = {}) {
  writeFileSync(pathOf('subnetd.yaml'), INVENTORY);
  const daemon = await startDaemon(pathOf('subnetd.yaml'), environment);
  cleanups.push(async () => {
    daemon.child.kill('SIGTERM');
    await daemon.finished;
  });
  const { host } = new URL(daemon.url);
  return { host, url: daemon.url, asked: await runCommand(['health'], { SUBNETD_LISTEN: host, ...environment }) };
}

async function serve(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => new Promise((resolve) => server.close(resolve)));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}
const ask = (handler: RequestListener) =>
  serve(createServer(handler)).then((at) => runCommand(['health', '--listen', at]).then((asked) => ({ at, ...asked })));

describe('subnetd health', () => {
  it('says that the daemon of this machine lives', async () => {
    const { url, asked } = await startAndAsk();
    expect(asked).toEqual({ code: 0, stdout: `subnetd at ${url} lives\n`, stderr: '' });
  });

  it('asks over TLS and past basic auth when the web config says so', async () => {
    makePair('server');
    writeFileSync(
      pathOf('web.yml'),
      `tls_server_config: { cert_file: server.crt, key_file: server.key }
basic_auth_users: { prometheus: '${await hash('scrape me', 4)}' }
`,
    );
    const { url, host, asked } = await startAndAsk({ SUBNETD_WEB_CONFIG: pathOf('web.yml') });
    expect(asked).toEqual({ code: 0, stdout: `subnetd at ${url} lives\n`, stderr: '' });
    expect(url).toMatch(/^https:/);
    // Without the settings of the daemon it says what to do.
    expect(await runCommand(['health', '--listen', host])).toEqual({
      code: 1,
      stdout: '',
      stderr: `subnetd health: http://${host}/livez closed the connection; if subnetd serves TLS, set SUBNETD_WEB_CONFIG as for it\n`,
    });
  });

  it.each([
    ['accepts the certificate of the server', 'server', ''],
    ['accepts no certificate that subnetd has', 'client', ', as far as its TLS shows: it wants a client certificate'],
  ])('takes a TLS handshake for life where client certificates are needed and the CA %s', async (_, ca, note) => {
    makePair('server');
    makePair('client');
    writeFileSync(
      pathOf('web.yml'),
      `tls_server_config:
  cert_file: server.crt
  key_file: server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: ${ca}.crt
`,
    );
    const { url, asked } = await startAndAsk({ SUBNETD_WEB_CONFIG: pathOf('web.yml') });
    expect(asked).toEqual({ code: 0, stdout: `subnetd at ${url} lives${note}\n`, stderr: '' });
  });

  it('asks this machine where the daemon listens on all addresses', async () => {
    const at = await serve(createServer((_, response) => response.end('ok\n')));
    const everywhere = at.replace('127.0.0.1', '0.0.0.0');
    expect(await runCommand(['health'], { SUBNETD_LISTEN: everywhere })).toMatchObject({
      code: 0,
      stdout: `subnetd at http://${at} lives\n`,
    });
  });

  it('fails with the reason of a daemon that is not well', async () => {
    const { at, ...asked } = await ask((_, response) =>
      response.writeHead(503).end('the scheduler is stuck; restart\n'),
    );
    expect(asked).toEqual({
      code: 1,
      stdout: '',
      stderr: `subnetd health: http://${at}/livez answers 503: the scheduler is stuck; restart\n`,
    });
  });

  it('fails when another program answers there', async () => {
    const { at, ...asked } = await ask((_, response) => response.end('<h1>\u001b[31mWelcome to another server</h1>'));
    expect(asked).toMatchObject({
      code: 1,
      stderr: `subnetd health: http://${at}/livez is served by another program; check SUBNETD_LISTEN\n`,
    });
  });

  it('fails when nothing listens', async () => {
    const server = createTcpServer();
    const at = await serve(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await runCommand(['health'], { SUBNETD_LISTEN: at })).toEqual({
      code: 1,
      stdout: '',
      stderr: `subnetd health: nothing listens at ${at} (ECONNREFUSED); start subnetd, or set SUBNETD_LISTEN as for it\n`,
    });
  });

  it('fails within five seconds when nothing is answered', async () => {
    const at = await serve(
      createTcpServer((socket) => {
        cleanups.push(() => socket.destroy());
      }),
    );
    const { code, stderr } = await runCli(['health', '--listen', at]);
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: `subnetd health: http://${at}/livez did not answer within 4s; restart subnetd if it stays so\n`,
    });
  }, 10_000);

  it.each([
    ['an address that is none', { SUBNETD_LISTEN: 'here' }, /^subnetd health: SUBNETD_LISTEN must be HOST:PORT/],
    ['a port that only the daemon knows', { SUBNETD_LISTEN: '127.0.0.1:0' }, /port 0 .*--listen HOST:PORT/],
    ['a web config that is not there', { SUBNETD_WEB_CONFIG: '/nowhere' }, /SUBNETD_WEB_CONFIG: \/nowhere: ENOENT/],
  ])('fails for %s, with 1, as Docker knows no other failure', async (_, environment, sentence) => {
    const { code, stderr } = await runCommand(['health'], environment);
    expect(code).toBe(1);
    expect(stderr).toMatch(sentence);
  });

  it('does not depend on settings that it does not need', async () => {
    const at = await serve(createServer((_, response) => response.end('ok\n')));
    const others = { SUBNETD_LISTEN: at, SUBNETD_JWT_SECRET_FILE: '/nowhere', SUBNETD_LOG_LEVEL: 'loud' };
    expect(await runCommand(['health'], others)).toMatchObject({ code: 0 });
  });

  it('loads no library but that of the command line', async () => {
    const list = pathOf('modules');
    const hook = pathOf('hook.mjs');
    writeFileSync(
      hook,
      `import { registerHooks } from 'node:module';
import { appendFileSync } from 'node:fs';
registerHooks({ load: (url, context, next) => (appendFileSync(${JSON.stringify(list)}, url + '\\n'), next(url, context)) });
`,
    );
    const at = await serve(createServer((_, response) => response.end('ok\n')));
    await runCli(['health', '--listen', at], { NODE_OPTIONS: `--import ${hook}` });
    expect(existsSync(list)).toBe(true);
    const packages = readFileSync(list, 'utf8').matchAll(/\/node_modules\/((?:@[^/\n]+\/)?[^/\n]+)/g);
    expect([...new Set([...packages].map(([, name]) => name))]).toEqual(['commander']);
  });
});
