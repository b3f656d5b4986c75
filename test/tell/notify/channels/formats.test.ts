import { describe, expect, it } from 'vitest';
import { toDiscordBody } from '../../../../src/tell/notify/channels/discord.ts';
import { toMail } from '../../../../src/tell/notify/channels/email.ts';
import { clip, PLAIN, writeAlerts, writeTitle } from '../../../../src/tell/notify/channels/message-words.ts';
import { toNtfyBody } from '../../../../src/tell/notify/channels/ntfy.ts';
import { toPagerDutyEvents } from '../../../../src/tell/notify/channels/pagerduty.ts';
import { toSlackBody } from '../../../../src/tell/notify/channels/slack.ts';
import { toTelegramBody } from '../../../../src/tell/notify/channels/telegram.ts';
import type { Message, MessageAlert } from '../../../../src/tell/notify/channels/to-message.ts';

const HOSTILE = '<!channel> @everyone *b* `c` [x](http://evil) &amp; "q" \u202e|~_';

const alert = (name: string, more: Partial<MessageAlert> = {}): MessageAlert => ({
  status: 'firing',
  isNew: true,
  key: name,
  alert: 'SubnetNodeDown',
  severity: 'warning',
  subnet: 'devnet',
  component: 'node',
  name,
  summary: `${name} is down`,
  evidence: 'it answers no call',
  fix: `docker restart ${name}`,
  startsAt: '2026-11-21T00:00:00.000Z',
  seenAt: '2026-11-21T00:00:30.000Z',
  links: { incident: 'https://s.example/incidents?alert=A&name=n', runbook: 'https://s.example/alerts/A' },
  ...more,
});
const message = (alerts: readonly MessageAlert[], more: Partial<Message> = {}): Message => ({
  id: 'a1',
  kind: 'change',
  status: alerts.some(({ status }) => status === 'firing') ? 'firing' : 'resolved',
  instance: 'one',
  subnet: 'devnet',
  thread: 'a1',
  sentAt: '2026-11-21T00:00:31.000Z',
  alerts,
  covered: [],
  ...more,
});
const ended = (name: string) => alert(name, { status: 'resolved', endsAt: '2026-11-21T01:02:03.000Z' });
const ongoing = (name: string, more = {}) => alert(name, { isNew: false, ...more });
const many = message(Array.from({ length: 205 }, (_, i) => alert(`n${i}`, { evidence: HOSTILE.repeat(20) })));

/** A service's texts of a message, each with the most characters that the service takes. */
const slack = { kind: 'slack', urlFile: '/u', apiUrl: 'https://slack.com/api' } as const;
const telegram = { kind: 'telegram', tokenFile: '/t', chatId: '-5', apiUrl: 'https://api.telegram.org' } as const;
const textsOf: Readonly<Record<string, (one: Message) => readonly (readonly [string, number])[]>> = {
  slack: (one) => {
    const { text, blocks } = toSlackBody(slack, one) as { text: string; blocks: { text: { text: string } }[] };
    return [[text, 3_000], ...blocks.map((block) => [block.text.text, 3_000] as const)];
  },
  telegram: (one) => [[(toTelegramBody(telegram, one) as { text: string }).text, 4_096]],
  discord: (one) => {
    const { embeds } = toDiscordBody(one) as { embeds: { title: string; description: string }[] };
    return embeds.flatMap(({ title, description }) => [[title, 256] as const, [description, 4_096] as const]);
  },
  ntfy: (one) => {
    const { title, message } = toNtfyBody(one, 'topic') as { title: string; message: string };
    // ntfy counts bytes.
    return [
      [title, 250] as const,
      [message, 4_096] as const,
      [Buffer.from(message).toString('latin1'), 4_096] as const,
    ];
  },
  pagerduty: (one) => {
    const events = toPagerDutyEvents(one, 'key') as {
      payload: { summary: string; custom_details: { alerts: string } };
    }[];
    return events.flatMap(({ payload: { summary, custom_details: details } }) => [
      [summary, 1_024] as const,
      [details.alerts, 20_000] as const,
    ]);
  },
  email: (one) => {
    const { mail } = toMail(one, 'subnetd <s@example.com>');
    return [
      [mail.subject, 250],
      [mail.text, 60_000],
      [mail.html, 60_000],
    ];
  },
};

describe('an alert whose texts are nothing but markup, or long in bytes', () => {
  const worst = (text: string) => message([alert('n1', { summary: text, evidence: text, fix: text })]);

  it.each(Object.keys(textsOf))('is still in a message to %s', (kind) => {
    for (const character of ['&', '<', '"', '*', '_', '`', '|', '\\', '漢'])
      for (const [text, most] of textsOf[kind]?.(worst(character.repeat(2_000))) ?? []) {
        expect(text.length, character).toBeLessThanOrEqual(most);
        expect(text, character).not.toContain('1 more alert');
      }
  });
});

