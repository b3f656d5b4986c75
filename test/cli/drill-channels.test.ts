import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { type HookReceiver, startHookReceiver } from '../support/hook-receiver.ts';
import { startMailServer } from '../support/mail-server.ts';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();
const SUBNETS = "subnets: [{ name: devnet, nodes: [{ name: subnet1, rpc: 'http://127.0.0.1:1' }] }]\n";

/** An inventory with a webhook, Telegram, e-mail, and Slack at an address where nobody listens. */
async function inventory(notify?: string): Promise<{ readonly config: string; readonly receiver: HookReceiver }> {
  const receiver = await startHookReceiver();
  cleanups.push(receiver.stop);
  const config = pathOf('subnetd.yaml');
  writeFileSync(pathOf('token'), '1:abc');
  writeFileSync(pathOf('slack'), 'http://127.0.0.1:1/services/s3cret');
  const channels = `notify:
  - { name: hook, webhook: { url: '${receiver.url}/hook' }, severities: [critical] }
  - { name: bot, telegram: { tokenFile: ${pathOf('token')}, chatId: 5, apiUrl: '${receiver.url}' } }
  - { name: dead, slack: { urlFile: ${pathOf('slack')} } }
  - { name: mails, email: { to: [a@example.com] } }
`;
  writeFileSync(config, SUBNETS + (notify ?? channels));
  return { config, receiver };
}

it('a drill sends a test alert and its end through each channel that is named', async () => {
  const { config, receiver } = await inventory();
  const mails = await startMailServer();
  cleanups.push(mails.stop);
  const environment = {
    SUBNETD_SMTP_URL: mails.url,
    SUBNETD_MAIL_FROM: 'subnetd@example.com',
    SUBNETD_PUBLIC_URL: 'http://s.example',
    SUBNETD_INSTANCE: 'watcher',
  };
  const words = ['drill', '--config', config, '--to', 'hook', '--to', 'bot', '--to', 'mails', '--hold', '50ms'];
  const { code, stdout, stderr } = await runCommand(words, environment);
  expect([code, stderr]).toEqual([0, '']);
  expect(
    stdout
      .replaceAll(/after \S+/g, 'after T')
      .split('\n')
      .toSorted(),
  ).toEqual([
    '',
    'channel bot (Telegram): its end was accepted after T',
    'channel bot (Telegram): the test alert was accepted after T',
    'channel hook (webhook): its end was accepted after T',
    'channel hook (webhook): the test alert was accepted after T',
    'channel mails (e-mail): its end was accepted after T',
    'channel mails (e-mail): the test alert was accepted after T',
  ]);
  const hook = receiver.requests.filter(({ path }) => path === '/hook').map(({ text }) => JSON.parse(text));
  expect(hook).toMatchObject([
    { kind: 'drill', status: 'firing', instance: 'watcher', alerts: [{ alert: 'SubnetdDrill', severity: 'info' }] },
    {
      kind: 'drill',
      status: 'resolved',
      thread: hook[0].id,
      alerts: [{ status: 'resolved', key: hook[0].alerts[0].key }],
    },
  ]);
  expect(hook[1].id).not.toBe(hook[0].id);
  expect(mails.mails.map(({ headers }) => headers.subject)).toEqual([
    'DRILL subnetd watcher: a test alert',
    'DRILL subnetd watcher: the test alert has ended',
  ]);
});

it('a drill reports each channel that fails, and what to correct', async () => {
  const { config, receiver } = await inventory();
  const { code, stdout, stderr } = await runCommand([
    'drill',
    '--config',
    config,
    '--to',
    'dead',
    '--to',
    'hook',
    '--to',
    'mails',
  ]);
  expect(code).toBe(1);
  expect(stdout).toContain('channel hook (webhook): its end was accepted');
  expect(stderr.split('\n').toSorted()).toEqual([
    '',
    'subnetd drill: channel dead (Slack) refuses connections; start it, or correct notify[dead].slack',
    'subnetd drill: channel mails (e-mail) cannot be used: notify[mails].email has no mail server; set SUBNETD_SMTP_URL, or name one with smtpUrlFile',
  ]);
  receiver.answer = { status: 500 };
  const failed = await runCommand(['drill', '--config', config, '--to', 'hook']);
  expect([failed.code, failed.stderr]).toEqual([
    1,
    'subnetd drill: channel hook (webhook) answers with status 500; look at its log or its status page\n',
  ]);
  // Without its start, nobody needs its end.
  expect(receiver.requests).toHaveLength(3);
});

it('a drill is not done while a mail server refuses one of the recipients', async () => {
  const mails = await startMailServer({
    refuse: (address) => (address.startsWith('gone') ? { status: 550, text: 'no such user' } : undefined),
  });
  cleanups.push(mails.stop);
  writeFileSync(pathOf('smtp'), mails.url);
  const { config } = await inventory(
    `notify: [{ name: mails, email: { to: [a@example.com, gone@example.com], from: s@example.com, smtpUrlFile: ${pathOf('smtp')} } }]\n`,
  );
  const { code, stderr } = await runCommand(['drill', '--config', config, '--to', 'mails']);
  expect([code, stderr]).toEqual([
    1,
    'subnetd drill: channel mails (e-mail) is refused gone@example.com; correct the addresses in to\n',
  ]);
});

it('a drill names the channels that there are', async () => {
  const { config } = await inventory();
  const drill = async (...words: readonly string[]) => {
    const { code, stderr } = await runCommand(['drill', '--config', config, ...words]);
    return [code, stderr];
  };
  expect(await drill('--to', 'nobody')).toEqual([
    2,
    `subnetd drill: ${config}: there is no channel "nobody"; it names hook, bot, dead, mails\n`,
  ]);
  expect(await drill()).toEqual([2, expect.stringContaining('a drill goes to a channel with --to, as in --to hook\n')]);
  expect(await drill('--to', 'hook', '--url', 'http://127.0.0.1:1')).toEqual([
    2,
    'subnetd drill: give one of --to and --url\n',
  ]);
  writeFileSync(config, SUBNETS);
  expect(await drill('--to', 'hook')).toEqual([2, expect.stringContaining('it names none under notify\n')]);
});
