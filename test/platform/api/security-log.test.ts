import { describe, expect, it } from 'vitest';
import { parseTrustedProxies } from '../../../src/lib/addresses.ts';
import { onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { createSecurityLog } from '../../../src/platform/api/security-log.ts';
import type { AuditEvent } from '../../../src/platform/model/platform-store.ts';
import type { SecurityEvent } from '../../../src/platform/model/security-event.ts';
import { type Api, ROOT_PASSWORD, startApi } from '../../support/api.ts';
import { temporaryFolder } from '../../support/cli.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { runCommand } from '../../support/run-command.ts';
import { useDatabases } from '../../support/use-api.ts';

const parsed = parseTrustedProxies('127.0.0.0/8');
if (!parsed.ok) throw new Error('unreachable');
const trustedProxies = parsed.proxies;
const off = { rate: 0, burst: 0, signIns: 0 };
const from = (address: string, requestId = 'id') => ({ 'x-forwarded-for': address, 'x-request-id': requestId });

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  const signIn = (api: Api, address: string, Password = 'wrong', UserName = 'root', requestId?: string) =>
    api.sendBare('POST', '/api/Auth/Token', { UserName, Password }, from(address, requestId));
  /** The security events, once the API has stopped and written them. */
  const readEvents = async (api: Api): Promise<readonly AuditEvent[]> => {
    await api.platform.stop();
    return (await api.store.searchAudit({ limit: 1_000 })).filter(({ isSecurity }) => isSecurity);
  };
  const lines = ({ logged }: Api) =>
    logged.map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>).filter(({ security }) => security);

  it('each sign-in, token and refusal is a row and a line, with who, from where and by which request', async () => {
    const api = await startApi(await databases.create(), { limits: off, trustedProxies });
    try {
      const reader = await api.makeKey('read');
      const revoked = await api.makeKey('read');
      await api.store.revokeKey(revoked.id, onCommandLine(Date.now()));
      const list = (credential: string, requestId: string) =>
        api.sendBare('GET', `/api/Sector/ListAll/0?${credential}`, undefined, from('192.0.2.2', requestId));
      const { token } = (await signIn(api, '192.0.2.1', ROOT_PASSWORD, 'root', 'r1')).data;
      await signIn(api, '192.0.2.1', 'hunter2 hunter2', 'root', 'r2');
      await signIn(api, '192.0.2.1', 'hunter2 hunter2', 'my-secret-typed-as-name', 'r3');
      await api.sendBare('POST', '/api/Auth/Token', { apiKey: reader.key }, from('192.0.2.2', 'r4'));
      await list('apiKey=subnetd_unknown', 'r5');
      await list(`apiKey=${revoked.key}`, 'r6');
      await list('token=a.b.c', 'r7');
      await list(`token=${token.slice(0, -2)}`, 'r8');
      await api.sendBare('POST', '/api/Sector/Add', { apiKey: reader.key }, from('192.0.2.2', 'r9'));
      await fetch(`${api.url}/-/reload?token=${token}x`, { method: 'POST', headers: from('2001:db8::1', 'r10') });
      await fetch(`${api.url}/-/reload?apiKey=${reader.key}`, { method: 'POST', headers: from('2001:db8::1', 'r11') });
      const events = await readEvents(api);
      const row = (
        action: string,
        resource: string,
        recordId: number,
        credential: string,
        ip: string,
        requestId: string,
      ) => ({ action, resource, recordId, credential, ip, requestId, statedBy: null });
      const wanted = [
        { ...row('sign-in', 'AdminUser', 1, 'password', '192.0.2.1', 'r1'), owner: 1 },
        { ...row('token', 'AdminUser', 1, 'password', '192.0.2.1', 'r1'), owner: 1 },
        { ...row('sign-in refused', 'AdminUser', 1, 'none', '192.0.2.1', 'r2'), owner: null },
        { ...row('sign-in refused', 'Request', 0, 'none', '192.0.2.1', 'r3'), owner: null },
        { ...row('token', 'AdminUser', 1, `key ${reader.id}`, '192.0.2.2', 'r4'), owner: 1 },
        row('key refused', 'Request', 0, 'none', '192.0.2.2', 'r5'),
        row('key refused', 'ApiKey', revoked.id, 'none', '192.0.2.2', 'r6'),
        row('token refused', 'Request', 0, 'none', '192.0.2.2', 'r7'),
        {
          ...row('scope refused', 'ApiKey', reader.id, `key ${reader.id}`, '192.0.2.2', 'r9'),
          changes: { Scope: { from: null, to: 'lists' } },
        },
        row('token refused', 'Request', 0, 'none', '2001:db8::1', 'r10'),
        {
          ...row('scope refused', 'ApiKey', reader.id, `key ${reader.id}`, '2001:db8::1', 'r11'),
          changes: { Scope: { from: null, to: 'operate' } },
        },
        // r8 is like r7, so it is only counted.
        { ...row('token refused', 'Request', 0, 'none', '192.0.2.2', 'r8'), changes: {} },
      ];
      expect(events).toMatchObject(wanted);
      expect(events).toHaveLength(wanted.length);
      expect(lines(api)).toMatchObject(
        events.map(({ action, ip, requestId, resource, recordId }) => ({
          ...{ security: action, address: ip, requestId, count: 1 },
          ...(resource === 'AdminUser' && { userId: recordId }),
          ...(resource === 'ApiKey' && { keyId: recordId }),
        })),
      );
      // Only what an operator should look at is a warning.
      const warned = lines(api).filter(({ level }) => level === 40);
      expect(new Set(warned.map(({ security }) => security))).toEqual(
        new Set(['sign-in refused', 'key refused', 'token refused', 'scope refused']),
      );
      expect(lines(api).filter(({ level }) => level !== 40 && level !== 30)).toEqual([]);
      const all = JSON.stringify(events) + api.logged.join('');
      for (const secret of ['hunter2', 'my-secret-typed', ROOT_PASSWORD, reader.key, revoked.key, token])
        expect(all).not.toContain(secret);
    } finally {
      await api.stop();
    }
  });

  it('a change carries the id of its request', async () => {
    const api = await startApi(await databases.create(), { limits: off, trustedProxies });
    try {
      const body = { ContractName: 'Loan', IsDeleted: false, CreateBy: 1 };
      await api.send('POST', '/api/ProjectType/Add', body, from('192.0.2.1', 'change-1'));
      const events = await api.store.searchAudit({ limit: 100 });
      expect(events.at(-1)).toMatchObject({ action: 'add', requestId: 'change-1', isSecurity: false });
      expect(events.find(({ resource }) => resource === 'ApiKey')).toMatchObject({ action: 'add', requestId: null });
    } finally {
      await api.stop();
    }
  });

  it('a flood is a few rows and a count, and hides no sign-in', async () => {
    const api = await startApi(await databases.create(), { limits: off, trustedProxies });
    try {
      for (let i = 0; i < 50; i += 1)
        await Promise.all(
          Array.from({ length: 20 }, (_, n) =>
            api.sendBare('GET', '/api/Sector/ListAll/0?apiKey=x', undefined, from(`192.0.2.${i}`, `${i}-${n}`)),
          ),
        );
      await signIn(api, '198.51.100.1', ROOT_PASSWORD);
      const events = await readEvents(api);
      const refused = events.filter(({ action }) => action === 'key refused');
      // The first of 20 addresses, then how many more of each there were, then all of the other 30 together.
      expect(refused).toHaveLength(41);
      const total = refused.reduce((sum, { changes }) => sum + Number(changes.Count?.to ?? 1), 0);
      expect(total).toBe(1_000);
      expect(refused.find(({ credential }) => credential === 'several')).toMatchObject({
        ...{ ip: null, resource: 'Request', recordId: 0, changes: { Count: { to: 600 } } },
      });
      expect(events.filter(({ action }) => action === 'sign-in')).toMatchObject([{ ip: '198.51.100.1' }]);
      expect(lines(api).filter(({ security }) => security === 'key refused')).toHaveLength(41);
    } finally {
      await api.stop();
    }
  }, 90_000);

  it('rows of the log are forgotten by age and by number, in slices, and those of changes stay', async () => {
    const api = await startApi(await databases.create());
    try {
      const event = (at: string): SecurityEvent => ({
        ...{ at, action: 'key refused', subject: undefined, owner: null, credential: 'none', ip: null },
        ...{ requestId: null, count: 1 },
      });
      const days = (n: number) => new Date(Date.UTC(2026, 0, n)).toISOString();
      const list = async () => (await api.store.searchAudit({ limit: 5_000 })).filter(({ isSecurity }) => isSecurity);
      const changes = (await api.store.searchAudit({ limit: 100 })).length;
      await api.store.addSecurityEvents([1, 2, 3, 4, 5].map((day) => event(days(day))));
      await api.store.trimSecurityEvents(days(2), 100);
      expect((await list()).map(({ at }) => at)).toEqual([2, 3, 4, 5].map(days));
      await api.store.trimSecurityEvents(days(2), 4);
      expect(await list()).toHaveLength(4);
      await api.store.trimSecurityEvents(days(2), 3);
      expect((await list()).map(({ at }) => at)).toEqual([3, 4, 5].map(days));
      await api.store.addSecurityEvents(Array.from({ length: 1_500 }, () => event(days(6))));
      await api.store.trimSecurityEvents(days(9), 100);
      expect(await list()).toHaveLength(503);
      await api.store.trimSecurityEvents(days(9), 100);
      expect(await list()).toEqual([]);
      expect(await api.store.searchAudit({ limit: 100 })).toHaveLength(changes);
    } finally {
      await api.stop();
    }
  });

  it('a user name under attack can sign in only from addresses of earlier sign-ins', async () => {
    const limits = { rate: 0, burst: 0, signIns: 3 };
    const address = await databases.create();
    const api = await startApi(address, { limits, trustedProxies });
    const replica = await startApi(address, { limits, trustedProxies });
    try {
      const other = { FirstName: 'F', LastName: 'L', UserName: 'other', Password: ROOT_PASSWORD };
      const body = { ...other, EmailID: 'o@example.com', IsActive: true, CreateBy: 1 };
      expect((await api.send('POST', '/api/AdminUser/Add', body)).http).toBe(200);
      expect((await signIn(api, '203.0.113.7', ROOT_PASSWORD)).http).toBe(200);
      expect((await signIn(api, '2001:db8:0:7::1', ROOT_PASSWORD)).http).toBe(200);
      expect((await signIn(api, '203.0.113.8', ROOT_PASSWORD, 'other')).http).toBe(200);
      const tries = [];
      for (let i = 1; i <= 5; i += 1) tries.push((await signIn(api, `192.0.2.${i}`)).appErrorCode);
      // The two good ones were from new addresses too, so one try was left.
      expect(tries).toEqual([1104, 1102, 1102, 1102, 1102]);
      expect((await signIn(api, '192.0.2.9', ROOT_PASSWORD)).appErrorCode).toBe(1102);
      expect((await signIn(api, '203.0.113.8', ROOT_PASSWORD)).appErrorCode).toBe(1102);
      expect((await signIn(api, '203.0.113.7', ROOT_PASSWORD)).http).toBe(200);
      expect((await signIn(api, '2001:db8:0:7:ffff::2', ROOT_PASSWORD)).http).toBe(200);
      expect((await signIn(replica, '203.0.113.7', ROOT_PASSWORD)).http).toBe(200);
      // From there too a password is guessed at the speed of one address only.
      const here = [];
      for (let i = 0; i < 4; i += 1) here.push((await signIn(api, '2001:db8:0:7::9')).appErrorCode);
      expect(here).toContain(1102);
      const events = await readEvents(api);
      expect(events.filter(({ action }) => action === 'slowed')[0]).toMatchObject({
        ...{ resource: 'AdminUser', recordId: 1, owner: null, ip: '192.0.2.2' },
        changes: { Limit: { to: 'sign-in' } },
      });
    } finally {
      await api.stop();
      await replica.stop();
    }
  }, 90_000);

  it('an address is remembered for 30 days, and 20 of them for each user', async () => {
    const api = await startApi(await databases.create(), { limits: { rate: 0, burst: 0, signIns: 2 }, trustedProxies });
    try {
      const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
      const days30 = 30 * 24 * 3_600_000;
      await api.store.keepSignIn(1, '192.0.2.1', ago(days30 + 1_000));
      await api.store.keepSignIn(1, '192.0.2.2', ago(days30 - 60_000));
      for (let i = 0; i < 2; i += 1) await signIn(api, `198.51.100.${i}`);
      expect((await signIn(api, '192.0.2.1', ROOT_PASSWORD)).appErrorCode).toBe(1102);
      expect((await signIn(api, '192.0.2.2', ROOT_PASSWORD)).http).toBe(200);
      for (let i = 1; i <= 21; i += 1) await api.store.keepSignIn(1, `203.0.113.${i}`, ago(1_000_000 - i));
      expect(await api.store.findSignIn(1, '203.0.113.2')).toBeUndefined();
      expect(await api.store.findSignIn(1, '203.0.113.3')).toBeDefined();
      // The one that signed in just now is newer than all of these.
      expect(await api.store.findSignIn(1, '192.0.2.2')).toBeDefined();
    } finally {
      await api.stop();
    }
  });

  it('the limit of a key holds from however many addresses it is used, to the last request, and for that key alone', async () => {
    const limits = { rate: 0.001, burst: 5, signIns: 0 };
    const api = await startApi(await databases.create(), { limits, trustedProxies });
    try {
      let address = 0;
      const get = (credential: string) => {
        address += 1;
        const path = `/api/Sector/ListAll/0?${credential}`;
        return api.sendBare('GET', path, undefined, from(`192.0.2.${address}`));
      };
      const { token } = (await api.sendBare('POST', '/api/Auth/Token', { apiKey: api.readKey }, from('198.51.100.1')))
        .data;
      const codes = [];
      for (let i = 0; i < 5; i += 1) codes.push((await get(`apiKey=${api.readKey}`)).appErrorCode);
      // The token was made with the first of the five.
      expect(codes).toEqual([undefined, undefined, undefined, undefined, 1102]);
      const last = await get(`token=${token}`);
      expect([last.appErrorCode, last.headers.get('ratelimit-remaining')]).toEqual([1102, '0']);
      expect(last.headers.get('ratelimit-policy')).toContain('"credential"');
      expect((await get(`apiKey=${api.key}`)).http).toBe(200);
      const events = await readEvents(api);
      expect(events.filter(({ action }) => action === 'slowed')[0]).toMatchObject({
        ...{ resource: 'ApiKey', credential: 'key 2', owner: 1, changes: { Limit: { to: 'credential' } } },
      });
    } finally {
      await api.stop();
    }
  });
});