describe('a title', () => {
  it.each([
    [message([alert('n1')]), 'WARNING devnet: n1 is down'],
    [message([alert('n1', { severity: 'critical' }), alert('n2'), ongoing('n3')]), 'CRITICAL devnet: 2 alerts'],
    [message([ended('n1')]), 'RESOLVED devnet: n1 is down'],
    [message([ended('n1'), ended('n2')]), 'RESOLVED devnet: 2 alerts'],
    [message([ended('n1'), ongoing('n2')]), 'RESOLVED devnet: n1 is down, 1 still fires'],
    [message([ended('n1'), ongoing('n2'), ongoing('n3')]), 'RESOLVED devnet: n1 is down, 2 still fire'],
    [message([alert('n1'), ended('n2')]), 'WARNING devnet: n1 is down'],
    [
      message([ongoing('n1'), ongoing('n2', { severity: 'critical' })], { kind: 'reminder' }),
      'CRITICAL devnet: still 2 alerts',
    ],
    [message([ongoing('n1')], { kind: 'reminder' }), 'WARNING devnet: still n1 is down'],
    [
      message([ongoing('n1', { acknowledgedBy: 'Anna' }), ongoing('n2')], { kind: 'acknowledgement' }),
      'ACKNOWLEDGED devnet: n1 is down, by Anna',
    ],
    [message([alert('d')], { kind: 'drill', subnet: undefined as never }), 'DRILL subnetd one: a test alert'],
    [message([ended('d')], { kind: 'drill' }), 'DRILL devnet: the test alert has ended'],
  ])('%# is %s', (one, title) => expect(writeTitle(one)).toBe(title));
});

describe('a message', () => {
  it('calls an alert whose problem is no longer seen clearing', () => {
    const evidence = 'seen at 2026-11-21 00:00:30 UTC: it answers no call';
    expect(writeAlerts(message([ongoing('n1', { isClearing: true, evidence })]), PLAIN, 1_000)).toMatch(
      /^clearing: n1 is down\nSeen at 2026-11-21 00:00:30 UTC: it answers no call\. Since 2026-11-21 00:00 UTC\.\n/,
    );
  });

  it('has no instant of what an earlier version has stored without one', () => {
    expect(writeAlerts(message([alert('n1', { seenAt: undefined })]), PLAIN, 1_000)).toContain(
      'It answers no call. Since 2026-11-21 00:00 UTC.\n',
    );
  });

  it('reads in Slack as it should', () => {
    const one = message([alert('n1'), ended('n2'), ongoing('n3', { severity: 'critical', links: {} })]);
    const { text, blocks } = toSlackBody(slack, one) as { text: string; blocks: { text: { text: string } }[] };
    expect(text).toBe('WARNING devnet: n1 is down');
    expect(blocks.map((block) => block.text.text)).toEqual([
      '*WARNING devnet: n1 is down*',
      `*warning: n1 is down*
It answers no call. Since 2026-11-21 00:00 UTC, seen at 2026-11-21 00:00:30 UTC.
To do: \`docker restart n1\`
<https://s.example/incidents?alert=A&amp;name=n|incident> · <https://s.example/alerts/A|runbook>

*resolved: n2 is down*
From 2026-11-21 00:00 UTC to 2026-11-21 01:02 UTC.
<https://s.example/incidents?alert=A&amp;name=n|incident> · <https://s.example/alerts/A|runbook>

*still critical: n3 is down*
It answers no call. Since 2026-11-21 00:00 UTC, seen at 2026-11-21 00:00:30 UTC.
To do: \`docker restart n3\``,
    ]);
  });

  it('reads in Telegram as it should', () => {
    expect(toTelegramBody({ ...telegram, threadId: 7 }, message([alert('n<1')]))).toEqual({
      chat_id: '-5',
      message_thread_id: 7,
      parse_mode: 'HTML',
      link_preview_options: { is_disabled: true },
      text: `<b>WARNING devnet: n&lt;1 is down</b>

<b>warning: n&lt;1 is down</b>
It answers no call. Since 2026-11-21 00:00 UTC, seen at 2026-11-21 00:00:30 UTC.
To do: <code>docker restart n&lt;1</code>
<a href="https://s.example/incidents?alert=A&amp;name=n">incident</a> · <a href="https://s.example/alerts/A">runbook</a>`,
    });
  });

  it('reads in Discord as it should, with a colour, and mentions nobody', () => {
    const body = (one: Message) => toDiscordBody(one) as { embeds: readonly object[]; allowed_mentions: object };
    const links = { runbook: 'https://s.example/a?x=(1)' };
    const shown = body(message([alert('@everyone', { severity: 'critical', links })]));
    expect(shown.allowed_mentions).toEqual({ parse: [] });
    expect(shown.embeds).toEqual([
      {
        title: 'CRITICAL devnet\\: \\@everyone is down',
        description: `**critical\\: \\@everyone is down**
It answers no call. Since 2026-11-21 00\\:00 UTC, seen at 2026-11-21 00\\:00\\:30 UTC.
To do\\: \`docker restart @everyone\`
[runbook](https://s.example/a?x=%281%29)`,
        color: 0xd32f2f,
        timestamp: '2026-11-21T00:00:31.000Z',
      },
    ]);
    expect(body(message([ended('n1')])).embeds).toEqual([expect.objectContaining({ color: 0x2e7d32 })]);
  });

  it('reads in a mail as it should, and answers the first of its thread', () => {
    const { mail, place } = toMail(message([alert('n<1')]), 'subnetd <s@example.com>');
    expect(mail.subject).toBe('WARNING devnet: n<1 is down');
    expect(mail.text).toBe(`WARNING devnet: n<1 is down

warning: n<1 is down
It answers no call. Since 2026-11-21 00:00 UTC, seen at 2026-11-21 00:00:30 UTC.
To do: docker restart n<1
incident: https://s.example/incidents?alert=A&name=n · runbook: https://s.example/alerts/A

Sent by subnetd one.
`);
    expect(mail.html).toContain('<title>WARNING devnet: n&lt;1 is down</title>');
    expect(mail.html).toContain('<code>docker restart n&lt;1</code>');
    expect(mail.html).not.toContain('n<1');
    expect(place).toEqual({ messageId: '<a1.subnetd@example.com>' });
    const later = toMail(message([ended('n1')], { id: 'b2' }), 's@example.com');
    expect(later.place).toEqual({ messageId: '<b2.subnetd@example.com>', answers: '<a1.subnetd@example.com>' });
  });
});

