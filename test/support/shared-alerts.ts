import { expect, onTestFinished } from 'vitest';
import { createProcessClock } from '../../src/lib/clock.ts';
import { databaseAway } from '../../src/lib/database-failure.ts';
import { FLEET_STATE } from '../../src/model/fleet.ts';
import { createStores } from '../../src/store/create-stores.ts';
import { openDatabase } from '../../src/store/open-database.ts';
import { type AlertFinding, alertKey, type TrackedAlert } from '../../src/tell/alerts/tracked-alert.ts';
import { createPush } from '../../src/tell/notify/create-push.ts';
import { startAlertReceiver } from './alert-receiver.ts';
import { eventually, temporaryFolder } from './cli.ts';
import type { FakePart } from './fake-part.ts';

/** The alert that the test is about. */
export const labels = { alertname: 'SubnetHalted', severity: 'critical', subnet: 'moved' };
const key = alertKey(labels);
/** It, as an instance has stored it. */
export const stored = (over: Partial<TrackedAlert> = {}): TrackedAlert => ({
  ...{ labels, annotations: { summary: 'It is halted.' }, keepFiringForMs: 0, phase: 'firing' },
  ...{ activeAt: 1_790_000_000_000, firedAt: 1_790_000_010_000, seenAt: 1_790_000_020_000 },
  ...over,
});
/** Since when that fires, as it is sent. */
export const FIRED = new Date(1_790_000_010_000).toISOString();

/** A database that several instances share. */
export async function openShared() {
  const folder = temporaryFolder();
  const connection = await openDatabase({ kind: 'sqlite', path: folder.path('subnetd.db') });
  onTestFinished(folder.remove);
  onTestFinished(connection.close);
  const stores = createStores(connection);
  let isAway = false;
  const inFleet = { own: 'one', shared: FLEET_STATE };
  let alerts = stores.alerts(inFleet);
  const read = async () => (await alerts.load()).map(({ phase, activeAt }) => `${phase} ${activeAt}`);
  return {
    read,
    /** How many alerts are stored as unconfirmed. */
    unconfirmed: async () => (await alerts.load()).filter(({ isUnconfirmed }) => isUnconfirmed).length,
    save: (alert: TrackedAlert) => alerts.save(new Map([[key, alert]]), []),
    remove: () => alerts.save(new Map(), [key]),
    open: async () => {
      if (isAway) throw databaseAway();
      return alerts;
    },
    cut: () => {
      isAway = true;
    },
    reopen: () => {
      alerts = createStores(connection).alerts(inFleet);
      isAway = false;
    },
  };
}

/** An instance that judges the alert of one subnet as the test says. */
export async function runInstance(
  shared: Awaited<ReturnType<typeof openShared>>,
  part: FakePart,
  clock = createProcessClock(),
) {
  const receiver = await startAlertReceiver();
  onTestFinished(receiver.stop);
  let finding: 'active' | 'unknown' | 'clear' = 'unknown';
  let judged = 0;
  const news: string[] = [];
  const push = createPush({
    clock,
    judge: () => {
      judged += 1;
      if (finding === 'clear' || part.watched.includes('moved') === false) return [];
      if (finding === 'unknown') return [{ state: 'unknown', labels }];
      const annotations = { summary: 'It is halted.' };
      return [{ state: 'active', labels, annotations, forMs: 0, keepFiringForMs: 0 } satisfies AlertFinding];
    },
    part,
    isSettled: (subnet) => !part.unsettled.includes(subnet),
    store: shared.open,
    counts: { sent: 0, failed: 0, dropped: 0 },
    judgeEveryMs: 20,
    resendMs: 100,
    onTransition: ({ to }) => news.push(to),
    onFailure: () => {},
    onRecovery: () => {},
    onBug: (error) => news.push(String(error)),
  });
  onTestFinished(push.stop);
  push.setAlertmanagers({ urls: [receiver.url] });
  return {
    receiver,
    push,
    news,
    set: (next: typeof finding) => {
      finding = next;
    },
    /** Waits for so many more judgements. */
    judges: async (times = 5) => {
      const until = judged + times;
      await eventually(() => expect(judged).toBeGreaterThanOrEqual(until), 20_000, 5);
    },
    sent: () => receiver.received.flatMap(({ alerts }) => alerts),
    sends: () => eventually(() => expect(receiver.received.length).toBeGreaterThan(0), 20_000, 5),
  };
}
