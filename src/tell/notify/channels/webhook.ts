import { createHmac } from 'node:crypto';
import type { ChannelTarget } from '../../../model/channel.ts';
import { UnusableFile } from '../describe-failure.ts';
import type { ChannelRequest } from './post.ts';
import { readSecret, readSigningKey, readUrl } from './secrets.ts';
import type { Message } from './to-message.ts';

type WebhookTarget = ChannelTarget & { readonly kind: 'webhook' };

/** The value of the header `x-subnetd-signature`: over the timestamp, a point, and the body as it is sent. */
export const signBody = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

/**
 * The value of the header `webhook-signature` of Standard Webhooks. Its own secrets begin with `whsec_`, and are Base64; the key of
 * any other one is its text.
 */
function signStandard(secret: string, id: string, timestamp: string, body: string): string {
  const [, encoded] = /^whsec_(.*)$/s.exec(secret) ?? [];
  const key = encoded === undefined ? secret : Buffer.from(encoded, 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** The body lists at most this many alerts. */
const MOST_ALERTS = 200;

/** The alerts in their order, but the end of one that has begun anew before its begin: a program takes the last word of a key. */
function withEndsFirst(alerts: Message['alerts']): Message['alerts'] {
  const firing = new Set(alerts.filter(({ status }) => status === 'firing').map(({ key }) => key));
  const isBefore = ({ status, key }: (typeof alerts)[number]) => status === 'resolved' && firing.has(key);
  return [...alerts.filter(isBefore), ...alerts.filter((one) => !isBefore(one))];
}

/** The body of a webhook, version 1. docs/notify.md describes it; new members may be added to it. */
export const toWebhookBody = ({ covered: _, alerts, ...message }: Message): object => ({
  version: 1,
  ...message,
  alerts: withEndsFirst(alerts).slice(0, MOST_ALERTS),
  omitted: Math.max(0, alerts.length - MOST_ALERTS),
});

/** The request for a message; `now` is wall time. Throws `UnusableFile`. */
export function toWebhookRequest(
  { url, urlFile, secretFile, bearerTokenFile, headers }: WebhookTarget,
  setting: string,
  message: Message,
  now: number,
): ChannelRequest {
  const address = urlFile === undefined ? URL.parse(url ?? '') : readUrl(`${setting}.urlFile`, urlFile);
  if (address === null) throw new UnusableFile(`${setting} has no address; name one with url or urlFile`);
  const body = JSON.stringify(toWebhookBody(message));
  const secret = secretFile === undefined ? undefined : readSigningKey(`${setting}.secretFile`, secretFile);
  const timestamp = String(Math.floor(now / 1_000));
  return {
    url: address,
    body,
    headers: {
      ...headers,
      'x-subnetd-id': message.id,
      'x-subnetd-timestamp': timestamp,
      'webhook-id': message.id,
      'webhook-timestamp': timestamp,
      ...(secret !== undefined && {
        'x-subnetd-signature': signBody(secret, timestamp, body),
        'webhook-signature': signStandard(secret, message.id, timestamp, body),
      }),
      ...(bearerTokenFile !== undefined && {
        authorization: `Bearer ${readSecret(`${setting}.bearerTokenFile`, bearerTokenFile)}`,
      }),
    },
  };
}
