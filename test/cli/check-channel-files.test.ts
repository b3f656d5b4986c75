import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { pathOf } = useCleanups();

it('check-config reads the files of channels, and names each that cannot be used, with its place', async () => {
  const config = pathOf('subnetd.yaml');
  writeFileSync(
    config,
    `subnets: [{ name: devnet, nodes: [{ name: subnet1, rpc: 'http://127.0.0.1:1' }] }]
notify:
  - { name: chat, slack: { urlFile: ${pathOf('slack')} } }
  - { name: guild, discord: { urlFile: ${pathOf('discord')} } }
  - { name: bot, telegram: { tokenFile: ${pathOf('bot')}, chatId: 5 } }
  - name: hook
    webhook: { url: 'https://h.example', secretFile: ${pathOf('key')} }
  - { name: mails, email: { to: [a@example.com] } }
`,
  );
  writeFileSync(pathOf('discord'), 'hunter2');
  writeFileSync(pathOf('bot'), 'hunter2 /x');
  writeFileSync(pathOf('key'), '\n');
  const bad = await runCommand(['check-config', config]);
  const at = (place: string, what: string) => `${config}:${place}: ${what}\n`;
  expect([bad.code, bad.stderr]).toEqual([
    2,
    at('3:37', `notify[0].slack.urlFile: ${pathOf('slack')} cannot be read (ENOENT); correct the path or its mode`) +
      at(
        '4:40',
        `notify[1].discord.urlFile: ${pathOf('discord')} holds no URL; write the whole address into it, with https://`,
      ) +
      at('5:41', `notify[2].telegram.tokenFile: ${pathOf('bot')} holds no token of a bot, such as 123456:ABC-DEF`) +
      at('7:54', `notify[3].webhook.secretFile: ${pathOf('key')} is empty; write the secret into it`),
  ]);
  writeFileSync(pathOf('slack'), 'https://hooks.slack.example/services/T/B/x\n');
  writeFileSync(pathOf('discord'), 'https://discord.example/api/webhooks/1/x');
  writeFileSync(pathOf('bot'), '123456:ABC-DEF\n');
  writeFileSync(pathOf('key'), 'key');
  const good = await runCommand(['check-config', config]);
  const missing =
    'notify[4].email: no mail server is known here; set SUBNETD_SMTP_URL for the daemon, or name one with smtpUrlFile';
  expect([good.code, good.stderr]).toEqual([0, `${config}: warning: ${missing}\n`]);
  const withServer = await runCommand(['check-config', config], { SUBNETD_SMTP_URL: 'smtp://127.0.0.1:1' });
  expect([withServer.code, withServer.stderr]).toEqual([0, '']);
});
