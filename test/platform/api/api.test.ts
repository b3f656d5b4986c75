import { decodeJwt, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { ERROR_CODES } from '../../../src/platform/api/error-codes.ts';
import { type Answer, type Api, ROOT_PASSWORD, startApi } from '../../support/api.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const industry = (name: string) => ({ IndustryName: name, ImagePath: 'a/b.png', IsDeleted: false, CreateBy: 1 });
const user = (name: string) => ({
  FirstName: 'F',
  LastName: 'L',
  UserName: name,
  Password: 'long enough',
  EmailID: `${name}@example.com`,
  IsActive: true,
  CreateBy: 1,
});
const type = (name: unknown) => ({ ContractName: name, IsDeleted: false, CreateBy: 1 });

function expectCode(answer: Answer, code: number): void {
  expect([answer.appErrorCode, answer.errMessage]).toEqual([code, expect.stringMatching(/\S/)]);
  expect(answer.http).toBe(ERROR_CODES[code as 1001][0]);
  expect(Object.keys(JSON.parse(answer.text))).toEqual(['status', 'appErrorCode', 'errMessage']);
}

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const api = useApi(databases);
  const add = (name: string, body: unknown) => api.send('POST', `/api/${name}/Add`, body);
  const update = (name: string, body: unknown, by: unknown = 1) => api.send('PUT', `/api/${name}/Update/${by}`, body);
  const list = async (name: string, id: unknown = 0) =>
    (await api.send('GET', `/api/v1/${name}/ListAll/${id}`)).data.items;

  it('a project type is added, listed and updated, under both paths', async () => {
    const added = await add('ProjectType', type('Factoring'));
    expect(added).toMatchObject({ http: 200, status: 'success', data: { result: 'success' } });
    const id = added.data.ProjectTypeID;
    expect(await list('ProjectType', id)).toEqual([
      {
        ProjectTypeID: id,
        ContractName: 'Factoring',
        IsDeleted: false,
        CreateBy: 1,
        CreateDate: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
        CreateIP: '127.0.0.1',
        UpdateBy: null,
        UpdateDate: null,
        UpdateIP: null,
      },
    ]);
    const changed = await update('ProjectType', { ContractName: 'Factoring', IsDeleted: 'TRUE', UpdateBy: 1 });
    expect(changed.data).toEqual({ result: 'success', ProjectTypeID: id });
    expect(await list('ProjectType', id)).toMatchObject([{ IsDeleted: true, UpdateBy: 1, UpdateIP: '127.0.0.1' }]);
    const again = await add('ProjectType', type(' Factoring '));
    expectCode(again, 1012);
    expect(again.errMessage).toContain('IsDeleted false');
  });

  it('renaming an industry shows in its sectors, and deleting it leaves them', async () => {
    const { IndustryID } = (await add('Industry', industry('Ships'))).data;
    const sector = { SkillName: 'Freight', ImagePath: 'f.png', IndustryName: 'Ships', IsDeleted: false, CreateBy: 1 };
    const { SectorID } = (await add('Sector', sector)).data;
    expectCode(await add('Sector', sector), 1012);
    await add('Industry', industry('Rails'));
    expect((await add('Sector', { ...sector, IndustryName: 'Rails' })).status).toBe('success');
    const rename = { ...industry('Boats'), IndustryID, UpdateBy: 1 };
    expect((await update('Industry', rename)).data).toEqual({ result: 'success', IndustryID });
    expect(await list('Sector', SectorID)).toMatchObject([{ IndustryID, IndustryName: 'Boats' }]);
    await update('Industry', { ...rename, IsDeleted: 'true' });
    expect(await list('Sector', SectorID)).toMatchObject([{ IndustryName: 'Boats', IsDeleted: false }]);
    expectCode(await add('Sector', { ...sector, SkillName: 'Other', IndustryName: 'Boats' }), 1012);
    expectCode(await add('Sector', { ...sector, IndustryName: 'None such' }), 1004);
    const byName = { ...sector, IndustryName: 'Rails', ImagePath: 'new.png', UpdateBy: 1 };
    expect((await update('Sector', byName)).status).toBe('success');
    expectCode(await update('Sector', { ...byName, SkillName: 'Unknown' }), 1004);
  });

  it('an admin user keeps the password when the mask comes back, and signs in with a new one', async () => {
    const { UserID } = (await add('AdminUser', user('grace'))).data;
    const signIn = (Password: string) => api.sendBare('POST', '/api/Auth/Token', { UserName: 'grace', Password });
    const first = await signIn('long enough');
    expect(first.data).toEqual({ token: expect.any(String), expiresAt: expect.stringMatching(/Z$/) });
    expect(await list('AdminUser', UserID)).toMatchObject([{ Password: '********', MobileNo: null, IsActive: true }]);
    const masked = { ...user('grace'), Password: '********', FirstName: 'New', UpdateBy: 1 };
    expect((await update('AdminUser', masked)).status).toBe('success');
    const withToken = () =>
      api.sendBare('GET', '/api/Industry/ListAll/0', undefined, { authorization: `Bearer ${first.data.token}` });
    expect((await withToken()).status).toBe('success');
    await update('AdminUser', { ...masked, Password: 'another one' });
    expectCode(await withToken(), 1104);
    expectCode(await signIn('long enough'), 1104);
    expect((await signIn('another one')).status).toBe('success');
    await update('AdminUser', { ...masked, IsActive: 'false' });
    expectCode(await signIn('another one'), 1104);
    expectCode(await add('ProjectType', { ...type('By nobody'), CreateBy: UserID }), 1012);
  });

  it('the last active admin user stays', async () => {
    const root = { ...user('root'), EmailID: 'r@example.com', Password: '********', UpdateBy: 1 };
    expectCode(await update('AdminUser', { ...root, IsActive: false }), 1012);
  });

  it.each<[string, number, (api: Api) => Promise<Answer>]>([
    ['no body', 1001, (a) => a.send('POST', '/api/Industry/Add')],
    ['no JSON', 1001, (a) => a.send('POST', '/api/Industry/Add', '{')],
    ['no object', 1001, (a) => a.send('POST', '/api/Industry/Add', '[1]')],
    ['another content type', 1001, (a) => a.send('POST', '/api/Industry/Add', '{}', { 'content-type': 'text/plain' })],
    ['an absent member', 1001, (a) => a.send('POST', '/api/Industry/Add', {})],
    [
      'a member of the prototype',
      1001,
      (a) => a.send('POST', '/api/Industry/Add', '{"__proto__":{"IndustryName":"x"}}'),
    ],
    ['a wrong method', 1001, (a) => a.send('GET', '/api/Industry/Add')],
    ['null', 1002, (a) => a.send('POST', '/api/ProjectType/Add', type(null))],
    ['white space', 1002, (a) => a.send('POST', '/api/ProjectType/Add', type(' \n'))],
    ['a number for a name', 1003, (a) => a.send('POST', '/api/ProjectType/Add', type(1))],
    [
      'an array for a name',
      1003,
      (a) => a.send('POST', '/api/ProjectType/Add', `{"ContractName":${'['.repeat(9_000)}${']'.repeat(9_000)}}`),
    ],
    ['a number for a boolean', 1003, (a) => a.send('POST', '/api/ProjectType/Add', { ...type('n'), IsDeleted: 1 })],
    ['a number as a string', 1003, (a) => a.send('POST', '/api/ProjectType/Add', { ...type('n'), CreateBy: '1' })],
    ['a path that is not a number', 1003, (a) => a.send('GET', '/api/Sector/ListAll/x')],
    ['an updatedby that is not a number', 1003, (a) => a.send('PUT', '/api/Sector/Update/x', {})],
    ['an unknown path', 1004, (a) => a.send('GET', '/api/Nothing')],
    ['/api itself', 1004, (a) => a.send('GET', '/api')],
    ['an unknown record', 1004, (a) => a.send('GET', '/api/Sector/ListAll/999')],
    ['a long name', 1005, (a) => a.send('POST', '/api/ProjectType/Add', type('x'.repeat(201)))],
    ['a large body', 1005, (a) => a.send('POST', '/api/ProjectType/Add', type('x'.repeat(70_000)))],
    ['a short password', 1006, (a) => a.send('POST', '/api/AdminUser/Add', { ...user('s'), Password: '1234567' })],
    ['no e-mail address', 1008, (a) => a.send('POST', '/api/AdminUser/Add', { ...user('s'), EmailID: 'a@b' })],
    ['2^53', 1011, (a) => a.send('POST', '/api/ProjectType/Add', { ...type('n'), CreateBy: 2 ** 53 })],
    [
      'a number beyond all',
      1011,
      (a) => a.send('POST', '/api/ProjectType/Add', '{"ContractName":"n","IsDeleted":false,"CreateBy":1e999}'),
    ],
    ['limit 0', 1011, (a) => a.send('GET', '/api/Sector/ListAll/0?limit=0')],
    ['after below 0', 1011, (a) => a.send('GET', '/api/Sector/ListAll/0?after=-1')],
    ['an absolute path', 1012, (a) => a.send('POST', '/api/Industry/Add', { ...industry('p'), ImagePath: '/etc' })],
    ['a path upwards', 1012, (a) => a.send('POST', '/api/Industry/Add', { ...industry('p'), ImagePath: 'a/../b' })],
    ['a scheme', 1012, (a) => a.send('POST', '/api/Industry/Add', { ...industry('p'), ImagePath: 'javascript:1' })],
    ['NUL', 1012, (a) => a.send('POST', '/api/ProjectType/Add', type('a\0b'))],
    [
      'half a surrogate pair',
      1012,
      (a) => a.send('POST', '/api/ProjectType/Add', '{"ContractName":"\\ud800","IsDeleted":false,"CreateBy":1}'),
    ],
    [
      'UpdateBy unlike the path',
      1012,
      (a) => a.send('PUT', '/api/ProjectType/Update/2', { ...type('n'), UpdateBy: 1 }),
    ],
    ['the mask in an add', 1012, (a) => a.send('POST', '/api/AdminUser/Add', { ...user('m'), Password: '********' })],
    ['a user name that is taken', 1103, (a) => a.send('POST', '/api/AdminUser/Add', user('root'))],
    [
      'an address that is taken',
      1103,
      (a) => a.send('POST', '/api/AdminUser/Add', { ...user('x'), EmailID: 'R@EXAMPLE.com' }),
    ],
    ['an unknown user', 1121, (a) => a.send('POST', '/api/ProjectType/Add', { ...type('n'), CreateBy: 99 })],
    ['an unknown user listed', 1121, (a) => a.send('GET', '/api/AdminUser/ListAll/99')],
    ['no credential', 1101, (a) => a.sendBare('GET', '/api/Sector/ListAll/0')],
    ['an empty credential', 1101, (a) => a.sendBare('GET', '/api/Sector/ListAll/0?apiKey=')],
    ['an unknown key', 1123, (a) => a.sendBare('GET', '/api/Sector/ListAll/0?apiKey=subnetd_x')],
    ['a bad token', 1104, (a) => a.sendBare('GET', '/api/Sector/ListAll/0', undefined, { authorization: 'x.y.z' })],
    ['a good key beside a bad token', 1104, (a) => a.send('GET', '/api/Sector/ListAll/0?token=x')],
    [
      'a read key that writes',
      1104,
      (a) => a.sendBare('POST', '/api/Industry/Add', { ...industry('r'), apiKey: a.readKey }),
    ],
    ['a wrong password', 1104, (a) => a.sendBare('POST', '/api/Auth/Token', { UserName: 'root', Password: 'wrong' })],
    [
      'a user name with NUL',
      1012,
      (a) => a.sendBare('POST', '/api/Auth/Token', { UserName: 'a\0', Password: 'wrong' }),
    ],
  ])('%s is %i', async (_what, code, request) => expectCode(await request(api), code));

  it('every operation refuses a request without a credential, but those for people who cannot sign in', async () => {
    const open = ['/Account/ForgotPassword', '/Account/ResetPassword', '/Account/Activate'];
    const { paths } = JSON.parse(await (await fetch(`${api.url}/api/openapi.json`)).text()) as {
      paths: Record<string, Record<string, unknown>>;
    };
    for (const [path, methods] of Object.entries(paths))
      for (const method of Object.keys(methods)) {
        const body = method === 'get' ? undefined : {};
        const answer = await api.sendBare(method.toUpperCase(), `/api${path.replace(/\{.*\}/, '1')}`, body);
        expectCode(answer, open.includes(path) ? 1001 : 1101);
      }
  });

  it('credentials are taken from the body, the query and the header', async () => {
    const { token } = (await api.send('POST', '/api/Auth/Token')).data;
    const get = (path: string, headers?: Record<string, string>) =>
      api.sendBare('GET', `/api/Sector/ListAll/0${path}`, undefined, headers);
    expect((await get(`?token=${token}`)).status).toBe('success');
    expect((await get('', { authorization: token })).status).toBe('success');
    expect((await get('', { authorization: `bearer ${token}` })).status).toBe('success');
    // The wrong place for a key, and the first one that a client thinks of.
    expect(await get('', { authorization: `Bearer ${api.readKey}` })).toMatchObject({
      appErrorCode: 1104,
      errMessage: 'this is an API key, not a token; send it as apiKey in the query or the body',
    });
    const post = (credential: object) =>
      api.sendBare('POST', '/api/Industry/Add', { ...industry('Body'), ...credential });
    expect((await post({ apiKey: api.key })).status).toBe('success');
    expectCode(await post({ token }), 1012);
  });

  it('a token of our secret whose user or key has no id is malformed', async () => {
    const { token } = (await api.send('POST', '/api/Auth/Token')).data;
    const claims = decodeJwt(token);
    const secret = new TextEncoder().encode(await api.store.getOrCreate('jwt_secret', () => ''));
    const codeOf = async (other: JWTPayload) => {
      const made = await new SignJWT({ ...claims, ...other }).setProtectedHeader({ alg: 'HS256' }).sign(secret);
      return (await api.sendBare('GET', `/api/Sector/ListAll/0?token=${made}`)).appErrorCode;
    };
    expect(await codeOf({})).toBeUndefined();
    for (const sub of ['root', '', '1.5', '-1', '0', '1e0', ' 1', '2147483648', '99999999999', '1e999'])
      expect(await codeOf({ sub }), sub).toBe(1104);
    for (const other of [{ sub: 1 as never }, { key: 1.5 }, { key: 1e15 }, { key: '1' }, { pwv: 0.5 }])
      expect(await codeOf(other), JSON.stringify(other)).toBe(1104);
  });

  it('a token ends with the key that it was made from, and a read key makes tokens that read', async () => {
    const made = await api.makeKey('read');
    const { token } = (await api.sendBare('POST', '/api/Auth/Token', { apiKey: made.key })).data;
    const get = () => api.sendBare('GET', `/api/Sector/ListAll/0?token=${token}`);
    expect((await get()).status).toBe('success');
    expectCode(await api.sendBare('POST', '/api/Industry/Add', { ...industry('no'), token }), 1104);
    await api.store.revokeKey(made.id, {
      statedBy: null,
      owner: null,
      credential: 'x',
      at: new Date().toISOString(),
      ip: null,
    });
    expectCode(await get(), 1104);
    expectCode(await api.sendBare('GET', `/api/Sector/ListAll/0?apiKey=${made.key}`), 1123);
  });

  it('pages by limit and after, and the last page has no next', async () => {
    for (const name of ['p1', 'p2', 'p3']) await add('ProjectType', type(name));
    const all = await list('ProjectType');
    const seen: unknown[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const page: Answer = await api.send('GET', `/api/ProjectType/ListAll/0?limit=2&after=${after}`);
      seen.push(...page.data.items);
      after = page.data.next;
    }
    expect(seen).toEqual(all);
  });

  it('300 adds of one name at once add one record, and 299 get the code', async () => {
    const answers = await Promise.all(Array.from({ length: 300 }, () => add('ProjectType', type('Wanted'))));
    const said = Object.groupBy(answers, ({ status, appErrorCode, errMessage }) =>
      status === 'success' ? status : `${appErrorCode} ${errMessage}`,
    );
    const counts = Object.entries(said).map(([what, all = []]) => [what.replace(/ .*/, ''), all.length]);
    expect(Object.fromEntries(counts), Object.keys(said).join()).toEqual({ success: 1, 1012: 299 });
  }, 60_000);

  it('when two admin users deactivate each other at once, one stays active', async () => {
    const own = await startApi(await databases.create());
    try {
      const { UserID } = (await own.send('POST', '/api/AdminUser/Add', user('second'))).data;
      const second = await own.makeKey('write', Number(UserID));
      const off = (id: unknown, name: string, email: string) => ({
        ...{ ...user(name), EmailID: email, UserID: id },
        ...{ Password: '********', IsActive: false, UpdateBy: id === 1 ? UserID : 1 },
      });
      const answers = await Promise.all([
        own.send('PUT', `/api/AdminUser/Update/${UserID}`, off(1, 'root', 'r@example.com')),
        own.sendBare(
          'PUT',
          `/api/AdminUser/Update/1?apiKey=${second.key}`,
          off(UserID, 'second', 'second@example.com'),
        ),
      ]);
      expect(answers.filter(({ status }) => status === 'success')).toHaveLength(1);
      const users = await Promise.all([1, Number(UserID)].map((id) => own.store.findUser({ id })));
      expect(users.filter((found) => found?.isActive)).toHaveLength(1);
    } finally {
      await own.stop();
    }
  }, 90_000);

  it('a list longer than a page comes whole', async () => {
    const author = { statedBy: 1, owner: 1, credential: 'key 1', at: new Date().toISOString(), ip: null };
    const { projectType } = await import('../../../src/platform/api/resources.ts');
    // No more at once than PostgreSQL is asked at once, as one that waits long for its turn is refused.
    const workers = Array.from({ length: 10 }, async (_, worker) => {
      for (let i = worker; i < 1_010; i += 10)
        await api.store.add(projectType, { ContractName: `many ${i}`, IsDeleted: false }, author);
    });
    await Promise.all(workers);
    const ids = (await list('ProjectType')).map(({ ProjectTypeID }) => Number(ProjectTypeID));
    expect(ids.length).toBeGreaterThan(1_010);
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => a - b));
  }, 90_000);

  it('the audit trail has who changed what, and no secret', async () => {
    const events = await api.store.searchAudit({ limit: 5_000 });
    const added = events.find(({ changes }) => changes.ContractName?.to === 'Factoring');
    expect(added).toMatchObject({
      action: 'add',
      resource: 'ProjectType',
      statedBy: 1,
      owner: 1,
      credential: 'key 1',
      ip: '127.0.0.1',
    });
    const text = JSON.stringify(events) + api.logged.join('');
    for (const secret of ['long enough', 'another one', ROOT_PASSWORD, api.key, api.readKey, 'argon2id', 'eyJ'])
      expect(text).not.toContain(secret);
  });
});
