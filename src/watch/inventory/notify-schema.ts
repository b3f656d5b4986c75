import { z } from 'zod';
import { durationMs } from '../../lib/duration.ts';
import { SEVERITIES } from '../../model/severity.ts';
import { text, url } from './address-schema.ts';
import { isDuration } from './schedule.ts';

const NAME_HELP = 'must be a name such as on-call: letters, digits, _ . and -, at most 63';
const channelName = z.string(NAME_HELP).regex(/^[A-Za-z0-9][\w.-]{0,62}$/, NAME_HELP);

const SEVERITY_HELP = 'must be critical, warning or info';
const SEVERITIES_HELP = 'must be a list of critical, warning and info, with at least one';

const REPEAT_HELP = 'must be a duration such as 30m or 4h, at most 24h, or off';

const AFTER_HELP = 'must be a duration such as 15m or 1h, at most 24h';

/** A setting that some write by mistake, because it would put a secret into the inventory. */
const never = (what: string) => z.never(what).optional();
const secretIn = (setting: string) =>
  never(`would put a secret into the inventory; write it into a file, and name that with ${setting}`);

const file = (what: string) => text(`the path of a file with ${what}`);

const httpUrl = url(['http:', 'https:'], 'https://ops.example.com/subnetd', true);

const HEADERS_HELP = 'must be a mapping of header names to single-line texts';
const headers = z
  .record(z.string().regex(/^[\w-]+$/), z.string(HEADERS_HELP).regex(/^[\x20-\x7e]*$/, HEADERS_HELP), HEADERS_HELP)
  .optional();

const webhook = z.strictObject({
  url: httpUrl.optional().describe('The address that gets the JSON. Its user info and path are never shown.'),
  urlFile: file('the address').optional().describe('A file with the address, in place of `url`.'),
  secretFile: file('the key of the signature').optional().describe('A file with the key that signs each request.'),
  secret: secretIn('secretFile'),
  bearerTokenFile: file('a bearer token').optional().describe('A file with a bearer token.'),
  bearerToken: secretIn('bearerTokenFile'),
  headers: headers.describe('Additional headers, none of them secret.'),
});

const slack = z.strictObject({
  urlFile: file('the URL of an incoming webhook').describe('A file with the URL of an incoming webhook.'),
  url: secretIn('urlFile'),
  appTokenFile: file('an app-level token')
    .optional()
    .describe(
      'A file with an app-level token. Messages then have buttons that acknowledge. Use an app that nothing else reads.',
    ),
  appToken: secretIn('appTokenFile'),
  apiUrl: httpUrl.default('https://slack.com/api').describe('`https://slack-gov.com/api` for GovSlack.'),
});

const discord = z.strictObject({
  urlFile: file('the URL of a webhook').describe('A file with the URL of a webhook.'),
  url: secretIn('urlFile'),
});

const CHAT_HELP = "must be the id of a chat such as '-1001234567890', or the @name of a channel";
const telegram = z.strictObject({
  tokenFile: file('the token of a bot').describe('A file with the token of a bot.'),
  token: secretIn('tokenFile'),
  chatId: z
    .union(
      [z.number(CHAT_HELP).int(CHAT_HELP), z.string(CHAT_HELP).regex(/^(?:-?\d{1,20}|@\w{1,64})$/, CHAT_HELP)],
      CHAT_HELP,
    )
    .describe('The chat that gets the messages: its id, or the `@name` of a channel.'),
  threadId: z
    .number('must be the number of a topic')
    .int('must be the number of a topic')
    .optional()
    .describe('The topic in a group with topics.'),
  buttons: z
    .boolean('must be true or false')
    .default(false)
    .describe('Whether messages have buttons that acknowledge. Use a bot that nothing else reads.'),
  apiUrl: httpUrl.default('https://api.telegram.org').describe('Your own Bot API server.'),
});

