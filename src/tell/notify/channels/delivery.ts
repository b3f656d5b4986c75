import type { Channel } from '../../../model/channel.ts';
import type { Message } from './to-message.ts';

/** What became of one attempt to send a message. `why` names the channel and never an address or a secret. */
export type Delivery =
  | {
      readonly ok: true;
      /** What a person should know all the same. */
      readonly warning?: string;
    }
  | {
      readonly ok: false;
      readonly why: string;
      /** It is about this message: another one may be accepted. */
      readonly isOfMessage?: boolean;
      /** How long the receiver asks to wait. */
      readonly retryAfterMs?: number | undefined;
    };

/** Sends one message through a channel. Never rejects. */
export type Deliver = (message: Message, signal: AbortSignal) => Promise<Delivery>;

const KINDS: Readonly<Record<Channel['target']['kind'], string>> = {
  webhook: 'webhook',
  slack: 'Slack',
  telegram: 'Telegram',
  discord: 'Discord',
  pagerduty: 'PagerDuty',
  ntfy: 'ntfy',
  email: 'e-mail',
};

/** A channel as people read it. */
export const formatChannel = ({ name, target }: Channel): string => `channel ${name} (${KINDS[target.kind]})`;
