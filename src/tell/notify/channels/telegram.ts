import type { ChannelTarget } from '../../../model/channel.ts';
import { HTML, listButtons, writeAlerts, writeTitle } from './message-words.ts';
import type { ChannelRequest } from './post.ts';
import { readToken } from './secrets.ts';
import type { Message } from './to-message.ts';

export type TelegramTarget = ChannelTarget & { readonly kind: 'telegram' };

/** A longer text is refused. It counts what is left of the HTML, which is less. Source: Bot API, `sendMessage`. */
const MOST = 4_096;

/** What a button sends: this, and the id of an incident. At most 64 bytes. */
export const ACKNOWLEDGES = 'ack:';

/** What the Bot API answers when it refuses; `description` in its JSON. */
export const TELEGRAM_REFUSALS: Readonly<Record<string, string>> = {
  'chat not found': 'does not find the chat; correct chatId, and add the bot to the chat',
  'bot was blocked': 'says that the bot was blocked by the user; unblock it in the chat',
  'bot was kicked': 'says that the bot was removed from the chat; add it again',
  'not enough rights': 'does not let the bot write in the chat; give it the right to send messages',
  'upgraded to a supergroup': 'says that the chat has a new id; write the one of the supergroup into chatId',
  'message thread not found': 'does not find the topic; correct threadId',
  Unauthorized: 'refuses the token; write the one that @BotFather shows into tokenFile',
  'Not Found': 'refuses the token; write the one that @BotFather shows into tokenFile',
};

/** The body of a message. */
export function toTelegramBody({ chatId, threadId, buttons }: TelegramTarget, message: Message): object {
  const keyboard = buttons
    ? listButtons(message).map(({ incident, text }) => [{ text, callback_data: `${ACKNOWLEDGES}${incident}` }])
    : [];
  const title = HTML.bold(writeTitle(message));
  return {
    chat_id: chatId,
    ...(threadId !== undefined && { message_thread_id: threadId }),
    text: `${title}\n\n${writeAlerts(message, HTML, MOST - title.length - 2)}`,
    parse_mode: 'HTML',
    link_preview_options: { is_disabled: true },
    ...(keyboard.length > 0 && { reply_markup: { inline_keyboard: keyboard } }),
  };
}

/** The request for a message. Throws `UnusableFile`. */
export function toTelegramRequest(target: TelegramTarget, setting: string, message: Message): ChannelRequest {
  const { tokenFile, apiUrl } = target;
  const token = readToken(`${setting}.tokenFile`, tokenFile);
  return {
    url: new URL(`${apiUrl}/bot${token}/sendMessage`),
    headers: {},
    body: JSON.stringify(toTelegramBody(target, message)),
  };
}
