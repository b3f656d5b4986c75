import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Secret, TOTP } from 'otpauth';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  codeSituations,
  formatRequest,
  listSituations,
  type Situation,
} from '../../../src/platform/api/code-situations.ts';
import { ERROR_CODES } from '../../../src/platform/api/error-codes.ts';
import { CODE_NOTES } from '../../../src/platform/reference/code-notes.ts';
import type { DatabaseAddress } from '../../../src/store/database-url.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { readBalance } from '../../../src/watch/probes/parent-client.ts';
import { type Api, startApi } from '../../support/api.ts';
import { type Databases, startDatabases } from '../../support/databases.ts';
import { startMailServer, type TestMailServer } from '../../support/mail-server.ts';
import { startTcpProxy, type TcpProxy } from '../../support/tcp-proxy.ts';

const PASSWORD = 'analytical engine';
const MINUTE = 60_000;

/** Codes with bounds or reasons of their own in each message; the reference shows another one. */
const MANY_TEXTS = new Set([1011, 1012, 1116]);

/** What a situation needs before its request is sent: which API gets it, and what stands for its angle brackets. */
interface Prepared {
  readonly api?: Api;
  readonly values?: Readonly<Record<string, string | number>>;
}

describe('the request of each code gets it, with its status', () => {
  let now = Date.now();
  const stops: (() => unknown)[] = [];
  let databases: Databases;
  let address: DatabaseAddress;
  let proxy: TcpProxy;
  let mails: TestMailServer;
  /** The usual API; others with a limit, without a mail server, and with its database behind the proxy. All share it. */
  let api: Api;
  let limited: Api;
  let mailless: Api;
  let broken: Api;
  let isChainUp = true;
  let appSecret: string | undefined;
  const credentials: Record<Situation['with'], string> = { nothing: '', 'write key': '', 'admin key': '', token: '' };

  const chain = createServer((request, response) => {
    if (!isChainUp) return void request.socket.destroy();
    response.setHeader('content-type', 'application/json').end('{"jsonrpc":"2.0","id":1,"result":"0x1"}');
  });

  beforeAll(async () => {
    databases = await startDatabases('postgres');
    mails = await startMailServer();
    await new Promise<void>((resolve) => chain.listen(0, '127.0.0.1', resolve));
    address = await databases.create();
    if (address.kind !== 'postgres') throw new Error('unreachable');
    proxy = await startTcpProxy(Number(new URL(address.url).port));
    const mail = {
      server: { host: '127.0.0.1', port: mails.port, isTls: false },
      ...{ from: 'subnetd@example.com', publicUrl: 'https://subnetd.example.com' },
    };
    const rpc = `http://127.0.0.1:${(chain.address() as AddressInfo).port}`;
    const more = { now: () => now, parentChains: { list: () => [{ subnet: 'devnet', rpc }], readBalance } };
    api = await startApi(address, { mail }, undefined, more);
    mailless = await startApi(address, {}, undefined, more);
    limited = await startApi(address, { limits: { rate: 0.01, burst: 1, signIns: 0 } }, undefined, more);
    const url = Object.assign(new URL(address.url), { port: proxy.port }).href;
    broken = await startApi({ kind: 'postgres', url }, {}, undefined, more);
    stops.push(api.stop, limited.stop, mailless.stop, broken.stop, proxy.stop, mails.stop, databases.stop);
    stops.push(() => {
      chain.closeAllConnections();
      chain.close();
    });
    const person = { FirstName: 'F', LastName: 'L', Password: PASSWORD, CreateBy: 1 };
    for (const [UserName, IsActive] of [
      ['ada', true],
      ['bob', true],
      ['gone', false],
    ] as const)
      await api.send('POST', '/api/AdminUser/Add', {
        ...person,
        UserName,
        IsActive,
        EmailID: `${UserName}@example.com`,
      });
    const signed = await api.sendBare('POST', '/api/Auth/Token', { UserName: 'ada', Password: PASSWORD });
    const asKey = (key: string) => `?apiKey=${key}`;
    credentials['write key'] = asKey(api.key);
    credentials['admin key'] = asKey((await api.makeKey('admin')).key);
    credentials.token = `?token=${signed.data.token}`;
  }, 60_000);
  afterAll(async () => {
    for (const stop of stops) await stop();
  }, 60_000);

  const codeAt = (at: number, secret: string) =>
    new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: at });

  /** Enrols an app for ada, once. */
  async function enrol(): Promise<string> {
    if (appSecret !== undefined) return appSecret;
    const call = (name: string, body: object) => api.sendBare('POST', `/api/Otp/${name}${credentials.token}`, body);
    appSecret = String((await call('Enrol', { Password: PASSWORD })).data.Secret);
    expect((await call('Confirm', { Otp: codeAt(now, appSecret) })).http).toBe(200);
    now += 10 * MINUTE;
    return appSecret;
  }

  /** The token of a link for a new password, from a mail. */
  async function askForLink(): Promise<string> {
    const before = mails.mails.length;
    expect((await api.sendBare('POST', '/api/Account/ForgotPassword', { EmailID: 'bob@example.com' })).http).toBe(200);
    const read = () => mails.mails.slice(before).find(({ token }) => token !== undefined)?.token;
    await expect.poll(read).toBeDefined();
    return read() ?? '';
  }

  const prepare: Partial<Record<number, (situation: Situation) => Promise<Prepared> | Prepared>> = {
    1005: () => ({ values: { '<201 letters>': 'x'.repeat(201) } }),
    1007: async () => ({ values: { '<the first 30 characters of a token>': (await askForLink()).slice(0, 30) } }),
    1102: async (situation) => {
      for (let i = 0; i < 2; i += 1) await limited.sendBare('GET', `${situation.path}${credentials['write key']}`);
      return { api: limited };
    },
    1105: () => {
      // The hash of the password arrives with another letter.
      proxy.onAnswer = (piece) =>
        Buffer.from(piece.toString('latin1').replaceAll('$argon2id$', '$argon9id$'), 'latin1');
      return { api: broken };
    },
    1106: async () => {
      await proxy.stop();
      return { api: broken };
    },
    1108: async () => {
      const gone = await api.store.findUser({ userNameKey: 'gone' });
      return { values: { '<id of an inactive user>': gone?.id ?? 0 } };
    },
    1107: () => ({ api: mailless }),
    1109: async () => {
      const connection = await openDatabase(address);
      const lent = await connection.lend();
      const refuse = "returns trigger language plpgsql as $$ begin raise exception 'full'; end $$";
      await lent.query(`create function refuse() ${refuse}`, []);
      await lent.query('create trigger refuse before insert on admin_user for each row execute function refuse()', []);
      lent.release();
      await connection.close();
      return {};
    },
    1110: () => ({ api: mailless }),
    1112: async () => {
      const token = await askForLink();
      const body = { ResetToken: token, Password: 'jacquard loom' };
      expect((await api.sendBare('POST', '/api/Account/ResetPassword', body)).http).toBe(200);
      return { values: { '<token of a used link>': token } };
    },
    1115: () => {
      isChainUp = false;
      return {};
    },
    1116: () => {
      isChainUp = true;
      return {};
    },
    1119: async () => {
      await enrol();
      return { values: { '<code of another app>': codeAt(now, 'A'.repeat(32)) } };
    },
    1122: async () => {
      await enrol();
      return {};
    },
    1124: async () => ({ values: { '<code of two minutes ago>': codeAt(now - 2 * MINUTE, await enrol()) } }),
  };

  it.each(listSituations().map((situation) => [situation.code, situation.when, situation] as const))(
    '%i, if %s',
    async (code, _when, situation) => {
      const { api: to = api, values = {} } = (await prepare[code]?.(situation)) ?? {};
      const { method, path } = situation;
      const filled = Object.entries(situation.body ?? {}).map(([name, value]) => [
        name,
        (typeof value === 'string' ? values[value] : undefined) ?? value,
      ]);
      const body = situation.body && Object.fromEntries(filled);
      expect(`${path}${JSON.stringify(body)}`).not.toContain('<');
      // One credential at most, and only if the table says so.
      const query = credentials[situation.with].replace('?', path.includes('?') ? '&' : '?');
      const answer = await to.sendBare(method, `${path}${query}`, body);
      expect([answer.appErrorCode, answer.http], answer.errMessage).toEqual([code, ERROR_CODES[code][0]]);
      const [member = ''] = /^\w+/.exec(answer.errMessage ?? '') ?? [];
      if (!MANY_TEXTS.has(code)) expect(CODE_NOTES[code].message(member)).toBe(answer.errMessage);
      // Of all failures, the log asks to report the one that nobody foresaw.
      const reports = to.logged.filter((line) => line.includes('please report this'));
      expect(reports.map((line) => JSON.parse(line).msg)).toEqual(
        to === broken ? ['a request of the platform API broke; please report this'] : [],
      );
    },
  );
});

it('the table has every code once, and what it shows differs', () => {
  const codes = Object.keys(ERROR_CODES).map(Number);
  expect(Object.keys(codeSituations).map(Number)).toEqual(codes);
  const requests = listSituations().map((situation) => formatRequest(situation) + situation.with);
  // A limit, a credential and a database that fails show by no other request.
  expect(new Set(requests).size).toBeGreaterThanOrEqual(requests.length - 2);
});
