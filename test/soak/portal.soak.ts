import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { liveAccount, mailEnvironment } from '../support/account-life.ts';
import { ROOT_PASSWORD } from '../support/api.ts';
import { startApiDaemon } from '../support/api-daemon.ts';
import { launchChromium } from '../support/chromium.ts';
import { temporaryFolder } from '../support/cli.ts';
import { startMailServer } from '../support/mail-server.ts';
import { usePostgres } from '../support/postgres.ts';
import { printOf } from '../support/run-command.ts';

it('an account lives in Chromium, with each step at another of two replicas on PostgreSQL', async () => {
  const folder = temporaryFolder();
  const postgres = await usePostgres();
  const server = await startMailServer();
  const environment = {
    ...mailEnvironment(server),
    SUBNETD_DATABASE_URL: await postgres.createDatabase(),
    SUBNETD_JWT_SECRET: 'a secret that is the same for both replicas',
  };
  writeFileSync(folder.path('password'), ROOT_PASSWORD);
  const names = ['--user-name', 'root', '--first-name', 'R', '--last-name', 'T', '--email', 'r@example.com'];
  await printOf(['admin', 'create', ...names, '--password-file', folder.path('password')], environment);
  const daemons = await Promise.all([startApiDaemon(environment), startApiDaemon(environment)]);
  const browser = await launchChromium();
  try {
    let step = 0;
    const urlOf = () => {
      step += 1;
      return daemons[step % daemons.length]?.url ?? '';
    };
    await liveAccount(browser, urlOf, server);
    // Two replicas send no mail twice.
    expect(server.mails.map(({ headers }) => headers.subject)).toEqual([
      'subnetd: Activate your account',
      'subnetd: Choose a new password',
      'subnetd: Your password was changed',
    ]);
  } finally {
    await browser.close();
    for (const daemon of daemons) await daemon.end();
    await server.stop();
    await postgres.stop();
    folder.remove();
  }
}, 180_000);
