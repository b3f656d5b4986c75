import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../../src/daemon/app.ts';
import { parsePlatformSettings } from '../../src/daemon/settings.ts';
import { type Clock, createProcessClock } from '../../src/lib/clock.ts';
import { hashApiKey, makeApiKey } from '../../src/platform/api/api-key.ts';
import { createAdmin, onCommandLine } from '../../src/platform/api/create-admin.ts';
import { createRepositories } from '../../src/store/create-repositories.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { listen } from '../../src/web/listen.ts';
import type { Status } from '../../src/web/to-status.ts';
import { temporaryFolder } from '../support/cli.ts';
import { words } from '../support/page-words.ts';

const inventory = (name: string) => `subnets: [{ name: ${name}, nodes: [{ name: n, rpc: 'http://127.0.0.1:1' }] }]\n`;

/** The program with this inventory, on a database in a folder of its own. */
async function start(text: string, clock: Clock = createProcessClock()) {
  const folder = temporaryFolder();
  onTestFinished(folder.remove);
  const configPath = folder.path('subnetd.yaml');
  await writeFile(configPath, text);
  const lines: string[] = [];
  const database = `sqlite:${folder.path('subnetd.db')}`;
  const platform = parsePlatformSettings((name) => (name === 'SUBNETD_DATABASE_URL' ? database : undefined), []);
  const listener = await listen('127.0.0.1', 0);
  const started = await startApp({
    configPath,
    environment: {},
    build: { version: '0', commit: 'c' },
    log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
    logMessages: new Map(),
    listener,
    platform: platform ?? expect.fail('bad settings'),
    instance: 'i',
    history: { incidents: 1, changes: 30, days: 365 },
    clock,
  });
  if (!started.ok) expect.fail(started.errors.join());
  return { app: started.app, configPath, lines, url: listener.url, databasePath: folder.path('subnetd.db') };
}

test('a reload that is still reading the inventory when subnetd stops loads nothing and breaks nothing', async () => {
  const { app, configPath, lines } = await start(inventory('before'));
  await writeFile(configPath, inventory('after'));
  const [errors] = await Promise.all([app.reload('test'), app.stop()]);
  expect(errors).toEqual(['subnetd is stopping, so the inventory was not loaded; it is read at the next start']);
  expect(app.status().subnets.map(({ name }) => name)).toEqual(['before']);
  expect(lines).toEqual([]);
});

test('balances are read from the parent chain of the inventory, and from the next one after a reload', async () => {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc":"2.0","id":1,"result":"0x2a"}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close().closeAllConnections());
  const { port } = server.address() as AddressInfo;
  const withChain = (rpc: string) => inventory('devnet').replace(' }]\n', `, parentChain: { rpc: '${rpc}' } }]\n`);
  const { app, configPath, url, databasePath } = await start(withChain('http://127.0.0.1:1'));
  try {
    const connection = await openDatabase({ kind: 'sqlite', path: databasePath });
    const { platform: store } = await createRepositories(connection);
    const admin = { FirstName: 'F', LastName: 'L', UserName: 'u', Password: 'a password', EmailID: 'u@example.com' };
    await createAdmin(store, admin, 0);
    const key = makeApiKey();
    const fresh = { name: 'k', scopes: ['read'], owner: 1, hash: hashApiKey(key), hint: key.slice(0, 12) } as const;
    await store.addKey(fresh, onCommandLine(0));
    await connection.close();
    const read = async () => (await fetch(`${url}/api/Wallet/0x${'0'.repeat(40)}?apiKey=${key}`)).json();
    expect(await read()).toMatchObject({
      errMessage: 'the parent chain of devnet cannot be reached; try again later',
    });
    await writeFile(configPath, withChain(`http://127.0.0.1:${port}`));
    expect(await app.reload('test')).toEqual([]);
    expect(await read()).toMatchObject({ data: { Subnet: 'devnet', Wei: '42' } });
  } finally {
    await app.stop();
  }
});

