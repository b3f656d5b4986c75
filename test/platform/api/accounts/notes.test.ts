import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAdmin } from '../../../../src/platform/api/create-admin.ts';
import { adminUser } from '../../../../src/platform/api/resources.ts';
import { maskAddress, type WaitingMail } from '../../../../src/platform/model/mail.ts';
import type { RecordUpdate } from '../../../../src/platform/model/platform-store.ts';
import type { Author } from '../../../../src/platform/model/records.ts';
import { createRepositories, type Repositories } from '../../../../src/store/create-repositories.ts';
import type { DatabaseConnection } from '../../../../src/store/database-connection.ts';
import { openDatabase } from '../../../../src/store/open-database.ts';
import { DATABASE_KINDS } from '../../../support/databases.ts';
import { useApi, useDatabases } from '../../../support/use-api.ts';
import { MAILED_URL, useMailedApi } from '../../../support/use-mailed-api.ts';

const START = Date.parse('2026-01-31T12:00:00.000Z');
const HOUR = 3_600_000;
const TIMES = /\d{4}-\d\d-\d\d \d\d:\d\d UTC/g;

describe.each(DATABASE_KINDS)('what is queued on %s', (kind) => {
  const databases = useDatabases(kind);
  let connection: DatabaseConnection;
  let stores: Repositories;
  let time = START;

  beforeAll(async () => {
    connection = await openDatabase(await databases.create());
    stores = await createRepositories(connection);
    for (const name of ['root', 'ada'])
      await createAdmin(
        stores.platform,
        {
          ...{ FirstName: `F ${name}`, LastName: 'X', UserName: name },
          ...{ EmailID: `${name}@example.com`, Password: 'analytical engine' },
        },
        START,
      );
  }, 60_000);
  afterAll(() => connection?.close());
  beforeEach(async () => {
    time += 24 * HOUR;
    await update({ values: { EmailID: 'ada@example.com' }, hasNotes: false });
    time += 24 * HOUR;
  });

  const by = (owner: number | null, credential = 'key 3'): Author => ({
    ...{ statedBy: owner, owner, credential, ip: '192.0.2.7' },
    at: new Date(time).toISOString(),
  });
  const update = (more: Partial<RecordUpdate>) =>
    stores.platform.update({ resource: adminUser, id: 2, values: {}, author: by(1), hasNotes: true, ...more });
  /** Takes the mails that wait, in their order. */
  const takeAll = async (): Promise<readonly Partial<WaitingMail>[]> => {
    const mails: Partial<WaitingMail>[] = [];
    for (let count = 0; count < 20; count += 1) {
      const mail = await stores.mails.claimMail('9999', 60_000, 'claim');
      if (mail === undefined) break;
      await stores.mails.removeMail('claim');
      const { id: _id, attempts: _attempts, createdAt, ...rest } = mail;
      expect(createdAt).toBe(new Date(time).toISOString());
      mails.push(rest);
    }
    return mails;
  };
  const ADA = { firstName: 'F ada', userName: 'ada' };
  const TO_ADA = { userId: 2, to: 'ada@example.com' };

  it('a note of a new address and a new password holds the old address, the old names and who changed it', async () => {
    await update({ values: { EmailID: 'eve@example.org', Password: 'hash 1', UserName: 'eve', FirstName: 'Eve' } });
    const change = { ...ADA, by: 'root', credential: 'key 3' };
    expect(await takeAll()).toEqual([
      { kind: 'password-set', ...TO_ADA, change },
      { kind: 'address-changed', ...TO_ADA, change: { ...change, newAddress: 'e…@example.org' } },
    ]);
    await update({ values: { UserName: 'ada', FirstName: 'F ada' } });
    expect(await takeAll()).toEqual([]);
  });

  it('a user who changes the own record is the one who changed it', async () => {
    await update({
      values: { EmailID: 'eve@example.org', Password: 'hash 2', UserName: 'eve' },
      author: by(2, 'token'),
    });
    expect(await takeAll()).toEqual([
      { kind: 'password-changed', ...TO_ADA },
      {
        ...{ kind: 'address-changed', ...TO_ADA },
        change: { ...ADA, by: 'ada', credential: 'token', newAddress: 'e…@example.org' },
      },
    ]);
    await update({ values: { UserName: 'ada' } });
  });

  it('a note that waits goes to the address of its time, though the address changes meanwhile', async () => {
    const { platform } = stores;
    await platform.startCodes(2, 'sealed');
    await platform.confirmCodes(2, { secret: 'sealed', hashes: ['x'] }, by(2), { kind: 'codes-on', userId: 2 });
    await platform.removeCodes(2, by(1), { kind: 'codes-off', userId: 2 });
    const { passwordVersion = 0 } = (await platform.findUser({ id: 2 })) ?? {};
    const mail = { kind: 'password-changed', userId: 2 } as const;
    expect(
      await platform.changePassword({ userId: 2, passwordVersion, passwordHash: 'hash 3', author: by(2), mail }),
    ).toBe(true);
    await update({ values: { EmailID: 'eve@example.org' }, hasNotes: false });
    expect(await takeAll()).toEqual([
      { kind: 'codes-on', ...TO_ADA },
      { kind: 'codes-off', ...TO_ADA },
      { kind: 'password-changed', ...TO_ADA },
    ]);
  });

  it('an update that fails, that changes neither, or that asks for none queues no note', async () => {
    expect(await update({ values: { EmailID: 'ROOT@example.com' } })).toMatchObject({ ok: false, why: 'duplicate' });
    expect(await update({ values: { EmailID: 'eve@example.org' }, isKnown: () => false })).toMatchObject({
      why: 'changed',
    });
    expect(await update({ values: { EmailID: 'eve@example.org' }, key: { UserName: 'bob' } })).toMatchObject({
      why: 'missing',
    });
    expect(await update({ values: { EmailID: 'ada@example.com', LastName: 'King' } })).toMatchObject({ ok: true });
    expect(await update({ values: { EmailID: 'eve@example.org' }, hasNotes: false })).toMatchObject({ ok: true });
    expect(await takeAll()).toEqual([]);
  });

  it('an address gets three notes of each kind in an hour, from whichever address it was changed', async () => {
    const kinds = async () => (await takeAll()).map((mail) => [mail.kind, 'to' in mail && mail.to]);
    const flip = async () => {
      await update({ values: { EmailID: 'eve@example.org' } });
      await update({ values: { EmailID: 'ada@example.com' } });
    };
    for (let count = 0; count < 5; count += 1) await flip();
    const [away, back] = [
      ['address-changed', 'ada@example.com'],
      ['address-changed', 'eve@example.org'],
    ];
    expect(await kinds()).toEqual([away, back, away, back, away, back]);
    const set = (count: number) => update({ values: { Password: `hash ${time} ${count}` } });
    for (let count = 0; count < 5; count += 1) await set(count);
    const password = ['password-set', 'ada@example.com'];
    expect(await kinds()).toEqual([password, password, password]);
    time += HOUR - 1;
    await set(6);
    expect(await kinds()).toEqual([]);
    time += 1;
    await update({ values: { EmailID: 'eve@example.org' } });
    await set(7);
    // The note goes to an address that has had none of a password.
    expect(await kinds()).toEqual([away, ['password-set', 'eve@example.org']]);
    await update({ values: { EmailID: 'ada@example.com' } });
    for (const count of [8, 9, 10]) await set(count);
    expect(await kinds()).toEqual([back, password, password]);
    await update({ values: { Password: 'hash 11', EmailID: 'eve@example.org' } });
    expect(await kinds()).toEqual([away]);
  });

  it('own changes of the password do not use up the notes of those by somebody else', async () => {
    for (const count of [1, 2, 3]) await update({ values: { Password: `own ${count}` }, author: by(2, 'session') });
    await update({ values: { Password: 'not own' } });
    expect((await takeAll()).map((mail) => mail.kind)).toEqual([
      ...['password-changed', 'password-changed', 'password-changed'],
      'password-set',
    ]);
  });
});

