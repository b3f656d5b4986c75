import { writeFileSync } from 'node:fs';
import { hash } from 'bcrypt';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createProcessClock } from '../../../src/lib/clock.ts';
import { databaseAway } from '../../../src/lib/database-failure.ts';
import type { Alertmanagers } from '../../../src/model/channel.ts';
import { createRepositories } from '../../../src/store/create-repositories.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import type { AlertFinding } from '../../../src/tell/alerts/tracked-alert.ts';
import { createPush, type PushOptions } from '../../../src/tell/notify/create-push.ts';
import { startAlertReceiver } from '../../support/alert-receiver.ts';
import { type Alertmanager, freePort, startAlertmanager } from '../../support/alertmanager.ts';
import { eventually } from '../../support/cli.ts';
import { createFakePart } from '../../support/fake-part.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

vi.setConfig({ testTimeout: 180_000 });

const LONG_MS = 60_000;
let shared: Alertmanager;
beforeAll(async () => {
  shared = await startAlertmanager();
});
afterAll(() => shared.stop());

let made = 0;
/** An alert that no other test has, and that can be turned on and off. */
function aThing() {
  made += 1;
  const labels = { alertname: 'SubnetNodeDown', severity: 'warning', subnet: 'd', component: 'node', name: `n${made}` };
  let state: AlertFinding['state'] | 'clear' | 'planned' = 'active';
  const planned = { reason: 'upgrade', until: Date.now() + 3_600_000, by: 'ann', mutes: true };
  return {
    labels,
    set: (next: typeof state) => {
      state = next;
    },
    judge: (): readonly AlertFinding[] => {
      if (state === 'clear') return [];
      if (state === 'unknown') return [{ labels, state }];
      const annotations = { summary: 'A node is down.', description: `${labels.name} is down.` };
      const finding = { labels, state: 'active', annotations, forMs: 0, keepFiringForMs: 0 } as const;
      return [{ ...finding, ...(state === 'planned' && { planned }) }];
    },
  };
}
type Thing = ReturnType<typeof aThing>;

async function openStore() {
  const connection = await openDatabase({ kind: 'sqlite', path: pathOf('subnetd.db') });
  const { alerts } = await createRepositories(connection);
  return {
    alerts: alerts({ own: 'a', shared: 'a' }),
    others: alerts({ own: 'b', shared: 'b' }),
    close: connection.close,
  };
}

async function push(thing: Thing, alertmanagers: Alertmanagers, more: Partial<PushOptions> = {}) {
  const store = await openStore();
  const counts = { sent: 0, failed: 0, dropped: 0 };
  const heard: string[] = [];
  const one = createPush({
    clock: createProcessClock(),
    judge: thing.judge,
    part: createFakePart('d'),
    isSettled: () => true,
    store: async () => store.alerts,
    counts,
    judgeEveryMs: 50,
    resendMs: 1_000,
    onTransition: ({ to }) => heard.push(to),
    onFailure: (why) => heard.push(why),
    onRecovery: (address) => heard.push(`fine ${address}`),
    onBug: (error) => heard.push(String(error)),
    ...more,
  });
  one.setAlertmanagers(alertmanagers);
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= one.stop().then(store.close);
    return stopped;
  };
  cleanups.push(stop);
  return { counts, heard, stop, use: one.setAlertmanagers };
}

const shown = async ({ alerts }: Alertmanager, { labels }: Thing) =>
  (await alerts()).find((alert) => alert.labels.name === labels.name);
const shows = (alertmanager: Alertmanager, thing: Thing) =>
  eventually(async () => {
    const alert = await shown(alertmanager, thing);
    if (alert === undefined) throw new Error('it does not show the alert');
    return alert;
  }, LONG_MS);
const showsNoMore = (alertmanager: Alertmanager, thing: Thing) =>
  eventually(async () => expect(await shown(alertmanager, thing)).toBeUndefined(), LONG_MS);

