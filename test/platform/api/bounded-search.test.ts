import { beforeAll, describe, expect, it } from 'vitest';
import type { DatabaseAddress } from '../../../src/store/database-url.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

/** More than a page of a search looks at. */
const RECORDS = 120_000;

async function addMany(address: DatabaseAddress): Promise<void> {
  const connection = await openDatabase(address);
  const lent = await connection.lend();
  // As `ListAll/0` orders them: only the last is found by its name.
  await lent.query(
    `insert into project_type (contract_name, contract_name_key, is_deleted, create_by, create_date, create_ip)
      with recursive number(n) as (select 1 union all select n + 1 from number where n < ${RECORDS})
      select case when n = ${RECORDS} then 'needle' else 'hay ' || n end, 'key ' || n, 0, 1, '2026-01-31T12:00:00.000Z',
        '127.0.0.1' from number`,
    [],
  );
  lent.release();
  await connection.close();
}

describe.each(DATABASE_KINDS)('a search through many records, on %s,', (kind) => {
  const databases = useDatabases(kind);
  let address: DatabaseAddress;
  const create = async () => {
    address = await databases.create();
    return address;
  };
  const api = useApi({ create });
  beforeAll(() => addMany(address), 60_000);

  const search = async (query: string) => (await api.send('GET', `/api/ProjectType/ListAll/0?${query}`)).data;

  it('answers a page without a match rather than look at all of them, and goes on after `next` to each match', async () => {
    const found: unknown[] = [];
    let pages = 0;
    for (let after: number | undefined = 0; after !== undefined && pages < 10; pages += 1) {
      const { items, next } = await search(`search=needle&limit=10&after=${after}`);
      found.push(...items.map(({ ProjectTypeID }) => ProjectTypeID));
      if (pages === 0) expect({ items, next }).toEqual({ items: [], next: 50_000 });
      after = next;
    }
    expect({ found, pages }).toEqual({ found: [RECORDS], pages: 3 });
  });

  it('has each match on exactly one page, also where a page ends for the number of its matches', async () => {
    const found: unknown[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { items, next } = await search(`search=y+1199&limit=100&after=${after}`);
      found.push(...items.map(({ ProjectTypeID }) => Number(ProjectTypeID)));
      after = next;
    }
    const numbers = Array.from({ length: RECORDS - 1 }, (_, index) => index + 1);
    expect(found).toEqual(numbers.filter((number) => `${number}`.startsWith('1199')));
  });

  it('is whole without a limit, in an order, and in its total', async () => {
    const { items, next, total } = await search('search=needle&total=true');
    expect({ items, next, total }).toMatchObject({ items: [{ ProjectTypeID: RECORDS }], next: undefined, total: 1 });
    const sorted = await search('search=needle&sort=-ContractName&limit=10');
    expect(sorted).toMatchObject({ items: [{ ProjectTypeID: RECORDS }] });
    expect(sorted).not.toHaveProperty('next');
  });
});
