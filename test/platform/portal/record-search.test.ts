import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAdmin, onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { adminUser, industry, sector } from '../../../src/platform/api/resources.ts';
import type { PlatformStore } from '../../../src/platform/model/platform-store.ts';
import type { RecordQuery } from '../../../src/platform/model/records.ts';
import { createRepositories } from '../../../src/store/create-repositories.ts';
import type { DatabaseConnection } from '../../../src/store/database-connection.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useDatabases } from '../../support/use-api.ts';

const DAY = 24 * 60 * 60_000;
const START = Date.UTC(2026, 0, 1);

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  let connection: DatabaseConnection;
  let store: PlatformStore;
  beforeAll(async () => {
    connection = await openDatabase(await databases.create());
    ({ platform: store } = await createRepositories(connection));
    const root = { FirstName: 'R', LastName: 'T', UserName: 'root', Password: 'hunter22', EmailID: 'r@example.com' };
    await createAdmin(store, root, START);
    const names = ['shipping', 'Mining', 'École', '50% off', 'under_score', 'Ärzte-Übung', 'a.b', 'Zinc'];
    for (const [day, IndustryName] of names.entries())
      await store.add(
        industry,
        { IndustryName, ImagePath: `i/${day}.png`, IsDeleted: IndustryName === 'Zinc' },
        { ...onCommandLine(START + day * DAY), statedBy: 1 },
      );
    for (const [SkillName, IndustryName] of [
      ['Freight', 1],
      ['Ore', 2],
      ['coal', 2],
    ] as const)
      await store.add(sector, { SkillName, ImagePath: 'x.png', IndustryName, IsDeleted: false }, onCommandLine(START));
  }, 60_000);
  afterAll(() => connection.close());

  const find = async (query: Partial<RecordQuery>) => {
    const { items, total } = await store.search(industry, { offset: 0, limit: 100, ...query });
    expect(total).toBe(items.length);
    return items.map(({ IndustryName }) => IndustryName);
  };

  it.each([
    ['MIN', ['Mining']],
    ['  mining ', ['Mining']],
    ['école', ['École']],
    ['ÉCOLE', ['École']],
    ['E\u0301cole', ['École']],
    ['ärzte-übung', ['Ärzte-Übung']],
    ['%', ['50% off']],
    ['_', ['under_score']],
    ['.', expect.arrayContaining(['a.b', 'Mining'])],
    ["' or 1=1 --", []],
    ['i/3.png', ['50% off']],
  ])('a search for %j finds the records with that part in a text, whatever its case', async (search, names) => {
    expect(await find({ search })).toEqual(names);
  });

  it('an order goes by the letters, not by their case, and then by id', async () => {
    const names = ['50% off', 'a.b', 'Mining', 'shipping', 'under_score', 'Zinc', 'Ärzte-Übung', 'École'];
    expect(await find({ sort: { member: 'IndustryName', isDescending: false } })).toEqual(names);
    expect(await find({ sort: { member: 'IndustryName', isDescending: true } })).toEqual(names.toReversed());
    expect((await find({ sort: { member: 'IsDeleted', isDescending: true } }))[0]).toBe('Zinc');
    expect((await find({ sort: { member: 'CreateDate', isDescending: true } }))[0]).toBe('Zinc');
    // Nothing was ever updated: by id.
    expect((await find({ sort: { member: 'UpdateDate', isDescending: false } }))[0]).toBe('shipping');
    expect((await find({ sort: { member: 'IndustryID', isDescending: true } }))[0]).toBe('Zinc');
    expect((await find({}))[0]).toBe('shipping');
  });

  it('records are filtered by members and by the time of their last change', async () => {
    expect(await find({ where: { IsDeleted: true } })).toEqual(['Zinc']);
    expect(await find({ where: { IsDeleted: false, IndustryName: 'Zinc' } })).toEqual([]);
    const since = new Date(START + 6 * DAY).toISOString();
    expect(await find({ since })).toEqual(['a.b', 'Zinc']);
    await store.update({
      resource: industry,
      id: 1,
      values: { ImagePath: 'new.png' },
      author: onCommandLine(START + 9 * DAY),
    });
    expect(await find({ since })).toEqual(['shipping', 'a.b', 'Zinc']);
  });

  it('a page is a part of the order, with the count of all', async () => {
    const sort = { member: 'IndustryName', isDescending: false };
    const { items, total } = await store.search(industry, { sort, offset: 2, limit: 2 });
    expect([items.map(({ IndustryName }) => IndustryName), total]).toEqual([['Mining', 'shipping'], 8]);
    expect(items[0]).toEqual(await store.find(industry, 2));
  });

  it('a reference is searched and sorted by its name', async () => {
    const names = async (query: Partial<RecordQuery>) =>
      (await store.search(sector, { offset: 0, limit: 9, ...query })).items.map(({ SkillName }) => SkillName);
    expect(await names({ search: 'mining' })).toEqual(['Ore', 'coal']);
    expect(await names({ sort: { member: 'IndustryName', isDescending: false } })).toEqual(['Ore', 'coal', 'Freight']);
    expect(await names({ where: { IndustryID: 2 }, sort: { member: 'SkillName', isDescending: false } })).toEqual([
      'coal',
      'Ore',
    ]);
  });

  it('no search looks into passwords', async () => {
    const found = async (search: string) => (await store.search(adminUser, { search, offset: 0, limit: 9 })).total;
    expect([await found('argon2'), await found('****'), await found('ROOT'), await found('example')]).toEqual([
      0, 0, 1, 1,
    ]);
  });

  it('the changes of a record are its own, the newest first', async () => {
    const changes = await store.searchAudit({
      resource: industry.name,
      recordId: 1,
      isSecurity: false,
      isDescending: true,
      limit: 10,
    });
    expect(changes.map(({ action, changes }) => [action, changes.ImagePath])).toEqual([
      ['update', { from: 'i/0.png', to: 'new.png' }],
      ['add', { from: null, to: 'i/0.png' }],
    ]);
    expect(
      await store.searchAudit({
        resource: industry.name,
        recordId: 1,
        isSecurity: false,
        isDescending: true,
        limit: 1,
      }),
    ).toHaveLength(1);
    expect(
      await store.searchAudit({ resource: sector.name, recordId: 1, isSecurity: false, isDescending: true, limit: 10 }),
    ).toHaveLength(1);
    expect(
      await store.searchAudit({
        resource: industry.name,
        recordId: 99,
        isSecurity: false,
        isDescending: true,
        limit: 10,
      }),
    ).toEqual([]);
  });
});