describe('what is mailed', () => {
  const { api, server } = useMailedApi(useDatabases('sqlite'));
  const add = async (name: string) => {
    const person = { FirstName: name, LastName: 'X', UserName: name, Password: 'analytical engine', IsActive: true };
    const { data } = await api.send('POST', '/api/AdminUser/Add', {
      ...{ ...person, EmailID: `${name}@example.com`, CreateBy: 1 },
    });
    return { ...person, EmailID: `${name}@example.com`, UserID: Number(data.UserID), Password: '********' };
  };
  const put = (person: object, more: object) =>
    api.send('PUT', '/api/AdminUser/Update/1', { ...person, ...more, UpdateBy: 1 });
  const mailsTo = (address: string) => server.mails.filter(({ to }) => to[0] === address);
  const textsTo = (address: string) => mailsTo(address).map(({ text }) => text.replace(TIMES, 'TIME'));
  const AUDIT = 'Then ask an admin to look at the audit log.';

  it('the old address hears of a new one, and of a password that an admin set at the same time', async () => {
    const ada = await add('ada');
    const changes = { EmailID: 'robert@evil.example', Password: 'difference engine', UserName: 'mallory' };
    expect((await put(ada, changes)).http).toBe(200);
    await expect.poll(() => textsTo('ada@example.com').length, { interval: 10 }).toBe(2);
    expect(textsTo('ada@example.com')).toEqual([
      `${[
        'Hello ada,',
        `The password of your account ada at ${MAILED_URL} was set at TIME by admin user root (key 1). All its sessions and tokens have ended.`,
        `If you did not expect it, choose a new password at once: ${MAILED_URL}/portal/forgotten`,
        AUDIT,
      ].join('\n\n')}\n`,
      `${[
        'Hello ada,',
        `The e-mail address of your account ada at ${MAILED_URL} was changed to r…@evil.example at TIME by admin user root (key 1). Mails about the account now go there.`,
        'If you did not expect it, tell an admin at once: they can find the change in the audit log and restore your address.',
        'A link for a new password would go to the new address.',
      ].join('\n\n')}\n`,
    ]);
    expect(mailsTo('ada@example.com').map(({ headers }) => headers.subject)).toEqual([
      'subnetd: Your password was set by somebody else',
      'subnetd: Your e-mail address was changed',
    ]);
    expect(mailsTo('robert@evil.example')).toEqual([]);
    const [one, two] = mailsTo('ada@example.com');
    const whole = `${one?.raw}${one?.text}${one?.html}${two?.raw}${two?.text}${two?.html}${api.logged.join('')}`;
    for (const secret of ['difference engine', 'robert@', api.key]) expect(whole.includes(secret), secret).toBe(false);
  });

  it('who sets the own password by an update gets the note of a changed password', async () => {
    const ben = await add('ben');
    const { key } = await api.makeKey('write', ben.UserID);
    const body = { ...ben, Password: 'difference engine', UpdateBy: 1, apiKey: key };
    expect((await api.sendBare('PUT', '/api/AdminUser/Update/1', body)).http).toBe(200);
    await expect.poll(() => mailsTo('ben@example.com').length, { interval: 10 }).toBe(1);
    expect(mailsTo('ben@example.com')[0]?.headers.subject).toBe('subnetd: Your password was changed');
    expect((await api.sendBare('PUT', '/api/AdminUser/Update/1', { ...body, LastName: 'Y' })).http).toBe(200);
    expect((await put({ ...ben, UpdateBy: 1 }, { LastName: 'Z' })).http).toBe(200);
    await api.send('POST', '/api/Account/ForgotPassword', { EmailID: 'r@example.com' });
    await expect.poll(() => mailsTo('r@example.com').length, { interval: 10 }).toBe(1);
    expect(mailsTo('ben@example.com')).toHaveLength(1);
  });
});

