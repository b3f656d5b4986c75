import { expect, it } from 'vitest';
import { createRepositories } from '../../../src/store/create-repositories.ts';
import { openDatabase } from '../../../src/store/open-database.ts';
import type { AlertFinding } from '../../../src/tell/alerts/tracked-alert.ts';
import { createPush } from '../../../src/tell/notify/create-push.ts';
import { startAlertReceiver } from '../../support/alert-receiver.ts';
import { eventually } from '../../support/cli.ts';
import { createFakePart } from '../../support/fake-part.ts';
import { createHandClock, HAND_CLOCK_START, type HandClock } from '../../support/hand-clock.ts';
import { useCleanups } from '../../support/use-cleanups.ts';

const { cleanups, pathOf } = useCleanups();

const MINUTE = 60_000;
const toIso = (wallMs: number) => new Date(wallMs).toISOString();

/** A push of one alert whose condition always holds, and must hold for a minute before it fires. */
async function pushOne({ clock }: HandClock) {
  const receiver = await startAlertReceiver();
  cleanups.push(receiver.stop);
  const connection = await openDatabase({ kind: 'sqlite', path: pathOf('subnetd.db') });
  const { alerts } = await createRepositories(connection);
  const store = alerts({ own: 'a', shared: 'a' });
  let looks = 0;
  const finding: AlertFinding = {
    state: 'active',
    labels: { alertname: 'SubnetNodeDown', severity: 'warning' },
    annotations: {},
    forMs: MINUTE,
    keepFiringForMs: 0,
  };
  const push = createPush({
    clock,
    judge: () => {
      looks += 1;
      return [finding];
    },
    part: createFakePart(),
    isSettled: () => true,
    store: async () => store,
    counts: { sent: 0, failed: 0, dropped: 0 },
    judgeEveryMs: 10,
    resendMs: MINUTE,
    onTransition: () => {},
    onFailure: () => {},
    onRecovery: () => {},
    onBug: (error) => {
      throw error;
    },
  });
  push.setAlertmanagers({ urls: [receiver.url] });
  let stopped: Promise<void> | undefined;
  const stop = () => {
    stopped ??= push.stop().then(connection.close);
    return stopped;
  };
  cleanups.push(stop);
  return {
    stop,
    alerts: () => receiver.received.flatMap(({ alerts }) => alerts),
    /** Until the alerts have been judged a few times more. */
    looked: async () => {
      const before = looks;
      await eventually(() => expect(looks).toBeGreaterThan(before + 3));
    },
  };
}

it('lets no alert fire by the time in which it was suspended, or by which the clock was set', async () => {
  const hand = createHandClock();
  const { alerts, looked } = await pushOne(hand);
  await looked();
  hand.run(30_000);
  hand.suspend(2 * MINUTE);
  await looked();
  hand.set(60 * MINUTE);
  await looked();
  expect(alerts()).toEqual([]);
  hand.run(30_000);
  await looked();
  await eventually(() => expect(alerts()).toHaveLength(1));
  expect(alerts()[0]).toMatchObject({ startsAt: toIso(hand.wall()), endsAt: toIso(hand.wall() + 4 * MINUTE) });
});

it.each([
  ['it was suspended', (hand: HandClock) => hand.suspend(3 * MINUTE)],
  ['the clock was set', (hand: HandClock) => hand.set(3 * MINUTE)],
])('sends a firing alert again at once when %s', async (_when, happen) => {
  const hand = createHandClock();
  const { alerts, looked } = await pushOne(hand);
  await looked();
  hand.run(MINUTE);
  await eventually(() => expect(alerts()).toHaveLength(1));
  happen(hand);
  await eventually(() => expect(alerts()).toHaveLength(2));
  expect(alerts()[1]?.endsAt).toBe(toIso(hand.wall() + 4 * MINUTE));
});

it('keeps the start of an alert over a restart, also when the clock was set meanwhile', async () => {
  const hand = createHandClock();
  const first = await pushOne(hand);
  await first.looked();
  hand.run(MINUTE);
  await eventually(() => expect(first.alerts()).toHaveLength(1));
  hand.suspend(2 * MINUTE);
  await first.looked();
  hand.set(5 * MINUTE);
  await first.looked();
  await first.stop();

  const other = createHandClock();
  other.set(hand.wall() - other.wall());
  const second = await pushOne(other);
  await eventually(() => expect(second.alerts().length).toBeGreaterThan(0));
  await second.looked();
  other.run(MINUTE);
  await eventually(() => expect(second.alerts().at(-1)?.startsAt).toBe(toIso(HAND_CLOCK_START + 6 * MINUTE)));
});
