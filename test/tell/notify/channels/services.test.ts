import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChannelTarget } from '../../../../src/model/channel.ts';
import { createMailDeliver } from '../../../../src/tell/notify/channels/email.ts';
import { toMessage } from '../../../../src/tell/notify/channels/to-message.ts';
import { firingAlert, resolvedAlert } from '../../../support/alerts-at.ts';
import { createSecrets, runChannels } from '../../../support/channel-run.ts';
import { type HookReceiver, startHookReceiver } from '../../../support/hook-receiver.ts';
import { type MailServerOptions, startMailServer } from '../../../support/mail-server.ts';

const TOKEN = '123456:s3cr3t-t0ken_x';
let receiver: HookReceiver;
let secrets: ReturnType<typeof createSecrets>;
const cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  receiver = await startHookReceiver();
  secrets = createSecrets();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await receiver.stop();
  secrets.remove();
});
function run(...[target, options]: Parameters<typeof runChannels>) {
  const channels = runChannels(target, options);
  cleanups.push(channels.stop);
  channels.set(firingAlert('n1', channels.time.clock.now()));
  return channels;
}

const urlFile = () => secrets.write('url', `${receiver.url}/services/T0/${TOKEN}\n`);
const targets: Readonly<Record<string, () => ChannelTarget>> = {
  slack: () => ({ kind: 'slack', urlFile: urlFile(), apiUrl: receiver.url }),
  discord: () => ({ kind: 'discord', urlFile: urlFile() }),
  telegram: () => ({
    kind: 'telegram',
    tokenFile: secrets.write('token', `${TOKEN}\n`),
    chatId: '-5',
    apiUrl: receiver.url,
  }),
  pagerduty: () => ({
    kind: 'pagerduty',
    keyFile: secrets.write('key', `${'k3y'.padEnd(32, '0')}\n`),
    apiUrl: receiver.url,
  }),
  ntfy: () => ({
    kind: 'ntfy',
    urlFile: secrets.write('url', `${receiver.url}/below/t0ken-topic\n`),
    tokenFile: secrets.write('token', 'tk_1\n'),
  }),
};

it('a message says which alerts are clearing, and gives no fix for those that have ended', () => {
  const details = { summary: 'n1 is down', evidence: 'it answers no call', fix: 'docker start n1' };
  const one = { ...firingAlert('n1', 0), startsAt: 0, details };
  const clearing = { ...one, details: { ...details, isClearing: true as const } };
  const stored = {
    ...details,
    evidence: 'seen before subnetd was started: it answers no call',
    isRestored: true as const,
  };
  const ended = [
    { ...one, endsAt: 9_000 },
    { ...one, endsAt: 9_000, details: stored },
  ];
  const planned = { kind: 'change', begun: [one], ended, ongoing: [clearing] } as const;
  const { alerts } = toMessage(planned, undefined, { channel: 'ops', group: 'devnet', instance: 'one', now: 9_000 });
  expect(alerts.map(({ status, fix, isClearing }) => [status, fix, isClearing])).toEqual([
    ['firing', 'docker start n1', undefined],
    ['resolved', undefined, undefined],
    ['resolved', undefined, undefined],
    ['firing', 'docker start n1', true],
  ]);
  // What is no longer seen says when it was.
  expect(alerts.map(({ evidence }) => evidence)).toEqual([
    'it answers no call',
    'seen at 1970-01-01 00:00:00 UTC: it answers no call',
    // When it was seen last is not stored.
    'seen before subnetd was started: it answers no call',
    'seen at 1970-01-01 00:00:00 UTC: it answers no call',
  ]);
});

