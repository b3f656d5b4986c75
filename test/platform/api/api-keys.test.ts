import { describe, expect, it } from 'vitest';
import { hashApiKey, makeApiKey } from '../../../src/platform/api/api-key.ts';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { keyState } from '../../../src/platform/api/manage-keys.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;
const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();

it('the state of a key says first how it ended, then that it has a successor, then that it ends within a week', () => {
  const now = Date.parse('2026-01-31T12:00:00.000Z');
  const at = (ms: number) => new Date(now + ms).toISOString();
  const states = [
    { expiresAt: null },
    { expiresAt: at(7 * DAY_MS + 1) },
    { expiresAt: at(7 * DAY_MS) },
    { expiresAt: at(1), replacedBy: 2 },
    { expiresAt: at(0), replacedBy: 2 },
    { expiresAt: at(0), replacedBy: 2, revokedAt: at(-1) },
  ].map((key) => keyState({ revokedAt: null, replacedBy: null, ...key }, now));
  expect(states).toEqual(['active', 'active', 'ends soon', 'rotated', 'expired', 'revoked']);
});

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const api = useApi(databases, { limits: { rate: 1, burst: 100, signIns: 0 } });
  const admin = async (method: string, path: string, body?: object) => {
    const { key } = await api.makeKey('admin');
    return api.sendBare(method, `/api/ApiKey/${path}`, method === 'GET' ? undefined : { ...body, apiKey: key }, {
      ...(method === 'GET' && { authorization: `Bearer ${(await tokenOf(key)).token}` }),
    });
  };
  const tokenOf = async (apiKey: string) => (await api.sendBare('POST', '/api/Auth/Token', { apiKey })).data;
  const use = (key: unknown) => api.sendBare('GET', `/api/Sector/ListAll/0?apiKey=${key}`);
  const find = async (id: unknown) => (await admin('GET', `ListAll/${id}`)).data.items[0];
  const add = async (body: object = {}) => (await admin('POST', 'Add', { Name: 'ci', Scopes: ['read'], ...body })).data;
  /** A key of which the store knows another time than now. */
  const addAt = async (createdMs: number, expiresAt: string) => {
    const key = makeApiKey();
    const fresh = { name: 'old', scopes: ['read'], owner: 1, hash: hashApiKey(key), expiresAt } as const;
    return { key, id: await api.store.addKey(fresh, onCommandLine(Date.now() + createdMs)) };
  };

  it('a key is shown once, when it is made, and then known by its first characters', async () => {
    const made = await add({ Scopes: ['operate', 'read'], ExpiryDate: '2999-12-31' });
    expect(made).toEqual({
      ...{ result: 'success', ApiKeyID: expect.any(Number), ExpiryDate: '2999-12-31T00:00:00.000Z' },
      ApiKey: expect.stringMatching(/^subnetd_[\w-]{43}$/),
      Hint: String(made.ApiKey).slice(0, 12),
    });
    const { text } = await admin('GET', 'ListAll/0');
    expect(text).not.toContain(String(made.ApiKey));
    expect(text).not.toContain(hashApiKey(String(made.ApiKey)));
    expect(await find(made.ApiKeyID)).toEqual({
      ...{ ApiKeyID: made.ApiKeyID, Name: 'ci', Hint: made.Hint, Scopes: ['read', 'operate'], UserID: 1 },
      AllowedIPs: [],
      ...{ State: 'active', CallsLeft: 100, CallsOf: 100, LastUsedDate: null, LastUsedIP: null },
      ...{ CreateDate: expect.stringMatching(ISO), ExpiryDate: '2999-12-31T00:00:00.000Z' },
      ...{ ReplacedBy: null, RevokeDate: null, RevokeBy: null },
    });
    const trail = (await api.store.searchAudit({ limit: 1_000 })).filter(({ recordId }) => recordId === made.ApiKeyID);
    expect(trail).toMatchObject([{ action: 'add', resource: 'ApiKey', owner: 1, ip: '127.0.0.1' }]);
    expect(JSON.stringify(trail)).not.toContain(String(made.ApiKey));
  });

  it('its use shows when, from where and how many requests are left, and counts none of them', async () => {
    const { ApiKey, ApiKeyID } = await add();
    for (let i = 0; i < 10; i += 1) expect((await use(ApiKey)).http).toBe(200);
    await expect.poll(async () => (await find(ApiKeyID))?.LastUsedIP, { timeout: 10_000 }).toBe('127.0.0.1');
    const item = await find(ApiKeyID);
    expect(item?.LastUsedDate).toMatch(ISO);
    expect(item?.CallsOf).toBe(100);
    // One a second comes back while the test runs.
    expect(item?.CallsLeft).toBeGreaterThanOrEqual(90);
    expect(item?.CallsLeft).toBeLessThan(100);
    const left = Number((await find(ApiKeyID))?.CallsLeft);
    expect(left).toBeGreaterThanOrEqual(Number(item?.CallsLeft));
  });

  it('lists come in pages', async () => {
    await add();
    await add();
    const first = (await admin('GET', 'ListAll/0?limit=2')).data;
    expect(first.items).toHaveLength(2);
    const rest = (await admin('GET', `ListAll/0?limit=1&after=${first.next}`)).data;
    expect(rest.items[0]?.ApiKeyID).toBe(Number(first.next) + 1);
    expect((await admin('GET', 'ListAll/999999')).errMessage).toBe(
      'there is no API key 999999; the list of keys has their ids',
    );
  });

  it('a rotated key has a successor with the same name, scopes and owner, and stays valid for the asked hours', async () => {
    const { id, key } = await addAt(-10 * DAY_MS, inMs(20 * DAY_MS));
    const made = (await admin('POST', `Rotate/${id}`, { KeepHours: 2 })).data;
    expect(made.ApiKey).not.toBe(key);
    // As long as the old one was made for.
    expect(Date.parse(String(made.ExpiryDate)) - Date.now()).toBeGreaterThan(29.9 * DAY_MS);
    expect(Date.parse(String(made.ExpiryDate)) - Date.now()).toBeLessThan(30.1 * DAY_MS);
    expect(Date.parse(String(made.OldExpiryDate)) - Date.now()).toBeGreaterThan(1.9 * HOUR_MS);
    expect(Date.parse(String(made.OldExpiryDate)) - Date.now()).toBeLessThan(2.1 * HOUR_MS);
    expect([(await use(key)).http, (await use(made.ApiKey)).http]).toEqual([200, 200]);
    expect(await find(id)).toMatchObject({
      State: 'rotated',
      ReplacedBy: made.ApiKeyID,
      ExpiryDate: made.OldExpiryDate,
    });
    expect(await find(made.ApiKeyID)).toMatchObject({ Name: 'old', Scopes: ['read'], UserID: 1, State: 'active' });
    const trail = (await api.store.searchAudit({ limit: 1_000 })).filter(({ resource }) => resource === 'ApiKey');
    expect(trail.find(({ action, recordId }) => action === 'rotate' && recordId === id)?.changes).toMatchObject({
      ReplacedBy: { from: null, to: made.ApiKeyID },
    });
    expect((await admin('POST', `Rotate/${id}`)).errMessage).toBe(
      `API key ${id} has already been rotated; rotate key ${made.ApiKeyID}`,
    );
  });

  it('a rotated key never outlives its own end, and ends at once with no hours', async () => {
    const end = inMs(HOUR_MS);
    const soon = await addAt(0, end);
    expect((await admin('POST', `Rotate/${soon.id}`)).data.OldExpiryDate).toBe(end);
    const { ApiKey, ApiKeyID } = await add();
    const { data } = await admin('POST', `Rotate/${ApiKeyID}`, { KeepHours: 0 });
    expect(data.ExpiryDate).toBeNull();
    const { appErrorCode, errMessage } = await use(ApiKey);
    expect([appErrorCode, errMessage]).toEqual([
      1123,
      `the API key ended on ${data.OldExpiryDate}; it was rotated: use the new one`,
    ]);
    expect((await use(data.ApiKey)).http).toBe(200);
  });

  it('a key that was made to last for ever in years of four digits can be rotated again and again', async () => {
    const forever = '9999-12-31T23:59:59.999Z';
    let { id } = await addAt(0, forever);
    for (let i = 0; i < 2; i += 1) {
      const { data } = await admin('POST', `Rotate/${id}`);
      expect(data).toMatchObject({ result: 'success', ExpiryDate: forever });
      id = Number(data.ApiKeyID);
    }
  });

  it('two who rotate a key at once make one successor', async () => {
    const { ApiKeyID } = await add();
    const both = await Promise.all([admin('POST', `Rotate/${ApiKeyID}`), admin('POST', `Rotate/${ApiKeyID}`)]);
    expect(both.map(({ http }) => http).toSorted()).toEqual([200, 409]);
  });

  it('a key that has ended cannot be rotated, and says why it is refused', async () => {
    const over = inMs(-1_000);
    const { id, key } = await addAt(-DAY_MS, over);
    expect((await admin('POST', `Rotate/${id}`)).errMessage).toBe(
      `API key ${id} is expired and cannot be rotated; create a new one`,
    );
    expect((await use(key)).errMessage).toBe(`the API key ended on ${over}; ask for a new one (subnetd apikey create)`);
    const { ApiKey, ApiKeyID } = await add();
    expect((await admin('POST', `Revoke/${ApiKeyID}`)).data).toEqual({ result: 'success', ApiKeyID });
    expect(await find(ApiKeyID)).toMatchObject({ State: 'revoked', RevokeBy: 1 });
    expect((await admin('POST', `Rotate/${ApiKeyID}`)).appErrorCode).toBe(1012);
    const refused = await use(ApiKey);
    expect([refused.appErrorCode, refused.errMessage]).toEqual([
      1123,
      'the API key was revoked; ask for a new one (subnetd apikey create)',
    ]);
  });

  it('a key names its end in the last week, in each answer, in its tokens too, and once a day in the security log', async () => {
    const end = inMs(6 * DAY_MS);
    const { id, key } = await addAt(0, end);
    const { token } = await tokenOf(key);
    for (const path of [`apiKey=${key}`, `token=${token}`, `token=${token}x`]) {
      const { headers } = await api.sendBare('GET', `/api/Sector/ListAll/0?${path}`);
      expect(headers.get('api-key-expires'), path).toBe(path.endsWith('x') ? null : end);
    }
    const later = await addAt(0, inMs(8 * DAY_MS));
    expect((await use(later.key)).headers.get('api-key-expires')).toBeNull();
    const warnings = async () =>
      (await api.store.searchAudit({ limit: 1_000 })).filter(({ action }) => action === 'key ends soon');
    await expect.poll(async () => (await warnings()).map(({ recordId }) => recordId)).toContain(id);
    expect((await warnings()).filter(({ recordId }) => recordId === id)).toHaveLength(1);
    expect(api.logged.join('')).toContain(
      'an API key in use ends within a week; rotate it, or switch to the key that replaced it',
    );
  });

  it.each([
    ['Add', {}, 1001, 'Name is missing; send it'],
    ['Add', { Name: ' ' }, 1002, 'Name is empty; give it a value'],
    ['Add', { Name: 'x'.repeat(201) }, 1005, 'Name exceeds the maximum of 200 characters'],
    ['Add', { Name: 'a\u202eb' }, 1012, /^Name contains an invisible or unsupported character/],
    ['Add', { Name: 'x' }, 1001, 'Scopes is missing; send it'],
    ['Add', { Name: 'x', Scopes: 'read' }, 1003, 'Scopes must be an array of strings such as ["read"]'],
    ['Add', { Name: 'x', Scopes: [] }, 1002, 'Scopes is empty; name a scope such as ["read"]'],
    ['Add', { Name: 'x', Scopes: ['all'] }, 1012, 'Scopes: each must be one of read, lists, write, admin, operate'],
    ['Add', { Name: 'x', Scopes: ['read'], UserID: 99 }, 1121, 'there is no admin user 99; name another one'],
    ['Add', { Name: 'x', Scopes: ['read'], UserID: '1' }, 1003, 'UserID must be an integer'],
    ['Add', { Name: 'x', Scopes: ['read'], ExpiryDate: 'soon' }, 1009, /^ExpiryDate must be a day such as/],
    ['Add', { Name: 'x', Scopes: ['read'], ExpiryDate: '2020-01-01' }, 1011, /^ExpiryDate must be in the future/],
    ['Rotate/1', { KeepHours: 25 }, 1011, 'KeepHours must be from 0 to 24'],
    ['Rotate/1', { KeepHours: 1.5 }, 1003, 'KeepHours must be an integer'],
    ['Rotate/1', { ExpiryDate: '2020-01-01' }, 1011, /^ExpiryDate must be in the future/],
    ['Rotate/x', {}, 1003, 'the number at the end of the path must be an integer'],
    ['Rotate/99999', {}, 1004, 'there is no API key 99999; the list of keys has their ids'],
    ['Revoke/99999', {}, 1004, 'there is no API key 99999; the list of keys has their ids'],
  ] as const)('%s with %j is refused with %d', async (path, body, code, text) => {
    const { appErrorCode, errMessage } = await admin('POST', path, body);
    expect(appErrorCode).toBe(code);
    if (typeof text === 'string') expect(errMessage).toBe(text);
    else expect(errMessage).toMatch(text);
  });

  it('no key belongs to a user who is not active', async () => {
    const user = { FirstName: 'A', LastName: 'L', UserName: 'idle', Password: 'long enough', EmailID: 'i@example.com' };
    const { UserID } = (await api.send('POST', '/api/AdminUser/Add', { ...user, IsActive: false, CreateBy: 1 })).data;
    const { errMessage } = await admin('POST', 'Add', { Name: 'x', Scopes: ['read'], UserID });
    expect(errMessage).toBe(`admin user ${UserID} is not active; name an active one`);
  });
});
