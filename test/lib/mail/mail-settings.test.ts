import { expect, it } from 'vitest';
import { needsTls, parseMailServer, parseMailSettings } from '../../../src/lib/mail/mail-settings.ts';

const PUBLIC = 'https://subnetd.example.com';
const parse = (environment: Readonly<Record<string, string>>, publicUrl: string | null = PUBLIC) => {
  const errors: string[] = [];
  return { settings: parseMailSettings((name) => environment[name], publicUrl ?? undefined, errors), errors };
};

it('mails need a server, a sender, and the address that links begin with', () => {
  const from = 'subnetd <subnetd@example.com>';
  expect(parse({ SUBNETD_SMTP_URL: 'smtps://mail.example.com', SUBNETD_MAIL_FROM: from })).toEqual({
    settings: { server: { host: 'mail.example.com', port: 465, isTls: true }, from, publicUrl: PUBLIC },
    errors: [],
  });
  expect(parse({})).toEqual({ settings: undefined, errors: [] });
});

it('a mail server has a user and a password of any characters, and its own port', () => {
  expect(parseMailServer('smtp://ops%40example.com:p%25s%2F%40@mail.example.com')).toEqual({
    host: 'mail.example.com',
    port: 587,
    isTls: false,
    login: { user: 'ops@example.com', password: 'p%s/@' },
  });
  expect(parseMailServer('smtp://[::1]:2525/')).toEqual({ host: '::1', port: 2525, isTls: false });
});

it('a password crosses a network encrypted or not at all, and this machine as it is', () => {
  const needs = (url: string) => needsTls(parseMailServer(url) ?? expect.fail(url));
  expect(needs('smtp://a:b@mail.example.com')).toBe(true);
  expect(needs('smtp://a:b@127.evil.example')).toBe(true);
  expect(needs('smtp://mail.example.com')).toBe(false);
  for (const host of ['localhost', '127.0.0.2', '[::1]']) expect(needs(`smtp://a:b@${host}`), host).toBe(false);
});

it.each(['mail.example.com', 'http://mail.example.com', 'smtp://', 'smtp://a/b', 'smtp://a?logger=true', 'smtp://a#b'])(
  'the server %s is refused with a sentence that does not quote it',
  (url) => {
    expect(parse({ SUBNETD_SMTP_URL: url, SUBNETD_MAIL_FROM: 'a@example.com' }).errors).toEqual([
      'SUBNETD_SMTP_URL must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// for TLS from the start',
    ]);
  },
);

it.each(['', 'subnetd', 'a@b, c@d', 'subnetd <a@b>\nBcc: c@d', '"x" <a@b>', 'a <b@c> <d@e>'])(
  'the sender %j is refused',
  (from) => {
    const { settings, errors } = parse({ SUBNETD_SMTP_URL: 'smtp://a', SUBNETD_MAIL_FROM: from });
    expect(settings).toBeUndefined();
    expect(errors).toEqual(['SUBNETD_MAIL_FROM must be the sender of mails, as in subnetd <subnetd@example.com>']);
  },
);

it('half of the settings is refused', () => {
  expect(parse({ SUBNETD_MAIL_FROM: 'a@b' }).errors).toEqual([
    'SUBNETD_MAIL_FROM is set without SUBNETD_SMTP_URL; set both, or neither',
  ]);
  expect(parse({ SUBNETD_SMTP_URL: 'smtp://a', SUBNETD_MAIL_FROM: 'a@b' }, null)).toEqual({
    settings: undefined,
    errors: ['SUBNETD_PUBLIC_URL must be set with SUBNETD_SMTP_URL; the links in mails begin with it'],
  });
});
