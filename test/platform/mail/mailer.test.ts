import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import pino from 'pino';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { createAdmin, onCommandLine } from '../../../src/platform/api/create-admin.ts';
import { adminUser } from '../../../src/platform/api/resources.ts';
import { type Mailer, startMailer } from '../../../src/platform/mail/start-mailer.ts';
import { hashLinkToken } from '../../../src/platform/model/account-link.ts';
import { createRepositories, type Repositories } from '../../../src/store/create-repositories.ts';
import type { DatabaseConnection } from '../../../src/store/database-connection.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { type MailServerOptions, startMailServer, type TestMailServer } from '../../support/mail-server.ts';
import { useDatabases } from '../../support/use-api.ts';

const PUBLIC_URL = 'https://subnetd.example.com';
const FROM = 'subnetd <subnetd@example.com>';
const HOUR = 3_600_000;

describe.each(DATABASE_KINDS)('on %s', (kind) => {
  const databases = useDatabases(kind);
  let connection: DatabaseConnection;
  let stores: Repositories;
  let offset = 0;
  const now = () => Date.now() + offset;
  const at = (ms = 0) => new Date(now() + ms).toISOString();

  beforeAll(async () => {
    connection = await openDatabase(await databases.create());
    stores = await createRepositories(connection);
    for (const name of ['ada', 'eve', 'bob', 'mia']) {
      const person = {
        FirstName: `${name} <b>`,
        LastName: 'X',
        UserName: name,
        EmailID: `${name.toUpperCase()}@example.com`,
      };
      await createAdmin(stores.platform, { ...person, Password: 'analytical engine' }, now());
    }
    await stores.platform.update({
      resource: adminUser,
      id: 2,
      values: { IsActive: false },
      author: onCommandLine(now()),
    });
  }, 60_000);
  afterAll(() => connection?.close());

  const serve = async (options?: MailServerOptions): Promise<TestMailServer> => {
    const server = await startMailServer(options);
    onTestFinished(server.stop);
    return server;
  };
  /** A mailer like that of a process of its own, and what it has logged. */
  const start = (port: number, claimMs?: number, aheadMs = 0): Mailer & { readonly logged: string[] } => {
    const logged: string[] = [];
    const server = { host: '127.0.0.1', port, isTls: false };
    const mailer = startMailer({
      settings: { server, from: FROM, publicUrl: PUBLIC_URL },
      store: async () => stores.mails,
      log: pino({ level: 'trace' }, { write: (line: string) => void logged.push(line) }),
      now: () => now() + aheadMs,
      onBug: (error) => expect.fail(`${error}`),
      everyMs: 20,
      ...(claimMs !== undefined && { claimMs }),
      stopWithinMs: 100,
    });
    onTestFinished(mailer.stop);
    return { ...mailer, logged };
  };
  const waiting = async () => Number((await connection.column('select count(*) from mail'))[0]);
  const untilSent = (server: TestMailServer, count: number) =>
    expect.poll(() => server.mails.length, { interval: 10 }).toBe(count);
  const untilEmpty = () => expect.poll(waiting, { interval: 10 }).toBe(0);
  const wholeDatabase = async (): Promise<string> => {
    const lent = await connection.lend();
    try {
      const tables = ['mail', 'account_link', 'audit_event', 'kept_value'];
      const rows: unknown[] = [];
      for (const table of tables) rows.push((await lent.query(`select * from ${table}`, [])).rows);
      return JSON.stringify(rows);
    } finally {
      lent.release();
    }
  };

  it('a mail for a forgotten password brings a link, in text and in HTML, to the address that is stored', async () => {
    const server = await serve();
    const mailer = start(server.port);
    expect(await mailer.add({ kind: 'reset', address: 'ada@example.com' })).toBe(true);
    await untilSent(server, 1);
    const [mail] = server.mails;
    const link = `${PUBLIC_URL}/portal/reset?token=${mail?.token}`;
    expect(mail?.to).toEqual(['ADA@example.com']);
    expect(mail?.from).toBe('subnetd@example.com');
    expect(mail?.headers).toMatchObject({
      from: FROM,
      subject: 'subnetd: Choose a new password',
      'auto-submitted': 'auto-generated',
    });
    expect(mail?.text).toBe(
      `${[
        'Hello ada <b>,',
        `A new password was requested for your account ada at ${PUBLIC_URL}. This link sets it:`,
        link,
        'The link works once, for 10 minutes.',
        'If you did not request it, ignore this mail: your password stays unchanged.',
      ].join('\n\n')}\n`,
    );
    expect(mail?.html).toContain('<p>Hello ada &lt;b&gt;,</p>');
    expect(mail?.html).toContain(`<a href="${link}" rel="noreferrer">Choose a new password</a>`);
    expect(mail?.token).toMatch(/^[\w-]{43}$/);
    const hash = hashLinkToken(mail?.token ?? '');
    expect(await stores.platform.findLink(hash, 'reset', at())).toMatchObject({ userId: 1, passwordVersion: 1 });
    expect(await stores.platform.findLink(hash, 'activation', at())).toBeUndefined();
    expect(await stores.platform.findLink(hash, 'reset', at(540_000))).toBeDefined();
    expect(await stores.platform.findLink(hash, 'reset', at(601_000))).toBeUndefined();
    await untilEmpty();
    expect(await wholeDatabase()).not.toContain(mail?.token);
    expect(mailer.logged.join('')).not.toMatch(new RegExp(`${mail?.token}|example\\.com`, 'i'));
    expect(mailer.logged.map((line) => JSON.parse(line))).toMatchObject([
      { msg: 'a mail was sent', mail: 'reset', userId: 1, attempts: 1 },
    ]);
  });

  it('an address that no active user has gets nothing, and leaves no trace in the log', async () => {
    const server = await serve();
    const mailer = start(server.port);
    await mailer.add({ kind: 'reset', address: 'nobody@example.com' });
    await mailer.add({ kind: 'reset', address: 'eve@example.com' });
    await mailer.add({ kind: 'activation', userId: 1 });
    await mailer.add({ kind: 'password-changed', userId: 1 });
    await untilSent(server, 1);
    await untilEmpty();
    expect(server.mails.map(({ headers }) => headers.subject)).toEqual(['subnetd: Your password was changed']);
    expect(server.mails[0]?.token).toBeUndefined();
    expect(server.mails[0]?.text).toContain(
      'The password of your account ada at https://subnetd.example.com was changed',
    );
    expect(mailer.logged.join('')).not.toMatch(/nobody@|eve@|"userId":2/);
  });

  it('an invited user, who is not active yet, gets a link for a day', async () => {
    const server = await serve();
    await start(server.port).add({ kind: 'activation', userId: 2 });
    await untilSent(server, 1);
    const { token = '', text } = server.mails[0] ?? expect.fail();
    expect(text).toContain(`${PUBLIC_URL}/portal/activate?token=${token}\n`);
    expect(await stores.platform.findLink(hashLinkToken(token), 'activation', at(23.9 * HOUR))).toBeDefined();
    expect(await stores.platform.findLink(hashLinkToken(token), 'activation', at(24.1 * HOUR))).toBeUndefined();
  });

  it('a mail that would activate a user is not sent once the user stays inactive', async () => {
    const author = onCommandLine(now());
    for (const kind of ['activation', 'password-changed'] as const)
      await stores.mails.addMail({ kind, userId: 2 }, at(HOUR), 1_000);
    await stores.platform.update({ resource: adminUser, id: 2, values: { IsActive: false }, author });
    expect(await connection.column('select kind from mail')).toEqual(['password-changed']);
    await stores.mails.claimMail(at(2 * HOUR), HOUR, 'claim');
    await stores.mails.removeMail('claim');
  });

  it('mails wait while the server is down, through a restart of subnetd too, and come once when it is up', async () => {
    const gone = await startMailServer();
    await gone.stop();
    const first = start(gone.port);
    await first.add({ kind: 'reset', address: 'bob@example.com' });
    await first.add({ kind: 'password-changed', userId: 3 });
    await expect.poll(() => first.logged.length, { interval: 10 }).toBe(1);
    expect(JSON.parse(first.logged[0] ?? '')).toMatchObject({
      level: 40,
      mail: 'reset',
      userId: 3,
      attempts: 1,
      code: 'ESOCKET',
      msg: 'a mail was not sent; subnetd will retry it and the others',
    });
    await first.stop();
    expect(await waiting()).toBe(2);
    // A link that was not sent does not stay.
    expect(await stores.platform.countLinks(3, 'reset', at())).toBe(0);

    const server = await serve({ port: gone.port });
    const second = start(server.port);
    const third = start(server.port);
    offset += HOUR / 2;
    await untilSent(server, 2);
    await untilEmpty();
    await Promise.all([second.stop(), third.stop()]);
    expect(server.mails.map(({ to }) => to)).toEqual([['BOB@example.com'], ['BOB@example.com']]);
    expect(server.mails.filter(({ token }) => token !== undefined)).toHaveLength(1);
    expect([...second.logged, ...third.logged].map((line) => JSON.parse(line).msg)).toEqual([
      'a mail was sent',
      'a mail was sent',
    ]);
  });

  it('two replicas send each of many mails once', async () => {
    const server = await serve();
    const replicas = [start(server.port), start(server.port)];
    const mails = Array.from({ length: 8 }, (_, index) => ({
      kind: 'password-changed' as const,
      userId: [1, 3, 4][index % 3] ?? 1,
    }));
    await Promise.all(mails.map((mail, index) => replicas[index % 2]?.add(mail)));
    await untilEmpty();
    for (const { stop } of replicas) await stop();
    expect(server.mails).toHaveLength(8);
    if (kind === 'postgres')
      for (const { logged } of replicas) expect(logged.length, 'one replica did all of it').toBeGreaterThan(0);
  });

  it('a mail that a process took and never sent is sent by another when its time is over', async () => {
    const server = await serve();
    const created = at(-10 * 60_000);
    await stores.mails.addMail({ kind: 'password-changed', userId: 4 }, created, 10);
    expect(await stores.mails.claimMail(at(), 1_000, 'dead')).toMatchObject({ userId: 4, attempts: 1 });
    expect(await stores.mails.claimMail(at(), 1_000, 'other')).toBeUndefined();
    const mailer = start(server.port);
    await untilSent(server, 1);
    await mailer.stop();
    expect(server.mails[0]?.text).toContain(`was changed at ${created.slice(0, 16).replace('T', ' ')} UTC.`);
    expect(JSON.parse(mailer.logged[0] ?? '')).toMatchObject({ msg: 'a mail was sent', attempts: 2 });
    await stores.mails.postponeMail('dead', at());
    expect(await waiting()).toBe(0);
  });

  it('a mail that takes longer to send than a claim lasts stays with its sender, whatever the clock of another one says', async () => {
    const server = await serve({ slowMs: 1_500 });
    await stores.mails.addMail({ kind: 'password-changed', userId: 4 }, at(), 10);
    const [first, second] = [start(server.port, 300), start(server.port, 300, kind === 'postgres' ? HOUR : 0)];
    await untilSent(server, 1);
    await untilEmpty();
    await Promise.all([first.stop(), second.stop()]);
    expect(server.connections()).toBe(1);
    expect([...first.logged, ...second.logged].map((line) => JSON.parse(line).msg)).toEqual(['a mail was sent']);
  });

  it('a mail that another has claimed meanwhile is left to that one', async () => {
    const server = await serve({ slowMs: 3_000 });
    await stores.mails.addMail({ kind: 'password-changed', userId: 4 }, at(), 10);
    const mailer = start(server.port, 300);
    await expect.poll(server.connections, { interval: 10 }).toBe(1);
    const lent = await connection.lend();
    await lent.query("update mail set claim = 'other', claimed_until = '9999'", []);
    lent.release();
    await stores.mails.addMail({ kind: 'password-changed', userId: 3 }, at(), 10);
    // It goes on with the next one.
    await expect.poll(server.connections, { interval: 10, timeout: 10_000 }).toBe(2);
    expect(server.mails).toEqual([]);
    await mailer.stop();
    expect(mailer.logged).toEqual([]);
    expect(await stores.mails.renewClaim(at(), 1_000, 'other')).toBe(true);
    await stores.mails.removeMail('other');
    await stores.mails.claimMail(at(), 1_000, 'last');
    await stores.mails.removeMail('last');
    expect(await waiting()).toBe(0);
  });

  it('a stop does not wait for a silent server, and leaves the mail to the next process at once', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket)).listen(0, '127.0.0.1');
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      silent.close();
    });
    await once(silent, 'listening');
    const countLinks = () => stores.platform.countLinks(2, 'activation', at());
    const before = await countLinks();
    await stores.mails.addMail({ kind: 'activation', userId: 2 }, at(), 10);
    const first = start((silent.address() as AddressInfo).port);
    await expect.poll(() => sockets.length, { interval: 10 }).toBe(1);
    await first.stop();
    expect(first.logged).toEqual([]);
    const server = await serve();
    start(server.port);
    await untilSent(server, 1);
    expect(await countLinks()).toBe(before + 1);
  });

  it('a recipient whom the server refuses for good is given up, and the next one gets the mail', async () => {
    const server = await serve({
      refuse: (address) => (/^ADA/.test(address) ? { status: 550, text: `no such user ${address}` } : undefined),
    });
    await stores.mails.addMail({ kind: 'password-changed', userId: 1 }, at(), 10);
    await stores.mails.addMail({ kind: 'password-changed', userId: 3 }, at(), 10);
    const mailer = start(server.port);
    await untilSent(server, 1);
    await untilEmpty();
    expect(server.mails[0]?.to).toEqual(['BOB@example.com']);
    expect(JSON.parse(mailer.logged[0] ?? '')).toMatchObject({
      level: 50,
      msg: 'a mail was not sent; subnetd gives up on it',
      code: 'EENVELOPE',
      status: 550,
    });
    expect(mailer.logged.join('')).not.toMatch(/ada@/i);
  });

  it('a mail for a forgotten password is tried again for an hour, ever more rarely, and then given up', async () => {
    const server = await serve({ refuse: () => ({ status: 450, text: 'later' }) });
    await stores.mails.addMail({ kind: 'reset', address: 'mia@example.com' }, at(), 10);
    const mailer = start(server.port);
    const waits: number[] = [];
    for (let attempts = 1; (await waiting()) > 0 && attempts < 20; attempts += 1) {
      await expect.poll(server.connections, { interval: 10 }).toBe(attempts);
      await expect
        .poll(async () => (await connection.column('select count(*) from mail where claim is not null'))[0], {
          interval: 10,
        })
        .toBe('0');
      const [due] = await connection.column('select due_at from mail');
      if (due === undefined) break;
      waits.push(Math.round((Date.parse(due) - now()) / 15_000));
      offset = Date.parse(due) - Date.now();
    }
    await mailer.stop();
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64]);
    expect(JSON.parse(mailer.logged.at(-1) ?? '')).toMatchObject({
      msg: 'a mail was not sent; subnetd gives up on it',
      attempts: 8,
      status: 450,
    });
    expect(await waiting()).toBe(0);
  });

  it('a mail that waited too long while subnetd was stopped is not sent', async () => {
    const server = await serve();
    for (const created of [61, 59])
      await stores.mails.addMail({ kind: 'reset', address: 'ada@example.com' }, at(-created * 60_000), 10);
    const mailer = start(server.port);
    await untilEmpty();
    await mailer.stop();
    expect(server.mails).toHaveLength(1);
    expect(mailer.logged.map((line) => JSON.parse(line).msg)).toEqual([
      'a mail has waited too long; subnetd gives up on it',
      'a mail was sent',
    ]);
  });

  it('a user has three links at most, so that nobody fills the mailbox of another', async () => {
    const server = await serve();
    const mailer = start(server.port);
    for (let count = 0; count < 5; count += 1) await mailer.add({ kind: 'reset', address: 'mia@example.com' });
    await untilEmpty();
    expect(server.mails).toHaveLength(3);
    offset += 11 * 60_000;
    await stores.platform.trimLinks(at());
    await mailer.add({ kind: 'reset', address: 'mia@example.com' });
    await untilSent(server, 4);
  });

  it('the queue has a limit', async () => {
    const mail = { kind: 'reset', address: 'ada@example.com' } as const;
    for (let count = 0; count < 3; count += 1)
      expect(await stores.mails.addMail(mail, at(), 2), `mail ${count + 1}`).toBe(count < 2);
    for (const claim of ['a', 'b']) {
      expect(await stores.mails.claimMail(at(), 60_000, claim)).toBeDefined();
      await stores.mails.removeMail(claim);
    }
    expect(await waiting()).toBe(0);
  });
});