describe('a service', () => {
  it.each([
    ['slack', `/services/T0/${TOKEN}`, 'blocks'],
    ['discord', `/services/T0/${TOKEN}?wait=true`, 'embeds'],
    ['telegram', `/bot${TOKEN}/sendMessage`, 'chat_id'],
    ['pagerduty', '/v2/enqueue', 'dedup_key'],
    ['ntfy', '/below/', 'topic'],
  ])('%s gets its message at its address, once', async (kind, path, member) => {
    const target = targets[kind]?.();
    if (target === undefined) throw new Error('no such kind');
    const channels = run(target);
    await channels.run(300);
    expect(receiver.requests.map((request) => request.path)).toEqual([path]);
    expect(receiver.requests[0]?.headers['content-type']).toBe('application/json');
    expect(JSON.parse(receiver.requests[0]?.text ?? '')).toHaveProperty(member);
    expect(channels.accepted).toEqual(['ops n1 firing']);
    expect(channels.heard).toEqual([]);
  });

  it.each([
    [
      'slack',
      404,
      'no_service',
      /^channel ops \(Slack\) knows no such incoming webhook; make a new one .* \(status 404\)$/,
    ],
    ['slack', 410, 'channel_is_archived', /^channel ops \(Slack\) has archived the channel; /],
    [
      'telegram',
      400,
      '{"ok":false,"description":"Bad Request: chat not found"}',
      /does not find the chat; correct chatId/,
    ],
    [
      'telegram',
      401,
      '{"ok":false,"description":"Unauthorized"}',
      /refuses the token; write the one .* into tokenFile/,
    ],
    [
      'telegram',
      403,
      '{"description":"Forbidden: bot was blocked by the user"}',
      /was blocked by the user; unblock it/,
    ],
    [
      'pagerduty',
      400,
      '{"status":"invalid event","message":"Event object is invalid","errors":["Invalid routing key"]}',
      /^channel ops \(PagerDuty\) refuses the routing key; write the integration key .* into keyFile \(status 400\)$/,
    ],
    ['ntfy', 401, '{"code":40101,"http":401,"error":"unauthorized"}', /^channel ops \(ntfy\) refuses the token; /],
    ['ntfy', 403, '{"code":40301,"http":403,"error":"forbidden"}', /does not let this user publish to the topic/],
    ['discord', 404, '{"message": "Unknown Webhook", "code": 10015}', /knows no such webhook; make a new one/],
  ])('%s that answers %d %s is described by what to do, without a secret', async (kind, status, body, why) => {
    receiver.answer = { status, body: `${body} ${TOKEN}` };
    const target = targets[kind]?.();
    if (target === undefined) throw new Error('no such kind');
    const channels = run(target);
    await channels.run(35);
    expect(channels.heard).toEqual([expect.stringMatching(why)]);
    expect(channels.heard.join()).not.toContain('t0ken');
  });

  it.each(['telegram', 'discord'])(
    '%s that is sent too much is left alone for the seconds in its JSON',
    async (kind) => {
      receiver.answer = { status: 429, body: '{"parameters": {"retry_after": 41}, "retry_after": 41.5}' };
      const target = targets[kind]?.();
      if (target === undefined) throw new Error('no such kind');
      const channels = run(target);
      await channels.run(55);
      expect(receiver.requests).toHaveLength(1);
      await channels.run(5);
      expect(receiver.requests).toHaveLength(2);
    },
  );

  it('telegram is not asked with what is not a token', async () => {
    const tokenFile = secrets.write('token', 'no token/../');
    const channels = run({ kind: 'telegram', tokenFile, chatId: '-5', apiUrl: receiver.url });
    await channels.run(35);
    expect(receiver.requests).toEqual([]);
    expect(channels.heard.join()).toContain('holds no token of a bot');
  });
});

