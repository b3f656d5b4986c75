import pino from 'pino';
import { describe, expect, it } from 'vitest';
import type { HistoryStore } from '../../../src/model/history.ts';
import type { IncidentStore } from '../../../src/model/incident.ts';
import { startIncidents } from '../../../src/tell/incidents/start-incidents.ts';
import { eventually } from '../../support/cli.ts';
import { createFakePart, type FakePart } from '../../support/fake-part.ts';
import { openHistory, openIncidents } from '../../support/history-stores.ts';
import { createSeenSubnet, FLEET_START } from '../../support/seen-subnet.ts';
import { withDown } from '../../support/snapshots.ts';
import { useDatabases } from '../../support/use-api.ts';

const MINUTE = 60_000;
const [well, failing] = [withDown(), withDown('n2')];
const databases = useDatabases('sqlite');

/** The incidents of an instance: two seconds pass between its snapshots. */
function run(
  store: () => Promise<IncidentStore>,
  history: () => Promise<HistoryStore>,
  part: FakePart,
  from = FLEET_START,
) {
  const { deps, endWith, time } = createSeenSubnet(part, 2_000, from);
  const link = startIncidents({
    ...deps,
    ...{ store, history, explained: deps.snapshot },
    keptDays: 365,
    linkKey: async () => 'key',
    log: pino({ level: 'silent' }),
    minutesOf: () => [],
    readLastLines: async () => ({ ok: true, source: 'container', lines: [] }),
    followEveryMs: 3,
  });
  endWith(link.stop);
  return { ...link, ...time };
}

async function openBoth() {
  const address = await databases.create();
  const [incidents, changes] = [openIncidents(address), openHistory(address)];
  const store = () => incidents('*');
  const only = () =>
    eventually(async () => {
      const [one, ...others] = await (await store()).list({ problem: 'container_down', limit: 9 });
      expect(others).toEqual([]);
      if (one === undefined) throw new Error('no incident yet');
      return one;
    });
  return { store, history: () => changes('*'), only };
}

describe('the incidents of a subnet that moves', () => {
  it('go on at its new owner, which is settled once it knows what is open', async () => {
    const { store, history, only } = await openBoth();
    const first = run(store, history, createFakePart('devnet'));
    first.show(failing);
    const begun = await only();
    const part = Object.assign(createFakePart('devnet'), { kept: [] });
    const second = run(store, history, part, FLEET_START + 30 * MINUTE);
    expect(second.isSettled('devnet')).toBe(false);
    await eventually(() => expect(second.isSettled('devnet')).toBe(true));
    expect(second.idOf('devnet', begun)).toBe(begun.id);
    second.show(failing);
    Object.assign(part, { kept: ['devnet'], epoch: 2 });
    await second.pass(MINUTE);
    second.show(well);
    await eventually(async () => expect(await only()).toMatchObject({ id: begun.id, end: 'recovered' }));
  });

  it('are not over because their subnet is watched elsewhere from now on', async () => {
    const { store, history, only } = await openBoth();
    const part = createFakePart('devnet');
    const first = run(store, history, part);
    first.show(failing);
    const begun = await only();
    Object.assign(part, { watched: [], own: [], kept: [] });
    await first.pass(10 * MINUTE);
    expect(await only()).toEqual(begun);
    Object.assign(part, { watched: ['devnet'], own: ['devnet'], kept: ['devnet'], epoch: 2 });
    await first.pass(MINUTE);
    await first.stop();
    expect(await only()).toMatchObject({ id: begun.id, returns: 0, last: begun.last });
    expect((await only()).endedAt).toBeUndefined();
  });

  it('are open again in the database, where another one ended them, when its keeper still sees their problem', async () => {
    const { store, history, only } = await openBoth();
    const part = createFakePart('devnet');
    const keeper = run(store, history, part);
    keeper.show(failing);
    const begun = await only();
    await (await store()).save([{ ...begun, end: 'recovered', endedAt: begun.startedAt + MINUTE }]);
    // It keeps the subnet again, so it reads what the other one has stored.
    part.epoch = 2;
    await eventually(async () => expect((await only()).endedAt).toBeUndefined(), 10_000);
    expect((await only()).id).toBe(begun.id);
  });

  it('are over when their subnet has left the inventory, also while nobody ran, by its shard', async () => {
    const { store, history, only } = await openBoth();
    const first = run(store, history, createFakePart('devnet'));
    first.show(failing);
    const begun = await only();
    await first.stop();
    const part = Object.assign(createFakePart('other'), { own: ['other', 'devnet'], kept: ['other', 'devnet'] });
    run(store, history, part, FLEET_START + 30 * MINUTE);
    await eventually(async () => expect(await only()).toMatchObject({ id: begun.id, end: 'removed' }));
  });

  it('are read again when their subnet comes back to the inventory', async () => {
    const { store, history, only } = await openBoth();
    run(store, history, createFakePart('devnet')).show(failing);
    const begun = await only();
    const part = Object.assign(createFakePart('devnet'), { kept: [] });
    const second = run(store, history, part, FLEET_START + 30 * MINUTE);
    await eventually(() => expect(second.idOf('devnet', begun)).toBe(begun.id));
    part.watched = [];
    await eventually(() => expect(second.idOf('devnet', begun)).toBeUndefined());
    part.watched = ['devnet'];
    await eventually(() => expect(second.idOf('devnet', begun)).toBe(begun.id));
  });
});

it('that were over before the database answered are over, and their problem is not there again', async () => {
  const { store, history, only } = await openBoth();
  const first = run(store, history, createFakePart('devnet'));
  first.show(failing);
  const begun = await only();
  await first.stop();
  const { promise: isBack, resolve: comeBack } = Promise.withResolvers<void>();
  const second = run(() => isBack.then(store), history, createFakePart('devnet'), FLEET_START + 30 * MINUTE);
  expect(second.isSettled('devnet')).toBe(false);
  await eventually(() => expect(second.isSettled('devnet')).toBe(true));
  comeBack();
  await eventually(async () => expect(await only()).toMatchObject({ id: begun.id, end: 'recovered' }));
  expect(second.restored()).toEqual([]);
});

describe('of two that watch a subnet', () => {
  it('only the one that keeps it writes, and both show the same', async () => {
    const { store, history, only } = await openBoth();
    const standby = run(store, history, Object.assign(createFakePart('devnet'), { kept: [] }));
    standby.show(failing);
    await standby.pass(MINUTE);
    expect(await (await store()).list({ limit: 9 })).toEqual([]);
    const part = createFakePart('devnet');
    const keeper = run(store, history, part);
    keeper.show(failing);
    const { id } = await only();
    await eventually(async () => {
      const { incidents } = await standby.list({ problem: 'container_down', limit: 9 });
      expect(incidents.map((one) => one.id)).toEqual([id]);
      expect(standby.idOf('devnet', { problem: 'container_down', component: 'node', name: 'n2' })).toBe(id);
    });
    await standby.stop();
    expect((await only()).id).toBe(id);
    await (await store()).save([{ ...(await only()), severity: 'critical' }]);
    part.kept = [];
    await eventually(async () => {
      const { incidents } = await keeper.list({ problem: 'container_down', limit: 9 });
      expect(incidents.map((one) => one.severity)).toEqual(['critical']);
    });
  });
});
