import Database from 'better-sqlite3';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { listRecords } from '../../../src/platform/api/list-records.ts';
import type { RequestContext } from '../../../src/platform/api/request-context.ts';
import { projectType } from '../../../src/platform/api/resources.ts';
import type { DatabaseAddress } from '../../../src/store/database-url.ts';
import { type Api, startApi } from '../../support/api.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useDatabases } from '../../support/use-api.ts';

const AUTHOR = { statedBy: 1, owner: 1, credential: 'key 1', at: '2026-01-31T00:00:00.000Z', ip: '127.0.0.1' };
const LISTS = ['AdminUser', 'ProjectType', 'Sector', 'Industry'];

/** Runs SQL as somebody does who knows nothing of subnetd. */
async function runSql(address: DatabaseAddress, text: string): Promise<void> {
  if (address.kind === 'sqlite') {
    const database = new Database(address.path, { timeout: 5_000 });
    database.exec(text);
    database.close();
    return;
  }
  const client = new pg.Client({ connectionString: address.url });
  await client.connect();
  await client.query(text);
  await client.end();
}

/** Two connections whose changes of a list do not wait for each other: they write different rows of its version. */
async function connectTwo(connectionString: string): Promise<readonly [pg.Client, pg.Client]> {
  const connect = async () => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    const { rows } = await client.query<{ shard: number }>('select pg_backend_pid() % 16 as shard');
    return { client, shard: rows[0]?.shard };
  };
  const first = await connect();
  for (let tries = 0; tries < 20; tries += 1) {
    const second = await connect();
    if (second.shard !== first.shard) return [first.client, second.client];
    await second.client.end();
  }
  throw new Error('every connection has the same shard');
}

