import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { databaseAway } from '../../../../src/lib/database-failure.ts';
import type { Channel, ChannelTarget } from '../../../../src/model/channel.ts';
import { toSlackBody } from '../../../../src/tell/notify/channels/slack.ts';
import { type ButtonsDeps, startButtons } from '../../../../src/tell/notify/channels/start-buttons.ts';
import { toTelegramBody } from '../../../../src/tell/notify/channels/telegram.ts';
import { toMessage } from '../../../../src/tell/notify/channels/to-message.ts';
import { firingAlert } from '../../../support/alerts-at.ts';
import { createSecrets } from '../../../support/channel-run.ts';
import { startWebSocketServer } from '../../../support/web-socket-server.ts';

/** Only a bound: a busy machine needs long for what is quick by itself. */
const until = (check: () => void) => vi.waitFor(check, { timeout: 30_000 });

const TOKEN = '123456:s3cr3t-t0ken_x';
const APP_TOKEN = 'xapp-1-s3cr3t';
interface Call {
  readonly method: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The servers of Telegram and Slack: the first has these updates until they are confirmed, and then holds the request open. */
let updates: readonly { readonly update_id: number }[] = [];
/** What Slack sends on each connection. */
let envelopes: readonly object[] = [];
let status = 200;
const calls: Call[] = [];
let server: Awaited<ReturnType<typeof startWebSocketServer>>;
let secrets: ReturnType<typeof createSecrets>;
const stops: (() => void)[] = [];
beforeEach(async () => {
  [updates, envelopes, status] = [[], [], 200];
  calls.length = 0;
  secrets = createSecrets();
  server = await startWebSocketServer(
    async (request, response) => {
      const body = JSON.parse((await request.toArray()).join(''));
      const [, token, telegram] = /^\/bot([^/]+)\/(\w+)$/.exec(request.url ?? '') ?? [];
      const method = telegram ?? request.url?.slice(1) ?? '';
      calls.push({ method, body });
      const given = token ?? request.headers.authorization;
      const isOk = method === 'reply' || given === TOKEN || given === `Bearer ${APP_TOKEN}`;
      if (!isOk || status !== 200) {
        response.writeHead(isOk ? status : 401).end('{"ok":false,"error":"invalid_auth"}');
        return;
      }
      const left = updates.filter(({ update_id: id }) => id >= (body.offset ?? 0));
      if (method === 'getUpdates' && left.length === 0) return;
      const url = `ws://127.0.0.1:${server.port}/link?ticket=1`;
      response.end(JSON.stringify({ ok: true, result: method === 'getUpdates' ? left : true, url }));
    },
    (send) => {
      for (const envelope of envelopes) send(JSON.stringify(envelope));
    },
  );
});
afterEach(async () => {
  for (const stop of stops.splice(0)) stop();
  await server.stop();
  secrets.remove();
});

const targets = {
  telegram: (buttons = true) =>
    ({
      kind: 'telegram',
      ...{ tokenFile: secrets.write('token', TOKEN), chatId: '-5', buttons },
      apiUrl: `http://127.0.0.1:${server.port}`,
    }) as const,
  slack: (token = APP_TOKEN) =>
    ({
      kind: 'slack',
      ...{ urlFile: '/none', appTokenFile: secrets.write('app-token', token) },
      apiUrl: `http://127.0.0.1:${server.port}`,
    }) as const,
};
function start(target: ChannelTarget, more: Partial<ButtonsDeps> = {}) {
  const pressed: string[] = [];
  const heard: unknown[] = [];
  const buttons = startButtons({
    acknowledge: async (id, by) => {
      pressed.push(`${id} by ${by}`);
      return 'acknowledged';
    },
    isSpeaker: () => true,
    onFailure: (why) => heard.push(why),
    onBug: (error) => heard.push(error),
    pauseMs: 1,
    retryMs: 10,
    ...more,
  });
  stops.push(buttons.stop);
  const channel: Channel = { name: 'chat', target, severities: ['critical'] };
  buttons.set([channel, { ...channel, name: 'again' }]);
  return { pressed, heard, set: buttons.set };
}
const methods = () => calls.map(({ method }) => method);
const replies = () => calls.flatMap(({ body }) => (body.text === undefined ? [] : [body.text]));

/** A press in Telegram. */
const press = (data: string, chat = -5) => ({
  update_id: 7,
  callback_query: { id: 'q1', data, from: { first_name: 'Anna', last_name: 'B' }, message: { chat: { id: chat } } },
});

describe('a button in Telegram', () => {
  it('acknowledges its incident in the name of who pressed it, and is answered', async () => {
    updates = [press('ack:20261128-1')];
    const { pressed, heard } = start(targets.telegram());
    await until(() => expect(methods()).toEqual(['getUpdates', 'answerCallbackQuery', 'getUpdates']));
    expect(pressed).toEqual(['20261128-1 by Anna B']);
    expect(calls.map(({ body }) => body)).toEqual([
      { timeout: 50, allowed_updates: ['callback_query'] },
      { callback_query_id: 'q1', text: 'Acknowledged.' },
      { timeout: 50, allowed_updates: ['callback_query'], offset: 8 },
    ]);
    expect(heard).toEqual([]);
  });

  it.each([
    ['in another chat', press('ack:1', -6)],
    ['that is not one of ours', press('order:1')],
    ['without what it is about', { update_id: 7 }],
  ])('%s does nothing', async (_, update) => {
    updates = [update];
    const { pressed } = start(targets.telegram());
    await until(() => expect(methods()).toEqual(['getUpdates', 'getUpdates']));
    expect(pressed).toEqual([]);
  });

  it('says when the incident is over, or the database is away', async () => {
    updates = [press('ack:1'), { ...press('ack:2'), update_id: 8 }];
    start(targets.telegram(), {
      acknowledge: async (id) => {
        if (id === '1') return 'over';
        throw databaseAway();
      },
    });
    await until(() => expect(calls).toHaveLength(4));
    expect(replies()).toEqual([
      'The incident is over.',
      'The database does not answer, so this was not stored. Try again later.',
    ]);
  });

  it('takes a name in one line, and no longer than a page has room for', async () => {
    const one = press('ack:1');
    updates = [
      {
        ...one,
        callback_query: { ...one.callback_query, from: { first_name: `A\n\u202e${'x'.repeat(90)}` } },
      } as never,
    ];
    const { pressed } = start(targets.telegram());
    await until(() => expect(pressed).toEqual([`1 by A ${'x'.repeat(77)}…`]));
  });

  it('of a bot that another program reads is told of once, without the token', async () => {
    status = 409;
    const { heard } = start(targets.telegram());
    await until(() => expect(calls.length).toBeGreaterThan(2));
    expect(heard).toEqual([
      'channel chat (Telegram): another program reads the buttons of this bot; give subnetd a bot of its own',
    ]);
  });
});

/** A press in Slack. */
const envelope = (action: string, more: object = {}) => ({
  type: 'interactive',
  envelope_id: `e-${action}`,
  payload: {
    type: 'block_actions',
    user: { id: 'U1', username: 'anna', name: 'anna' },
    response_url: `http://127.0.0.1:${server.port}/reply`,
    actions: [{ action_id: action, value: '20261128-1' }],
  },
  ...more,
});
const HELLO = { type: 'hello', num_connections: 1 };

describe('a button in Slack', () => {
  it('acknowledges its incident in the name of who pressed it, is confirmed, and answered for that person alone', async () => {
    envelopes = [HELLO, envelope('acknowledge-0')];
    const { pressed, heard } = start(targets.slack());
    await until(() => expect(methods()).toEqual(['apps.connections.open', 'reply']));
    expect(pressed).toEqual(['20261128-1 by anna']);
    expect(server.texts).toEqual(['{"envelope_id":"e-acknowledge-0"}']);
    expect(calls[1]?.body).toEqual({ response_type: 'ephemeral', replace_original: false, text: 'Acknowledged.' });
    expect(heard).toEqual([]);
  });

  it('that is not one of ours is confirmed, and does nothing', async () => {
    envelopes = [HELLO, envelope('approve'), { type: 'events_api', envelope_id: 'other', payload: {} }];
    const { pressed } = start(targets.slack());
    await until(() => expect(server.texts).toEqual(['{"envelope_id":"e-approve"}', '{"envelope_id":"other"}']));
    expect([pressed, methods()]).toEqual([[], ['apps.connections.open']]);
  });

  it('is not confirmed before it is stored', async () => {
    envelopes = [HELLO, envelope('acknowledge-0')];
    let store = (_: 'acknowledged') => {};
    start(targets.slack(), { acknowledge: () => new Promise((resolve) => (store = resolve)) });
    await until(() => expect(server.connections()).toBe(1));
    expect(server.texts).toEqual([]);
    await until(() => {
      store('acknowledged');
      expect(server.texts).toEqual(['{"envelope_id":"e-acknowledge-0"}']);
    });
  });

  it('is read over a new connection as soon as Slack wants to replace the old one', async () => {
    envelopes = [HELLO, { type: 'disconnect', reason: 'refresh_requested' }];
    const { heard } = start(targets.slack());
    await until(() => expect(methods().length).toBeGreaterThan(2));
    expect(heard).toEqual([]);
  });

  it.each([
    [
      'Socket Mode is off',
      [{ type: 'disconnect', reason: 'link_disabled' }],
      APP_TOKEN,
      'Socket Mode is off; turn it on in the settings of the app',
    ],
    [
      'the token is refused',
      [],
      'xapp-other',
      'Slack opens no connection (invalid_auth); turn Socket Mode on, and write an app-level token with the scope connections:write into notify[chat].slack.appTokenFile',
    ],
  ])('is told of once, without the token, when %s', async (_, sent, token, why) => {
    envelopes = sent;
    const { heard } = start(targets.slack(token));
    await until(() => expect(methods().length).toBeGreaterThan(2));
    expect(heard).toEqual([`channel chat (Slack): ${why}`]);
  });

  it('is read no longer once its channel is gone', async () => {
    envelopes = [HELLO];
    const { set } = start(targets.slack());
    await until(() => expect(server.connections()).toBe(1));
    set([]);
    await until(() => expect(server.connections()).toBe(0));
    expect(methods()).toEqual(['apps.connections.open']);
  });
});

it('nothing is read without buttons, or by an instance that does not speak for its fleet', async () => {
  let asked = 0;
  start(targets.telegram(false));
  start({ kind: 'slack', urlFile: '/none', apiUrl: 'http://127.0.0.1:1' });
  start(targets.telegram(), {
    isSpeaker: () => {
      asked += 1;
      return false;
    },
  });
  await until(() => expect(asked).toBeGreaterThan(2));
  expect(calls).toEqual([]);
});

describe('a message', () => {
  const begun = ['n1', 'n2', 'n3'].map((name) => ({ ...firingAlert(name, 0), startsAt: 0 }));
  const messageOf = (incidentOf: (name: string) => { readonly id: string } | undefined) =>
    toMessage({ kind: 'change', begun, ended: [], ongoing: [] }, undefined, {
      ...{ channel: 'chat', group: 'devnet', instance: 'one', now: 0 },
      incidents: { incidentOf: ({ name = '' }) => incidentOf(name) },
    });
  const TWO = messageOf((name) => (name === 'n3' ? undefined : { id: `i-${name}` }));
  const ONE = messageOf(() => ({ id: 'i' }));
  const NONE = messageOf(() => undefined);

  it('in Telegram has one button for each incident that nobody is on', () => {
    const bodyOf = (message: typeof ONE) => toTelegramBody(targets.telegram(), message);
    expect(bodyOf(TWO)).toMatchObject({
      reply_markup: {
        inline_keyboard: [
          [{ text: 'Acknowledge: n1 is down', callback_data: 'ack:i-n1' }],
          [{ text: 'Acknowledge: n2 is down', callback_data: 'ack:i-n2' }],
        ],
      },
    });
    expect(bodyOf(ONE)).toMatchObject({
      reply_markup: { inline_keyboard: [[{ text: 'Acknowledge', callback_data: 'ack:i' }]] },
    });
    expect(bodyOf(NONE)).not.toHaveProperty('reply_markup');
  });

  it('in Slack has the same, if subnetd can read what is pressed', () => {
    const blocksOf = (target: Parameters<typeof toSlackBody>[0], message: typeof ONE) =>
      (toSlackBody(target, message) as { readonly blocks: readonly object[] }).blocks.slice(2);
    expect(blocksOf(targets.slack(), TWO)).toEqual([
      {
        type: 'actions',
        elements: ['n1', 'n2'].map((name, index) => ({
          type: 'button',
          action_id: `acknowledge-${index}`,
          text: { type: 'plain_text', text: `Acknowledge: ${name} is down` },
          value: `i-${name}`,
        })),
      },
    ]);
    expect(blocksOf(targets.slack(), NONE)).toEqual([]);
    expect(blocksOf({ kind: 'slack', urlFile: '/none', apiUrl: 'https://slack.com/api' }, TWO)).toEqual([]);
  });
});
