import { expect, it, onTestFinished } from 'vitest';
import { createMailTransport, toSendFailure } from '../../../src/lib/mail/create-mail-transport.ts';
import { parseMailServer } from '../../../src/lib/mail/mail-settings.ts';
import { writeMail } from '../../../src/platform/mail/mail-text.ts';
import { startMailServer } from '../../support/mail-server.ts';

const FACTS = { publicUrl: 'https://subnetd.example.com', at: '2026-01-31T12:34:56.789Z' };
const mail = writeMail('password-changed', { firstName: 'Ada', userName: 'ada' }, FACTS);
const transportTo = (url: string) =>
  createMailTransport({ server: parseMailServer(url) ?? expect.fail(url), from: 'subnetd@example.com' });
const failureOf = (sent: Promise<unknown>) => sent.then(() => expect.fail('it was sent'), toSendFailure);

it.each([false, true])('a server that asks for a login gets it (TLS from the start: %s)', async (isTls) => {
  const server = await startMailServer({ login: { user: 'ops@example.com', password: 'p%s/@: ü' }, isTls });
  onTestFinished(server.stop);
  await transportTo(server.url).send('ada@example.com', mail);
  expect(server.mails.map(({ to }) => to)).toEqual([['ada@example.com']]);
  const wrong = await failureOf(transportTo(server.url.replace('ops', 'dev')).send('ada@example.com', mail));
  expect(wrong).toEqual({ code: 'EAUTH', status: 535, isRefused: false });
});

it('a failure says what happened, and nothing that the server says', async () => {
  const statuses = { a: 550, b: 450 };
  const server = await startMailServer({
    refuse: (address) => ({ status: statuses[address[0] as 'a' | 'b'], text: `no ${address}` }),
  });
  const { send } = transportTo(server.url);
  expect(await failureOf(send('a@example.com', mail))).toEqual({ code: 'EENVELOPE', status: 550, isRefused: true });
  expect(await failureOf(send('b@example.com', mail))).toEqual({ code: 'EENVELOPE', status: 450, isRefused: false });
  await server.stop();
  expect(await failureOf(send('a@example.com', mail))).toEqual({ code: 'ESOCKET', isRefused: false });
  expect(toSendFailure(undefined)).toEqual({ code: 'unknown', isRefused: false });
});

it('names in a mail are text, also in HTML', () => {
  const { text, html } = writeMail(
    'reset',
    { firstName: '<img src=x>', userName: 'a"b&c' },
    { ...FACTS, address: 'https://subnetd.example.com/portal/reset?token=t' },
  );
  expect(text).toContain('Hello <img src=x>,\n\nA new password was requested for your account a"b&c at');
  expect(html).toContain('Hello &lt;img src=x&gt;,');
  expect(html).toContain('your account a&quot;b&amp;c at');
});

it('a mail says when it happened, because it may come late', () => {
  expect(mail.text).toBe(
    `${[
      'Hello Ada,',
      'The password of your account ada at https://subnetd.example.com was changed at 2026-01-31 12:34 UTC. All its sessions and tokens have ended.',
      'If it was not you, choose a new password at once: https://subnetd.example.com/portal/forgotten',
      'Then ask an admin to look at the security log.',
    ].join('\n\n')}\n`,
  );
});
