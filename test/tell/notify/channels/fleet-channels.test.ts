import { afterEach, beforeEach, expect, it } from 'vitest';
import { groupKey, type NotifiedStore } from '../../../../src/tell/notify/notified-alert.ts';
import { firingAlert, resolvedAlert } from '../../../support/alerts-at.ts';
import { createNotifiedMemory, DEVNET, runChannels } from '../../../support/channel-run.ts';
import { createFakePart } from '../../../support/fake-part.ts';
import { createHandClock } from '../../../support/hand-clock.ts';
import { type HookReceiver, startHookReceiver } from '../../../support/hook-receiver.ts';

let receiver: HookReceiver;
const cleanups: (() => unknown)[] = [];
beforeEach(async () => {
  receiver = await startHookReceiver();
});
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
  await receiver.stop();
});

/** An instance of a fleet with the time and the database of all. */
function run(time: ReturnType<typeof createHandClock>, shared = createNotifiedMemory(), keeps = true) {
  const part = createFakePart('devnet');
  if (!keeps) part.kept = [];
  const own = createNotifiedMemory();
  const isOwn = (key: string) => key === groupKey({ channel: 'ops', group: '' });
  const store: NotifiedStore = {
    load: async () => [...(await own.load()), ...(await shared.load())],
    save: async (changed, gone) => {
      for (const one of [own, shared]) {
        const isHere = (key: string) => isOwn(key) === (one === own);
        await one.save(new Map([...changed].filter(([key]) => isHere(key))), gone.filter(isHere));
      }
    },
  };
  const channels = runChannels({ kind: 'webhook', url: `${receiver.url}/hook` }, { time, part, store });
  cleanups.push(channels.stop);
  return { ...channels, part };
}
const sent = () =>
  receiver.requests.map(({ text }) => {
    const { status, alerts } = JSON.parse(text);
    return `${status}: ${alerts.map(({ name }: { name: string }) => name)}`;
  });

it('of two instances that watch a subnet, the one that keeps it notifies people, and each of itself', async () => {
  const [time, shared] = [createHandClock(), createNotifiedMemory()];
  const [one, two] = [run(time, shared), run(time, shared, false)];
  const alert = firingAlert('n1', time.clock.now());
  for (const each of [one, two]) each.set(alert);
  for (let left = 12; left > 0; left -= 1) await Promise.all([one.run(5), two.run(5)]);
  expect(sent()).toEqual(['firing: n1']);
  const { subnet: _, ...labels } = alert.labels;
  two.set(alert, { ...alert, labels: { ...labels, name: 'itself' } });
  await two.run(60);
  expect(sent()).toEqual(['firing: n1', 'firing: itself']);
  expect([...shared.rows.keys()]).toEqual([DEVNET]);
});

it('of all instances that see a dead shard, one notifies people of it, and each of the end that it owes', async () => {
  const [time, shared] = [createHandClock(), createNotifiedMemory()];
  const [one, two] = [run(time, shared), run(time, shared)];
  two.part.speaks = false;
  const labels = { alertname: 'SubnetdShardUnseen', severity: 'critical', shard: '2', name: 'shard 2' };
  const dead = { ...firingAlert('', time.clock.now()), labels };
  const both = async (seconds: number) => {
    for (let left = seconds / 5; left > 0; left -= 1) await Promise.all([one.run(5), two.run(5)]);
  };
  for (const each of [one, two]) each.set(dead);
  await both(60);
  expect(sent()).toEqual(['firing: shard 2']);
  // Another one speaks when the first runs no more, or is late, and it owes no end of what it has not begun.
  for (const each of [one, two]) each.set(resolvedAlert(dead, time.clock.now()));
  Object.assign(one.part, { speaks: false });
  Object.assign(two.part, { speaks: true });
  await both(60);
  expect(sent()).toEqual(['firing: shard 2', 'resolved: shard 2']);
});

it('one that takes a subnet over sends nothing again, and the end of what the other has sent', async () => {
  const [time, shared] = [createHandClock(), createNotifiedMemory()];
  const [one, two] = [run(time, shared), run(time, shared, false)];
  const alert = firingAlert('n1', time.clock.now());
  for (const each of [one, two]) each.set(alert);
  await one.run(60);
  one.part.kept = [];
  Object.assign(two.part, { kept: ['devnet'], epoch: 2 });
  for (let left = 24; left > 0; left -= 1) await Promise.all([one.run(5), two.run(5)]);
  expect(sent()).toEqual(['firing: n1']);
  expect(shared.rows.get(DEVNET)?.alerts).not.toEqual({});
  for (const each of [one, two]) each.set(resolvedAlert(alert, time.clock.now()));
  for (let left = 12; left > 0; left -= 1) await Promise.all([one.run(5), two.run(5)]);
  expect(sent()).toEqual(['firing: n1', 'resolved: n1']);
  two.part.kept = [];
  Object.assign(one.part, { kept: ['devnet'], epoch: 3 });
  for (const each of [one, two]) each.set();
  for (let left = 24; left > 0; left -= 1) await Promise.all([one.run(5), two.run(5)]);
  expect(sent()).toEqual(['firing: n1', 'resolved: n1']);
});

it('nobody is notified of an end before the alerts of the subnet are known', async () => {
  const [time, shared] = [createHandClock(), createNotifiedMemory()];
  const one = run(time, shared);
  one.set(firingAlert('n1', time.clock.now()));
  await one.run(60);
  await one.stop();
  const two = run(time, shared);
  two.setJudged(false);
  await two.run(120);
  expect(sent()).toEqual(['firing: n1']);
  two.setJudged(true);
  await two.run(60);
  expect(sent()).toEqual(['firing: n1', 'resolved: n1']);
});
