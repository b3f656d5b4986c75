import { isRecord } from '../../../lib/values.ts';
import { UnusableFile } from '../describe-failure.ts';
import { POLL_S, type Press, postJson, type ReaderDeps, type ReadPresses } from './read-presses.ts';
import { readToken } from './secrets.ts';
import { ACKNOWLEDGES, type TelegramTarget } from './telegram.ts';

/** A press of one of our buttons in one of these chats. Source: Bot API, `CallbackQuery`. */
function parsePress(query: unknown, chats: readonly string[]): Press | undefined {
  if (!isRecord(query) || !isRecord(query.message) || !isRecord(query.message.chat) || !isRecord(query.from))
    return undefined;
  const { id, username: chat } = query.message.chat;
  // A bot may be in other chats, with people who may not acknowledge.
  const isOurs = chats.includes(String(id)) || chats.includes(`@${chat}`);
  const data = String(query.data);
  if (!isOurs || !data.startsWith(ACKNOWLEDGES)) return undefined;
  const { first_name: first, last_name: last, username } = query.from;
  const name = [first, last].filter((one) => typeof one === 'string').join(' ');
  return { incident: data.slice(ACKNOWLEDGES.length), by: name || String(username) };
}

/** Reads who presses buttons by long polling, so that subnetd needs no public address. Each reading is one poll. */
export function readTelegramPresses(
  { apiUrl, tokenFile }: TelegramTarget,
  chats: readonly string[],
  setting: string,
  { sender, onPress }: ReaderDeps,
): ReadPresses {
  let offset: number | undefined;
  return async (signal) => {
    const token = readToken(`${setting}.tokenFile`, tokenFile);
    const call = (method: string, body: object) =>
      postJson(sender, `${apiUrl}/bot${token}/${method}`, { body }, signal);
    const asked = { timeout: POLL_S, allowed_updates: ['callback_query'], ...(offset !== undefined && { offset }) };
    const { status, json } = await call('getUpdates', asked);
    if (status === 409)
      throw new UnusableFile('another program reads the buttons of this bot; give subnetd a bot of its own');
    if (json.ok !== true || !Array.isArray(json.result))
      throw new UnusableFile(`Telegram answers with status ${status}; check the token in ${setting}.tokenFile`);
    for (const update of json.result.filter(isRecord)) {
      const press = parsePress(update.callback_query, chats);
      const text = press && (await onPress(press));
      offset = Number(update.update_id) + 1;
      // What was pressed long ago cannot be answered any more. It counts all the same.
      if (text !== undefined && isRecord(update.callback_query))
        await call('answerCallbackQuery', { callback_query_id: update.callback_query.id, text });
    }
  };
}
