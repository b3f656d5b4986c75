import { createRepositories } from '../db/create-repositories.ts';
import { openDatabase } from '../db/open-database.ts';
import type { DatabaseAddress } from '../db/parse-database-url.ts';
import { hashApiKey, makeApiKey } from '../platform/api-key.ts';
import { createAdmin, onCommandLine } from '../platform/create-admin.ts';
import { makePassword } from '../platform/passwords.ts';

/**
 * Creates the demo's database with one admin user (id 1) and an API key that may write and reload. Resolves to the
 * key.
 */
export async function prepareDemoApi(address: DatabaseAddress): Promise<string> {
  const connection = await openDatabase(address);
  try {
    const { platform: store } = await createRepositories(connection);
    const person = { FirstName: 'Demo', LastName: 'Admin', UserName: 'demo', EmailID: 'demo@example.com' };
    const created = await createAdmin(store, { ...person, Password: makePassword() }, Date.now());
    if (!created.ok) throw new Error(created.failure.message);
    const key = makeApiKey();
    const hash = hashApiKey(key);
    const scopes = ['write', 'operate'] as const;
    await store.addKey({ name: 'demo', scopes, owner: created.value, hash }, onCommandLine(Date.now()));
    return key;
  } finally {
    await connection.close();
  }
}
