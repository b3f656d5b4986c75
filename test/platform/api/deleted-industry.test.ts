import { beforeAll, describe, expect, it } from 'vitest';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { industry, sector } from '../../../src/platform/api/resources.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const INDUSTRIES = { Ships: false, Rails: false, Mines: true, Mills: true };
type Industry = keyof typeof INDUSTRIES;

/** What an update does to `IsDeleted`, from and to. */
const CHANGES = {
  stays: [false, false],
  'is deleted': [false, true],
  'is restored': [true, false],
  'stays deleted': [true, true],
} as const;

/** From where to where, how its update finds the sector, and which changes of `IsDeleted` go through. */
const UPDATES: readonly (readonly [Industry, Industry, 'id' | 'name', readonly (keyof typeof CHANGES)[]])[] = [
  ['Ships', 'Ships', 'id', ['stays', 'is deleted', 'is restored', 'stays deleted']],
  ['Ships', 'Ships', 'name', ['stays', 'is deleted', 'is restored', 'stays deleted']],
  ['Mines', 'Mines', 'id', ['stays', 'is deleted', 'stays deleted']],
  ['Mines', 'Mines', 'name', ['stays', 'is deleted', 'stays deleted']],
  ['Ships', 'Rails', 'id', ['stays', 'is deleted', 'is restored', 'stays deleted']],
  ['Mines', 'Rails', 'id', ['stays', 'is deleted', 'is restored', 'stays deleted']],
  ['Ships', 'Mines', 'id', []],
  ['Mines', 'Mills', 'id', []],
];

const cases = UPDATES.flatMap(([from, to, by, passing]) =>
  (Object.keys(CHANGES) as (keyof typeof CHANGES)[]).map(
    (change) => [from, to, by, change, passing.includes(change)] as const,
  ),
);

const REFUSAL = 'IndustryName: that industry is deleted; choose another, or restore it first';

describe.each(DATABASE_KINDS)('the sectors of a deleted industry on %s', (kind) => {
  const api = useApi(useDatabases(kind));
  const names = Object.keys(INDUSTRIES) as Industry[];
  let made = 0;

  beforeAll(async () => {
    for (const [IndustryName, IsDeleted] of Object.entries(INDUSTRIES))
      await api.store.add(industry, { IndustryName, ImagePath: 'a.png', IsDeleted }, onCommandLine(Date.now()));
  });

  const addSector = async (of: Industry, IsDeleted: boolean) => {
    made += 1;
    const SkillName = `skill ${made}`;
    const values = { SkillName, ImagePath: 'a.png', IndustryName: names.indexOf(of) + 1, IsDeleted };
    const added = await api.store.add(sector, values, onCommandLine(Date.now()));
    return { SkillName, SectorID: added.ok ? added.id : 0 };
  };
  const read = async (id: number) => (await api.send('GET', `/api/Sector/ListAll/${id}`)).data.items[0];

  it.each(cases)('from %s to %s, found by its %s, a sector that %s: %s', async (from, to, by, change, passes) => {
    const [before, after] = CHANGES[change];
    const { SkillName, SectorID } = await addSector(from, before);
    const body = { SkillName, ImagePath: 'b.png', IndustryName: to, IsDeleted: String(after), UpdateBy: 1 };
    const sent = await api.send('PUT', '/api/Sector/Update/1', { ...body, ...(by === 'id' && { SectorID }) });
    if (passes) expect(sent.data).toEqual({ result: 'success', SectorID });
    else expect([sent.appErrorCode, sent.errMessage]).toEqual([1012, REFUSAL]);
    expect(await read(SectorID)).toMatchObject(
      passes
        ? { ImagePath: 'b.png', IndustryName: to, IsDeleted: after }
        : { ImagePath: 'a.png', IndustryName: from, IsDeleted: before },
    );
  });

  it.each([false, true])('no sector is added to one, with IsDeleted %s', async (IsDeleted) => {
    const body = { SkillName: 'new', ImagePath: 'a.png', IndustryName: 'Mines', IsDeleted, CreateBy: 1 };
    const { appErrorCode, errMessage } = await api.send('POST', '/api/Sector/Add', body);
    expect([appErrorCode, errMessage]).toEqual([1012, REFUSAL]);
  });

  it('a wrong member behind the industry gets its own code if the sector stays, and 1012 if it moves', async () => {
    const { SkillName, SectorID } = await addSector('Mines', true);
    const code = async (IndustryName: Industry, IsDeleted: unknown) => {
      const body = { SectorID, SkillName, ImagePath: 'b.png', IndustryName, IsDeleted, UpdateBy: 1 };
      return (await api.send('PUT', '/api/Sector/Update/1', body)).appErrorCode;
    };
    expect([await code('Mines', undefined), await code('Mines', 7), await code('Mills', 7)]).toEqual([
      1001, 1003, 1012,
    ]);
  });

  it('a sector that its name does not find is not a sector that stays', async () => {
    const body = { SkillName: 'none', ImagePath: 'b.png', IndustryName: 'Mines', IsDeleted: false, UpdateBy: 1 };
    expect((await api.send('PUT', '/api/Sector/Update/1', body)).appErrorCode).toBe(1012);
  });
});
