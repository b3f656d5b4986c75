import { writeFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runCommand } from '../support/run-command.ts';
import { useCleanups } from '../support/use-cleanups.ts';

const { pathOf } = useCleanups();

it('check-config reads the files of channels and heartbeats, and names each that cannot be used, with its place', async () => {
  const config = pathOf('subnetd.yaml');
  writeFileSync(
    config,
    `subnets: [{ name: devnet, nodes: [{ name: subnet1, rpc: 'http://127.0.0.1:1' }] }]
notify:
  - { name: chat, slack: { urlFile: ${pathOf('slack')}, appTokenFile: ${pathOf('app')} } }
  - { name: guild, discord: { urlFile: ${pathOf('discord')} } }
  - { name: bot, telegram: { tokenFile: ${pathOf('bot')}, chatId: 5 } }
  - name: hook
    webhook: { url: 'https://h.example', secretFile: ${pathOf('key')} }
  - { name: pager, pagerduty: { keyFile: ${pathOf('pager')} } }
  - { name: phone, ntfy: { urlFile: ${pathOf('topic')}, tokenFile: ${pathOf('ntfy')} } }
  - { name: other, webhook: { url: 'https://h.example', secretFile: ${pathOf('standard')} } }
  - { name: mails, email: { to: [a@example.com] } }
heartbeat: [{ urlFile: ${pathOf('beat')} }]
`,
  );
  const BAD = {
    ...{ app: 'xoxb-hunter2', discord: 'hunter2', bot: 'hunter2 /x', key: '\n', pager: 'hunter2' },
    ...{ topic: 'https://ntfy.example/', ntfy: 'tk_1', standard: 'whsec_hunter2!', beat: 'hunter2' },
  };
  for (const [name, text] of Object.entries(BAD)) writeFileSync(pathOf(name), text);
  const bad = await runCommand(['check-config', config]);
  const lines = bad.stderr
    .trimEnd()
    .split('\n')
    .map((line) => line.replace(`${config}:`, '').replace(/^\d+:\d+: /, ''));
  expect([bad.code, lines]).toEqual([
    2,
    [
      `notify[0].slack.urlFile: ${pathOf('slack')} cannot be read (ENOENT); correct the path or its mode`,
      `notify[0].slack.appTokenFile: ${pathOf('app')} holds no app-level token of Slack, which begins with xapp-`,
      `notify[1].discord.urlFile: ${pathOf('discord')} holds no URL; write the whole address into it, with https://`,
      `notify[2].telegram.tokenFile: ${pathOf('bot')} holds no token of a bot, such as 123456:ABC-DEF`,
      `notify[3].webhook.secretFile: ${pathOf('key')} is empty; write the secret into it`,
      `notify[4].pagerduty.keyFile: ${pathOf('pager')} holds no integration key of PagerDuty, which has 32 letters and digits`,
      `notify[5].ntfy.urlFile: ${pathOf('topic')} names no topic; write an address such as https://ntfy.sh/TOPIC into it`,
      `notify[6].webhook.secretFile: ${pathOf('standard')} holds no secret of Standard Webhooks: what follows whsec_ is not Base64`,
      `heartbeat[0].urlFile: ${pathOf('beat')} holds no URL; write the whole address into it, with https://`,
    ],
  ]);
  for (const place of ['3:37', '4:40', '5:41', '7:54', '12:24']) expect(bad.stderr).toContain(`${config}:${place}: `);
  expect(bad.stderr).not.toContain('hunter2');
  const GOOD = {
    slack: 'https://hooks.slack.example/services/T/B/x\n',
    discord: 'https://discord.example/api/webhooks/1/x',
    ...{ app: 'xapp-1-A', bot: '123456:ABC-DEF\n', key: 'key', pager: 'a'.repeat(32) },
    ...{ topic: 'https://ntfy.example/t', standard: 'whsec_a2V5\n', beat: 'https://hc.example/1' },
  };
  for (const [name, text] of Object.entries(GOOD)) writeFileSync(pathOf(name), text);
  const good = await runCommand(['check-config', config]);
  const missing =
    'notify[7].email: no mail server is known here; set SUBNETD_SMTP_URL for the daemon, or name one with smtpUrlFile';
  expect([good.code, good.stderr]).toEqual([0, `${config}: warning: ${missing}\n`]);
  const withServer = await runCommand(['check-config', config], { SUBNETD_SMTP_URL: 'smtp://127.0.0.1:1' });
  expect([withServer.code, withServer.stderr]).toEqual([0, '']);
});
