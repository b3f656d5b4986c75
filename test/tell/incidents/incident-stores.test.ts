import { describe, expect, it } from 'vitest';
import type { Capsule, Incident, IncidentQuery, IncidentStore } from '../../../src/model/incident.ts';
import { createReadIncidents } from '../../../src/tell/incidents/create-read-incidents.ts';
import { createTimelineReader } from '../../../src/tell/incidents/timeline.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { openIncidents } from '../../support/history-stores.ts';
import { away } from '../../support/run-incidents.ts';
import { useDatabases } from '../../support/use-api.ts';

const sqlite = useDatabases('sqlite');

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 22, 3);
const words = { summary: 'it’s down', evidence: 'a\0b', fix: 'start it' };

/** An incident of the minute with this number; it lasts for one, unless it is open. */
const incident = (minute: number, over: Partial<Incident> = {}): Incident => ({
  id: `20261122-03${String(minute).padStart(2, '0')}00-aaaaaaaa`,
  ...{ subnet: 'devnet', problem: 'node_down', component: 'node', name: 'n1', severity: 'warning' },
  ...{ alert: 'SubnetNodeDown', foundAt: START, startedAt: START + minute * MINUTE, returns: 0 },
  ...{ endedAt: START + (minute + 1) * MINUTE, end: 'recovered', first: words, last: words },
  ...{ causes: [], effects: [], notified: [] },
  ...over,
});
const capsule: Capsule = {
  at: START,
  targets: [],
  omitted: 3,
  logs: [{ name: 'n1', lines: [{ text: 'a' }, { text: '</script>', at: START }] }],
};
const everything = { limit: 99 };

const minutesOf = async (store: IncidentStore, query: Partial<IncidentQuery> = {}) =>
  (await store.list({ ...everything, ...query })).map(({ startedAt }) => (startedAt - START) / MINUTE);

/** What every store of incidents does. `open` gives one without incidents. */
function keepsIncidents(open: () => Promise<IncidentStore>): void {
  it('keeps the first who is on an incident, until that is over', async () => {
    const store = await open();
    const { endedAt: _, end: __, ...lasting } = incident(2);
    const anna = { at: START, by: 'Anna\0' };
    await store.save([lasting, incident(1)]);
    await store.acknowledge(lasting.id, anna);
    await store.acknowledge(lasting.id, { at: START + 1, by: 'Bert' });
    await store.acknowledge(incident(1).id, anna);
    expect(await store.acknowledgements()).toEqual(new Map([[lasting.id, anna]]));
    expect((await store.read(lasting.id))?.acknowledged).toEqual(anna);
    expect((await store.read(incident(1).id))?.acknowledged).toEqual(anna);
    await store.save([incident(2)]);
    expect(await store.acknowledgements()).toEqual(new Map());
    await store.trim({ endedBefore: START + 99 * MINUTE, most: 99, mostParts: 99 });
    await store.save([lasting]);
    expect(await store.acknowledgements()).toEqual(new Map());
  });

  it('lists open ones first, then the newest first, page by page and by what is asked', async () => {
    const store = await open();
    const { endedAt: _, end: __, ...lasting } = incident(2);
    const { component: ___, name: ____, ...ofSubnet } = incident(1);
    await store.save([
      { ...ofSubnet, problem: 'subnet_halted', alert: 'SubnetHalted', severity: 'critical' },
      lasting,
      incident(3),
      incident(4, { subnet: 'other' }),
      incident(5, { severity: 'info' }),
    ]);
    expect(await minutesOf(store)).toEqual([2, 5, 4, 3, 1]);
    expect(await minutesOf(store, { limit: 2 })).toEqual([2, 5]);
    expect(await minutesOf(store, { before: incident(4) })).toEqual([3, 1]);
    expect(await minutesOf(store, { before: incident(4, { id: 'z' }) })).toEqual([4, 3, 1]);
    expect(await minutesOf(store, { before: lasting })).toEqual([5, 4, 3, 1]);
    expect(await minutesOf(store, { onlyGrave: true })).toEqual([2, 4, 3, 1]);
    expect(await minutesOf(store, { ids: [incident(1).id, incident(4).id, 'none'] })).toEqual([4, 1]);
    expect(await minutesOf(store, { ids: [] })).toEqual([]);
    expect(await minutesOf(store, { subnet: 'other' })).toEqual([4]);
    expect(await minutesOf(store, { alert: 'SubnetNodeDown', name: 'n1', limit: 1 })).toEqual([2]);
    expect(await minutesOf(store, { problem: 'subnet_halted' })).toEqual([1]);
    expect(await minutesOf(store, { component: 'relayer' })).toEqual([]);
  });

  it('reads all of one, as it was last written', async () => {
    const store = await open();
    const one = incident(1);
    expect(await store.read(one.id)).toBeUndefined();
    await store.save([{ ...one, last: { ...words, evidence: 'first' } }]);
    expect(await store.read(one.id)).toMatchObject({ notes: [], incident: { last: { evidence: 'first' } } });
    await store.saveCapsule(one.id, { ...capsule, omitted: 0 });
    await store.saveCapsule(one.id, capsule);
    const change = { at: START, subnet: 'devnet', kind: 'check', what: 'peers', was: 'pass', is: 'fail', reason: 'r' };
    const timeline = { changes: [{ ...change, kind: 'check' as const }], minutes: [{ at: START, blocks: 7, gap: 1 }] };
    await store.saveTimeline(one.id, timeline);
    const notes = [
      { at: START + 1, author: 'grace', text: 'a\n<b>' },
      { at: START, author: 'alan', text: 'b' },
    ];
    for (const note of notes) await store.addNote(one.id, note);
    await store.save([one]);
    expect(await store.read(one.id)).toEqual({ incident: one, capsule, timeline, notes });
  });
}

