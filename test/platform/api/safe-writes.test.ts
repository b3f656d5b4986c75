import { beforeAll, describe, expect, it } from 'vitest';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { readIdempotencyKey } from '../../../src/platform/api/idempotent-add.ts';
import { adminUser, projectType } from '../../../src/platform/api/resources.ts';
import type { PlatformStore } from '../../../src/platform/model/platform-store.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const DAY = 24 * 60 * 60_000;

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const api = useApi(databases);
  const add = (name: string, headers: Record<string, string> = {}, more: object = {}) =>
    api.send('POST', '/api/ProjectType/Add', { ContractName: name, IsDeleted: false, CreateBy: 1, ...more }, headers);
  const put = (id: unknown, name: string, headers: Record<string, string> = {}) =>
    api.send(
      'PUT',
      '/api/ProjectType/Update/1',
      { ProjectTypeID: id, ContractName: name, IsDeleted: false, UpdateBy: 1 },
      headers,
    );
  const tagOf = async (id: unknown) =>
    (await api.send('GET', `/api/ProjectType/ListAll/${id}`)).headers.get('etag') ?? '';
  const nameOf = async (id: unknown) =>
    (await api.send('GET', `/api/ProjectType/ListAll/${id}`)).data.items[0]?.ContractName;
  const count = async (name: string) =>
    (await api.send('GET', `/api/ProjectType/ListAll/0?ContractName=${name}`)).data.items.length;

  describe('If-Match', () => {
    it('one record has a strong tag, and a list a weak one, which no update takes', async () => {
      const { ProjectTypeID: id } = (await add('tagged')).data;
      expect(await tagOf(id)).toMatch(/^"[\w-]{22}"$/);
      expect(await tagOf(id)).toBe(await tagOf(id));
      const ofList = (await api.send('GET', '/api/ProjectType/ListAll/0')).headers.get('etag') ?? '';
      expect(ofList).toMatch(/^W\//);
      expect((await put(id, 'by the tag of a list', { 'if-match': ofList })).appErrorCode).toBe(1012);
    });

    it('an update goes through while the record is as it was read, and answers the new tag', async () => {
      const { ProjectTypeID: id } = (await add('fresh')).data;
      const first = await tagOf(id);
      const updated = await put(id, 'fresher', { 'if-match': first });
      expect(updated.http).toBe(200);
      expect(updated.headers.get('etag')).toBe(await tagOf(id));
      expect(await tagOf(id)).not.toBe(first);
      expect((await put(id, 'freshest', { 'if-match': `"other", ${await tagOf(id)}` })).http).toBe(200);
      expect((await put(id, 'fresh again', { 'if-match': '*' })).http).toBe(200);
    });

    it('a stale update is refused with the current tag, and changes nothing', async () => {
      const { ProjectTypeID: id } = (await add('shared')).data;
      const stale = await tagOf(id);
      expect((await put(id, 'theirs')).headers.get('etag')).toBeNull();
      for (const tag of [stale, `W/${await tagOf(id)}`, 'nonsense']) {
        const { appErrorCode, errMessage, headers } = await put(id, 'mine', { 'if-match': tag });
        expect([appErrorCode, errMessage]).toEqual([
          1012,
          'this project type has changed since you read it; read it again and send its current ETag in If-Match',
        ]);
        expect(headers.get('etag')).toBe(await tagOf(id));
      }
      expect(await nameOf(id)).toBe('theirs');
      // As ever without the header: the last one wins.
      expect((await put(id, 'mine')).http).toBe(200);
      expect((await put(999, 'none', { 'if-match': stale })).appErrorCode).toBe(1004);
    });

    it('a stale update of a user is refused before its password is compared', async () => {
      const user = { FirstName: 'A', LastName: 'L', UserName: `stale ${kind}`, EmailID: `s${kind}@example.com` };
      const body = { ...user, Password: 'analytical engine', IsActive: true };
      const { UserID: id } = (await api.send('POST', '/api/AdminUser/Add', { ...body, CreateBy: 1 })).data;
      const tag = (await api.send('GET', `/api/AdminUser/ListAll/${id}`)).headers.get('etag') ?? '';
      // To compare a password with this one fails.
      const values = { Password: 'no hash', LastName: 'Lovelace' };
      await api.store.update({ resource: adminUser, id: Number(id), values, author: onCommandLine(Date.now()) });
      const put = (headers: Record<string, string>) =>
        api.send('PUT', '/api/AdminUser/Update/1', { ...body, UserID: id, UpdateBy: 1 }, headers);
      const refused = await put({ 'if-match': tag });
      expect(refused.appErrorCode).toBe(1012);
      const fresh = refused.headers.get('etag') ?? '';
      expect(fresh).not.toBe(tag);
      expect((await put({ 'if-match': fresh })).appErrorCode).toBe(1105);
    });

    it('of two who update what both have read, one is refused', async () => {
      const { ProjectTypeID: id } = (await add('race')).data;
      const tag = await tagOf(id);
      const both = await Promise.all(['left', 'right'].map((name) => put(id, name, { 'if-match': tag })));
      expect(both.map(({ http }) => http).toSorted()).toEqual([200, 409]);
      const winner = both.findIndex(({ http }) => http === 200);
      expect(await nameOf(id)).toBe(['left', 'right'][winner]);
    });

    it('a record whose industry has another name has another tag, since it shows that name', async () => {
      const industry = { IndustryName: 'Ships', ImagePath: 'a.png', IsDeleted: false };
      const { IndustryID } = (await api.send('POST', '/api/Industry/Add', { ...industry, CreateBy: 1 })).data;
      const sector = { SkillName: 'Freight', ImagePath: 'a.png', IndustryName: 'Ships', IsDeleted: false };
      const { SectorID } = (await api.send('POST', '/api/Sector/Add', { ...sector, CreateBy: 1 })).data;
      const tag = (await api.send('GET', `/api/Sector/ListAll/${SectorID}`)).headers.get('etag') ?? '';
      const update = (name: string) =>
        api.send(
          'PUT',
          '/api/Sector/Update/1',
          { ...sector, SectorID, IndustryName: name, UpdateBy: 1 },
          { 'if-match': tag },
        );
      const renamed = { ...industry, IndustryID, IndustryName: 'Boats', UpdateBy: 1 };
      expect((await api.send('PUT', '/api/Industry/Update/1', renamed)).http).toBe(200);
      expect((await update('Boats')).appErrorCode).toBe(1012);
    });
  });

  describe('Idempotency-Key', () => {
    const once = (key: string) => ({ 'idempotency-key': key });

    it('an add that is sent again is carried out once, and its answer says so', async () => {
      const first = await add('once', once('7f3a'));
      const again = await add('once', once('"7f3a"'));
      expect(again.data).toEqual(first.data);
      expect([first, again].map(({ headers }) => headers.get('idempotent-replayed'))).toEqual([null, 'true']);
      expect(await count('once')).toBe(1);
      // Without the key it is a duplicate, as ever.
      expect((await add('once')).appErrorCode).toBe(1012);
    });

    it('ten at once make one record', async () => {
      const all = await Promise.all(Array.from({ length: 10 }, () => add('at once', once('k10'))));
      expect(all.map(({ http }) => http)).toEqual(Array(10).fill(200));
      expect(new Set(all.map(({ data }) => data.ProjectTypeID)).size).toBe(1);
      expect(all.filter(({ headers }) => headers.get('idempotent-replayed') === null)).toHaveLength(1);
      expect(await count('at once')).toBe(1);
    });

    it('a key stands for one request of one user', async () => {
      const { ProjectTypeID } = (await add('first', once('same'))).data;
      const other = await add('second', once('same'));
      expect([other.appErrorCode, other.errMessage]).toEqual([
        1012,
        'Idempotency-Key was used for another request within a day; send a new key',
      ]);
      const industry = { IndustryName: 'first', ImagePath: 'a.png', IsDeleted: false, CreateBy: 1 };
      expect((await api.send('POST', '/api/Industry/Add', industry, once('same'))).appErrorCode).toBe(1012);
      const user = {
        FirstName: 'A',
        LastName: 'L',
        UserName: 'ada',
        Password: 'long enough',
        EmailID: 'a@example.com',
      };
      const { UserID } = (await api.send('POST', '/api/AdminUser/Add', { ...user, IsActive: true, CreateBy: 1 })).data;
      const { key } = await api.makeKey('write', Number(UserID));
      const body = { ContractName: 'third', IsDeleted: false, CreateBy: 1 };
      const theirs = await api.sendBare('POST', `/api/ProjectType/Add?apiKey=${key}`, body, once('same'));
      expect(theirs.http).toBe(200);
      expect(theirs.data.ProjectTypeID).not.toBe(ProjectTypeID);
    });

    it('what was refused uses no key up', async () => {
      expect((await add(' ', once('refused'))).appErrorCode).toBe(1002);
      expect((await add('taken')).http).toBe(200);
      expect((await add('taken', once('refused'))).appErrorCode).toBe(1012);
      expect((await add('free', once('refused'))).http).toBe(200);
    });

    it('an add is answered again though its checks would fail by now', async () => {
      const industry = { IndustryName: 'Rails', ImagePath: 'a.png', IsDeleted: false };
      const { IndustryID } = (await api.send('POST', '/api/Industry/Add', { ...industry, CreateBy: 1 })).data;
      const sector = { SkillName: 'Tracks', ImagePath: 'a.png', IndustryName: 'Rails', IsDeleted: false, CreateBy: 1 };
      const first = await api.send('POST', '/api/Sector/Add', sector, once('rails'));
      const deleted = { ...industry, IndustryID, IsDeleted: true, UpdateBy: 1 };
      expect((await api.send('PUT', '/api/Industry/Update/1', deleted)).http).toBe(200);
      expect((await api.send('POST', '/api/Sector/Add', sector, once('rails'))).data).toEqual(first.data);
    });

    describe('is the same request if the checked values are the same', () => {
      const ship = { IndustryName: 'Caf\u00e9', ImagePath: 'a.png', IsDeleted: false, CreateBy: 1 };
      const tram = { ...ship, IndustryName: 'Caf\u00e9 Tram', SkillName: 'Rail' };
      const eve = { FirstName: 'E', LastName: 'L', UserName: 'eve', EmailID: 'eve@example.com', CreateBy: 1 };
      const whole = { ...eve, Password: 'ein lange\u0301r Satz', IsActive: true };
      const send = (resource: string, body: object, path = '/api') =>
        api.send('POST', `${path}/${resource}/Add`, body, once(`same ${resource}`.replace(' ', '-')));
      const first: Record<string, unknown> = {};
      beforeAll(async () => {
        first.Industry = (await send('Industry', ship)).data;
        await api.send('POST', '/api/Industry/Add', { ...ship, IndustryName: tram.IndustryName });
        first.Sector = (await send('Sector', tram)).data;
        first.AdminUser = (await send('AdminUser', whole)).data;
      });

      it.each([
        ['Industry', 'a boolean as a string', { ...ship, IsDeleted: 'FALSE' }],
        ['Industry', 'a text with blanks around it, not in NFC', { ...ship, IndustryName: ' Cafe\u0301 ' }],
        [
          'Industry',
          'other members, and in another order',
          { other: [1], ...Object.fromEntries(Object.entries(ship).reverse()) },
        ],
        ['Sector', 'the name of the industry, not in NFC', { ...tram, IndustryName: 'Cafe\u0301 Tram ' }],
        ['AdminUser', 'an address in another case', { ...whole, EmailID: 'Eve@Example.com' }],
        ['AdminUser', 'a password that is not in NFC', { ...whole, Password: 'ein langér Satz' }],
      ])('%s with %s', async (resource, _what, body) => {
        for (const path of ['/api', '/api/v1']) {
          const { data, headers } = await send(resource, body, path);
          expect(data).toEqual(first[resource]);
          expect(headers.get('idempotent-replayed')).toBe('true');
        }
      });

      it.each([
        ['Industry', 'another boolean', { ...ship, IsDeleted: true }],
        ['Industry', 'a name in another case', { ...ship, IndustryName: 'caf\u00e9' }],
        ['Industry', 'a wrong value', { ...ship, IsDeleted: 7 }],
        ['Industry', 'a member less', { ...ship, ImagePath: undefined }],
        ['Industry', 'another author', { ...ship, CreateBy: 2 }],
        ['Sector', 'another industry', { ...tram, IndustryName: 'Caf\u00e9' }],
        ['AdminUser', 'another password', { ...whole, Password: 'another password' }],
        ['AdminUser', 'a password with a blank more', { ...whole, Password: `${whole.Password} ` }],
        ['AdminUser', 'no password', { ...whole, Password: null }],
      ])('%s with %s is another one', async (resource, _what, body) => {
        const { appErrorCode, errMessage, headers } = await send(resource, body);
        expect([appErrorCode, errMessage]).toEqual([
          1012,
          'Idempotency-Key was used for another request within a day; send a new key',
        ]);
        expect(headers.get('idempotent-replayed')).toBeNull();
      });

      it('with another credential of the same user too', async () => {
        const { key } = await api.makeKey('write');
        const { token } = (await api.sendBare('POST', '/api/Auth/Token', { apiKey: key })).data;
        const headers = { ...once('same-Industry'), authorization: token };
        expect((await api.sendBare('POST', '/api/Industry/Add', ship, headers)).data).toEqual(first.Industry);
      });

      it('of ten adds of a user at once, those with another password are refused', async () => {
        const bob = { ...whole, UserName: 'bob', EmailID: 'bob@example.com' };
        const passwords = Array.from({ length: 10 }, (_, place) =>
          place % 2 === 0 ? 'even password' : 'odd password',
        );
        const all = await Promise.all(
          passwords.map((Password) => api.send('POST', '/api/AdminUser/Add', { ...bob, Password }, once('bobs'))),
        );
        const winner = all.findIndex(
          ({ headers, http }) => http === 200 && headers.get('idempotent-replayed') === null,
        );
        expect(all.map(({ http }) => http)).toEqual(passwords.map((one) => (one === passwords[winner] ? 200 : 409)));
      });

      it('a password that was changed since is never told from another one', async () => {
        const changed = { ...whole, UserID: (first.AdminUser as { UserID: number }).UserID, Password: 'changed since' };
        expect((await api.send('PUT', '/api/AdminUser/Update/1', { ...changed, UpdateBy: 1 })).http).toBe(200);
        for (const Password of ['changed since', 'another password', whole.Password])
          expect((await send('AdminUser', { ...whole, Password })).appErrorCode).toBe(1012);
      });
    });

    it.each([
      ['x'.repeat(256), 1005, 'Idempotency-Key exceeds the maximum of 255 characters'],
      ['a b', 1012, 'Idempotency-Key must be visible ASCII, such as a UUID'],
      ['', 1012, 'Idempotency-Key must be visible ASCII, such as a UUID'],
    ])('a key such as %j is refused', async (key, code, text) => {
      const { appErrorCode, errMessage } = await add('refused', once(key));
      expect([appErrorCode, errMessage]).toEqual([code, text]);
    });

    it('a key counts for a day, and is then deleted', async () => {
      const start = Date.UTC(2026, 0, 1);
      const toIso = (ms: number) => new Date(ms).toISOString();
      const addAt = (name: string, ms: number) =>
        api.store.add(projectType, { ContractName: name, IsDeleted: false }, onCommandLine(ms), {
          ...{ key: 'daily', fingerprint: 'f', since: toIso(ms - DAY) },
        });
      const first = await addAt('day 1', start);
      const id = first.ok ? first.id : 0;
      expect(await addAt('day 1 again', start + DAY)).toEqual({
        ok: false,
        why: 'used-key',
        used: { fingerprint: 'f', id },
      });
      expect(await addAt('day 2', start + DAY + 1)).toMatchObject({ ok: true });
      await api.store.trimUsedKeys(toIso(start + DAY + 1));
      expect(await api.store.findUsedKey('daily', toIso(0))).toMatchObject({ fingerprint: 'f' });
      await api.store.trimUsedKeys(toIso(start + DAY + 2));
      expect(await api.store.findUsedKey('daily', toIso(0))).toBeUndefined();
    });
  });
});

it('no digest of a password is kept with a key', () => {
  const fingerprint = (Password: string) => {
    const body = { FirstName: 'E', UserName: 'eve', Password };
    const read = readIdempotencyKey({ text: 'k', body, owner: 0 }, {} as PlatformStore, adminUser, 0);
    return read.ok ? read.value?.once.fingerprint : undefined;
  };
  expect(fingerprint('a long password')).toMatch(/^[\w-]{43}$/);
  expect(fingerprint('a long password')).toBe(fingerprint('another password'));
});