describe.each(Object.entries(textsOf))('%s', (_, toTexts) => {
  it('takes the longest message, which says how many alerts it leaves out', () => {
    const texts = toTexts(many);
    for (const [text, most] of texts) expect(text.length).toBeLessThanOrEqual(most);
    expect(texts.some(([text]) => /… and \d+ more alerts\./.test(text))).toBe(true);
    const names = new Set(texts.flatMap(([text]) => text.match(/\bn\d+ is down/g) ?? []));
    const [, left] = /and (\d+) more alerts/.exec(texts.map(([text]) => text).join()) ?? [];
    expect(names.size + Number(left)).toBe(205);
  });

  it('gets no line break, direction or mention out of a name', () => {
    const name = `${HOSTILE}\nsecond\u2028line\u0007`;
    const all = toTexts(message([alert(name, { evidence: name, fix: name })]))
      .map(([text]) => text)
      .join('\n');
    for (const hidden of ['\u202e', '\u2028', '\u0007']) expect(all).not.toContain(hidden);
    expect(all).not.toContain('\nsecond');
  });
});

it('names that look like markup stay text', () => {
  const one = message([alert(HOSTILE, { links: {}, evidence: HOSTILE, fix: HOSTILE })]);
  const [slack, tg, discord] = [textsOf.slack?.(one), textsOf.telegram?.(one), textsOf.discord?.(one)].map((texts) =>
    (texts ?? []).map(([text]) => text).join('\n'),
  );
  expect(slack).not.toContain('<');
  expect(slack).toContain('&lt;!channel&gt;');
  expect(tg?.replaceAll(/<\/?(?:b|code)>/g, '')).not.toMatch(/[<>]/);
  expect(tg).toContain('&amp;amp;');
  // Outside of code, Discord shows what follows a backslash as it is.
  const outside = discord
    ?.replaceAll(/`[^`\n]*`$/gm, '')
    .replaceAll(/\\./g, '')
    .replaceAll('**', '');
  expect(outside).not.toMatch(/[*_~`|<>[\]()@]/);
});

it('alerts never take more room than there is', () => {
  for (let most = 100; most < 1_500; most += 1)
    expect(
      writeAlerts(message(['n1', 'n2', 'n3', 'n4'].map((name) => alert(name))), PLAIN, most).length,
    ).toBeLessThanOrEqual(most);
});

it('a text is cut between characters', () => {
  expect(clip('abc', 3)).toBe('abc');
  expect(clip('abcd', 3)).toBe('ab…');
  expect(clip('a😀b', 3)).toBe('a…');
});