describe('the security log', () => {
  const event = { at: '2026-01-31T12:00:00.000Z', action: 'key refused', credential: 'none', ip: '192.0.2.1' } as const;
  const nobody = { ...event, subject: undefined, owner: null, requestId: null };

  it('never waits for a database that is away, and writes when it is back', async () => {
    const written: SecurityEvent[] = [];
    const logged: SecurityEvent[] = [];
    let isAway = true;
    const log = createSecurityLog({
      write: async (events) => {
        if (isAway) throw new Error('away');
        written.push(...events);
      },
      log: (one) => logged.push(one),
    });
    log.record(nobody);
    expect(logged).toHaveLength(1);
    await log.stop();
    expect(written).toEqual([]);
    isAway = false;
    log.record({ ...nobody, ip: '192.0.2.2' });
    await log.stop();
    expect(written.map(({ ip }) => ip)).toEqual(['192.0.2.1', '192.0.2.2']);
  });

  it('writes the waiting events when the database is back, without a new event', async () => {
    let tries = 0;
    const written: SecurityEvent[] = [];
    const write = async (events: readonly SecurityEvent[]) => {
      tries += 1;
      if (tries < 4) throw new Error('away');
      written.push(...events);
    };
    const log = createSecurityLog({ write, log: () => {}, windowMs: 20 });
    log.record(nobody);
    await expect.poll(() => written).toEqual([{ ...nobody, count: 1 }]);
    await log.stop();
  });

  it('writes an event that comes just as a write has ended', async () => {
    const written: SecurityEvent[] = [];
    const log = createSecurityLog({
      write: (events) => {
        written.push(...events);
        // In each of the microtasks after the write.
        for (let turn = 1; turn < 8; turn += 1)
          if (written.length === turn) {
            let then: Promise<unknown> = Promise.resolve();
            for (let tick = 0; tick < turn; tick += 1) then = then.then(() => {});
            void then.then(() => log.record({ ...nobody, ip: `192.0.2.${turn + 1}` }));
          }
        return Promise.resolve();
      },
      log: () => {},
    });
    log.record(nobody);
    await expect.poll(() => written.length).toBe(8);
    await log.stop();
  });

  it('tries once more at its end what a failed write has left', async () => {
    const written: SecurityEvent[] = [];
    let tries = 0;
    const log = createSecurityLog({
      write: async (events) => {
        tries += 1;
        if (tries === 1) throw new Error('too slow');
        written.push(...events);
      },
      log: () => {},
    });
    log.record(nobody);
    await log.stop();
    expect(written).toEqual([{ ...nobody, count: 1 }]);
  });

  it('reports at the end of each window how many more there were, and starts again', async () => {
    const logged: SecurityEvent[] = [];
    const log = createSecurityLog({ write: async () => {}, log: (one) => logged.push(one), windowMs: 20, most: 1 });
    for (let i = 0; i < 3; i += 1) log.record(nobody);
    log.record({ ...nobody, ip: '192.0.2.2' });
    await expect
      .poll(() => logged.map(({ count, ip }) => [count, ip]))
      .toEqual([
        [1, '192.0.2.1'],
        [2, '192.0.2.1'],
        [1, null],
      ]);
    log.record(nobody);
    expect(logged).toHaveLength(4);
    await log.stop();
  });

  it('is shown by subnetd audit, beside the changes', async () => {
    const folder = temporaryFolder();
    const path = folder.path('subnetd.db');
    const api = await startApi({ kind: 'sqlite', path });
    try {
      await api.sendBare('GET', '/api/Sector/ListAll/0?apiKey=x', undefined, { 'x-request-id': 'shown' });
      await api.sendBare('POST', '/api/Auth/Token', { UserName: 'root', Password: 'x' }, { 'x-request-id': 'try' });
      await api.platform.stop();
      const env = { SUBNETD_DATABASE_URL: `sqlite:${path}` };
      const shown = (await runCommand(['audit'], env)).stdout.replaceAll(/^\S+/gm, 'TIME').split('\n');
      expect(shown.slice(-3)).toEqual([
        'TIME  key refused  by nobody from 127.0.0.1  request shown',
        'TIME  sign-in refused AdminUser 1  by nobody from 127.0.0.1  request try',
        '',
      ]);
      const rows = JSON.parse((await runCommand(['audit', '--json'], env)).stdout) as readonly object[];
      expect(rows.at(-1)).toMatchObject({ action: 'sign-in refused', requestId: 'try', isSecurity: true });
    } finally {
      await api.stop();
      folder.remove();
    }
  });
});
