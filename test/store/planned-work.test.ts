import { describe, expect, it } from 'vitest';
import type { StoredWork } from '../../src/model/planned-work.ts';
import { createStores } from '../../src/store/create-stores.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { useDatabases } from '../support/use-api.ts';

const AT = Date.parse('2026-12-01T22:00:00.123Z');

const work = (id: string, minutes: number, over: Partial<StoredWork> = {}): StoredWork => ({
  ...{ id, subnet: 'devnet', reason: 'it’s time', by: 'ann', silences: [] },
  ...{ from: AT, until: AT + minutes * 60_000 },
  ...over,
});

describe.each(DATABASE_KINDS)('announced work in %s', (kind) => {
  const databases = useDatabases(kind);
  const open = async () => {
    const connection = await openDatabase(await databases.create());
    return { store: createStores(connection).plannedWork, close: connection.close, connection };
  };

  it('is listed until it ends, the first that ends first', async () => {
    const { store, close } = await open();
    const long = work('l', 60, { component: 'node', name: 'n1', silences: ['a', 'b'] });
    await store.add(long);
    await store.add(work('s', 10));
    expect(await store.list(AT)).toEqual([work('s', 10), long]);
    expect(await store.list(AT + 10 * 60_000)).toEqual([long]);
    expect(await store.list(AT + 60 * 60_000)).toEqual([]);
    await close();
  });

  it('ends by its id, or by that of one of its silences', async () => {
    const { store, close } = await open();
    const silenced = work('a', 60, { silences: ['a', 'b'] });
    await store.add(silenced);
    await store.add(work('c', 60));
    expect(await store.end('b', AT)).toEqual(silenced);
    expect(await store.end('a', AT)).toBeUndefined();
    expect(await store.end('c', AT)).toEqual(work('c', 60));
    expect(await store.list(0)).toEqual([]);
    await close();
  });

  it('stays when it was over before somebody ends it', async () => {
    const { store, close } = await open();
    await store.add(work('s', 10));
    expect(await store.end('s', AT + 10 * 60_000)).toEqual(work('s', 10));
    expect(await store.list(AT)).toEqual([work('s', 10)]);
    expect(await store.end('s', AT + 10 * 60_000 - 1)).toEqual(work('s', 10));
    expect(await store.list(AT)).toEqual([]);
    await close();
  });

  it('is left out when a time of it is none', async () => {
    const { store, close, connection } = await open();
    await store.add(work('good', 60));
    await connection.exclusively(({ run }) =>
      run(`insert into planned_work (id, subnet, from_at, until_at, reason, announced_by, silences)
        values ('bad', 'devnet', '2026', 'until it works', 'x', 'y', ''), ('worse', 'devnet', '', '3000', 'x', 'y', '')`),
    );
    expect(await store.list(AT)).toEqual([work('good', 60)]);
    expect(await store.end('bad', AT)).toMatchObject({ id: 'bad' });
    await close();
  });

  it('is deleted some time after its end', async () => {
    const { store, close } = await open();
    await store.add(work('s', 10));
    await store.add(work('l', 60));
    await store.trim(AT + 10 * 60_000);
    expect((await store.list(0)).map(({ id }) => id)).toEqual(['l']);
    await close();
  });
});
