import { beforeAll, describe, expect, it } from 'vitest';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { industry, projectType, sector } from '../../../src/platform/api/resources.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const DAY = 24 * 60 * 60_000;
const START = Date.UTC(2026, 0, 1);

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const api = useApi(databases);
  const list = async (path: string) => (await api.send('GET', `/api/${path}`)).data;
  const names = async (query: string) =>
    (await list(`Industry/ListAll/0?${query}`)).items.map((one) => one.IndustryName);

  beforeAll(async () => {
    const author = (day: number) => ({ ...onCommandLine(START + day * DAY), statedBy: 1 });
    const industries = ['shipping', 'Mining', 'École', 'Zinc', 'mints'];
    for (const [day, IndustryName] of industries.entries()) {
      const values = { IndustryName, ImagePath: `i/${day}.png`, IsDeleted: IndustryName === 'Zinc' };
      await api.store.add(industry, values, author(day));
    }
    for (const [SkillName, IndustryName] of [
      ['Freight', 1],
      ['Ore', 2],
      ['coal', 2],
    ] as const)
      await api.store.add(sector, { SkillName, ImagePath: 'x.png', IndustryName, IsDeleted: false }, author(0));
    const values = { ImagePath: 'new.png' };
    for (const [id, day] of [
      [2, 20],
      [4, 10],
    ] as const)
      await api.store.update({ resource: industry, id, values, author: author(day) });
  });

  it.each([
    ['search=min', ['Mining', 'mints']],
    ['IsDeleted=TRUE', ['Zinc']],
    ['IsDeleted=false&search=I', ['shipping', 'Mining', 'École', 'mints']],
    ['IndustryName=Mining', ['Mining']],
    ['IndustryName=mining', []],
    ['IndustryName=E%CC%81cole', ['École']],
    ['IndustryID=3', ['École']],
    ['CreateBy=1&ImagePath=i/0.png', ['shipping']],
    ['UpdateBy=7', []],
    ['since=2026-01-05', ['Mining', 'Zinc', 'mints']],
    ['since=2026-01-21T00:00:00Z', ['Mining']],
    ['CreateDate=2026-01-02', ['Mining']],
    ['sort=IndustryName', ['Mining', 'mints', 'shipping', 'Zinc', 'École']],
    ['sort=-IndustryName', ['École', 'Zinc', 'shipping', 'mints', 'Mining']],
    ['sort=UpdateDate', ['Zinc', 'Mining', 'shipping', 'École', 'mints']],
    ['sort=-UpdateDate', ['Mining', 'Zinc', 'mints', 'École', 'shipping']],
    ['sort=-IsDeleted&IsDeleted=true', ['Zinc']],
    ['Password=x&unknown=1', ['shipping', 'Mining', 'École', 'Zinc', 'mints']],
  ])('the list with %s has the records that it asks for, in its order', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  it.each(['sort=IndustryName', 'sort=-IndustryName', 'sort=UpdateDate', 'sort=-UpdateDate', 'sort=-IsDeleted', ''])(
    'pages of the list with %s have each record once, in the order of the whole',
    async (query) => {
      const whole = await names(query);
      expect(whole).toHaveLength(5);
      const paged: unknown[] = [];
      let after = 0;
      for (let page = 0; page < 3; page += 1) {
        const { items, next } = await list(`Industry/ListAll/0?limit=2&after=${after}&${query}`);
        paged.push(...items.map((one) => one.IndustryName));
        expect(next === undefined).toBe(page === 2);
        after = next ?? 0;
      }
      expect(paged).toEqual(whole);
    },
  );

  it('the total is that of all that match, and comes only if it is asked for', async () => {
    expect(await list('Industry/ListAll/0?total=true&limit=2')).toMatchObject({ next: 2, total: 5 });
    expect(await list('Industry/ListAll/0?total=True&search=min&limit=1&after=2')).toMatchObject({
      items: [{ IndustryName: 'mints' }],
      total: 2,
    });
    expect(await list('Industry/ListAll/0?total=false')).not.toHaveProperty('total');
    expect(await list('Industry/ListAll/0?search=min')).not.toHaveProperty('total');
  });

  it('a sector is found by its industry, and a user by an address in any case', async () => {
    const skills = async (query: string) => (await list(`Sector/ListAll/0?${query}`)).items.map((one) => one.SkillName);
    expect(await skills('IndustryName=Mining&sort=SkillName')).toEqual(['coal', 'Ore']);
    expect(await skills('IndustryID=2')).toEqual(['Ore', 'coal']);
    expect((await list('AdminUser/ListAll/0?EmailID=R@Example.com')).items).toHaveLength(1);
    expect((await list('AdminUser/ListAll/0?EmailID=x@example.com')).items).toHaveLength(0);
  });

  it('a long list that is filtered comes whole, with its total at the end', async () => {
    const addEach = async (first: number) => {
      for (let i = first; i < 1_021; i += 10)
        await api.store.add(projectType, { ContractName: `c ${i}`, IsDeleted: i % 2 === 1 }, onCommandLine(START));
    };
    await Promise.all(Array.from({ length: 10 }, (_, first) => addEach(first)));
    const { items, total } = await list('ProjectType/ListAll/0?IsDeleted=false&total=true');
    expect([items.length, total]).toEqual([511, 511]);
    expect((await list('ProjectType/ListAll/0?search=c')).items).toHaveLength(1_021);
    const sorted = await list('ProjectType/ListAll/0?sort=-ContractName');
    expect([sorted.items.length, sorted.items[0]?.ContractName]).toEqual([1_000, 'c 999']);
    const rest = await list(`ProjectType/ListAll/0?sort=-ContractName&after=${sorted.next}`);
    expect([rest.items.length, rest.next]).toEqual([21, undefined]);
  }, 90_000);

  it.each([
    [
      'sort=Password',
      1012,
      /^sort must be one of IndustryID, IndustryName, .*UpdateIP, with a - in front for descending/,
    ],
    ['sort=', 1002, /^sort is empty; give it a value$/],
    ['search=%20', 1002, /^search is empty; give it a value$/],
    [`search=${'x'.repeat(501)}`, 1005, /^search exceeds the maximum of 500 characters$/],
    ['search=a%00b', 1012, /^search contains an unsupported character/],
    ['since=2026-02-30', 1009, /^since must be a day such as/],
    ['CreateDate=soon', 1009, /^CreateDate must be a day such as/],
    ['total=1', 1003, /^total must be true or false$/],
    ['IsDeleted=1', 1003, /^IsDeleted must be true or false$/],
    ['IndustryID=a', 1003, /^IndustryID must be an integer$/],
    ['UpdateBy=0', 1011, /^UpdateBy must be from 1 to 2147483647$/],
  ] as const)('a list with %s is refused with %d', async (query, code, text) => {
    const { appErrorCode, errMessage } = await api.send('GET', `/api/Industry/ListAll/0?${query}`);
    expect(appErrorCode).toBe(code);
    expect(errMessage).toMatch(text);
  });

  it('one record is there whatever else is asked, if that makes sense', async () => {
    expect((await list('Industry/ListAll/1?search=nothing&IsDeleted=true')).items).toHaveLength(1);
    for (const path of ['Industry/ListAll/1?total=', 'Industry/ListAll/1?IsDeleted=x'])
      expect((await api.send('GET', `/api/${path}`)).appErrorCode, path).toBe(path.endsWith('x') ? 1003 : 1002);
  });
});
