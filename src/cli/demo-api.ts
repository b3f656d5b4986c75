import { hashApiKey, makeApiKey } from '../platform/api/api-key.ts';
import { createAdmin, onCommandLine } from '../platform/api/create-admin.ts';
import { makePassword } from '../platform/api/passwords.ts';
import { createRepositories } from '../store/create-repositories.ts';
import { openDatabase } from '../store/open-database.ts';
import type { DatabaseAddress } from '../store/parse-database-url.ts';

/** How people and programs use the platform API of the demo. */
export interface DemoAccess {
  readonly userName: string;
  readonly password: string;
  readonly apiKey: string;
}

/** Creates the demo's database with one admin user (id 1) and an API key that may write and reload. */
export async function prepareDemoApi(address: DatabaseAddress): Promise<DemoAccess> {
  const connection = await openDatabase(address);
  try {
    const { platform: store } = await createRepositories(connection);
    const person = { FirstName: 'Demo', LastName: 'Admin', UserName: 'demo', EmailID: 'demo@example.com' };
    const password = makePassword();
    const created = await createAdmin(store, { ...person, Password: password }, Date.now());
    if (!created.ok) throw new Error(created.failure.message);
    const key = makeApiKey();
    const hash = hashApiKey(key);
    const scopes = ['write', 'operate'] as const;
    await store.addKey({ name: 'demo', scopes, owner: created.value, hash }, onCommandLine(Date.now()));
    return { userName: person.UserName, password, apiKey: key };
  } finally {
    await connection.close();
  }
}
