import type { Channel, ChannelTarget } from '../../../model/channel.ts';
import { UnusableFile } from '../describe-failure.ts';
import { type Deliver, formatChannel } from './delivery.ts';
import { DISCORD_REFUSALS, toDiscordRequest } from './discord.ts';
import { createMailDeliver, type MailDefaults } from './email.ts';
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

type ToRequest = (message: Message, now: number) => ChannelRequest;

/** How messages of a channel that is called by HTTP become requests, and what its refusals mean. */
function byHttp(
  target: Exclude<ChannelTarget, { readonly kind: 'email' }>,
  setting: string,
): { readonly toRequest: ToRequest } & Omit<ReceiverWords, 'channel'> {
  switch (target.kind) {
    case 'webhook':
      return { setting, toRequest: (message, now) => toWebhookRequest(target, setting, message, now) };
    case 'slack':
      return { setting, refusals: SLACK_REFUSALS, toRequest: (message) => toSlackRequest(target, setting, message) };
    case 'telegram':
      return {
        setting,
        refusals: TELEGRAM_REFUSALS,
        toRequest: (message) => toTelegramRequest(target, setting, message),
      };
    case 'discord':
      return {
        setting,
        refusals: DISCORD_REFUSALS,
        toRequest: (message) => toDiscordRequest(target, setting, message),
      };
  }
}

/** Creates what sends the messages of a channel. */
export function createDeliver(channel: Channel, { poster, now, mail }: DeliverDeps): Deliver {
  const label = formatChannel(channel);
  const { name, target } = channel;
  const setting = `notify[${name}].${target.kind}`;
  if (target.kind === 'email') return createMailDeliver(channel, target, setting, mail);
  const { toRequest, ...words } = byHttp(target, setting);
  return async (message, signal) => {
    let request: ChannelRequest;
    try {
      request = toRequest(message, now());
    } catch (error) {
      if (!(error instanceof UnusableFile)) throw error;
      return { ok: false, why: `${label} cannot be used: ${error.message}` };
    }
    return poster.post(request, { ...words, channel: label }, signal);
  };
}