describe('with the limit of sign-ins', () => {
  const { api, server } = useMailedApi(useDatabases('sqlite'), { limits: { rate: 0, burst: 0, signIns: 3 } });

  it('nobody floods others with notes by a stolen key, and what is refused is not changed', async () => {
    const addresses = async () =>
      (await api.send('GET', '/api/AdminUser/ListAll/0')).data.items.map(({ EmailID }) => EmailID);
    for (const name of ['ada', 'ben', 'cleo', 'dan']) {
      const person = { FirstName: name, LastName: 'X', UserName: name, Password: 'analytical engine', IsActive: true };
      await api.send('POST', '/api/AdminUser/Add', { ...person, EmailID: `${name}@example.com`, CreateBy: 1 });
    }
    const put = (name: string, Password: string, EmailID: string, IsActive = true) =>
      api.send('PUT', '/api/AdminUser/Update/1', {
        ...{ FirstName: name, LastName: 'X', UserName: name, Password, EmailID, IsActive, UpdateBy: 1 },
      });
    expect((await put('ada', '********', 'a@example.org')).http).toBe(200);
    expect((await put('ben', '********', 'b@example.org')).http).toBe(200);
    expect((await put('cleo', 'difference engine', 'cleo@example.com')).http).toBe(200);
    const before = await addresses();
    const refused = await put('dan', '********', 'd@example.org');
    expect(refused).toMatchObject({
      ...{ http: 400, appErrorCode: 1102 },
      errMessage: 'too many mails and sign-ins; retry after the time in Retry-After',
    });
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await put('dan', 'difference engine', 'dan@example.com')).appErrorCode).toBe(1102);
    expect(await addresses()).toEqual(before);
    // What mails nobody is not limited.
    expect((await put('dan', '********', 'dan@example.com', false)).http).toBe(200);
    // The present password is treated as any other, or the answer would tell whether it is right.
    expect((await put('ada', 'analytical engine', 'a@example.org')).appErrorCode).toBe(1102);
    expect((await put('ada', '********', 'a@example.org')).http).toBe(200);
    await expect.poll(() => server.mails.length, { interval: 10 }).toBe(3);
    expect(server.mails.map(({ to }) => to[0])).toEqual(['ada@example.com', 'ben@example.com', 'cleo@example.com']);
  });
});

describe('without a mail server', () => {
  const databases = useDatabases('sqlite');
  let count = async (): Promise<unknown> => undefined;
  const create = async () => {
    const address = await databases.create();
    count = async () => {
      const connection = await openDatabase(address);
      return connection.column('select count(*) from mail').finally(() => connection.close());
    };
    return address;
  };
  const api = useApi({ create }, { limits: { rate: 0, burst: 0, signIns: 1 } });

  it('nothing is queued and nothing is limited', async () => {
    const root = { FirstName: 'R', LastName: 'T', UserName: 'root', IsActive: true, UpdateBy: 1 };
    for (const turn of [1, 2, 3]) {
      const body = { ...root, EmailID: `r${turn}@example.com`, Password: `difference engine ${turn}` };
      expect((await api.send('PUT', '/api/AdminUser/Update/1', body)).http).toBe(200);
    }
    expect(await count()).toEqual(['0']);
  });
});

it.each([
  ['robert@example.com', 'r…@example.com'],
  ['r@example.com', 'r…@example.com'],
  ['🦊fox@example.com', '🦊…@example.com'],
  ['"a@b"@example.com', '"…@example.com'],
])('the address %s is masked as %s', (address, masked) => {
  expect(maskAddress(address)).toBe(masked);
});
