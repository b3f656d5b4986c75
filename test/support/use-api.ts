import { afterAll, beforeAll } from 'vitest';
import { type Api, startApi } from './api.ts';
import { type DATABASE_KINDS, type Databases, startDatabases } from './databases.ts';

/** Makes empty databases of one kind in the hooks and tests of a file or a block. */
export function useDatabases(kind: (typeof DATABASE_KINDS)[number]): Pick<Databases, 'create'> {
  let databases: Databases | undefined;
  beforeAll(async () => {
    databases = await startDatabases(kind);
  }, 60_000);
  afterAll(() => databases?.stop(), 60_000);
  return {
    create: async () => {
      if (databases === undefined) throw new Error('there are no databases before the hooks have run');
      return databases.create();
    },
  };
}

/** An API on an empty database for the hooks and tests of a file or a block; its members are there once the hooks have run. */
export function useApi(
  databases: Pick<Databases, 'create'>,
  settings?: Parameters<typeof startApi>[1],
  waits?: Parameters<typeof startApi>[2],
  more?: Parameters<typeof startApi>[3],
): Api {
  const api: Partial<Api> = {};
  beforeAll(async () => {
    Object.assign(api, await startApi(await databases.create(), settings, waits, more));
  }, 60_000);
  afterAll(() => api.stop?.());
  return api as Api;
}
