import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { onCommandLine } from '../../src/platform/api/create-admin.ts';
import { adminUser } from '../../src/platform/api/resources.ts';
import type { PlatformStore } from '../../src/platform/model/platform-store.ts';
import { createRepositories } from '../../src/store/create-repositories.ts';
import type { DatabaseConnection } from '../../src/store/database-connection.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { addRoot } from '../support/api.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { useDatabases } from '../support/use-api.ts';

const author = onCommandLine(Date.UTC(2026, 0, 31));
const inADay = new Date(Date.UTC(2026, 1, 1)).toISOString();

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  let connection: DatabaseConnection;
  let store: PlatformStore;
  let made = 0;
  beforeAll(async () => {
    connection = await openDatabase(await databases.create());
    store = (await createRepositories(connection)).platform;
    await addRoot(store, 0);
  });
  afterAll(() => connection.close());

  const addUser = async (): Promise<number> => {
    made += 1;
    const names = { FirstName: 'A', LastName: 'L', UserName: `ada ${made}`, EmailID: `ada${made}@example.com` };
    const added = await store.add(adminUser, { ...names, Password: 'hash', IsActive: true }, author);
    if (!added.ok) throw new Error('the user was not added');
    return added.id;
  };
  const addKey = (owner: number) => {
    made += 1;
    return store.addKey({ name: 'ci', scopes: ['read'], owner, hash: `hash ${made}` }, author);
  };
  const deactivate = (id: number) => store.update({ resource: adminUser, id, values: { IsActive: false }, author });
  const liveKeysOf = async (id: number) =>
    (await store.listKeys()).filter(({ owner, revokedAt }) => owner === id && revokedAt === null);

  it('no key is made for a user who is missing or not active', async () => {
    const user = await addUser();
    await deactivate(user);
    expect([await addKey(user), await addKey(4711)]).toEqual([undefined, undefined]);
  });

  it('no key stays that is made or rotated at the moment at which its user is deactivated', async () => {
    for (let round = 0; round < 20; round += 1) {
      const user = await addUser();
      const old = (await addKey(user)) ?? 0;
      const rotation = { id: old, hash: `next ${round}`, hint: 'h', expiresAt: null, oldExpiresAt: inADay };
      await Promise.all([deactivate(user), addKey(user), store.rotateKey(rotation, author)]);
      expect(await liveKeysOf(user)).toEqual([]);
    }
  });
});
