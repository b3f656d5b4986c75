import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { databaseAway } from '../../../../src/lib/database-failure.ts';
import { alertKey } from '../../../../src/tell/alerts/tracked-alert.ts';
import { alertsOf, firingAlert, haltedAlert, resolvedAlert } from '../../../support/alerts-at.ts';
import { createNotifiedMemory, createSecrets, DEVNET, runChannels } from '../../../support/channel-run.ts';
import { createHandClock, HAND_CLOCK_START } from '../../../support/hand-clock.ts';
import { type HookReceiver, type HookRequest, startHookReceiver } from '../../../support/hook-receiver.ts';

const NO_REQUEST: HookRequest = { path: '', headers: {}, text: '{}' };
let receiver: HookReceiver;
let secrets: ReturnType<typeof createSecrets>;
const cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  receiver = await startHookReceiver();
  secrets = createSecrets();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await receiver.stop();
  secrets.remove();
});
function run(...[target, options]: Partial<Parameters<typeof runChannels>>) {
  const channels = runChannels(target ?? { kind: 'webhook', url: `${receiver.url}/hook/t0ken` }, options);
  cleanups.push(channels.stop);
  return channels;
}
const bodies = () => receiver.requests.map(({ text }) => JSON.parse(text));
/** The messages in short words. */
const told = () =>
  bodies().map(
    ({ kind, status, alerts }) =>
      `${kind} ${status}: ${alerts.map((one: { name: string; status: string }) => `${one.name} ${one.status}`).join(', ')}`,
  );

