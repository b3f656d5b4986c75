import { beforeAll, describe, expect, it } from 'vitest';
import type { Answer } from '../../support/api.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const person = { FirstName: 'F', LastName: 'L', IsActive: true, CreateBy: 1, UpdateBy: 1 };

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const api = useApi(databases);
  let admin = '';
  const list = (path: string) =>
    api.sendBare('GET', `/api/Audit/ListAll/${path}${path.includes('?') ? '&' : '?'}apiKey=${admin}`);
  const actions = async (query: string) =>
    (await list(`0?${query}`)).data.items.map((one) => `${one.Action} ${one.Resource} ${one.RecordID}`);

  beforeAll(async () => {
    admin = (await api.makeKey('admin')).key;
    const user = { ...person, UserName: 'ada', Password: 'a secret sentence', EmailID: 'ada@example.com' };
    const headers = { 'x-request-id': 'first' };
    expect((await api.send('POST', '/api/AdminUser/Add', user, headers)).http).toBe(200);
    expect((await api.send('PUT', '/api/AdminUser/Update/1', { ...user, LastName: 'King' })).http).toBe(200);
    expect(
      (await api.send('POST', '/api/ProjectType/Add', { ContractName: 'Loan', IsDeleted: false, CreateBy: 1 })).http,
    ).toBe(200);
  });

  it('an event has its time, author and changes, without secrets', async () => {
    const { text, data } = await list('0?Resource=AdminUser&RecordID=2');
    expect(data.items).toEqual([
      {
        ...{ AuditID: expect.any(Number), Date: expect.stringMatching(/Z$/), Action: 'add', Resource: 'AdminUser' },
        ...{ RecordID: 2, StatedBy: 1, UserID: 1, Credential: 'key 1', IP: '127.0.0.1', RequestID: 'first' },
        ...{ IsSecurity: false, Changes: expect.objectContaining({ Password: { from: null, to: '********' } }) },
      },
      expect.objectContaining({ Action: 'update', Changes: { LastName: { from: 'L', to: 'King' } } }),
    ]);
    expect(text).not.toMatch(/a secret sentence|argon2/);
    const id = data.items[1]?.AuditID;
    expect((await list(`${id}`)).data.items).toEqual([data.items[1]]);
  });

  it.each([
    ['Resource=ProjectType', ['add ProjectType 1']],
    ['Action=update', ['update AdminUser 2']],
    ['RequestID=first', ['add AdminUser 2']],
    ['IsSecurity=false&UserID=1', ['add AdminUser 2', 'update AdminUser 2', 'add ProjectType 1']],
    ['sort=-AuditID&IsSecurity=false&UserID=1', ['add ProjectType 1', 'update AdminUser 2', 'add AdminUser 2']],
    ['IP=192.0.2.1', []],
    ['since=2999-01-01', []],
    ['until=2020-01-01', []],
    ['until=2999-01-01&since=2020-01-01&Action=add&UserID=1', ['add AdminUser 2', 'add ProjectType 1']],
  ])('the trail with %s has the events that it asks for', async (query, expected) => {
    expect(await actions(query)).toEqual(expected);
  });

  it.each(['sort=AuditID', 'sort=-AuditID'])('pages with %s have each event once', async (query) => {
    const whole = (await list(`0?${query}`)).data.items.map((one) => one.AuditID);
    const paged: unknown[] = [];
    let after: number | undefined = 0;
    for (let page = 0; page < 10 && after !== undefined; page += 1) {
      const { items, next }: Answer['data'] = (await list(`0?${query}&limit=3&after=${after}`)).data;
      paged.push(...items.map((one) => one.AuditID));
      after = next;
    }
    expect(paged).toEqual(whole);
    expect(whole.length).toBeGreaterThan(5);
  });

  it.each([
    ['999999', 1004, 'there is no event with that id; ListAll/0 lists them'],
    ['x', 1003, 'the number at the end of the path must be an integer'],
    ['0?since=soon', 1009, 'since must be a day such as 2027-01-31, or a time such as 2027-01-31T18:00:00Z'],
    ['0?RecordID=a', 1003, 'RecordID must be an integer'],
    ['0?sort=Date', 1012, 'sort must be one of AuditID, with a - in front for descending order'],
    ['0?limit=1001', 1011, 'limit must be from 1 to 1000'],
  ])('%s is refused with %d', async (path, code, text) => {
    const { appErrorCode, errMessage } = await list(path);
    expect([appErrorCode, errMessage]).toEqual([code, text]);
  });

  it('the security log is there too', async () => {
    expect((await list('0?apiKey=subnetd_wrong')).appErrorCode).toBe(1123);
    await expect.poll(() => actions('IsSecurity=true'), { timeout: 10_000 }).toEqual(['key refused Request 0']);
    expect(await actions('IsSecurity=true&Action=add')).toEqual([]);
    const changes = ['add AdminUser 2', 'update AdminUser 2', 'add ProjectType 1'];
    expect(await actions('IP=127.0.0.1')).toEqual([...changes, 'key refused Request 0']);
    expect(await actions('IP=127.0.0.1&limit=2')).toEqual(changes.slice(0, 2));
    expect(await actions('IP=127.0.0.1&limit=2&sort=-AuditID')).toEqual(['key refused Request 0', changes[2]]);
  });
});
