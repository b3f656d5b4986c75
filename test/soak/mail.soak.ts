import { expect, it } from 'vitest';
import { createAdmin } from '../../src/platform/api/create-admin.ts';
import { createRepositories } from '../../src/store/create-repositories.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { startApiDaemon } from '../support/api-daemon.ts';
import { startDatabases } from '../support/databases.ts';
import { startMailServer } from '../support/mail-server.ts';
import { rankScore } from '../support/rank-score.ts';

const TRIES = 200;

it.each(['sqlite', 'postgres'] as const)(
  'on %s a mail outlives SIGKILL while the mail server is down',
  async (kind) => {
    const databases = await startDatabases(kind);
    const address = await databases.create();
    const connection = await openDatabase(address);
    const { platform } = await createRepositories(connection);
    const ada = { FirstName: 'Ada', LastName: 'L', UserName: 'ada', EmailID: 'ada@example.com' };
    await createAdmin(platform, { ...ada, Password: 'analytical engine' }, Date.now());
    await connection.close();

    const gone = await startMailServer();
    await gone.stop();
    const environment = {
      SUBNETD_DATABASE_URL: address.kind === 'postgres' ? address.url : `sqlite:${address.path}`,
      SUBNETD_SMTP_URL: gone.url,
      SUBNETD_MAIL_FROM: 'subnetd@example.com',
      SUBNETD_PUBLIC_URL: 'https://subnetd.example.com',
    };
    const killed = await startApiDaemon(environment);
    const sent = await fetch(`${killed.url}/api/Account/ForgotPassword`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ EmailID: 'ada@example.com' }),
    });
    expect(sent.status).toBe(200);
    await expect.poll(killed.output, { timeout: 30_000 }).toContain('a mail was not sent; subnetd will retry');
    await killed.end('SIGKILL');

    const server = await startMailServer({ port: gone.port });
    const daemons = await Promise.all((kind === 'postgres' ? [1, 2] : [1]).map(() => startApiDaemon(environment)));
    try {
      await expect.poll(() => server.mails.length, { timeout: 60_000 }).toBe(1);
    } finally {
      await Promise.all(daemons.map(({ end }) => end()));
      await server.stop();
      await databases.stop();
    }
    expect(server.mails.map(({ to }) => to)).toEqual([['ada@example.com']]);
  },
);

it.each(['sqlite', 'postgres'] as const)(
  'on %s the time of an answer does not tell who has an account',
  async (kind) => {
    const databases = await startDatabases(kind);
    const address = await databases.create();
    const connection = await openDatabase(address);
    const { platform } = await createRepositories(connection);
    const names = Array.from({ length: TRIES }, (_, index) => `known${index}`);
    for (const name of names) {
      const person = { FirstName: 'A', LastName: 'L', UserName: name, EmailID: `${name}@example.com` };
      await createAdmin(platform, { ...person, Password: 'analytical engine' }, Date.now());
    }
    await connection.close();
    const server = await startMailServer();
    const daemon = await startApiDaemon({
      SUBNETD_DATABASE_URL: address.kind === 'postgres' ? address.url : `sqlite:${address.path}`,
      SUBNETD_SMTP_URL: server.url,
      SUBNETD_MAIL_FROM: 'subnetd@example.com',
      SUBNETD_PUBLIC_URL: 'https://subnetd.example.com',
      ...{ SUBNETD_SIGNIN_LIMIT: '0', SUBNETD_RATE_LIMIT: '0' },
    });
    const ask = async (name: string): Promise<number> => {
      const start = performance.now();
      const sent = await fetch(`${daemon.url}/api/Account/ForgotPassword`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ EmailID: `${name}@example.com` }),
      });
      await sent.text();
      return performance.now() - start;
    };
    const known: number[] = [];
    const unknown: number[] = [];
    try {
      for (let index = 0; index < 50; index += 1) await ask(`first${index}`);
      for (const [index, name] of names.entries()) {
        // Each comes first as often as the other. Between them the mailer is at work.
        const pair = [
          async () => void known.push(await ask(name)),
          async () => void unknown.push(await ask(`no${name}`)),
        ];
        for (const turn of index % 2 === 0 ? pair : pair.toReversed()) {
          await turn();
          await new Promise((resolve) => setTimeout(resolve, 30 + ((index * 7) % 60)));
        }
      }
      await expect.poll(() => server.mails.length, { timeout: 60_000 }).toBe(TRIES);
    } finally {
      await daemon.end();
      await server.stop();
      await databases.stop();
    }
    expect(Math.abs(rankScore(known, unknown))).toBeLessThan(4);
  },
);
