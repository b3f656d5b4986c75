import { describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '../../../src/lib/addresses.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { useApi, useDatabases } from '../../support/use-api.ts';

const trusted = parseTrustedProxies('127.0.0.1');
if (!trusted.ok) throw new Error('unreachable');

describe.each(DATABASE_KINDS)('on %s, behind a trusted proxy', (kind) => {
  const api = useApi(useDatabases(kind), { trustedProxies: trusted.proxies });
  const from = (address: string) => ({ 'x-forwarded-for': address });
  const use = (key: string, address: string) =>
    api.sendBare('GET', '/api/Sector/ListAll/0', undefined, { 'x-api-key': key, ...from(address) });
  const admin = async (method: string, path: string, body?: object, address = '198.51.100.1') =>
    api.sendBare(method, `/api/ApiKey/${path}`, body, {
      'x-api-key': (await api.makeKey('admin')).key,
      ...from(address),
    });

  it('a key with a list of addresses works from these only, and so does a token of it', async () => {
    const { ApiKeyID: id, ApiKey } = (
      await admin('POST', 'Add', {
        Name: 'shop',
        Scopes: ['read'],
        AllowedIPs: ['192.0.2.0/28', ' 203.0.113.9', '2001:db8:1::/48'],
      })
    ).data;
    const key = String(ApiKey);
    for (const address of ['192.0.2.15', '203.0.113.9', '2001:db8:1::7', '::ffff:192.0.2.1'])
      expect([address, (await use(key, address)).http]).toEqual([address, 200]);
    for (const address of ['192.0.2.16', '203.0.113.8', '2001:db8:2::7']) {
      const { http, text } = await use(key, address);
      expect([address, http, JSON.parse(text)]).toEqual([
        ...[address, 403],
        {
          ...{ status: 'failed', appErrorCode: 1104 },
          errMessage: `the API key may not be used from ${address}; ask an admin user to allow it`,
        },
      ]);
    }
    const { token } = (await api.sendBare('POST', '/api/Auth/Token', { apiKey: key }, from('192.0.2.1'))).data;
    const withToken = (address: string) =>
      api.sendBare('GET', '/api/Sector/ListAll/0', undefined, { authorization: token, ...from(address) });
    expect([(await withToken('192.0.2.1')).http, (await withToken('192.0.2.16')).appErrorCode]).toEqual([200, 1104]);
    expect((await admin('GET', `ListAll/${id}`)).data.items[0]).toMatchObject({
      AllowedIPs: ['192.0.2.0/28', '203.0.113.9', '2001:db8:1::/48'],
    });
    const refused = { resource: 'ApiKey', recordId: Number(id), isSecurity: true };
    await expect
      .poll(async () => (await api.store.searchAudit({ ...refused, limit: 9 })).map(({ action, ip }) => [action, ip]))
      .toContainEqual(['key refused', '192.0.2.16']);
  });

  it('the addresses of a key are changed and lifted, which is in the audit trail, and its successor has the same', async () => {
    const { id, key } = await api.makeKey('read');
    expect((await use(key, '203.0.113.1')).http).toBe(200);
    expect((await admin('POST', `Restrict/${id}`, { AllowedIPs: ['192.0.2.1'] })).data).toEqual({
      result: 'success',
      ApiKeyID: id,
    });
    expect((await use(key, '203.0.113.1')).appErrorCode).toBe(1104);
    const next = String((await admin('POST', `Rotate/${id}`, {})).data.ApiKey);
    expect([(await use(next, '203.0.113.1')).appErrorCode, (await use(next, '192.0.2.1')).http]).toEqual([1104, 200]);
    await admin('POST', `Restrict/${id}`, { AllowedIPs: [] });
    await admin('POST', `Restrict/${id}`, { AllowedIPs: [] });
    expect((await use(key, '203.0.113.1')).http).toBe(200);
    const events = await api.store.searchAudit({ resource: 'ApiKey', recordId: id, isSecurity: false, limit: 9 });
    expect(events.filter(({ action }) => action === 'update').map(({ changes, ip }) => [changes, ip])).toEqual([
      [{ AllowedIPs: { from: null, to: '192.0.2.1' } }, '198.51.100.1'],
      [{ AllowedIPs: { from: '192.0.2.1', to: null } }, '198.51.100.1'],
    ]);
  });

  const EACH = 'AllowedIPs: each must be an IPv4 or IPv6 address, or a network such as 192.0.2.0/24 or 2001:db8::/32';
  const WRONG = ['192.0.2.0/33', '2001:db8::/129', 'example.com', '', '192.0.2.1 192.0.2.2', '192.0.2.1,'];
  const ARRAY = 'AllowedIPs must be an array of strings such as ["192.0.2.0/24"]';
  const refusals: readonly (readonly [object, number, string])[] = [
    [{}, 1001, 'AllowedIPs is missing; send it'],
    [{ AllowedIPs: '192.0.2.1' }, 1003, ARRAY],
    [{ AllowedIPs: [7] }, 1003, ARRAY],
    [{ AllowedIPs: Array(51).fill('192.0.2.1') }, 1005, 'AllowedIPs exceeds the maximum of 50 entries'],
    ...WRONG.map((one) => [{ AllowedIPs: [one] }, 1012, EACH] as const),
  ];
  it.each(refusals)('%j is refused with %i', async (body, code, message) => {
    const { id } = await api.makeKey('read');
    const { appErrorCode, errMessage } = await admin('POST', `Restrict/${id}`, body);
    expect([appErrorCode, errMessage]).toEqual([code, message]);
  });

  it('a key that does not exist cannot be restricted', async () => {
    expect(await admin('POST', 'Restrict/4711', { AllowedIPs: [] })).toMatchObject({ http: 403, appErrorCode: 1004 });
  });
});