const pagerduty = z.strictObject({
  keyFile: file('the integration key').describe('A file with the integration key of an Events API v2 integration.'),
  key: secretIn('keyFile'),
  apiUrl: httpUrl
    .default('https://events.pagerduty.com')
    .describe('`https://events.eu.pagerduty.com` for a service in the EU.'),
});

const ntfy = z.strictObject({
  urlFile: file('the address of a topic').describe(
    'A file with the address of a topic, such as `https://ntfy.sh/TOPIC`.',
  ),
  url: secretIn('urlFile'),
  tokenFile: file('an access token').optional().describe('A file with an access token, for a topic that needs one.'),
  token: secretIn('tokenFile'),
});

const MAIL_HELP = 'must be an e-mail address such as ops@example.com';
const address = z.string(MAIL_HELP).regex(/^[^\s<>@,\p{C}]+@[^\s<>@,\p{C}]+$/u, MAIL_HELP);
const email = z.strictObject({
  to: z
    .array(address, 'must be a list of e-mail addresses')
    .min(1, 'must list at least one address')
    .describe('Who gets the mail.'),
  from: z
    .string('must be the sender, such as subnetd <subnetd@example.com>')
    .regex(
      /^(?:[^<>"\p{C}]+ <[^\s<>@,\p{C}]+@[^\s<>@,\p{C}]+>|[^\s<>@,\p{C}]+@[^\s<>@,\p{C}]+)$/u,
      'must be the sender, such as subnetd <subnetd@example.com>',
    )
    .optional()
    .describe('The sender. Default: SUBNETD_MAIL_FROM.'),
  smtpUrlFile: file('smtp://USER:PASSWORD@HOST:PORT')
    .optional()
    .describe('A file with the address of a mail server, as in SUBNETD_SMTP_URL, which is the default.'),
  smtpUrl: secretIn('smtpUrlFile'),
});

/** The kinds of channel; each channel has exactly one. */
export const CHANNEL_KINDS = ['webhook', 'slack', 'telegram', 'discord', 'pagerduty', 'ntfy', 'email'] as const;

/** Who is notified of alerts without an Alertmanager. */
export const notify = z
  .array(
    z.strictObject({
      name: channelName.describe('The name of the channel in messages, incidents and the log.'),
      webhook: webhook.optional(),
      slack: slack.optional(),
      telegram: telegram.optional(),
      discord: discord.optional(),
      pagerduty: pagerduty.optional(),
      ntfy: ntfy.optional(),
      email: email.optional(),
      severities: z
        .array(z.enum(SEVERITIES, SEVERITY_HELP), SEVERITIES_HELP)
        .min(1, SEVERITIES_HELP)
        .default(['critical', 'warning'])
        .describe('The severities of the alerts that the channel gets.'),
      repeat: z
        .string(REPEAT_HELP)
        .refine((value) => value === 'off' || isDuration(value), REPEAT_HELP)
        .default('4h')
        .describe(
          'How long after its last message about a subnet subnetd sends a reminder of the alerts that nobody has acknowledged, or off.',
        ),
      after: z
        .string(AFTER_HELP)
        .refine(isDuration, AFTER_HELP)
        .optional()
        .describe(
          'Escalation: the channel is sent only alerts that have been firing this long without an acknowledgement.',
        ),
    }),
    'must be a list of channels',
  )
  .default([]);

const EVERY_HELP = 'must be a duration such as 1m, from 10s to 24h';

/** Who is told that subnetd runs. */
export const heartbeat = z
  .array(
    z.strictObject({
      urlFile: file('the address').describe('A file with the address that gets a GET request.'),
      url: secretIn('urlFile'),
      every: z
        .string(EVERY_HELP)
        .refine((value) => isDuration(value) && durationMs(value) >= 10_000, EVERY_HELP)
        .default('1m')
        .describe('How often it is sent. Let the service wait for two of them before it alerts.'),
    }),
    'must be a list of heartbeats',
  )
  .default([]);
