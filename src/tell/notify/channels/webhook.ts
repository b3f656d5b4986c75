import { createHmac } from 'node:crypto';
import type { ChannelTarget } from '../../../model/channel.ts';
import { UnusableFile } from '../describe-failure.ts';
import type { ChannelRequest } from './post.ts';
import { readSecret, readUrl } from './secrets.ts';
import type { Message } from './to-message.ts';

type WebhookTarget = ChannelTarget & { readonly kind: 'webhook' };

/** The value of the header `x-subnetd-signature`: over the timestamp, a point, and the body as it is sent. */
export const signBody = (secret: string, timestamp: string, body: string): string =>
  `sha256=${createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex')}`;

/** The body of a webhook, version 1. docs/notify.md describes it; new members may be added to it. */
export const toWebhookBody = (message: Message): object => ({ version: 1, ...message });

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
  const timestamp = String(Math.floor(now / 1_000));
  return {
    url: address,
    body,
    headers: {
      ...headers,
      'x-subnetd-id': message.id,
      'x-subnetd-timestamp': timestamp,
      ...(secretFile !== undefined && {
        'x-subnetd-signature': signBody(readSecret(`${setting}.secretFile`, secretFile), timestamp, body),
      }),
      ...(bearerTokenFile !== undefined && {
        authorization: `Bearer ${readSecret(`${setting}.bearerTokenFile`, bearerTokenFile)}`,
      }),
    },
  };
}
