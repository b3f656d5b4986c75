import { durationMs } from '../../lib/duration.ts';
import type { Channel, ChannelTarget } from '../../model/channel.ts';
import type { InventoryDocument } from './schema.ts';

type ChannelDocument = InventoryDocument['notify'][number];

function toTarget({ webhook, slack, telegram, discord, email }: ChannelDocument): ChannelTarget {
  if (webhook) {
    const { url, urlFile, secretFile, bearerTokenFile, headers } = webhook;
    return { kind: 'webhook', url, urlFile, secretFile, bearerTokenFile, headers };
  }
  if (slack) return { kind: 'slack', urlFile: slack.urlFile };
  if (discord) return { kind: 'discord', urlFile: discord.urlFile };
  if (telegram) {
    const { tokenFile, chatId, threadId, apiUrl } = telegram;
    return { kind: 'telegram', tokenFile, chatId: String(chatId), threadId, apiUrl: apiUrl.replace(/\/+$/, '') };
  }
  if (email) return { kind: 'email', to: email.to, from: email.from, smtpUrlFile: email.smtpUrlFile };
  throw new Error('a channel without a kind is a conflict');
}

/** The channels of the inventory's document. */
export const toChannels = (channels: readonly ChannelDocument[]): readonly Channel[] =>
  channels.map((channel) => ({
    name: channel.name,
    target: toTarget(channel),
    severities: channel.severities,
    ...(channel.repeat !== 'off' && { repeatMs: durationMs(channel.repeat) }),
  }));
