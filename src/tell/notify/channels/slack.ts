import type { ChannelTarget } from '../../../model/channel.ts';
import { type Button, listButtons, type Markup, writeAlerts, writeTitle } from './message-words.ts';
import type { ChannelRequest } from './post.ts';
import { readUrl } from './secrets.ts';
import type { Message } from './to-message.ts';

/** Slack's control characters. Source: its page "Formatting text for app surfaces". */
const toPlain = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Within stars or backquotes the same character would end the markup. */
const SLACK: Markup = {
  plain: toPlain,
  bold: (text) => `*${toPlain(text.replaceAll('*', '∗'))}*`,
  code: (text) => `\`${toPlain(text.replaceAll('`', "'"))}\``,
  link: (text, url) => `<${toPlain(url).replaceAll('|', '%7C')}|${toPlain(text)}>`,
};

export type SlackTarget = ChannelTarget & { readonly kind: 'slack' };

/** With what the id of a button begins that acknowledges; its value is the id of the incident. */
export const ACKNOWLEDGES = 'acknowledge';

/** A longer text of a section is refused. */
const MOST = 3_000;

/** What an incoming webhook answers when it refuses. Source: Slack's page "Sending messages using incoming webhooks". */
export const SLACK_REFUSALS: Readonly<Record<string, string>> = {
  invalid_token: 'refuses the URL; make a new incoming webhook and write its URL into urlFile',
  no_service: 'knows no such incoming webhook; make a new one and write its URL into urlFile',
  no_active_hooks: 'has turned the incoming webhook off; turn it on, or make a new one',
  channel_is_archived: 'has archived the channel; make an incoming webhook for another one',
  channel_not_found: 'does not find the channel; make an incoming webhook for another one',
  action_prohibited: 'does not allow it; an administrator of the workspace has restricted incoming webhooks',
  invalid_payload: 'does not take the message; please report this',
};

const toElement = ({ incident, text }: Button, index: number): object => ({
  type: 'button',
  action_id: `${ACKNOWLEDGES}-${index}`,
  text: { type: 'plain_text', text },
  value: incident,
});

/** The body of a message. */
export function toSlackBody({ appTokenFile }: SlackTarget, message: Message): object {
  const buttons = appTokenFile === undefined ? [] : listButtons(message);
  const title = writeTitle(message);
  const text = writeAlerts(message, SLACK, MOST);
  return {
    text: toPlain(title),
    unfurl_links: false,
    unfurl_media: false,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: SLACK.bold(title), verbatim: true } },
      { type: 'section', text: { type: 'mrkdwn', text, verbatim: true } },
      ...(buttons.length === 0 ? [] : [{ type: 'actions', elements: buttons.map(toElement) }]),
    ],
  };
}

/** The request for a message. Throws `UnusableFile`. */
export const toSlackRequest = (target: SlackTarget, setting: string, message: Message): ChannelRequest => ({
  url: readUrl(`${setting}.urlFile`, target.urlFile),
  headers: {},
  body: JSON.stringify(toSlackBody(target, message)),
});
