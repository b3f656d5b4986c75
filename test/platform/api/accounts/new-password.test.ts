import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, expect, it } from 'vitest';
import { createAdmin } from '../../../../src/platform/api/create-admin.ts';
import { hashLinkToken, type LinkKind, makeLinkToken } from '../../../../src/platform/model/account-link.ts';
import { useApi, useDatabases } from '../../../support/use-api.ts';

const api = useApi(useDatabases('sqlite'));
const OWN = 'analytical engine';
const ada = { FirstName: 'Ada', LastName: 'L', UserName: 'Ada.Lovelacé', EmailID: 'ada@example.com', IsActive: true };
const add = (Password: string) => api.send('POST', '/api/AdminUser/Add', { ...ada, Password, CreateBy: 1 });
const put = (Password: string, IsActive = true) =>
  api.send('PUT', '/api/AdminUser/Update/1', { ...ada, Password, IsActive, UpdateBy: 1 });
const findId = async () => (await api.store.findUser({ userNameKey: ada.UserName }))?.id ?? 0;

/** Sends a link of the kind with the password. */
const useLink = async (path: string, member: string, kind: LinkKind, Password: string) => {
  const userId = await findId();
  const { passwordVersion = 0 } = (await api.store.findUser({ id: userId })) ?? {};
  const token = makeLinkToken();
  const expiresAt = new Date(Date.now() + 60_000).toISOString();
  await api.store.addLink({ hash: hashLinkToken(token), kind, userId, passwordVersion, expiresAt });
  return api.sendBare('POST', path, { [member]: token, Password });
};

const ways: readonly (readonly [string, (password: string) => Promise<{ http: number; errMessage?: string }>])[] = [
  ['AdminUser/Add', add],
  ['AdminUser/Update', put],
  [
    'Account/ChangePassword',
    async (NewPassword) => {
      const { token } = (await api.sendBare('POST', '/api/Auth/Token', { UserName: ada.UserName, Password: OWN })).data;
      return api.sendBare('POST', '/api/Account/ChangePassword', { token, Password: OWN, NewPassword });
    },
  ],
  ['Account/ResetPassword', (password) => useLink('/api/Account/ResetPassword', 'ResetToken', 'reset', password)],
  ['Account/Activate', (password) => useLink('/api/Account/Activate', 'ActivationToken', 'activation', password)],
  [
    'subnetd admin create',
    async (Password) => {
      const created = await createAdmin(api.store, { ...ada, Password }, Date.now());
      return created.ok ? { http: 200 } : { http: 409, errMessage: created.failure.message };
    },
  ],
];

describe('a new password', () => {
  it.each(ways)('is neither the user name nor a common one, by %s', async (way, set) => {
    if (way !== 'AdminUser/Add' && way !== 'subnetd admin create') await add(OWN);
    const refused = async (password: string) => (await set(password)).errMessage?.replace(/^New/, '');
    const isName = 'Password is the user name; choose another one, such as a long phrase';
    const isCommon =
      'Password is among the most common passwords, which are guessed first; choose another one, such as a long phrase';
    // In another case, and not in NFC.
    expect(await refused('ADA.LOVELACE\u0301')).toBe(isName);
    for (const password of ['password', '12345678', 'Trustno1', 'QWERTYUIOP'])
      expect(await refused(password)).toBe(isCommon);
    expect(await refused('pass')).toBe('Password is below the minimum of 8 characters');
    if (way === 'AdminUser/Add' || way === 'subnetd admin create') return;
    if (way === 'Account/Activate') await put('********', false);
    expect((await set('difference engine')).http).toBe(200);
    expect((await put(OWN)).http).toBe(200);
  });

  it('may hold the user name, and the mask keeps an old one whatever it is', async () => {
    await add(OWN);
    expect((await put('********')).http).toBe(200);
    expect((await put('ada.lovelace and more')).http).toBe(200);
  });

  it('is compared with ten thousand that are long enough, the most common first', async () => {
    const { resolve } = createRequire(import.meta.url);
    const list: readonly string[] = JSON.parse(
      readFileSync(resolve('@zxcvbn-ts/language-common/src/passwords.json'), 'utf8'),
    );
    const longEnough = list.filter(({ length }) => length >= 8);
    expect((await put(longEnough[9_999] ?? '')).http).toBe(409);
    expect((await put(longEnough[10_000] ?? '')).http).toBe(200);
  });
});
