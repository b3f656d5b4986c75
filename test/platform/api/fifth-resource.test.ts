import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { hashApiKey, makeApiKey } from '../../../src/platform/api/api-key.ts';
import { createAdmin, onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { createApiHandler } from '../../../src/platform/api/create-api-handler.ts';
import { createOpenApi } from '../../../src/platform/api/create-open-api.ts';
import { createServices } from '../../../src/platform/api/create-services.ts';
import type { Resource } from '../../../src/platform/model/resource.ts';
import { createRepositories } from '../../../src/store/create-repositories.ts';
import { describeFailedCall } from '../../../src/store/describe-outage.ts';
import { migrate } from '../../../src/store/migrate.ts';
import { migrations } from '../../../src/store/migrations.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { platformSettings } from '../../support/api.ts';

const currency: Resource = {
  name: 'Currency',
  noun: 'currency',
  plural: 'currencies',
  table: 'currency',
  idMember: 'CurrencyID',
  operations: { list: 'listCurrencies', add: 'addCurrency', update: 'updateCurrency' },
  members: [
    { kind: 'text', name: 'Code', column: 'code', maxLength: 3, key: { column: 'code_key' }, example: 'CHF' },
    { kind: 'boolean', name: 'IsDeleted', column: 'is_deleted', example: false },
  ],
  naturalKey: ['Code'],
  flag: { member: 'IsDeleted', outOfUse: true },
  codes: { missing: 1004, duplicate: 1012 },
};

const migration = {
  name: '9999-currency',
  sql: () => `create table currency (id integer primary key autoincrement, code text not null,
    code_key text not null unique, is_deleted smallint not null,
    create_by integer, create_date text, create_ip text, update_by integer, update_date text, update_ip text)`,
};

it('a fifth list is a declaration and a migration', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'fifth-'));
  const address = { kind: 'sqlite', path: join(folder, 'x.db') } as const;
  const connection = await openDatabase(address);
  try {
    await migrate(connection, [...migrations, migration]);
    const { platform: store } = await createRepositories(connection);
    const root = { FirstName: 'R', LastName: 'T', UserName: 'r', Password: 'long enough', EmailID: 'r@example.com' };
    await createAdmin(store, root, Date.now());
    const key = makeApiKey();
    await store.addKey({ name: 'k', scopes: ['write'], owner: 1, hash: hashApiKey(key) }, onCommandLine(Date.now()));
    const { limits, trustedProxies } = platformSettings(address);
    const services = createServices({
      resources: [currency],
      store: async () => store,
      sharedLimits: async () => undefined,
      limits,
      trustedProxies,
      now: Date.now,
      onSecurity: () => {},
      onError: (_what, error) => expect(error).toBeUndefined(),
    });
    const handler = createApiHandler(services);
    const send = async (method: string, path: string, body?: object) => {
      const headers = { 'content-type': 'application/json' };
      const init = { method, headers, ...(body && { body: JSON.stringify({ ...body, apiKey: key }) }) };
      const request = new Request(`http://x/api/Currency/${path}?apiKey=${key}`, init);
      return (await handler.answer({ request, remoteAddress: '192.0.2.1' })).json();
    };
    const franc = { Code: 'CHF', IsDeleted: false, CreateBy: 1 };
    expect(await send('POST', 'Add', franc)).toMatchObject({ data: { result: 'success', CurrencyID: 1 } });
    expect(await send('POST', 'Add', franc)).toMatchObject({ appErrorCode: 1012 });
    expect(await send('POST', 'Add', { ...franc, Code: 'FOUR' })).toMatchObject({ appErrorCode: 1005 });
    expect(await send('GET', 'ListAll/0')).toMatchObject({
      data: { items: [{ CurrencyID: 1, CreateIP: '192.0.2.1' }] },
    });
    expect(createOpenApi([currency])).toHaveProperty(['paths', '/Currency/Add', 'post', 'operationId'], 'addCurrency');
  } finally {
    await connection.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

it('a database of a newer version is refused, and nothing is changed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'newer-'));
  const address = { kind: 'sqlite', path: join(folder, 'x.db') } as const;
  try {
    const connection = await openDatabase(address);
    await migrate(connection, [...migrations, migration]);
    await connection.close();
    const error = await openDatabase(address).catch((one: unknown) => one);
    expect(describeFailedCall('x.db', error)).toBe(
      'the database x.db failed: the database was made by a newer subnetd (9999-currency); install that version again, or run subnetd restore with a backup from before the upgrade',
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
