import { beforeAll, describe, expect, it } from 'vitest';
import { saveProfile } from '../../../src/platform/api/accounts/profile.ts';
import type { Actor } from '../../../src/platform/api/actor.ts';
import { createAdmin } from '../../../src/platform/api/create-admin.ts';
import { adminUser } from '../../../src/platform/api/resources.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useDatabases } from '../../support/use-api.ts';
import { usePortal } from '../../support/use-portal.ts';

const MINUTE = 60_000;
const PROFILE = { FirstName: 'Rut', LastName: 'Tester', EmailID: 'rut@example.com', MobileNo: '+41 79 123 45 67' };
const shownIn = (html: string, name: string) => new RegExp(`name="${name}"[^>]* value="([^"]*)"`).exec(html)?.[1];

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const { portal, visitor } = usePortal(databases);
  beforeAll(async () => {
    const ada = { FirstName: 'A', LastName: 'L', UserName: 'ada', Password: 'hunter22', EmailID: 'ada@example.com' };
    await createAdmin(portal.store, ada, Date.now());
    await visitor.get('/portal/account');
  });
  const save = (change: Partial<typeof PROFILE> = {}) =>
    visitor.post('/portal/account/profile', { ...PROFILE, ...change });

  it('a user changes the own name, address and mobile number, and stays signed in', async () => {
    const saved = await save();
    expect(visitor.path()).toBe('/portal/account?done=profile');
    expect(saved.words).toContain('Your profile was saved.');
    expect(shownIn(saved.html, 'MobileNo')).toBe('+41 79 123 45 67');
    const record = await portal.store.find(adminUser, 1);
    expect(record).toMatchObject({ ...PROFILE, UserName: 'root', IsActive: true, UpdateBy: 1, UpdateIP: '192.0.2.1' });
    const [event] = await portal.store.searchAudit({
      resource: adminUser.name,
      recordId: 1,
      isSecurity: false,
      isDescending: true,
      limit: 1,
    });
    expect(event).toMatchObject({ action: 'update', owner: 1, credential: 'session' });
    expect(event?.changes.MobileNo).toEqual({ from: null, to: '+41 79 123 45 67' });
    const page = await visitor.get('/portal/users/1');
    expect(page.words).toContain('Mobile number: +41 79 123 45 67');
    expect((await visitor.get('/portal/account?done=constructor')).words).not.toContain('native code');
    await visitor.get('/portal/account');
  });

  it('an empty mobile number takes it away, and the others are required', async () => {
    await visitor.get('/portal/account');
    await save({ MobileNo: ' ' });
    expect((await portal.store.find(adminUser, 1))?.MobileNo).toBeNull();
    const refused = await save({ FirstName: '' });
    expect([refused.status, refused.words]).toEqual([
      400,
      expect.stringContaining('First name is empty; give it a value.'),
    ]);
    expect(shownIn(refused.html, 'LastName')).toBe('Tester');
    expect(refused.html).toContain('<title>Error: Your account, portal (subnetd)</title>');
  });

  it.each([
    [{ MobileNo: 'call me' }, 409, 'Mobile number must be a phone number such as +41 79 123 45 67. Code 1012'],
    [{ MobileNo: '1234' }, 409, 'Mobile number must be a phone number'],
    [{ MobileNo: '+41 79 123 45 67 1234567' }, 409, 'Mobile number must be a phone number'],
    [{ MobileNo: '1'.repeat(33) }, 400, 'Mobile number exceeds the maximum of 32 characters. Code 1005'],
    [{ EmailID: 'nobody' }, 409, 'E-mail must be an e-mail address'],
    [{ EmailID: 'ADA@example.com' }, 409, 'E-mail is taken'],
  ])('the profile is not saved with %j', async (change, status, words) => {
    const before = await portal.store.find(adminUser, 1);
    const refused = await save(change);
    expect([refused.status, refused.words]).toEqual([status, expect.stringContaining(words)]);
    expect(await portal.store.find(adminUser, 1)).toEqual(before);
  });

  it('a profile says nothing of the activity, the name or the id of its user', async () => {
    await visitor.post('/portal/account/profile', { ...PROFILE, UserID: '2', UserName: 'other', IsActive: 'false' });
    expect(await portal.store.find(adminUser, 1)).toMatchObject({
      UserName: 'root',
      IsActive: true,
      LastName: 'Tester',
    });
    expect((await portal.store.find(adminUser, 2))?.LastName).toBe('L');
  });

  it('a profile that is saved while another admin deactivates its user does not activate that user again', async () => {
    const { store } = portal;
    const author = { statedBy: 1, owner: 1, credential: 'session', at: new Date().toISOString(), ip: null };
    const caller = { owner: 2, scopes: [], credential: 'session' };
    const slow: typeof store = {
      ...store,
      update: async (update) => {
        await store.update({ resource: adminUser, id: 2, values: { IsActive: false }, author });
        return store.update(update);
      },
    };
    const body = { ...PROFILE, EmailID: 'ada@example.org' };
    const actor = { address: '', store: slow, caller } as Partial<Actor> as Actor;
    const saved = await saveProfile(actor, body, await portal.platform.services());
    expect(saved).toEqual({ ok: true, value: 2 });
    expect(await store.find(adminUser, 2)).toMatchObject({ EmailID: 'ada@example.org', IsActive: false });
  });

  it('some time after the sign-in it asks for the password first', async () => {
    portal.wait(16 * MINUTE);
    await save({ FirstName: 'Never' });
    expect(visitor.path()).toBe('/portal/sign-in?next=%2Fportal%2Faccount&again=1');
    expect((await portal.store.find(adminUser, 1))?.FirstName).toBe('Rut');
  });
});
