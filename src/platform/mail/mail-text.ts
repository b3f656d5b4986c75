import { html } from 'hono/html';
import type { MailText } from '../../lib/mail/create-mail-transport.ts';
import type { AccountChange, MailKind, Recipient } from '../model/mail.ts';

/** What differs between the mails: the paragraphs before and after the link, and what it is called. */
interface Template {
  readonly subject: string;
  readonly label?: string;
  readonly before: readonly string[];
  readonly after: readonly string[];
}

const ASK_ADMIN = 'Then ask an admin to look at the security log.';
const ASK_AUDIT = 'Then ask an admin to look at the audit log.';

/** Who made a change, so that an admin finds it in the audit log. */
function describeAuthor(change: AccountChange | undefined): string {
  if (change === undefined) return 'somebody else';
  return change.by === null ? 'somebody on the command line' : `admin user ${change.by} (${change.credential})`;
}

const templates = (
  publicUrl: string,
  userName: string,
  time: string,
  change: AccountChange | undefined,
): Readonly<Record<MailKind | 'test', Template>> => ({
  reset: {
    subject: 'Choose a new password',
    label: 'Choose a new password',
    before: [`A new password was requested for your account ${userName} at ${publicUrl}. This link sets it:`],
    after: [
      'The link works once, for 10 minutes.',
      'If you did not request it, ignore this mail: your password stays unchanged.',
    ],
  },
  activation: {
    subject: 'Activate your account',
    label: 'Activate your account',
    before: [`You have an account at ${publicUrl}. Your user name is ${userName}. Choose a password with this link:`],
    after: [
      'The link works once, for 24 hours.',
      'If you do not expect this account, ignore this mail: without a password nobody can use it.',
    ],
  },
  'password-changed': {
    subject: 'Your password was changed',
    before: [
      `The password of your account ${userName} at ${publicUrl} was changed at ${time}. All its sessions and tokens have ended.`,
    ],
    after: [`If it was not you, choose a new password at once: ${publicUrl}/portal/forgotten`, ASK_ADMIN],
  },
  'password-set': {
    subject: 'Your password was set by somebody else',
    before: [
      `The password of your account ${userName} at ${publicUrl} was set at ${time} by ${describeAuthor(change)}. All its sessions and tokens have ended.`,
    ],
    after: [`If you did not expect it, choose a new password at once: ${publicUrl}/portal/forgotten`, ASK_AUDIT],
  },
  'address-changed': {
    subject: 'Your e-mail address was changed',
    before: [
      `The e-mail address of your account ${userName} at ${publicUrl} was changed to ${change?.newAddress ?? 'another one'} at ${time} by ${describeAuthor(change)}. Mails about the account now go there.`,
    ],
    after: [
      'If you did not expect it, tell an admin at once: they can find the change in the audit log and restore your address.',
      'A link for a new password would go to the new address.',
    ],
  },
  'codes-on': {
    subject: 'One-time codes are on',
    before: [
      `One-time codes were turned on at ${time} for your account ${userName} at ${publicUrl}. From now on, signing in also requires a code.`,
    ],
    after: [`If it was not you, choose a new password at once: ${publicUrl}/portal/forgotten`, ASK_ADMIN],
  },
  'codes-off': {
    subject: 'One-time codes are off',
    before: [
      `One-time codes were turned off at ${time} for your account ${userName} at ${publicUrl}. Signing in requires only the password.`,
    ],
    after: [`If it was not you, choose a new password at once: ${publicUrl}/portal/forgotten`, ASK_ADMIN],
  },
  test: {
    subject: 'Test mail',
    before: [`You requested this test mail from subnetd at ${publicUrl}. Nothing to do.`],
    after: [],
  },
});

/** What a mail says besides its recipient. */
export interface MailFacts {
  readonly publicUrl: string;
  /** When it happened, which may be long before the mail is sent; ISO 8601. */
  readonly at: string;
  /** The address of its link, if it has one. */
  readonly address?: string | undefined;
  /** The change that a note tells of. */
  readonly change?: AccountChange | undefined;
}

/** A time as people read it, to the minute. */
const formatTime = (at: string): string => `${at.slice(0, 16).replace('T', ' ')} UTC`;

/** Writes a mail. */
export function writeMail(
  kind: MailKind | 'test',
  { firstName, userName }: Pick<Recipient, 'firstName' | 'userName'>,
  { publicUrl, at, address, change }: MailFacts,
): MailText {
  const { subject, label, before, after } = templates(publicUrl, userName, formatTime(at), change)[kind];
  const hello = `Hello ${firstName},`;
  const paragraph = (text: string) => html`<p>${text}</p>\n`;
  const button =
    label === undefined || address === undefined
      ? ''
      : html`<p><a href="${address}" rel="noreferrer">${label}</a></p>\n<p>Or open this address: ${address}</p>\n`;
  const body = html`<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>${subject}</title></head>
<body>
${[hello, ...before].map(paragraph)}${button}${after.map(paragraph)}</body>
</html>
`;
  return {
    subject: `subnetd: ${subject}`,
    text: `${[hello, ...before, ...(address === undefined ? [] : [address]), ...after].join('\n\n')}\n`,
    html: String(body),
  };
}