describe.each(DATABASE_KINDS)('If-None-Match on %s', (kind) => {
  const databases = useDatabases(kind);
  let address: DatabaseAddress;
  let api: Api;
  let admin: string;
  beforeAll(async () => {
    address = await databases.create();
    api = await startApi(address);
    admin = (await api.makeKey('write admin')).key;
    const industry = { IndustryName: 'Ships', ImagePath: 'a.png', IsDeleted: false, CreateBy: 1 };
    await api.send('POST', '/api/Industry/Add', industry);
    await api.send('POST', '/api/Sector/Add', { ...industry, SkillName: 'Freight' });
    await api.send('POST', '/api/ProjectType/Add', { ContractName: 'Bond', IsDeleted: false, CreateBy: 1 });
  }, 60_000);
  afterAll(() => api?.stop());

  const get = (path: string, tag?: string, more: RequestInit = {}) =>
    fetch(`${api.url}/api/${path}${path.includes('?') ? '&' : '?'}apiKey=${admin}`, {
      ...more,
      headers: { 'accept-encoding': 'identity', ...more.headers, ...(tag !== undefined && { 'if-none-match': tag }) },
    });
  const tagOf = async (path: string) => {
    const response = await get(path);
    await response.arrayBuffer();
    return response.headers.get('etag') ?? '';
  };
  const tagsOf = (paths: readonly string[]) => Promise.all(paths.map(tagOf));
  const all = LISTS.map((name) => `${name}/ListAll/0`);

  it.each([...all, 'ApiKey/ListAll/1', 'Audit/ListAll/0?limit=2', 'Otp/Status'])('%s answers 304', async (path) => {
    const tag = await tagOf(path);
    expect(tag).toMatch(/^W\/"[\w-]{22}"$/);
    for (const sent of [tag, tag.slice(2), `"other", ${tag}`, '*']) {
      const { status, headers, body } = await get(path, sent);
      expect([status, headers.get('etag'), body], sent).toEqual([304, tag, null]);
      expect(headers.get('cache-control')).toBe('no-store');
    }
    for (const sent of ['"other"', 'nonsense', '']) expect((await get(path, sent)).status, sent).toBe(200);
    expect((await get(path, tag, { method: 'HEAD' })).status).toBe(304);
    const packed = await get(path, tag, { headers: { 'accept-encoding': 'gzip' } });
    expect([packed.status, packed.headers.get('content-encoding')]).toEqual([304, null]);
  });

  it('a record answers 304 to its strong tag', async () => {
    const tag = await tagOf('Industry/ListAll/1');
    expect(tag).toMatch(/^"[\w-]{22}"$/);
    expect((await get('Industry/ListAll/1', tag)).status).toBe(304);
    expect((await get('Industry/ListAll/1', `W/${tag}`)).status).toBe(304);
    expect((await get('Industry/ListAll/1', `${tag.slice(0, -1)}_"`)).status).toBe(200);
  });

  it('each query and each page has its own tag', async () => {
    const queries = [
      '',
      '?limit=1',
      '?limit=1&after=1',
      '?search=s',
      '?IsDeleted=true',
      '?total=true',
      '?sort=-IndustryID',
    ];
    const tags = await tagsOf(queries.map((query) => `Industry/ListAll/0${query}`));
    expect(new Set(tags).size).toBe(queries.length);
    expect(await tagOf(`Industry/ListAll/0?apiKey=${api.readKey}`)).toBe(tags[0]);
  });

  /** Answers lists of project types by the real store, and counts how many of them are read. */
  const useCountedLists = () => {
    const read = vi.fn(api.store.list);
    const store = { ...api.store, list: read };
    const listOf = async (query: string) => {
      const context = { request: new Request('http://localhost/'), headers: {} } as unknown as RequestContext;
      const answered = await listRecords(context, store, projectType, '0', new URLSearchParams(query));
      return answered.ok ? await answered.value.text() : expect.fail(answered.failure.message);
    };
    return { listOf, read };
  };

  it('a list is read once as long as it does not change, and each page by itself', async () => {
    const { listOf, read } = useCountedLists();
    const first = await listOf('limit=40');
    expect(await listOf('limit=40')).toBe(first);
    expect(await listOf('limit=40&after=1')).not.toBe(first);
    expect(read).toHaveBeenCalledTimes(2);
    await api.send('POST', '/api/ProjectType/Add', { ContractName: 'Lease', IsDeleted: false, CreateBy: 1 });
    for (let turn = 0; turn < 2; turn += 1) expect(await listOf('limit=40')).toContain('"Lease"');
    expect(read).toHaveBeenCalledTimes(3);
  });

  it('of many lists the latest are kept, and none that is long', async () => {
    const { listOf, read } = useCountedLists();
    for (let limit = 1; limit <= 33; limit += 1) await listOf(`limit=${limit}`);
    await listOf('limit=2');
    expect(read).toHaveBeenCalledTimes(33);
    await listOf('limit=1');
    expect(read).toHaveBeenCalledTimes(34);
    const values = { IsDeleted: false, ContractName: 'x'.repeat(100) };
    for (let count = 0; count < 300; count += 1)
      await api.store.add(projectType, { ...values, ContractName: `${values.ContractName}${count}` }, AUTHOR);
    for (let turn = 0; turn < 2; turn += 1) await listOf('limit=300');
    expect(read).toHaveBeenCalledTimes(36);
  });

  it('a refusal has no tag, and one of a credential comes before a 304', async () => {
    const tag = await tagOf('Industry/ListAll/0');
    const refused = await get('Industry/ListAll/0?limit=0', tag);
    expect([refused.status, refused.headers.get('etag')]).toEqual([400, null]);
    const anonymous = await fetch(`${api.url}/api/Industry/ListAll/0`, { headers: { 'if-none-match': '*' } });
    expect(anonymous.status).toBe(401);
  });

  const industry = { IndustryID: 1, ImagePath: 'b.png', IsDeleted: false, UpdateBy: 1 };
  const put = (path: string, body: object) => () => api.send('PUT', `/api/${path}/Update/1`, body);
  it.each([
    ['an update', ['Industry', 'Sector'], put('Industry', { ...industry, IndustryName: 'Boats' })],
    [
      'an update that changes nothing but its date',
      ['Industry', 'Sector'],
      put('Industry', { ...industry, IndustryName: 'Boats' }),
    ],
    [
      'an add',
      ['ProjectType'],
      () => api.send('POST', '/api/ProjectType/Add', { ContractName: 'Loan', IsDeleted: true, CreateBy: 1 }),
    ],
    [
      'a new sector',
      ['Sector'],
      () =>
        api.send('POST', '/api/Sector/Add', {
          ...{ SkillName: 'Coal', ImagePath: 'c.png', IndustryName: 'Boats', IsDeleted: false, CreateBy: 1 },
        }),
    ],
    ['SQL that changes a record', ['AdminUser'], () => runSql(address, "update admin_user set first_name = 'S'")],
    [
      'SQL that adds one',
      ['ProjectType'],
      () =>
        runSql(address, "insert into project_type (contract_name, contract_name_key, is_deleted) values ('x', 'x', 0)"),
    ],
    [
      'SQL that removes one',
      ['ProjectType'],
      () => runSql(address, "delete from project_type where contract_name = 'x'"),
    ],
  ])('%s gives new tags to the lists that show it, and to no other', async (_what, changed, change) => {
    const before = await tagsOf(all);
    await change();
    const after = await tagsOf(all);
    expect(LISTS.filter((_, place) => before[place] !== after[place]).toSorted()).toEqual([...changed].toSorted());
  });

  it('a tag never comes back, though the list is as it was', async () => {
    const rename = (IndustryName: string) => runSql(address, `update industry set industry_name = '${IndustryName}'`);
    const seen = new Set<string>();
    for (const name of ['A', 'B', 'A', 'B']) {
      await rename(name);
      seen.add(await tagOf('Industry/ListAll/0'));
    }
    expect(seen.size).toBe(4);
  });

  it('a refused write leaves every tag', async () => {
    const before = await tagsOf(all);
    const body = { ContractName: 'Bond', IsDeleted: false, CreateBy: 1 };
    expect((await api.send('POST', '/api/ProjectType/Add', body)).appErrorCode).toBe(1012);
    expect(await tagsOf(all)).toEqual(before);
  });

  it('what was added before a 304 is in the list of its tag', async () => {
    let added = 0;
    let isOver = false;
    const add = async () => {
      for (; added < 25; added += 1) {
        const body = { ContractName: `race ${added}`, IsDeleted: false, CreateBy: 1 };
        expect((await api.send('POST', '/api/ProjectType/Add', body)).http).toBe(200);
      }
      isOver = true;
    };
    const adding = add();
    let held = { tag: '', text: '' };
    const poll = async () => {
      const least = added;
      const response = await get('ProjectType/ListAll/0', held.tag);
      const text = await response.text();
      if (response.status === 200) held = { tag: response.headers.get('etag') ?? '', text };
      for (let i = 0; i < least; i += 1) expect(held.text).toContain(`"race ${i}"`);
    };
    while (!isOver) await poll();
    await adding;
    await poll();
    expect((await get('ProjectType/ListAll/0', held.tag)).status).toBe(304);
    expect(held.text).toBe(await (await get('ProjectType/ListAll/0')).text());
  }, 30_000);

  it('a list of several pages has one, too, and answers 304 without its records', async () => {
    await runSql(
      address,
      `insert into project_type (contract_name, contract_name_key, is_deleted)
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 600) select 'p' || i, 'p' || i, 0 from n`,
    );
    const tag = await tagOf('ProjectType/ListAll/0');
    expect(tag).toMatch(/^W\//);
    const same = await get('ProjectType/ListAll/0', tag);
    expect([same.status, same.body]).toEqual([304, null]);
  }, 30_000);

  it('SQL that empties a table gives its list a new tag', async () => {
    const tag = await tagOf('ProjectType/ListAll/0');
    await runSql(address, kind === 'postgres' ? 'truncate project_type' : 'delete from project_type');
    expect((await get('ProjectType/ListAll/0', tag)).status).toBe(200);
  });

  if (kind === 'postgres')
    it('what one replica changes has a new tag on the other, in whichever order transactions commit', async () => {
      const other = await startApi(address);
      const clients = await connectTwo('url' in address ? address.url : '');
      try {
        const there = async () => (await other.send('GET', '/api/Industry/ListAll/0')).headers.get('etag') ?? '';
        const seen = [await there()];
        await api.send('PUT', '/api/Industry/Update/1', { ...industry, IndustryName: 'Replicas' });
        seen.push(await there());
        expect(seen[1]).toBe(await tagOf('Industry/ListAll/0'));
        for (const [place, client] of clients.entries())
          await client.query(`begin; insert into industry (industry_name, industry_name_key, image_path, is_deleted)
            values ('late ${place}', 'late ${place}', 'a.png', 0)`);
        expect(await there()).toBe(seen[1]);
        for (const client of clients.toReversed()) {
          await client.query('commit');
          seen.push(await there());
        }
        expect(new Set(seen).size).toBe(4);
      } finally {
        for (const client of clients) await client.end();
        await other.stop();
      }
    });
});