describe('a webhook', () => {
  it.each([
    ['never ends', 'endless'],
    ['is far too long', { status: 200, body: 'x'.repeat(1_000_000) }],
  ] as const)('that takes a message with an answer that %s gets it once', async (_, answer) => {
    receiver.answer = answer;
    const channels = run();
    channels.set(firingAlert('n1', channels.time.clock.now()));
    await channels.run(300);
    expect(told()).toEqual(['change firing: n1 firing']);
    expect(channels.heard).toEqual([]);
    expect(channels.counts).toEqual({ sent: 1, failed: 0, dropped: 0 });
  });

  it('gets the documented JSON, with an id, a time and a signature that fits', async () => {
    const secretFile = secrets.write('key', 'correct horse\n');
    const target = {
      kind: 'webhook',
      url: `${receiver.url}/hook?a=b`,
      secretFile,
      headers: { 'x-team': 'ops' },
    } as const;
    const { time, set, ...channels } = run(target);
    const at = time.clock.now();
    set(firingAlert('n1', at));
    await channels.run(35);
    const [request] = receiver.requests;
    if (request === undefined) throw new Error('nothing came');
    const { headers, text, path } = request;
    const id = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(path).toBe('/hook?a=b');
    expect(JSON.parse(text)).toEqual({
      version: 1,
      id,
      kind: 'change',
      status: 'firing',
      instance: 'one',
      subnet: 'devnet',
      thread: JSON.parse(text).id,
      sentAt: '2026-11-21T00:00:15.000Z',
      alerts: [
        {
          status: 'firing',
          isNew: true,
          key: id,
          alert: 'SubnetNodeDown',
          severity: 'warning',
          subnet: 'devnet',
          component: 'node',
          name: 'n1',
          summary: 'n1 is down',
          evidence: 'it answers no call',
          fix: 'docker restart n1',
          startsAt: '2026-11-21T00:00:00.000Z',
          seenAt: '2026-11-21T00:00:00.000Z',
          links: { runbook: 'http://subnetd.example/alerts/SubnetNodeDown?subnet=devnet&name=n1' },
        },
      ],
      omitted: 0,
    });
    const stamp = String(headers['x-subnetd-timestamp']);
    expect(stamp).toBe(String(Date.UTC(2026, 10, 21, 0, 0, 15) / 1_000));
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'x-team': 'ops',
      'x-subnetd-id': JSON.parse(text).id,
      'x-subnetd-signature': `sha256=${createHmac('sha256', 'correct horse').update(`${stamp}.${text}`).digest('hex')}`,
    });
    expect(channels.counts).toEqual({ sent: 1, failed: 0, dropped: 0 });
    expect(channels.accepted).toEqual(['ops n1 firing']);
  });

  it.each([
    ['whose secret is one of Standard Webhooks', `whsec_${randomBytes(24).toString('base64')}`, 'base64'],
    ['whose secret is any text', 'correct horse', 'raw'],
  ] as const)('%s verifies it with the library of Standard Webhooks', async (_, secret, format) => {
    const { time, set, ...channels } = run({
      kind: 'webhook',
      url: receiver.url,
      secretFile: secrets.write('key', `${secret}\n`),
    });
    // The library compares with the time of now.
    time.run(Date.now() - time.wall());
    set(firingAlert('n1', time.clock.now()));
    await channels.run(35);
    const [{ headers, text } = NO_REQUEST] = receiver.requests;
    const verify = (body: string) =>
      new Webhook(secret, { format: format === 'raw' ? 'raw' : undefined }).verify(
        body,
        headers as Record<string, string>,
      );
    expect(verify(text)).toMatchObject({ version: 1, id: headers['webhook-id'], status: 'firing' });
    expect(() => verify(`${text} `)).toThrow('No matching signature found');
  });

  it('without a secret has an id and a time, and no signature', async () => {
    const { time, set, ...channels } = run();
    set(firingAlert('n1', time.clock.now()));
    await channels.run(35);
    const [{ headers, text } = NO_REQUEST] = receiver.requests;
    expect(headers['webhook-id']).toBe(JSON.parse(text).id);
    expect(headers['webhook-timestamp']).toBe(headers['x-subnetd-timestamp']);
    expect(headers).not.toHaveProperty('webhook-signature');
  });

  it('hears once of a start, then by the repeat interval, and once of the end, all in one thread', async () => {
    const { time, set, ...channels } = run();
    const alert = firingAlert('n1', time.clock.now());
    set(alert);
    await channels.run(3_600);
    expect(told()).toEqual(['change firing: n1 firing']);
    time.run(3 * 3_600_000);
    await channels.run(60);
    expect(told()).toEqual(['change firing: n1 firing', 'reminder firing: n1 firing']);
    time.run(4 * 3_600_000);
    await channels.run(60);
    expect(told().slice(2)).toEqual(['reminder firing: n1 firing']);
    set(resolvedAlert(alert, time.clock.now()));
    await channels.run(1_200);
    expect(told().slice(3)).toEqual(['change resolved: n1 resolved']);
    expect(bodies()[3].alerts[0].endsAt).toBe('2026-11-21T08:02:00.000Z');
    const [first, , , last] = bodies();
    expect(last.thread).toBe(first.id);
    expect(new Set(bodies().map(({ id }) => id)).size).toBe(4);
    set(firingAlert('n1', time.clock.now()));
    await channels.run(60);
    expect(bodies()[4].thread).toBe(bodies()[4].id);
    expect(channels.accepted).toEqual([...Array(3).fill('ops n1 firing'), 'ops n1 resolved', 'ops n1 firing']);
  });

  it('hears of ten nodes in one message, and of nothing that its severities leave out', async () => {
    const target = { kind: 'webhook', url: receiver.url } as const;
    const { time, set, ...channels } = run([
      { name: 'pager', target, severities: ['critical'] },
      { name: 'tickets', target, severities: ['warning'] },
    ]);
    const at = time.clock.now();
    set(...Array.from({ length: 10 }, (_, i) => firingAlert(`n${i}`, at)));
    await channels.run(40);
    expect(bodies().map(({ alerts }) => alerts.length)).toEqual([10]);
    set(...Array.from({ length: 10 }, (_, i) => firingAlert(`n${i}`, at)), haltedAlert(time.clock.now()));
    await channels.run(120);
    expect(channels.accepted.slice(10)).toEqual(['pager undefined firing']);
  });

  it('is not notified again by a new process, and hears of an end that came while none ran', async () => {
    const store = createNotifiedMemory();
    const first = run(undefined, { store });
    const { time } = first;
    const [one, two] = [firingAlert('n1', time.clock.now()), firingAlert('n2', time.clock.now())];
    first.set(one, two);
    await first.run(60);
    expect(store.rows.has(DEVNET)).toBe(true);
    // It is killed: nothing is stopped.
    time.suspend(3_600_000);
    const later = createHandClock();
    later.suspend(3_660_000);
    const second = run(undefined, { store, time: later });
    second.set({ ...two, firedAt: later.clock.fromWall(Date.UTC(2026, 10, 21)) });
    await second.run(120);
    expect(told()).toEqual(['change firing: n1 firing, n2 firing', 'change firing: n1 resolved, n2 firing']);
    second.set();
    await second.run(60);
    expect(told()[2]).toBe('change resolved: n2 resolved');
    await second.run(120);
    expect([...store.rows.keys()]).toEqual([]);
  });

  it('gets a message with the same id when the process ends before it could note the first', async () => {
    const store = createNotifiedMemory();
    const first = run(undefined, { store: async () => ({ ...store, save: () => Promise.reject(databaseAway()) }) });
    const alert = firingAlert('n1', first.time.clock.now());
    first.set(alert);
    await first.run(40);
    const second = run(undefined, { store });
    second.set(alert);
    await second.run(40);
    const ids = bodies().map(({ id }) => id);
    expect(ids).toHaveLength(2);
    expect(ids[0]).toBe(ids[1]);
  });

  it('waits for what an earlier process has stored, but not longer than half a minute', async () => {
    const store = createNotifiedMemory();
    const { labels, annotations } = firingAlert('n2', 0);
    const earlier = { [alertKey(labels)]: { labels, annotations, startsAt: HAND_CLOCK_START - 90_000 } };
    store.rows.set(DEVNET, { channel: 'ops', group: 'devnet', alerts: earlier, sentAt: HAND_CLOCK_START, thread: 't' });
    let isAway = true;
    const open = async () => {
      if (isAway) throw databaseAway();
      return store;
    };
    const channels = run(undefined, { store: open });
    channels.set(firingAlert('n1', channels.time.clock.now() - 60_000));
    await channels.run(25);
    expect(receiver.requests).toEqual([]);
    await channels.run(10);
    expect(told()).toEqual(['change firing: n1 firing']);
    isAway = false;
    await channels.run(5);
    expect(Object.keys(store.rows.get(DEVNET)?.alerts ?? {})).toHaveLength(2);
    await channels.run(120);
    expect(told().slice(1)).toEqual(['change firing: n2 resolved, n1 firing']);
  });

  it('hears of nothing before the alerts of the earlier process are known, which may inhibit others', async () => {
    const channels = run();
    const at = channels.time.clock.now() - 60_000;
    for (let left = 25; left > 0; left -= 5) {
      channels.time.run(5_000);
      await channels.channels.update(alertsOf(firingAlert('n1', at)), () => false);
    }
    channels.set(firingAlert('n1', at), haltedAlert(at));
    await channels.run(60);
    expect(bodies().map(({ alerts }) => alerts.map((one: { alert: string }) => one.alert))).toEqual([['SubnetHalted']]);
  });

  it('is not notified again when its settings change, and hears of the end', async () => {
    const target = { kind: 'webhook', url: receiver.url } as const;
    const channels = run(target);
    channels.set(firingAlert('n1', channels.time.clock.now()));
    await channels.run(60);
    channels.channels.set([{ name: 'ops', target: { ...target, headers: { a: 'b' } }, severities: ['warning'] }]);
    await channels.run(300);
    channels.set();
    await channels.run(60);
    expect(told()).toEqual(['change firing: n1 firing', 'change resolved: n1 resolved']);
    expect(receiver.requests[1]?.headers.a).toBe('b');
  });

  it('is stored as notified at once, also when another channel is being stored', async () => {
    const store = createNotifiedMemory();
    let first = 1;
    const slow = {
      ...store,
      save: async (...change: Parameters<typeof store.save>) => {
        if (change[0].size > 0 && first-- > 0) await expect.poll(() => channels.accepted).toHaveLength(2);
        return store.save(...change);
      },
    };
    const target = { kind: 'webhook', url: receiver.url } as const;
    const channels = run(
      ['one', 'two'].map((name) => ({ name, target, severities: ['warning'] as const })),
      { store: slow },
    );
    channels.set(firingAlert('n1', channels.time.clock.now()));
    await channels.run(30);
    expect([...store.rows.values()].map(({ channel }) => channel)).toEqual(['one', 'two']);
  });

  it.each([
    [{ status: 500 }, 'answers with status 500; look at its log or its status page'],
    [{ status: 403 }, 'refuses the credentials; correct notify[ops].webhook (status 403)'],
    [{ status: 404 }, 'does not know this address; correct notify[ops].webhook (status 404)'],
    [
      { status: 302, headers: { location: 'http://127.0.0.1:1/elsewhere' } },
      'redirects elsewhere; write its final address into notify[ops].webhook (status 302)',
    ],
    ['hang', 'does not answer within 0.5s; look at its log'],
  ] as const)('that answers %j is tried again, more and more rarely, and says so once', async (answer, why) => {
    receiver.answer = answer;
    const { time, set, ...channels } = run(undefined, answer === 'hang' ? { timeoutMs: 500 } : {});
    const alert = firingAlert('n1', time.clock.now());
    set(alert);
    await channels.run(65);
    // After 30, 35, 45 and 65 seconds.
    expect(receiver.requests).toHaveLength(4);
    receiver.answer = { status: 204 };
    await channels.run(600);
    expect(channels.heard).toEqual([`channel ops (webhook) ${why}`, 'channel ops (webhook) works']);
    expect(receiver.requests).toHaveLength(5);
    expect(new Set(bodies().map(({ id }) => id)).size).toBe(1);
    expect(channels.counts).toEqual({ sent: 1, failed: 4, dropped: 0 });
  });

  it('that never answers delays no other channel, no judgement, and no stop', async () => {
    const hanging = await startHookReceiver();
    cleanups.push(hanging.stop);
    hanging.answer = 'hang';
    const channels = run(
      [hanging, receiver].map(({ url }, index) => ({
        name: `c${index}`,
        target: { kind: 'webhook', url } as const,
        severities: ['warning'] as const,
      })),
      { timeoutMs: 3_600_000 },
    );
    const alerts = alertsOf(firingAlert('n1', channels.time.clock.now()));
    channels.time.run(30_000);
    void channels.channels.update(alerts, () => true);
    await expect.poll(() => channels.accepted).toEqual(['c1 n1 firing']);
    await expect.poll(() => hanging.requests).toHaveLength(1);
    channels.time.run(3_600_000);
    const acceptedSoon = () => {
      channels.time.run(5_000);
      void channels.channels.update(alertsOf(), () => true);
      return channels.accepted;
    };
    await expect.poll(acceptedSoon).toEqual(['c1 n1 firing', 'c1 n1 resolved']);
    await channels.channels.stop(0);
    // It was not refused: the next process sends it, if it is still of use.
    expect(channels.heard).toEqual([]);
    expect(hanging.requests).toHaveLength(1);
  });

  it('that fails again after it has worked is tried again as soon as before', async () => {
    const { time, set, ...channels } = run();
    receiver.answer = { status: 500 };
    set(firingAlert('n1', time.clock.now()));
    await channels.run(65);
    receiver.answer = { status: 200 };
    await channels.run(120);
    expect(receiver.requests).toHaveLength(5);
    receiver.answer = { status: 500 };
    set(firingAlert('n1', time.clock.now() - 600_000), firingAlert('n2', time.clock.now()));
    await channels.run(45);
    // After 30, 35 and 45 seconds.
    expect(receiver.requests).toHaveLength(8);
  });

  it('that asks for a day is tried again after an hour', async () => {
    receiver.answer = { status: 429, headers: { 'retry-after': '86400' } };
    const { time, set, ...channels } = run();
    set(firingAlert('n1', time.clock.now()));
    await channels.run(600);
    expect(receiver.requests).toHaveLength(1);
    time.run(3_600_000);
    await channels.run(5);
    expect(receiver.requests).toHaveLength(2);
  });

  it('that is sent too much is left alone for as long as it asks', async () => {
    receiver.answer = { status: 429, headers: { 'retry-after': '90' } };
    const { time, set, ...channels } = run();
    set(firingAlert('n1', time.clock.now()));
    await channels.run(100);
    expect(receiver.requests).toHaveLength(1);
    receiver.answer = { status: 200 };
    await channels.run(10);
    expect(receiver.requests).toHaveLength(2);
  });

  it('that refuses the message of one subnet still gets that of another', async () => {
    receiver.answer = { status: 400, body: 'echo of http://h/hook/t0ken' };
    const { time, set, ...channels } = run();
    const other = firingAlert('n1', time.clock.now());
    set(firingAlert('n1', time.clock.now()), { ...other, labels: { ...other.labels, subnet: 'other' } });
    await channels.run(60);
    expect(bodies().map(({ subnet }) => subnet)).toEqual(['devnet', 'other']);
    expect(channels.heard.join()).not.toContain('t0ken');
  });

  it('that was away for a whole alert leaves a count and a line', async () => {
    receiver.answer = { status: 503 };
    const { time, set, ...channels } = run();
    set(firingAlert('n1', time.clock.now()));
    await channels.run(60);
    set();
    await channels.run(300);
    expect(channels.counts.dropped).toBe(1);
    expect(channels.heard.at(-1)).toBe('channel ops (webhook) never got n1');
    const { length } = receiver.requests;
    await channels.run(600);
    expect(receiver.requests).toHaveLength(length);
  });

  it('is told of an end for a day at most', async () => {
    const { time, set, ...channels } = run();
    set(firingAlert('n1', time.clock.now()));
    await channels.run(60);
    receiver.answer = { status: 503 };
    set();
    await channels.run(60);
    for (let hour = 0; hour < 25; hour += 1) {
      time.run(3_600_000);
      await channels.run(5);
    }
    expect(channels.counts.dropped).toBe(1);
    receiver.answer = { status: 200 };
    await channels.run(600);
    expect(channels.counts.sent).toBe(1);
  });

  it('cannot be used without its files, is named without its address, and works once they are there', async () => {
    const missing = `${secrets.write('other', 'x')}-missing`;
    const urlFile = secrets.write('url', 'no url');
    const channels = run({ kind: 'webhook', urlFile, secretFile: missing });
    channels.set(firingAlert('n1', channels.time.clock.now()));
    await channels.run(20);
    const setting = 'notify[ops].webhook';
    expect(channels.heard).toEqual([
      `channel ops (webhook) cannot be used: ${setting}.urlFile: ${urlFile} holds no URL; write the whole address into it, with https://`,
    ]);
    secrets.write('url', `${receiver.url}/s3cret\n`);
    await channels.run(60);
    expect(channels.heard[1]).toBe(
      `channel ops (webhook) cannot be used: ${setting}.secretFile: ${missing} cannot be read (ENOENT); correct the path or its mode`,
    );
    secrets.write('other-missing', 'key');
    await receiver.stop();
    await channels.run(60);
    expect(channels.heard[2]).toBe(`channel ops (webhook) refuses connections; start it, or correct ${setting}`);
    receiver = await startHookReceiver(Number(new URL(receiver.url).port));
    await channels.run(120);
    expect(told()).toEqual(['change firing: n1 firing']);
    expect(channels.heard.join()).not.toMatch(/s3cret|127\.0\.0\.1/);
  });
});
