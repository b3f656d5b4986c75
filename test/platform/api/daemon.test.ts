import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApiDaemon } from '../../support/api-daemon.ts';
import { killUnderLoad } from '../../support/kill-loop.ts';
import { type OwnPostgres, startPostgres } from '../../support/postgres.ts';
import { createApiKey, printOf } from '../../support/run-command.ts';

let folder: string;
let postgres: OwnPostgres;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'platform-'));
  postgres = await startPostgres();
}, 60_000);
afterAll(async () => {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
});

const until = async (isSo: () => Promise<boolean>, withinMs = 60_000): Promise<void> => {
  const deadline = performance.now() + withinMs;
  while (!(await isSo())) {
    if (performance.now() > deadline) throw new Error('it did not come in time');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};
const text = async (url: string) => (await fetch(url)).text();
const createKey = (environment: Record<string, string>) => {
  const password = join(folder, 'password');
  writeFileSync(password, 'swordfish swordfish\n');
  return createApiKey(environment, 'write', '--password-file', password);
};

/** A certificate that is signed by itself, and its key. */
const makePair = (name: string, cert: string, key: string) => {
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  const words = ['req', '-x509', ...curve, '-days', '2', '-subj', `/CN=${name}`, '-keyout', key, '-out', cert];
  execFileSync('openssl', words, { stdio: 'pipe' });
};

it('three times SIGKILL under load lose no acknowledged write', async () => {
  const { acknowledged, lost, damage } = await killUnderLoad(3);
  expect(acknowledged).toBeGreaterThan(100);
  expect({ lost, damage }).toEqual({ lost: [], damage: [] });
}, 120_000);

it('without PostgreSQL the monitor runs and the API answers 1106, until it is back', async () => {
  const environment = { SUBNETD_DATABASE_URL: await postgres.createDatabase() };
  const key = await createKey(environment);
  await postgres.halt();
  const daemon = await startApiDaemon(environment);
  const code = async () =>
    (JSON.parse(await text(`${daemon.url}/api/Sector/ListAll/0?apiKey=${key}`)) as { appErrorCode?: number })
      .appErrorCode;
  try {
    for (let i = 0; i < 5; i += 1) expect(await code()).toBe(1106);
    // What stays so is said once, not for each request.
    expect(daemon.output().match(/"level":"error"/g)).toHaveLength(1);
    expect(await text(`${daemon.url}/livez`)).toBe('ok\n');
    expect(await text(`${daemon.url}/metrics`)).toMatch(/^subnetd_database_up 0$/m);
    await postgres.resume();
    await until(async () => (await code()) === undefined);
    expect(await text(`${daemon.url}/metrics`)).toMatch(/^subnetd_database_up 1$/m);
    await postgres.halt();
    await until(async () => /^subnetd_database_up 0$/m.test(await text(`${daemon.url}/metrics`)));
    expect(await code()).toBe(1106);
    await postgres.resume();
    await until(async () => (await code()) === undefined);
  } finally {
    expect(await daemon.end()).toBe(0);
  }
}, 90_000);

it('two replicas that start at once on an empty PostgreSQL migrate once and share keys, tokens and limits', async () => {
  const environment = {
    SUBNETD_DATABASE_URL: await postgres.createDatabase(),
    SUBNETD_RATE_LIMIT: '1',
    SUBNETD_RATE_BURST: '4',
  };
  const [one, two] = await Promise.all([startApiDaemon(environment), startApiDaemon(environment)]);
  try {
    await until(async () => (await text(`${two.url}/metrics`)).includes('subnetd_database_up 1'));
    const key = await createKey(environment);
    const made = await fetch(`${one.url}/api/Auth/Token?apiKey=${key}`, { method: 'POST' });
    const { data } = (await made.json()) as { data: { token: string } };
    const codes = [];
    for (const { url } of [two, one, two, one, two]) {
      const answer = await text(`${url}/api/Sector/ListAll/0?token=${data.token}`);
      codes.push((JSON.parse(answer) as { appErrorCode?: number }).appErrorCode);
    }
    expect(codes[0]).toBeUndefined();
    expect(codes.at(-1)).toBe(1102);
  } finally {
    await Promise.all([one.end(), two.end()]);
  }
}, 60_000);

it('prints no password, key or token of a request', async () => {
  const secret = 'a secret that signs every token of this';
  const environment = {
    SUBNETD_DATABASE_URL: `sqlite:${join(folder, 'secrets.db')}`,
    SUBNETD_JWT_SECRET: secret,
    SUBNETD_LOG_LEVEL: 'trace',
  };
  const key = await createKey(environment);
  const daemon = await startApiDaemon(environment);
  const post = async (path: string, body: string) => {
    const headers = { 'content-type': 'application/json' };
    return text(`${daemon.url}${path}`).then(() =>
      fetch(`${daemon.url}${path}`, { method: 'POST', headers, body }).then((response) => response.text()),
    );
  };
  const signIn = JSON.stringify({ UserName: 'root', Password: 'swordfish swordfish' });
  const { data } = JSON.parse(await post('/api/Auth/Token', signIn)) as { data: { token: string } };
  const user = {
    FirstName: 'A',
    LastName: 'B',
    UserName: 'root',
    Password: 'hunter22 hunter22',
    EmailID: 'x',
    IsActive: 1,
  };
  const seen = [
    await post('/api/AdminUser/Add', JSON.stringify({ ...user, apiKey: key, token: data.token })),
    await post(`/api/AdminUser/Add?apiKey=${key}`, `{"Password":"hunter22 hunter22"`),
    await post(`/api/AdminUser/Add?token=${data.token}x`, signIn),
    await post(`/api/AdminUser/Add?apiKey=${key}x`, signIn),
    await text(`${daemon.url}/metrics`),
    await text(`${daemon.url}/api/AdminUser/ListAll/0?apiKey=${key}`),
  ];
  await daemon.end();
  const all =
    seen.join('') +
    daemon.output() +
    (await printOf(['audit', '--json'], environment)) +
    (await printOf(['apikey', 'list'], environment));
  for (const hidden of [secret, key, data.token, 'swordfish', 'hunter22', '$argon2id'])
    expect(all).not.toContain(hidden);
}, 90_000);

it('serves by TLS and asks for a user and a password where the web config says so', async () => {
  const [cert, certKey, web] = ['c.pem', 'k.pem', 'web.yaml'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const makeCertificate = (name: string) => makePair(name, cert, certKey);
  makeCertificate('first');
  const { hash } = await import('bcrypt');
  const bcrypt = (await hash('scrape me', 5)).replace('$2b$', '$2y$');
  writeFileSync(
    web,
    `tls_server_config: { cert_file: c.pem, key_file: k.pem }\nbasic_auth_users: { prometheus: ${bcrypt} }\n`,
  );
  const daemon = await startApiDaemon({
    SUBNETD_WEB_CONFIG: web,
    SUBNETD_DATABASE_URL: `sqlite:${join(folder, 'web.db')}`,
  });
  const curl = (path: string, ...flags: string[]) =>
    execFileSync('curl', ['-sk', '-o', '/dev/null', '-w', '%{http_code}', ...flags, `${daemon.url}${path}`], {
      encoding: 'utf8',
    });
  const subject = () =>
    execFileSync(
      'sh',
      ['-c', `echo | openssl s_client -connect ${new URL(daemon.url).host} 2>/dev/null | openssl x509 -noout -subject`],
      { encoding: 'utf8' },
    );
  try {
    expect(daemon.url).toMatch(/^https:/);
    expect(curl('/metrics')).toBe('401');
    expect(curl('/metrics', '-u', 'prometheus:wrong')).toBe('401');
    expect(curl('/metrics', '-u', 'nobody:scrape me')).toBe('401');
    expect(curl('/metrics', '-u', 'prometheus:scrape me')).toBe('200');
    for (const path of ['/api/../metrics', '/api/%2e%2e/metrics', '/api/x/../../status.json', '/api/..', '//metrics'])
      expect(curl(path, '--path-as-is'), path).toBe('401');
    for (const target of [
      'http://x/metrics',
      '/%6detrics',
      '/metrics/',
      '/metrics;a',
      '/livez/%2e%2e/metrics',
      '/api%2f..%2fmetrics',
    ])
      expect(curl('/', '--request-target', target), target).toBe('401');
    expect(curl('/', '--request-target', 'http://x/livez')).toBe('200');
    expect(curl('/metrics', '--head')).toBe('401');
    expect(curl('/metrics', '-X', 'OPTIONS')).toBe('401');
    expect(curl('/livez')).toBe('200');
    const head = execFileSync('curl', ['-sk', '-D', '-', '-o', '/dev/null', `${daemon.url}/livez`], {
      encoding: 'utf8',
    });
    expect(head).toMatch(/^strict-transport-security: max-age=15552000\r$/im);
    expect(subject()).toContain('first');
    makeCertificate('second');
    await until(async () => subject().includes('second'));
  } finally {
    await daemon.end();
  }
}, 90_000);

it('a server that requires client certificates answers only clients whose certificate its CA signed', async () => {
  const at = (name: string) => join(folder, name);
  for (const name of ['server', 'client', 'unknown']) makePair(name, at(`${name}.pem`), at(`${name}.key`));
  writeFileSync(
    at('mutual.yml'),
    `tls_server_config:
  cert_file: server.pem
  key_file: server.key
  client_auth_type: RequireAndVerifyClientCert
  client_ca_file: client.pem
`,
  );
  const daemon = await startApiDaemon({
    SUBNETD_WEB_CONFIG: at('mutual.yml'),
    SUBNETD_DATABASE_URL: `sqlite:${at('mutual.db')}`,
  });
  const curl = (...flags: string[]) => {
    const { stdout, status } = spawnSync(
      'curl',
      ['-sk', '-o', '/dev/null', '-w', '%{http_code}', ...flags, `${daemon.url}/livez`],
      { encoding: 'utf8' },
    );
    return { answer: stdout, isRefused: status !== 0 };
  };
  const as = (name: string) => curl('--cert', at(`${name}.pem`), '--key', at(`${name}.key`));
  try {
    expect(as('client')).toEqual({ answer: '200', isRefused: false });
    expect(as('unknown')).toEqual({ answer: '000', isRefused: true });
    expect(curl()).toEqual({ answer: '000', isRefused: true });
  } finally {
    await daemon.end();
  }
}, 90_000);
