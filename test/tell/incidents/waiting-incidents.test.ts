import { describe, expect, it } from 'vitest';
import { databaseAway } from '../../../src/lib/database-failure.ts';
import type { Incident } from '../../../src/model/incident.ts';
import { createIncidentSaver } from '../../../src/tell/incidents/create-incident-saver.ts';
import { createTimelineReader } from '../../../src/tell/incidents/timeline.ts';
import { eventually } from '../../support/cli.ts';
import { NOW } from '../../support/diagnosed.ts';
import { openIncidents } from '../../support/history-stores.ts';
import { away, change, reasons, runIncidents as run } from '../../support/run-incidents.ts';
import { withDown } from '../../support/snapshots.ts';
import { useDatabases } from '../../support/use-api.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const failing = withDown('n2');

const sqlite = useDatabases('sqlite');
const openSqlite = async () => openIncidents(await sqlite.create())();

describe('incidents without a database', () => {
  it('are in memory, which the list says, and are written when it is there', async () => {
    const openStore = openIncidents(await sqlite.create());
    let isAway = true;
    const link = run({ store: () => (isAway ? away() : openStore()), history: away });
    link.show(failing);
    const begun = await link.only();
    expect(await link.list({ limit: 9 })).toMatchObject({ isWhole: false });
    expect((await link.list({ problem: 'nothing', limit: 9 })).incidents).toEqual([]);
    link.addChanges([change(begun.startedAt, { reason: 'near' })]);
    const record = await link.read(begun.id);
    expect(record).toMatchObject({ isWhole: false, notes: [], capsule: { omitted: 0 } });
    expect(reasons(record?.timeline?.changes)).toEqual(['near']);
    await expect(link.read('nothing')).rejects.toThrow();
    await expect(link.addNote(begun.id, { author: 'a', text: 't' })).rejects.toThrow();
    await eventually(() => expect(link.failures).toHaveLength(1));
    isAway = false;
    const stored = await eventually(async () => {
      const found = await (await openStore()).read(begun.id);
      expect(found?.capsule).toBeDefined();
      return found?.incident as Incident;
    });
    expect(stored).toMatchObject({ id: begun.id, startedAt: begun.startedAt });
    expect(link.bugs).toEqual([]);
  });

  it('take ten capsules of problems that begin at once, those of the gravest', async () => {
    const link = run({ store: away, history: away });
    const one = failing.problems.find(({ problem }) => problem === 'container_down');
    if (one === undefined) throw new Error('a problem is needed');
    const problems = NAMES.flatMap((name) =>
      (['node_behind', 'node_stalled', 'peers_missing'] as const).map((problem) => ({ ...one, problem, name })),
    );
    const { component: _, name: __, ...ofSubnet } = one;
    link.show({ ...failing, problems: [...problems, { ...ofSubnet, problem: 'subnet_halted', severity: 'critical' }] });
    const { incidents } = await eventually(async () => {
      const listed = await link.list({ limit: 99 });
      expect(listed.incidents).toHaveLength(13);
      return listed;
    });
    const records = await Promise.all(incidents.map(({ id }) => link.read(id)));
    const captured = records.flatMap((record) => (record?.capsule ? [record.incident.problem] : []));
    expect(captured).toHaveLength(10);
    expect(captured).toContain('subnet_halted');
  });
});

it('that wait for a database are ten thousand and those that are open, the newest', async () => {
  const database = await openSqlite();
  let isAway = true;
  const clock = { now: () => NOW, toWall: (at: number) => at, fromWall: (at: number) => at };
  const saver = createIncidentSaver({
    store: async () => {
      if (isAway) throw databaseAway();
      return database;
    },
    onLoaded: () => {},
    fleet: { read: async () => undefined, isWritten: () => true, isSettled: () => true },
    timelines: createTimelineReader({
      history: away,
      minutesOf: () => [],
      now: clock.now,
    }),
    clock,
    keptDays: 1,
    onFailure: () => {},
  });
  const link = run({ store: away, history: away });
  link.show(failing);
  const one = await link.only();
  saver.add([{ incident: { ...one, id: 'open' }, isNews: true }]);
  const ended = Array.from({ length: 10_500 }, (_, index) => ({
    ...one,
    id: `i${index}`,
    startedAt: NOW,
    endedAt: NOW,
  }));
  saver.add(ended.slice(0, 400).map((incident) => ({ incident, isNews: true })));
  saver.add(ended.slice(400).map((incident) => ({ incident, isNews: true })));
  await saver.save();
  isAway = false;
  await saver.save();
  const ids = (await database.list({ limit: 99_999 })).map(({ id }) => id);
  expect([ids.length, ids[0], ids.includes('i500'), ids.includes('i501')]).toEqual([10_000, 'open', false, true]);
}, 120_000);

it('have 200 notes at most', async () => {
  const store = await openSqlite();
  const link = run({ store: async () => store, history: away });
  link.show(failing);
  const { id } = await link.only();
  await eventually(async () => expect(await store.read(id)).toBeDefined());
  const note = { author: 'grace', text: 'n' };
  for (let count = 0; count < 200; count += 1) expect(await link.addNote(id, note)).toBe('added');
  expect(await link.addNote(id, note)).toBe('full');
  expect((await store.read(id))?.notes).toHaveLength(200);
});

it('are read with the minutes of their own subnet alone', async () => {
  const link = run({ store: away, history: away });
  link.show(failing);
  const asked: (readonly string[] | undefined)[] = [];
  const timelines = createTimelineReader({
    history: async () => ({
      changes: async () => [],
      minutesFrom: async (_, subnets) => {
        asked.push(subnets);
        return [];
      },
    }),
    minutesOf: () => [],
    now: () => NOW,
  });
  await timelines.read(await link.only());
  expect(asked).toEqual([['devnet']]);
});