describe.each(DATABASE_KINDS)('a %s database of incidents', (kind) => {
  const databases = useDatabases(kind);
  const open = async () => openIncidents(await databases.create())();
  keepsIncidents(open);

  it('keeps those of each instance apart', async () => {
    const openAs = openIncidents(await databases.create());
    const [one, other] = [await openAs('one'), await openAs('two')];
    await one.save([incident(1)]);
    await one.addNote(incident(1).id, { at: START, author: 'a', text: 't' });
    expect([await other.list(everything), await other.read(incident(1).id)]).toEqual([[], undefined]);
  });

  it('loses what ended long ago, what is too much, and capsules before incidents, slice by slice', async () => {
    const store = await open();
    const { endedAt: _, end: __, ...lasting } = incident(0);
    const many = Array.from({ length: 130 }, (_, index) => {
      const at = START + (index + 1) * 1_000;
      return incident(0, { id: `id-${String(index).padStart(3, '0')}`, startedAt: at, endedAt: at });
    });
    await store.save([lasting, ...many]);
    for (const { id } of [lasting, ...many]) await store.saveCapsule(id, capsule);
    const trimAll = async (keep: Parameters<IncidentStore['trim']>[0]) => {
      let slices = 1;
      while (slices < 99 && (await store.trim(keep))) slices += 1;
      return slices;
    };
    const keep = { endedBefore: 0, most: 999, mostParts: 999 };
    expect(await trimAll(keep)).toBe(1);
    expect(await store.list({ limit: 999 })).toHaveLength(131);

    // Ids begin with the time, so the lowest are the oldest.
    expect(await trimAll({ ...keep, mostParts: 20 })).toBe(2);
    const withCapsule = await Promise.all(many.map(async ({ id }) => (await store.read(id))?.capsule !== undefined));
    expect(withCapsule.lastIndexOf(false)).toBe(109);
    expect(withCapsule.filter(Boolean)).toHaveLength(20);

    expect(await trimAll({ ...keep, endedBefore: many[110]?.endedAt ?? 0 })).toBe(2);
    expect((await store.list({ limit: 999 })).map(({ id }) => id)).toEqual([
      lasting.id,
      ...many
        .slice(110)
        .map(({ id }) => id)
        .reverse(),
    ]);
    expect(await trimAll({ ...keep, most: 5 })).toBe(1);
    expect((await store.list({ limit: 999 })).map(({ id }) => id)).toEqual([
      lasting.id,
      ...many
        .slice(-5)
        .map(({ id }) => id)
        .reverse(),
    ]);
    expect(await store.read('id-000')).toBeUndefined();
  });

  it('has capsules and timelines of so many, the newest, however few have the other of both', async () => {
    const store = await open();
    const many = Array.from({ length: 9 }, (_, minute) => incident(minute));
    await store.save(many);
    for (const { id } of many) await store.saveTimeline(id, { changes: [], minutes: [{ at: START, blocks: 7 }] });
    for (const { id } of many.slice(0, 4)) await store.saveCapsule(id, capsule);
    expect(await store.trim({ endedBefore: 0, most: 99, mostParts: 3 })).toBe(false);
    const records = await Promise.all(many.map(({ id }) => store.read(id)));
    const minutesWith = (part: 'capsule' | 'timeline') =>
      records.flatMap((record, minute) => (record?.[part] === undefined ? [] : [minute]));
    expect(minutesWith('timeline')).toEqual([6, 7, 8]);
    expect(minutesWith('capsule')).toEqual([1, 2, 3]);
  });
});

it('what this process knows is listed as a database lists it', async () => {
  const { endedAt: _, end: __, ...lasting } = incident(2);
  const { component: ___, name: ____, ...ofSubnet } = incident(1);
  const all = [
    ...[lasting, incident(3), incident(4, { subnet: 'other' }), incident(5, { severity: 'info' })],
    { ...ofSubnet, problem: 'subnet_halted' as const, alert: 'SubnetHalted', severity: 'critical' as const },
  ];
  const store = await openIncidents(await sqlite.create())();
  await store.save(all);
  const sources = { history: away, minutesOf: () => [], now: () => START };
  const own = createReadIncidents({
    ...{ known: () => all, capsuleOf: () => undefined, store: away, now: () => START },
    timelines: createTimelineReader(sources),
  });
  const queries: readonly Partial<IncidentQuery>[] = [
    ...[{}, { limit: 2 }, { before: incident(4) }, { before: incident(4, { id: 'z' }) }, { before: lasting }],
    ...[{ onlyGrave: true }, { ids: [incident(1).id, 'none'] }, { ids: [] }, { subnet: 'other' }, { name: 'n1' }],
    ...[{ subnets: ['devnet', 'none'] }, { subnets: [] }, { problem: 'subnet_halted' }, { component: 'relayer' }],
  ];
  for (const query of queries) {
    const { incidents, isWhole } = await own.list({ ...everything, ...query });
    expect([incidents, isWhole], JSON.stringify(query)).toEqual([await store.list({ ...everything, ...query }), false]);
  }
});