test('a subnet whose diagnosis breaks is known by the log, the metrics, the status page, and an alert', async () => {
  const received: { readonly labels: Readonly<Record<string, string>>; readonly annotations: object }[] = [];
  const alertmanager = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    received.push(...JSON.parse(Buffer.concat(chunks).toString()));
    response.end();
  });
  await new Promise<void>((resolve) => alertmanager.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void alertmanager.close().closeAllConnections());
  const { port } = alertmanager.address() as AddressInfo;

  const real = createProcessClock();
  let isBroken = false;
  let aheadMs = 0;
  const clock: Clock = {
    ...real,
    now: () => real.now() + aheadMs,
    disturbances: () => {
      if (isBroken) throw new RangeError('Invalid array length');
      return real.disturbances();
    },
  };
  const { app, lines, url } = await start(
    `${inventory('devnet')}alertmanager: { urls: ['http://127.0.0.1:${port}'] }\n`,
    clock,
  );
  const readMetrics = async () =>
    (await (await fetch(`${url}/metrics`)).text()).split('\n').filter((line) => /subnetd_internal/.test(line));
  const readStatus = async () =>
    ((await (await fetch(`${url}/status.json`)).json()) as Status).subnets[0] ?? expect.fail('a subnet');
  try {
    await expect.poll(async () => (await readStatus()).headline.sentence).toBe('devnet has not been reached yet');
    expect(await readStatus()).not.toHaveProperty('brokenDiagnosis');
    expect((await readMetrics()).filter((line) => !line.startsWith('#') && !line.endsWith('} 0'))).toEqual([]);
    const { sentence, since } = (await readStatus()).headline;

    isBroken = true;
    await expect.poll(readStatus).toHaveProperty('brokenDiagnosis');
    const { brokenDiagnosis, headline, problems } = await readStatus();
    const foundAt = brokenDiagnosis?.foundAt ?? expect.fail('it was found before');
    expect(Date.parse(foundAt)).toBeGreaterThanOrEqual(Date.parse(since ?? ''));
    const detail = `Its diagnosis crashes, which is a bug in subnetd: please report the error in its log. Last known state: ${sentence}.`;
    expect(headline).toEqual({ standing: 'off', sentence: 'devnet is in an unknown state', detail, since: foundAt });
    expect(problems).toMatchObject([{ problem: 'never_reached' }]);

    const bugs = lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
    expect(bugs[0]).toMatchObject({
      subnet: 'devnet',
      err: { type: 'RangeError', message: 'Invalid array length' },
      msg: 'the diagnosis of a subnet broke, and what was last found in it stays; please report this',
    });
    const shown = (await readMetrics()).filter((line) => !line.endsWith('} 0'));
    expect(shown).toEqual([
      '# HELP subnetd_internal_errors_total Errors that only a bug in subnetd explains, by the part that broke; the log has each.',
      '# TYPE subnetd_internal_errors_total counter',
      expect.stringMatching(/^subnetd_internal_errors_total\{part="diagnosis"\} [1-9]\d*$/),
    ]);
    const page = words(await (await fetch(`${url}/`)).text());
    const at = foundAt.slice(11, 16);
    expect(page).toContain(` devnet is in an unknown state Since ${at} , for `);
    expect(page).toContain(detail);
    expect(page).toContain(`Problems, height, votes and masternodes are as they were found at ${at} .`);
    expect((await fetch(`${url}/readyz`)).status).toBe(200);

    // The alert has to hold for a minute, which passes quickly here.
    await expect
      .poll(
        () => {
          aheadMs += 13_000;
          return received.map(({ labels }) => labels).filter(({ alertname }) => alertname === 'SubnetdInternalError');
        },
        { interval: 2_000 },
      )
      .not.toEqual([]);
    expect(received.find(({ labels }) => labels.alertname === 'SubnetdInternalError')?.labels).toEqual({
      ...{ alertname: 'SubnetdInternalError', instance: 'i', severity: 'warning' },
    });
  } finally {
    await app.stop();
  }
});