describe('e-mail', () => {
  const from = 'subnetd <subnetd@example.com>';
  async function mailServer(options?: MailServerOptions) {
    const server = await startMailServer(options);
    cleanups.push(server.stop);
    return server;
  }

  it('reaches everybody, through the server of the channel, and its end is in the same thread', async () => {
    const server = await mailServer({ login: { user: 'u', password: 'p@ss' } });
    const smtpUrlFile = secrets.write('smtp', `${server.url}\n`);
    const channels = run({ kind: 'email', to: ['a@example.com', 'b@example.com'], from, smtpUrlFile });
    await channels.run(60);
    channels.set(resolvedAlert(firingAlert('n1', channels.time.clock.now()), channels.time.clock.now()));
    await channels.run(60);
    expect(channels.heard).toEqual([]);
    const [first, last] = server.mails;
    expect(server.mails.map(({ headers }) => headers.subject)).toEqual([
      'WARNING devnet: n1 is down',
      'RESOLVED devnet: n1 is down',
    ]);
    expect(first).toMatchObject({ from: 'subnetd@example.com', to: ['a@example.com', 'b@example.com'] });
    expect(first?.headers['auto-submitted']).toBe('auto-generated');
    expect(first?.text).toContain('To do: docker restart n1');
    expect(first?.html).toContain('<code>docker restart n1</code>');
    expect(first?.headers['message-id']).toMatch(/^<[0-9a-f]{32}\.subnetd@example\.com>$/);
    expect(first?.headers).not.toHaveProperty('references');
    expect(last?.headers).toMatchObject({
      references: first?.headers['message-id'],
      'in-reply-to': first?.headers['message-id'],
    });
  });

  it('goes through the server of the environment, and says which recipient is refused', async () => {
    const refused = { status: 550, text: 'no such user' };
    const server = await mailServer({ refuse: (address) => (address.startsWith('gone') ? refused : undefined) });
    const mail = { server: { host: '127.0.0.1', port: server.port, isTls: false }, from };
    const channels = run({ kind: 'email', to: ['a@example.com', 'gone@example.com'] }, { mail });
    await channels.run(120);
    expect(server.mails.map(({ to }) => to)).toEqual([['a@example.com']]);
    expect(channels.heard).toEqual(['channel ops (e-mail) is refused gone@example.com; correct the addresses in to']);
    expect(channels.counts).toEqual({ sent: 1, failed: 0, dropped: 0 });
  });

  it('is not sent when it was given up while its transport was loading', async () => {
    const server = await mailServer();
    const mail = { server: { host: '127.0.0.1', port: server.port, isTls: false }, from };
    const target = { kind: 'email', to: ['a@example.com'] } as const;
    const deliver = createMailDeliver({ name: 'ops', target, severities: ['warning'] }, target, 'notify', mail);
    const planned = {
      kind: 'change',
      begun: [{ ...firingAlert('n1', 0), startsAt: 0 }],
      ended: [],
      ongoing: [],
    } as const;
    const message = toMessage(planned, undefined, { channel: 'ops', group: 'devnet', instance: 'one', now: 0 });
    const aborter = new AbortController();
    const sent = deliver(message, aborter.signal);
    aborter.abort();
    expect(await sent).toMatchObject({ ok: false, why: expect.stringContaining('gets no answer in time') });
    expect(server.connections()).toBe(0);
    // Could it fail?
    expect(await deliver(message, new AbortController().signal)).toEqual({ ok: true });
    expect(server.mails).toHaveLength(1);
  });

  it('says what to correct, and shows no password', async () => {
    const server = await mailServer({ login: { user: 'u', password: 'right' } });
    const smtpUrlFile = secrets.write('smtp', `smtp://u:wr0ng-pass@127.0.0.1:${server.port}`);
    const channels = run({ kind: 'email', to: ['a@example.com'], from, smtpUrlFile });
    await channels.run(35);
    secrets.write('smtp', 'http://h');
    await channels.run(30);
    secrets.write('smtp', server.url);
    await channels.run(120);
    expect(channels.heard).toEqual([
      `channel ops (e-mail) is refused the login (EAUTH, 535); correct the user and password in ${smtpUrlFile}`,
      `channel ops (e-mail) cannot be used: notify[ops].email.smtpUrlFile: ${smtpUrlFile} must hold smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the start`,
      'channel ops (e-mail) works',
    ]);
    const bare = run({ kind: 'email', to: ['a@example.com'] });
    await bare.run(35);
    expect(bare.heard.join()).toContain('has no mail server; set SUBNETD_SMTP_URL, or name one with smtpUrlFile');
  });
});
