import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { startApp } from '../src/app.ts';
import { createRepositories } from '../src/db/create-repositories.ts';
import { openDatabase } from '../src/db/open-database.ts';
import { listen } from '../src/http/listen.ts';
import { createProcessClock } from '../src/model/clock.ts';
import { hashApiKey, makeApiKey } from '../src/platform/api-key.ts';
import { createAdmin, onCommandLine } from '../src/platform/create-admin.ts';
import { parsePlatformSettings } from '../src/settings.ts';
import { temporaryFolder } from './support/cli.ts';

const inventory = (name: string) => `subnets: [{ name: ${name}, nodes: [{ name: n, rpc: 'http://127.0.0.1:1' }] }]\n`;

/** The program with this inventory, on a database in a folder of its own. */
async function start(text: string) {
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
    listener,
    platform: platform ?? expect.fail('bad settings'),
    instance: 'i',
    history: { incidents: 1, changes: 30, days: 365 },
    clock: createProcessClock(),
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
