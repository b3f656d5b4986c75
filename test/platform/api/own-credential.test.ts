import { describe, expect, it } from 'vitest';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { makeLinkToken } from '../../../src/platform/model/account-link.ts';
import type { DatabaseAddress } from '../../../src/store/database-url.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { signInAs } from '../../support/one-time-codes.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 0, 31, 12);

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  let now = NOW;
  let address: Promise<DatabaseAddress> | undefined;
  const databases = useDatabases(kind);
  const create = () => {
    address ??= databases.create();
    return address;
  };
  const api = useApi({ create }, {}, undefined, { now: () => now });
  const replica = useApi({ create }, {}, undefined, { now: () => now });
  const bearer = (token: unknown) => ({ authorization: `Bearer ${token}` });
  const get = (path: string, headers: Readonly<Record<string, string>>, at = api) =>
    at.sendBare('GET', path, undefined, headers);
  const me = (headers: Readonly<Record<string, string>>) => get('/api/Auth/Me', headers);
  const revoke = (headers: Readonly<Record<string, string>>, body?: object) =>
    api.sendBare('POST', '/api/Auth/Revoke', body, headers);
  const signIn = async () => bearer((await signInAs(api, 'root')).data.token);
  const tokenOf = async (key: string) =>
    bearer((await api.sendBare('POST', '/api/Auth/Token', undefined, { 'x-api-key': key })).data.token);
  const isGood = async (headers: Readonly<Record<string, string>>, at = api) =>
    (await get('/api/Auth/Me', headers, at)).http === 200;

  it('an API key in the header x-api-key is one as elsewhere', async () => {
    const list = (headers: Readonly<Record<string, string>>, path = '/api/Sector/ListAll/0') => get(path, headers);
    expect((await list({ 'x-api-key': api.readKey })).http).toBe(200);
    expect((await list({ 'X-API-Key': ` ${api.readKey} ` }, '/api/v1/Sector/ListAll/0')).http).toBe(200);
    expect((await list({ 'x-api-key': 'subnetd_wrong' })).appErrorCode).toBe(1123);
    expect((await list({ 'x-api-key': ' ' })).appErrorCode).toBe(1101);
    expect((await list({ 'x-api-key': `${api.readKey}, subnetd_wrong` })).appErrorCode).toBe(1123);
    expect((await list({ 'x-api-key': api.readKey }, '/api/Sector/ListAll/0?apiKey=x')).appErrorCode).toBe(1123);
    const bare = await fetch(`${api.url}/api/Sector/Add`, { method: 'OPTIONS', headers: { 'x-api-key': 'wrong' } });
    expect(await bare.json()).toMatchObject({ appErrorCode: 1123 });
    const reload = await fetch(`${api.url}/-/reload`, {
      method: 'POST',
      headers: { 'x-api-key': (await api.makeKey('operate')).key },
    });
    expect(reload.status).toBe(200);
  });

  it('shows whose credential it is, what it may do, and when it ends', async () => {
    const user = { UserID: 1, UserName: 'root' };
    const all = ['read', 'lists', 'write', 'admin', 'operate'];
    const tomorrow = new Date(NOW + DAY).toISOString();
    expect((await me(await signIn())).data).toEqual({
      ...{ ...user, Scopes: all, Credential: 'token', ApiKeyID: null, ExpiryDate: tomorrow },
    });
    const { id, key } = await api.makeKey('lists operate');
    const ofKey = { ...user, Scopes: ['read', 'lists', 'operate'], ApiKeyID: id };
    const asKey = { ...ofKey, Credential: 'API key', ExpiryDate: null };
    expect((await me({ 'x-api-key': key })).data).toEqual(asKey);
    expect((await get('/api/v1/Auth/Me', { 'x-api-key': key })).data).toEqual(asKey);
    const token = await tokenOf(key);
    expect((await me(token)).data).toEqual({ ...ofKey, Credential: 'token', ExpiryDate: tomorrow });
    const end = new Date(NOW + HOUR).toISOString();
    await api.store.rotateKey({ id, hash: 'x', hint: 'x', expiresAt: null, oldExpiresAt: end }, onCommandLine(NOW));
    expect((await me({ 'x-api-key': key })).data.ExpiryDate).toBe(end);
    expect((await me(token)).data.ExpiryDate).toBe(end);
    expect((await me({ ...(await signIn()), 'x-api-key': api.readKey })).data.Scopes).toEqual(['read']);
    expect((await me({})).appErrorCode).toBe(1101);
  });

  it('ends the token that is sent, on every replica, and no other one', async () => {
    const [first, second] = [await signIn(), await signIn()];
    expect(await isGood(first, replica)).toBe(true);
    expect((await revoke(first)).data).toEqual({ result: 'success' });
    expect([await isGood(first), await isGood(first, replica)]).toEqual([false, false]);
    expect(await me(first)).toMatchObject({
      ...{ http: 403, appErrorCode: 1104 },
      errMessage: 'the token is invalid or has ended; get a new one from POST /api/Auth/Token',
    });
    expect((await revoke(first)).appErrorCode).toBe(1104);
    expect(await isGood(second)).toBe(true);
    expect((await revoke(second, { all: 'FALSE' })).http).toBe(200);
    expect(await isGood(second)).toBe(false);
  });

  it('ends every token of its user by all, with those of keys, and the links that wait', async () => {
    const tokens = [await signIn(), await signIn(), await tokenOf(api.readKey)];
    const link = { hash: makeLinkToken(), kind: 'reset', userId: 1, expiresAt: '2999' } as const;
    const { passwordVersion = 0 } = (await api.store.findUser({ id: 1 })) ?? {};
    await api.store.addLink({ ...link, passwordVersion });
    expect((await revoke(tokens[0] ?? {}, { all: true })).http).toBe(200);
    for (const token of tokens) expect([await isGood(token), await isGood(token, replica)]).toEqual([false, false]);
    expect((await api.store.findUser({ id: 1 }))?.passwordVersion).toBe(passwordVersion + 1);
    expect(await isGood({ 'x-api-key': api.readKey })).toBe(true);
    expect(await isGood(await signIn())).toBe(true);
  });

  it('ends no API key, and asks for true or false', async () => {
    const key = { 'x-api-key': api.key };
    for (const body of [undefined, { all: true }])
      expect(await revoke(key, body)).toMatchObject({
        ...{ http: 409, appErrorCode: 1012 },
        errMessage: 'this request carries an API key, not a token; revoke the key with POST /api/ApiKey/Revoke/{id}',
      });
    expect((await revoke(await signIn(), { all: 1 })).appErrorCode).toBe(1003);
    expect((await revoke({})).appErrorCode).toBe(1101);
  });

  it('a revoked token is forgotten only when it has ended', async () => {
    const token = await signIn();
    await revoke(token);
    await api.store.trimRevokedTokens(new Date(now + DAY - 1).toISOString());
    expect(await isGood(token)).toBe(false);
    const jti = JSON.parse(Buffer.from(token.authorization.split('.')[1] ?? '', 'base64url').toString()).jti;
    expect(await api.store.findTokenUser(1, jti)).toBeUndefined();
    await api.store.trimRevokedTokens(new Date(now + DAY).toISOString());
    expect(await api.store.findTokenUser(1, jti)).toBeDefined();
    now += DAY;
    expect(await isGood(token)).toBe(false);
  });

  it('each revocation is in the security log', async () => {
    await api.platform.stop();
    const events = (await api.store.searchAudit({ limit: 1_000 })).filter(({ action }) => /revoked$/.test(action));
    expect(events.map(({ action }) => action)).toEqual(expect.arrayContaining(['token revoked', 'tokens revoked']));
    expect(events[0]).toMatchObject({
      resource: 'AdminUser',
      recordId: 1,
      owner: 1,
      credential: 'token',
      isSecurity: true,
    });
  });
});
