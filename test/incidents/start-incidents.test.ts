import { describe, expect, it, onTestFinished } from 'vitest';
import { createIncidentMemory } from '../../src/incidents/create-incident-memory.ts';
import { createIncidentSaver } from '../../src/incidents/create-incident-saver.ts';
import { createTimelineReader } from '../../src/incidents/create-timeline-reader.ts';
import { type IncidentsDeps, startIncidents } from '../../src/incidents/start-incidents.ts';
import { databaseAway } from '../../src/model/database-failure.ts';
import type { HistoryChange } from '../../src/model/history.ts';
import type { Incident } from '../../src/model/incident.ts';
import type { SubnetState } from '../../src/model/snapshot.ts';
import { eventually } from '../support/cli.ts';
import { DATABASE_KINDS } from '../support/databases.ts';
import { diagnosedNode, NOW, STOPPED } from '../support/diagnosed.ts';
import { openHistory, openIncidents } from '../support/history-stores.ts';
import { stateOf } from '../support/snapshots.ts';
import { useDatabases } from '../support/use-api.ts';

const MINUTE = 60_000;
const START = Date.UTC(2026, 10, 22, 3);
const NAMES = ['n1', 'n2', 'n3', 'n4'];
const down = { fault: { kind: 'refused', address: 'x' }, container: STOPPED } as const;
const withDown = (...gone: readonly string[]): SubnetState =>
  stateOf(
    NAMES.map((name) =>
      diagnosedNode(name, NAMES, gone.includes(name) ? down : { peers: NAMES.filter((one) => one !== name) }),
    ),
  );
const [well, failing] = [withDown(), withDown('n2')];

/** The same without what explains failed checks. */
const unexplained = (state: SubnetState): SubnetState => ({
  ...state,
  targets: state.targets.map((one) => ({
    ...one,
    checks: one.checks.map(({ because: _, cause: __, ...check }) => check),
  })),
});

type Sources = Pick<IncidentsDeps, 'store' | 'history'>;

/** A daemon's incidents: two seconds pass between snapshots, from `startsAt` on. */
function run(sources: Sources, startsAt = START) {
  let passed = 0;
  let shown = well;
  const failures: unknown[] = [];
  const bugs: unknown[] = [];
  const link = startIncidents({
    ...sources,
    snapshot: () => {
      passed += 2_000;
      return [unexplained(shown)];
    },
    explained: () => [shown],
    clock: {
      now: () => NOW + passed,
      toWall: (at) => Math.round(startsAt + at - NOW),
      fromWall: (at) => at - startsAt + NOW,
    },
    keptDays: 365,
    minutesOf: () => [{ at: START, blocks: 30 }],
    readLastLines: async ({ name }, count) => ({
      ok: true,
      source: 'container',
      lines: [{ text: `the last ${count} of ${name}`, at: START }],
    }),
    isNotifying: () => true,
    onFailure: (error) => failures.push(error),
    onBug: (error) => bugs.push(error),
    firstAfterMs: 0,
    followEveryMs: 3,
  });
  onTestFinished(link.stop);
  const ofContainer = async () => {
    const { incidents } = await link.list({ problem: 'container_down', limit: 9 });
    return incidents;
  };
  return {
    ...link,
    failures,
    bugs,
    ofContainer,
    show: (next: SubnetState) => {
      shown = next;
    },
    wall: () => startsAt + passed,
    only: () =>
      eventually(async () => {
        const [one, ...others] = await ofContainer();
        expect(others).toEqual([]);
        if (one === undefined) throw new Error('no incident yet');
        return one;
      }),
    pass: async (ms: number) => {
      const from = passed;
      await eventually(() => expect(passed).toBeGreaterThanOrEqual(from + ms), 20_000, 5);
    },
  };
}

const change = (at: number, over: Partial<HistoryChange> = {}): HistoryChange => ({
  ...{ at, subnet: 'devnet', kind: 'container', what: 'c', was: 'running', is: 'exited', reason: 'it has ended' },
  ...over,
});
const reasons = (changes: readonly HistoryChange[] = []) => changes.map(({ reason }) => reason);

