import { isRecord, parseJson } from '../../../lib/values.ts';
import { UnusableFile } from '../describe-failure.ts';
import { type Press, postJson, type ReaderDeps, type ReadPresses } from './read-presses.ts';
import { readAppToken } from './secrets.ts';
import { ACKNOWLEDGES, type SlackTarget } from './slack.ts';

/** A connection that does not begin within this time is given up. */
const GREETING_MS = 20_000;
/** A dead connection looks like a silent one, so each is replaced after this time. */
const LASTS_MS = 15 * 60_000;

/** A press of one of our buttons. Source: docs.slack.dev, "block_actions payload". */
function parsePress(payload: Readonly<Record<string, unknown>>): Press | undefined {
  const { actions, user } = payload;
  const action: unknown = Array.isArray(actions) ? actions[0] : undefined;
  if (!isRecord(action) || !isRecord(user) || !String(action.action_id).startsWith(ACKNOWLEDGES)) return undefined;
  return { incident: String(action.value), by: String(user.name ?? user.username ?? user.id) };
}

/**
 * Reads who presses buttons over a WebSocket to Slack, so that subnetd needs no public address. Each reading is one connection.
 * Source: docs.slack.dev, "Using Socket Mode".
 */
export const readSlackPresses =
  ({ apiUrl, appTokenFile = '' }: SlackTarget, setting: string, { sender, onPress }: ReaderDeps): ReadPresses =>
  async (stopped) => {
    const signal = AbortSignal.any([stopped, AbortSignal.timeout(LASTS_MS)]);
    const headers = { authorization: `Bearer ${readAppToken(`${setting}.appTokenFile`, appTokenFile)}` };
    const { status, json } = await postJson(sender, `${apiUrl}/apps.connections.open`, { headers, body: {} }, signal);
    const address = URL.parse(String(json.url));
    if (json.ok !== true || address === null) {
      const error = /^\w+$/.exec(String(json.error))?.[0] ?? `status ${status}`;
      throw new UnusableFile(
        `Slack opens no connection (${error}); turn Socket Mode on, and write an app-level token with the scope connections:write into ${setting}.appTokenFile`,
      );
    }
    /** Whoever pressed is told; Slack shows a warning beside a button whose press is not confirmed within three seconds. */
    const take = async (socket: WebSocket, envelope: string, payload: unknown) => {
      const press = isRecord(payload) ? parsePress(payload) : undefined;
      const text = press && (await onPress(press));
      socket.send(JSON.stringify({ envelope_id: envelope }));
      if (text === undefined || !isRecord(payload) || !URL.canParse(String(payload.response_url))) return;
      const body = { response_type: 'ephemeral', replace_original: false, text };
      await postJson(sender, String(payload.response_url), { body }, signal);
    };
    const socket = new WebSocket(address);
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (why: string) => reject(new UnusableFile(why));
        const greeting = setTimeout(() => fail('Slack does not greet; look at its status page'), GREETING_MS);
        greeting.unref();
        signal.addEventListener('abort', () => resolve());
        socket.addEventListener('error', () => fail('the connection to Slack breaks; check the network between'));
        socket.addEventListener('close', () => resolve());
        socket.addEventListener('message', ({ data }) => {
          const message = parseJson(String(data));
          if (!isRecord(message)) return;
          clearTimeout(greeting);
          if (message.type === 'disconnect') {
            if (message.reason === 'link_disabled') fail('Socket Mode is off; turn it on in the settings of the app');
            resolve();
          }
          if (typeof message.envelope_id === 'string') take(socket, message.envelope_id, message.payload).catch(reject);
        });
      });
    } finally {
      socket.close();
    }
  };
