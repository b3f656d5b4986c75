import { expect, it, vi } from 'vitest';
import { eventually } from '../../support/cli.ts';
import { createFakePart } from '../../support/fake-part.ts';
import { createHandClock, HAND_CLOCK_START } from '../../support/hand-clock.ts';
import { FIRED, openShared, runInstance, stored } from '../../support/shared-alerts.ts';

vi.setConfig({ testTimeout: 60_000 });

const END = HAND_CLOCK_START - 60_000;

/** An instance that judges alone, as its database has not come for half a minute; an earlier run has stored an alert there. */
async function runWithout() {
  const shared = await openShared();
  await shared.save(stored());
  shared.cut();
  const hand = createHandClock();
  const part = Object.assign(createFakePart('moved'), { unsettled: ['moved'] });
  const one = await runInstance(shared, part, hand.clock);
  one.set('clear');
  await one.judges();
  hand.run(31_000);
  await eventually(() => expect(one.push.isJudged('moved')).toBe(true));
  return { shared, hand, part, one };
}

it('what is stored as firing, and was not found while the database was away, is sent once it is found', async () => {
  const { shared, hand, one } = await runWithout();
  shared.reopen();
  await eventually(async () => expect(await shared.unconfirmed()).toBe(1));
  hand.run(200);
  await one.judges();
  expect([one.sent(), one.news]).toEqual([[], []]);
  one.set('active');
  await one.sends();
  expect(one.sent().at(-1)?.startsAt).toBe(FIRED);
  await eventually(async () => expect(await shared.unconfirmed()).toBe(0));
});

it('what is stored as firing, and is over, is sent as over and never as firing', async () => {
  const { shared, part, one } = await runWithout();
  shared.reopen();
  await eventually(async () => expect(await shared.unconfirmed()).toBe(1));
  part.unsettled = [];
  await one.sends();
  expect(one.sent().filter(({ endsAt }) => Date.parse(endsAt) > HAND_CLOCK_START + 31_000)).toEqual([]);
  expect(one.news).toEqual(['resolved']);
  await eventually(async () => expect(await shared.read()).toEqual([expect.stringMatching(/^resolved /)]));
});

it('the other of a pair does not send again what has ended meanwhile, before the one that decides has stored the end', async () => {
  const shared = await openShared();
  await shared.save(stored());
  const hand = createHandClock();
  const part = Object.assign(createFakePart('moved'), { kept: [], decides: 'other' });
  const one = await runInstance(shared, part, hand.clock);
  await one.sends();
  shared.cut();
  one.set('clear');
  await one.judges();
  hand.run(31_000);
  await eventually(() => expect(one.news).toEqual(['resolved']));
  await one.judges();
  one.receiver.received.length = 0;
  shared.reopen();
  await one.judges();
  hand.run(19_000);
  await one.judges();
  expect(one.sent()).toEqual([]);
  await shared.save(stored({ phase: 'resolved', resolvedAt: END }));
  hand.run(1_000);
  await one.sends();
  expect(new Set(one.sent().map(({ endsAt }) => endsAt))).toEqual(new Set([new Date(END).toISOString()]));
});

it('one that is in no fleet does not send again what has ended while it was started without its database', async () => {
  const shared = await openShared();
  await shared.save(stored());
  shared.cut();
  const hand = createHandClock();
  const one = await runInstance(shared, createFakePart('moved'), hand.clock);
  await one.judges();
  hand.run(31_000);
  await one.judges();
  shared.reopen();
  await eventually(async () => expect(await shared.unconfirmed()).toBe(1));
  expect(one.sent()).toEqual([]);
  one.set('active');
  await one.sends();
  expect([one.sent().at(-1)?.startsAt, one.news]).toEqual([FIRED, []]);
});