describe('a push', () => {
  it('shows an alert with exactly its labels and texts, and ends it', async () => {
    const thing = aThing();
    const { heard } = await push(thing, { urls: [shared.url] }, { generatorUrl: 'http://subnetd.example' });
    expect(await shows(shared, thing)).toMatchObject({
      labels: thing.labels,
      annotations: { summary: 'A node is down.', description: expect.stringContaining('is down.') },
      generatorURL: 'http://subnetd.example',
    });
    expect(Object.keys((await shows(shared, thing)).labels)).toHaveLength(5);
    thing.set('clear');
    await showsNoMore(shared, thing);
    expect(heard).toEqual(['firing', 'resolved']);
  });

  it('sends a firing alert again, each time with a later end, so that it outlives its first end', async () => {
    const thing = aThing();
    await push(thing, { urls: [shared.url] });
    const first = await shows(shared, thing);
    await eventually(async () => {
      const now = await shows(shared, thing);
      expect(Date.parse(now.updatedAt)).toBeGreaterThan(Date.parse(first.endsAt));
      expect(now.startsAt).toBe(first.startsAt);
      expect(Date.parse(now.endsAt) - Date.parse(now.updatedAt)).toBeGreaterThan(3_000);
    }, LONG_MS);
  });

  it('lets its alerts end by themselves when it is there no more', async () => {
    const thing = aThing();
    const { stop } = await push(thing, { urls: [shared.url] });
    await shows(shared, thing);
    await stop();
    await showsNoMore(shared, thing);
  });

  it('keeps a firing alert and its start over a restart', async () => {
    const thing = aThing();
    const before = await push(thing, { urls: [shared.url] }, { resendMs: 60_000 });
    const first = await shows(shared, thing);
    await before.stop();
    thing.set('unknown');
    const after = await push(thing, { urls: [shared.url] }, { resendMs: 60_000 });
    await eventually(() => expect(after.counts.sent).toBe(1), LONG_MS);
    const again = await shows(shared, thing);
    expect(again.startsAt).toBe(first.startsAt);
    expect(Date.parse(again.updatedAt)).toBeGreaterThan(Date.parse(first.updatedAt));
    expect(after.heard).toEqual([]);
  });

  it('ends what fired before a restart and passes after it', async () => {
    const thing = aThing();
    const before = await push(thing, { urls: [shared.url] }, { resendMs: 600_000 });
    await shows(shared, thing);
    await before.stop();
    thing.set('clear');
    const after = await push(thing, { urls: [shared.url] }, { resendMs: 600_000 });
    await showsNoMore(shared, thing);
    expect(after.heard).toEqual(['resolved']);
  });

  it('sends nothing during planned work and all at its end, and ends after a restart what it sent then', async () => {
    const thing = aThing();
    thing.set('planned');
    const before = await push(thing, { urls: [shared.url] }, { resendMs: 100 });
    const store = await openStore();
    cleanups.push(store.close);
    await eventually(async () =>
      expect(await store.alerts.load()).toEqual([expect.objectContaining({ isHeld: true })]),
    );
    expect([before.heard, before.counts.sent]).toEqual([['held'], 0]);
    thing.set('active');
    await shows(shared, thing);
    await before.stop();
    thing.set('clear');
    const after = await push(thing, { urls: [shared.url] });
    // What is sent again this often ends by itself after 400 ms, which a restart may take.
    await eventually(() => expect(after.counts.sent).toBeGreaterThan(0), LONG_MS);
    await showsNoMore(shared, thing);
    expect([before.heard, after.heard]).toEqual([['held', 'firing'], ['resolved']]);
  });

  it('sends a resolved alert again after a restart', async () => {
    const thing = aThing();
    const receiver = await startAlertReceiver();
    cleanups.push(receiver.stop);
    const before = await push(thing, { urls: [receiver.url] });
    await eventually(() => expect(before.counts.sent).toBeGreaterThan(0));
    receiver.answer = 503;
    thing.set('clear');
    await eventually(() => expect(before.heard).toContain('resolved'));
    await before.stop();
    receiver.answer = 200;
    receiver.received.length = 0;
    const after = await push(thing, { urls: [receiver.url] });
    await eventually(() => expect(after.counts.sent).toBeGreaterThan(0), LONG_MS);
    const [told] = receiver.received.flatMap(({ alerts }) => alerts);
    expect(told?.labels).toEqual(thing.labels);
    expect(Date.parse(told?.endsAt ?? '')).toBeLessThan(Date.now());
  });

  it('keeps apart what two instances keep in one database', async () => {
    const thing = aThing();
    const { stop } = await push(thing, { urls: [shared.url] });
    await shows(shared, thing);
    await stop();
    const { alerts, others, close } = await openStore();
    expect([(await alerts.load()).length, (await others.load()).length]).toEqual([1, 0]);
    await close();
  });

  it('sends alerts while the database is unreachable, and saves them when it is back', async () => {
    const thing = aThing();
    let away = true;
    const { alerts, close } = await openStore();
    cleanups.push(close);
    const store = async () => {
      if (away) throw databaseAway();
      return alerts;
    };
    await push(thing, { urls: [shared.url] }, { store });
    await shows(shared, thing);
    expect(await alerts.load()).toEqual([]);
    away = false;
    await eventually(async () => expect(await alerts.load()).toHaveLength(1));
    thing.set('clear');
    await eventually(async () => expect((await alerts.load())[0]?.phase).toBe('resolved'));
  });

  it('sends firing alerts to an Alertmanager that was unreachable at the start or for a while', async () => {
    const own = await startAlertmanager();
    cleanups.push(own.stop);
    await own.halt();
    const thing = aThing();
    const { counts, heard } = await push(thing, { urls: [own.url] });
    await eventually(() => expect(counts.failed).toBeGreaterThan(0));
    expect(heard).toContainEqual(expect.stringContaining('refuses connections'));
    await own.start();
    await shows(own, thing);
    await own.halt();
    const failed = counts.failed;
    await eventually(() => expect(counts.failed).toBeGreaterThan(failed), LONG_MS);
    thing.set('clear');
    await eventually(() => expect(heard).toContain('resolved'));
    await own.start();
    await showsNoMore(own, thing);
    expect(counts.dropped).toBe(0);
  });

  it('sends to both Alertmanagers, also to one that was killed and lost its state', async () => {
    const own = await startAlertmanager();
    cleanups.push(own.stop);
    const thing = aThing();
    const { counts } = await push(thing, { urls: [shared.url, own.url] });
    const first = await shows(shared, thing);
    expect((await shows(own, thing)).startsAt).toBe(first.startsAt);
    await own.halt('SIGKILL');
    const { failed } = counts;
    await eventually(() => expect(counts.failed).toBeGreaterThan(failed), LONG_MS);
    expect((await shows(shared, thing)).startsAt).toBe(first.startsAt);
    await own.start();
    expect((await shows(own, thing)).startsAt).toBe(first.startsAt);
    thing.set('clear');
    await showsNoMore(shared, thing);
    await showsNoMore(own, thing);
  });

  it('sends to one Alertmanager while another is dead, and a third never answers', async () => {
    const hanging = await startAlertReceiver();
    hanging.answer = 'hang';
    cleanups.push(hanging.stop);
    const dead = `http://127.0.0.1:${await freePort()}`;
    const thing = aThing();
    const { heard } = await push(thing, { urls: [dead, hanging.url, shared.url] });
    await shows(shared, thing);
    await eventually(() => expect(hanging.received.length).toBeGreaterThan(0));
    thing.set('clear');
    await showsNoMore(shared, thing);
    await eventually(() =>
      expect(heard).toContainEqual(`${dead} refuses connections; start it, or correct alertmanager.urls`),
    );
  });

  it('reports that its credentials are wrong, and sends once they are right', async () => {
    const users = pathOf('web.yml');
    writeFileSync(users, `basic_auth_users: { subnetd: '${await hash('right', 4)}' }\n`);
    const own = await startAlertmanager(
      undefined,
      ['--cluster.listen-address=', `--web.config.file=${users}`],
      'subnetd:right',
    );
    cleanups.push(own.stop);
    const passwordFile = pathOf('password');
    writeFileSync(passwordFile, 'wrong');
    const thing = aThing();
    const login = { basicAuth: { username: 'subnetd', passwordFile } };
    const { heard, counts } = await push(thing, { urls: [own.url], ...login });
    await eventually(() => expect(counts.failed).toBeGreaterThan(0));
    expect(heard).toContain(
      `${own.url} refuses the credentials; correct alertmanager.basicAuth or alertmanager.bearerTokenFile (status 401)`,
    );
    expect(heard.join()).not.toContain('wrong');
    writeFileSync(passwordFile, 'right\n');
    await shows(own, thing);
  });

  it('sends to a new Alertmanager at once, and no longer to the old one', async () => {
    const [one, two] = [await startAlertReceiver(), await startAlertReceiver()];
    cleanups.push(one.stop, two.stop);
    const thing = aThing();
    const { use, counts } = await push(thing, { urls: [one.url] }, { resendMs: 600_000 });
    await eventually(() => expect(counts.sent).toBe(1));
    use({ urls: [two.url] });
    await eventually(() => expect(counts.sent).toBe(2));
    expect([one.received.length, two.received.length]).toEqual([1, 1]);
  });

  it('keeps sending firing alerts when judging throws', async () => {
    const thing = aThing();
    let broken = false;
    const judge = () => {
      if (broken) throw new Error('a bug');
      return thing.judge();
    };
    const { heard, counts } = await push(thing, { urls: [shared.url] }, { judge });
    await shows(shared, thing);
    broken = true;
    await eventually(() => expect(heard).toContain('Error: a bug'));
    const { sent } = counts;
    await eventually(() => expect(counts.sent).toBeGreaterThan(sent + 1), LONG_MS);
    await shows(shared, thing);
  });
});
