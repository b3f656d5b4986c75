import type { Channel, ChannelTarget } from '../../../model/channel.ts';
import { UnusableFile } from '../describe-failure.ts';
import { type Deliver, formatChannel } from './delivery.ts';
import { DISCORD_REFUSALS, toDiscordRequest } from './discord.ts';
import { createMailDeliver, type MailDefaults } from './email.ts';
import { NTFY_REFUSALS, toNtfyRequest } from './ntfy.ts';
import { PAGERDUTY_REFUSALS, toPagerDutyRequests } from './pagerduty.ts';
import type { ChannelRequest, Poster, ReceiverWords } from './post.ts';
import { SLACK_REFUSALS, toSlackRequest } from './slack.ts';
import { TELEGRAM_REFUSALS, toTelegramRequest } from './telegram.ts';
import type { Message } from './to-message.ts';
import { toWebhookRequest } from './webhook.ts';

/** What sending needs. */
export interface DeliverDeps {
  readonly poster: Poster;
  /** Wall time. */
  readonly now: () => number;
  /** The mail server of the environment, for channels that name none. */
  readonly mail?: MailDefaults | undefined;
}

/** What the refusals of services mean. */
const REFUSALS: Readonly<Partial<Record<ChannelTarget['kind'], ReceiverWords['refusals']>>> = {
  slack: SLACK_REFUSALS,
  telegram: TELEGRAM_REFUSALS,
  discord: DISCORD_REFUSALS,
  pagerduty: PAGERDUTY_REFUSALS,
  ntfy: NTFY_REFUSALS,
};

/** A message as requests to whom it is sent by HTTP. Throws `UnusableFile`. */
function toRequests(
  target: Exclude<ChannelTarget, { readonly kind: 'email' }>,
  setting: string,
  message: Message,
  now: number,
): readonly ChannelRequest[] {
  switch (target.kind) {
    case 'webhook':
      return [toWebhookRequest(target, setting, message, now)];
    case 'slack':
      return [toSlackRequest(target, setting, message)];
    case 'telegram':
      return [toTelegramRequest(target, setting, message)];
    case 'discord':
      return [toDiscordRequest(target, setting, message)];
    case 'pagerduty':
      return toPagerDutyRequests(target, setting, message);
    case 'ntfy':
      return [toNtfyRequest(target, setting, message)];
  }
}

/** Creates what sends the messages of a channel. */
export function createDeliver(channel: Channel, { poster, now, mail }: DeliverDeps): Deliver {
  const label = formatChannel(channel);
  const { name, target } = channel;
  const setting = `notify[${name}].${target.kind}`;
  if (target.kind === 'email') return createMailDeliver(channel, target, setting, mail);
  const words: ReceiverWords = { channel: label, setting, refusals: REFUSALS[target.kind] };
  return async (message, signal) => {
    try {
      // When one fails, all are sent again: whoever gets several recognises them by their ids.
      for (const request of toRequests(target, setting, message, now())) {
        const delivery = await poster.post(request, words, signal);
        if (!delivery.ok) return delivery;
      }
      return { ok: true };
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      return { ok: false, why: `${label} cannot be used: ${error.message}` };
    }
  };
}
