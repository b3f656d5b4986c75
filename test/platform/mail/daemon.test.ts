import { expect, it } from 'vitest';
import { createAdmin } from '../../../src/platform/api/create-admin.ts';
import { createRepositories } from '../../../src/store/create-repositories.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import { startApiDaemon } from '../../support/api-daemon.ts';
import { startMailServer } from '../../support/mail-server.ts';
import { useDatabases } from '../../support/use-api.ts';

const databases = useDatabases('postgres');

it('two daemons send a mail that waited for them once, and its link sets the password at either', async () => {
  const address = await databases.create();
  const connection = await openDatabase(address);
  const { platform, mails } = await createRepositories(connection);
  const ada = { FirstName: 'Ada', LastName: 'L', UserName: 'ada', EmailID: 'ada@example.com' };
  await createAdmin(platform, { ...ada, Password: 'analytical engine' }, Date.now());
  await mails.addMail({ kind: 'reset', address: 'ada@example.com' }, new Date().toISOString(), 10);
  await connection.close();

  const server = await startMailServer({ login: { user: 'ops', password: 'swordfish of mails' } });
  const environment = {
    SUBNETD_DATABASE_URL: address.kind === 'postgres' ? address.url : '',
    SUBNETD_SMTP_URL: server.url,
    SUBNETD_MAIL_FROM: 'subnetd <subnetd@example.com>',
    SUBNETD_PUBLIC_URL: 'https://subnetd.example.com/',
  };
  const daemons = await Promise.all([startApiDaemon(environment), startApiDaemon(environment)]);
  const post = async (index: number, path: string, body: object) => {
    const headers = { 'content-type': 'application/json', host: 'evil.example.org' };
    const sent = await fetch(`${daemons[index]?.url}/api/${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return (await sent.json()) as { readonly status: string };
  };
  try {
    await expect.poll(() => server.mails.length, { interval: 20 }).toBe(1);
    const [first] = server.mails;
    expect(first?.text).toContain(`\nhttps://subnetd.example.com/portal/reset?token=${first?.token}\n`);
    const reset = { ResetToken: first?.token, Password: 'difference engine' };
    expect((await post(0, 'Account/ResetPassword', reset)).status).toBe('success');
    expect((await post(1, 'Account/ResetPassword', reset)).status).toBe('failed');
    expect((await post(1, 'Auth/Token', { UserName: 'ada', Password: 'difference engine' })).status).toBe('success');
    expect((await post(1, 'Account/ForgotPassword', { EmailID: 'Ada@example.com' })).status).toBe('success');
    await expect.poll(() => server.mails.length, { interval: 20 }).toBe(3);
  } finally {
    await Promise.all(daemons.map(({ end }) => end()));
    await server.stop();
  }
  const subjects = server.mails.map(({ headers }) => headers.subject).toSorted();
  const reset = 'subnetd: Choose a new password';
  expect(subjects).toEqual([reset, reset, 'subnetd: Your password was changed']);
  const output = daemons.map((daemon) => daemon.output()).join('');
  const secrets = [...server.mails.map(({ token }) => token), 'swordfish', 'ada@', 'engine'];
  for (const secret of secrets) if (secret !== undefined) expect(output.includes(secret), secret).toBe(false);
});
