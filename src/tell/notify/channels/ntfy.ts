import type { ChannelTarget } from '../../../model/channel.ts';
import { clip, PLAIN, writeAlerts, writeTitle } from './message-words.ts';
import type { ChannelRequest } from './post.ts';
import { readSecret, readTopicUrl } from './secrets.ts';
import type { Message } from './to-message.ts';

/** A longer message becomes an attachment. It counts bytes, and a character of ours has three at most. Source: docs.ntfy.sh, "Limitations". */
const MOST_BYTES = 4_096;
const MOST = MOST_BYTES / 3;
const MOST_OF_TITLE = 250;

/** 5 rings through silent mode, 3 is the usual one. */
const PRIORITIES: Readonly<Record<string, number>> = { critical: 5, warning: 4, info: 3 };
const TAGS: Readonly<Record<string, string>> = {
  critical: 'rotating_light',
  warning: 'warning',
  info: 'information_source',
};
const DONE = { priority: 3, tags: ['white_check_mark'] };

/** What ntfy answers when it refuses; its code is in its JSON. */
export const NTFY_REFUSALS: Readonly<Record<string, string>> = {
  '"code":401': 'refuses the token; write one that may publish to the topic into tokenFile',
  '"code":403': 'does not let this user publish to the topic; give it the right to write, or correct tokenFile',
  '"code":40009': 'does not know such a topic; write the address with the name of the topic into urlFile',
};

/** The body of a message, as JSON. Source: docs.ntfy.sh, "Publish as JSON". */
export function toNtfyBody(message: Message, topic: string): object {
  const { alerts, kind, status } = message;
  const severity = alerts.find((one) => one.status === 'firing')?.severity ?? 'info';
  const { acknowledge, incident, runbook } = alerts[0]?.links ?? {};
  const view = (label: string, url: string | undefined) =>
    url === undefined ? [] : [{ action: 'view', label, url, clear: true }];
  const isCalm = status === 'resolved' || kind === 'acknowledgement';
  const click = incident ?? runbook;
  return {
    topic,
    title: clip(writeTitle(message), MOST_OF_TITLE),
    message: writeAlerts(message, PLAIN, MOST),
    ...(isCalm ? DONE : { priority: PRIORITIES[severity], tags: [TAGS[severity]] }),
    ...(click !== undefined && { click }),
    actions: [...view('Acknowledge', acknowledge), ...view('Incident', incident), ...view('Runbook', runbook)],
  };
}

/** The request for a message: JSON goes to the server, not to the address of the topic. Throws `UnusableFile`. */
export function toNtfyRequest(
  { urlFile, tokenFile }: ChannelTarget & { readonly kind: 'ntfy' },
  setting: string,
  message: Message,
): ChannelRequest {
  const url = readTopicUrl(`${setting}.urlFile`, urlFile);
  const topic = /[^/]+$/.exec(url.pathname)?.[0] ?? '';
  url.pathname = url.pathname.slice(0, -topic.length);
  return {
    url,
    headers:
      tokenFile === undefined ? {} : { authorization: `Bearer ${readSecret(`${setting}.tokenFile`, tokenFile)}` },
    body: JSON.stringify(toNtfyBody(message, topic)),
  };
}