describe.each(DATABASE_KINDS)('incidents on %s', (kind) => {
  const databases = useDatabases(kind);

  it('have a capsule, a timeline and notes, go on after a restart, and are there when all is over', async () => {
    const address = await databases.create();
    const [openStore, openChanges] = [openIncidents(address), openHistory(address)];
    const sources = { store: () => openStore(), history: () => openChanges() };
    const first = run(sources);
    await (await openChanges()).addMinutes([{ subnet: 'devnet', at: START + MINUTE, blocks: 7 }]);
    await first.pass(MINUTE);
    first.show(failing);
    const begun = await first.only();
    expect(begun).toMatchObject({ subnet: 'devnet', component: 'node', name: 'n2', alert: 'SubnetContainerDown' });
    expect(first.idOf('devnet', begun)).toBe(begun.id);
    first.addChanges([change(begun.startedAt - MINUTE, { reason: 'near' }), change(begun.startedAt - 11 * MINUTE)]);
    await (await openChanges()).addChanges([
      change(begun.startedAt + 1, { reason: 'stored' }),
      change(begun.startedAt, { subnet: 'other' }),
    ]);
    await eventually(async () => {
      const record = await first.read(begun.id);
      expect(record?.capsule?.targets.map(({ name }) => name)).toEqual(['n2', 'n1', 'n3', 'n4']);
      const seen = record?.capsule?.targets[0]?.checks.map(({ reason }) => reason);
      expect(seen).toContainEqual(expect.stringContaining(', because the container of n2 '));
      expect(record?.capsule?.logs).toEqual([{ name: 'n2', lines: [{ text: 'the last 50 of n2', at: START }] }]);
      expect(reasons(record?.timeline?.changes)).toEqual(['near', 'stored']);
      expect(record?.timeline?.minutes.map(({ blocks }) => blocks)).toEqual([30, 7]);
    });
    expect(await first.addNote(begun.id, { author: 'grace', text: 'restarted it' })).toBe('added');
    expect(await first.addNote('nothing', { author: 'grace', text: 'x' })).toBe('unknown');
    const labels = { alertname: 'SubnetContainerDown', subnet: 'devnet', component: 'node', name: 'n2' };
    for (const phase of ['resolved', 'firing', 'firing'] as const)
      first.addNotification(labels, phase, { to: 'http://am:9093' });
    await first.stop();

    const second = run(sources, first.wall() + MINUTE);
    second.show(failing);
    await second.pass(20 * MINUTE);
    expect(await second.only()).toMatchObject({ id: begun.id, startedAt: begun.startedAt, returns: 0 });
    second.show(well);
    await eventually(async () => expect((await second.only()).endedAt).toBeDefined());
    second.addNotification(labels, 'resolved', { to: 'http://am:9093' });
    // Ten minutes after the end, the timeline is stored.
    const ended = await second.only();
    await eventually(async () => {
      const stored = await (await openStore()).read(begun.id);
      expect(stored?.timeline && reasons(stored.timeline.changes)).toEqual(['near', 'stored'].slice(1));
    }, 30_000);
    expect(second.wall()).toBeGreaterThanOrEqual((ended.endedAt ?? 0) + 11 * MINUTE);
    expect(await second.read('nothing')).toBeUndefined();
    const record = await second.read(begun.id);
    expect(record).toMatchObject({
      isWhole: true,
      incident: { end: 'recovered', notified: [{ phase: 'firing', to: 'http://am:9093' }, { phase: 'resolved' }] },
      notes: [{ author: 'grace', text: 'restarted it' }],
      capsule: { logs: [{ name: 'n2' }] },
    });
    expect(second.idOf('devnet', begun)).toBeUndefined();
    expect([...first.bugs, ...second.bugs, ...first.failures, ...second.failures]).toEqual([]);
  }, 60_000);
});

