import { expect, it } from 'vitest';
import { createRepositories } from '../../src/db/create-repositories.ts';
import { openDatabase } from '../../src/db/open-database.ts';
import { createAdmin } from '../../src/platform/create-admin.ts';
import { startApiDaemon } from '../support/api-daemon.ts';
import { startDatabases } from '../support/databases.ts';
import { startMailServer } from '../support/mail-server.ts';

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
    await expect.poll(killed.output, { timeout: 30_000 }).toContain('a mail was not sent; subnetd tries again');
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
