import type { ChannelTarget } from '../../../model/channel.ts';
import { clip, type Markup, writeAlerts, writeTitle } from './message-words.ts';
import type { ChannelRequest } from './post.ts';
import { readUrl } from './secrets.ts';
import type { Message } from './to-message.ts';

/** A backslash before a character of Discord's Markdown shows it as it is. */
const toPlain = (text: string): string => text.replaceAll(/[\\*_~`|<>[\]()#@:]/g, '\\$&');

const DISCORD: Markup = {
  plain: toPlain,
  bold: (text) => `**${toPlain(text)}**`,
  code: (text) => `\`${text.replaceAll('`', "'")}\``,
  link: (text, url) => `[${toPlain(text)}](${url.replaceAll('(', '%28').replaceAll(')', '%29')})`,
};

/** Longer ones are refused. Source: Discord's documentation of embeds. */
const MOST_OF_TITLE = 256;
const MOST = 4_096;

const COLOURS: Readonly<Record<string, number>> = { critical: 0xd32f2f, warning: 0xf9a825, info: 0x1976d2 };
const RESOLVED = 0x2e7d32;

/** What a webhook answers when it refuses. Source: Discord's JSON error codes. */
export const DISCORD_REFUSALS: Readonly<Record<string, string>> = {
  'Unknown Webhook': 'knows no such webhook; make a new one and write its URL into urlFile',
  'Invalid Webhook Token': 'refuses the URL; write the whole URL of the webhook into urlFile',
  'Invalid Form Body': 'does not take the message; please report this',
};

/** The body of a message. Nobody is mentioned, whatever a name holds. */
export function toDiscordBody(message: Message): object {
  const { status, alerts, sentAt } = message;
  const severity = alerts.find((one) => one.status === 'firing')?.severity ?? '';
  return {
    allowed_mentions: { parse: [] },
    embeds: [
      {
        title: clip(toPlain(writeTitle(message)), MOST_OF_TITLE),
        description: writeAlerts(message, DISCORD, MOST),
        color: status === 'resolved' ? RESOLVED : (COLOURS[severity] ?? COLOURS.info),
        timestamp: sentAt,
      },
    ],
  };
}

/** The request for a message; Discord answers once it has stored it. Throws `UnusableFile`. */
export function toDiscordRequest(
  { urlFile }: ChannelTarget & { readonly kind: 'discord' },
  setting: string,
  message: Message,
): ChannelRequest {
  const url = readUrl(`${setting}.urlFile`, urlFile);
  url.searchParams.set('wait', 'true');
  return { url, headers: {}, body: JSON.stringify(toDiscordBody(message)) };
}