describe('incidents without a database', () => {
  const sqlite = useDatabases('sqlite');

  it('are in memory, which the list says, and are written when it is there', async () => {
    const openStore = openIncidents(await sqlite.create());
    let isAway = true;
    const away = async () => {
      throw databaseAway();
    };
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
    const away = async () => {
      throw databaseAway();
    };
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

it('that wait for a database are a thousand and those that are open, the newest', async () => {
  const memory = createIncidentMemory(9_999);
  let isAway = true;
  const clock = { now: () => NOW, toWall: (at: number) => at, fromWall: (at: number) => at };
  const saver = createIncidentSaver({
    store: async () => {
      if (isAway) throw databaseAway();
      return memory;
    },
    onLoaded: () => {},
    memory: createIncidentMemory(9),
    timelines: createTimelineReader({
      history: async () => Promise.reject(databaseAway()),
      minutesOf: () => [],
      now: clock.now,
    }),
    clock,
    keptDays: 1,
    onFailure: () => {},
  });
  const away = async () => Promise.reject(databaseAway());
  const link = run({ store: away, history: away });
  link.show(failing);
  const one = await link.only();
  saver.add([{ incident: { ...one, id: 'open' }, isNews: true }]);
  const ended = Array.from({ length: 1_500 }, (_, index) => ({
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
  const ids = (await memory.list({ limit: 9_999 })).map(({ id }) => id);
  expect([ids.length, ids[0], ids.includes('i500'), ids.includes('i501')]).toEqual([1_000, 'open', false, true]);
}, 20_000);

it('that were stored as clearing are not, when their problem is there and stays as it is', async () => {
  const store = createIncidentMemory(9);
  const away = async () => Promise.reject(databaseAway());
  const first = run({ store: async () => store, history: away });
  first.show(failing);
  const { id } = await first.only();
  await first.stop();
  const stored = (await store.read(id))?.incident ?? expect.fail('it was not stored');
  await store.save([{ ...stored, clearSince: START }]);
  const second = run({ store: async () => store, history: away });
  second.show(failing);
  await eventually(async () => {
    const one = (await store.read(id))?.incident;
    expect([one?.clearSince, one?.endedAt]).toEqual([undefined, undefined]);
  });
  expect((await second.only()).id).toBe(id);
});

it('that the database has are not written again, and one that begins after them has a capsule of its own', async () => {
  const store = createIncidentMemory(99);
  const away = async () => Promise.reject(databaseAway());
  const first = run({ store: async () => store, history: away });
  first.show(failing);
  const { id } = await first.only();
  first.show(well);
  await eventually(async () => expect((await store.read(id))?.incident.endedAt).toBeDefined());
  await first.stop();
  const written: string[] = [];
  const save: typeof store.save = async (incidents) => {
    for (const one of incidents) if (one.problem === 'container_down') written.push(one.id);
    await store.save(incidents);
  };
  const second = run({ store: async () => ({ ...store, save }), history: away }, START + 60 * MINUTE);
  await eventually(async () => expect(await second.ofContainer()).toHaveLength(1));
  await second.pass(MINUTE);
  expect(written).toEqual([]);
  const openedAt = NOW + 30 * MINUTE;
  second.show({ ...failing, problems: failing.problems.map((problem) => ({ ...problem, openedAt })) });
  await eventually(async () => {
    const [newest] = await second.ofContainer();
    expect(newest?.earlier).toBe(id);
    expect((await second.read(newest?.id ?? ''))?.capsule).toBeDefined();
  });
});

it('have 200 notes at most', async () => {
  const store = createIncidentMemory(9);
  const away = async () => Promise.reject(databaseAway());
  const link = run({ store: async () => store, history: away });
  link.show(failing);
  const { id } = await link.only();
  await eventually(async () => expect(await store.read(id)).toBeDefined());
  const note = { author: 'grace', text: 'n' };
  for (let count = 0; count < 200; count += 1) expect(await link.addNote(id, note)).toBe('added');
  expect(await link.addNote(id, note)).toBe('full');
  expect((await store.read(id))?.notes).toHaveLength(200);
});
