import { describe, expect, it } from 'vitest';
import { formatDuration } from '../../../src/lib/duration.ts';
import { eventually } from '../../support/cli.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { NOW } from '../../support/diagnosed.ts';
import { openHistory, openIncidents } from '../../support/history-stores.ts';
import { away, change, reasons, runIncidents as run, INCIDENTS_START as START } from '../../support/run-incidents.ts';
import { withDown } from '../../support/snapshots.ts';
import { useDatabases } from '../../support/use-api.ts';

const MINUTE = 60_000;
const [well, failing] = [withDown(), withDown('n2')];
/** Those of the alert about the container of n2. */
const labels = { alertname: 'SubnetContainerDown', subnet: 'devnet', component: 'node', name: 'n2' };

const sqlite = useDatabases('sqlite');
const openSqlite = async () => openIncidents(await sqlite.create())();

describe.each(DATABASE_KINDS)('incidents on %s', (kind) => {
  const databases = useDatabases(kind);

  it('are acknowledged for all instances by the link of a message, go on so after a restart, and end so', async () => {
    const address = await databases.create();
    const [openStore, openChanges] = [openIncidents(address), openHistory(address)];
    const sources = { store: () => openStore(), history: () => openChanges() };
    const first = run(sources);
    first.show(failing);
    const begun = await first.only();
    const link = await eventually(async () => {
      expect((await (await openStore()).read(begun.id))?.incident.id).toBe(begun.id);
      const found = first.incidentOf(labels)?.link;
      if (found === undefined) throw new Error('no link yet');
      return new URL(found);
    });
    expect(first.incidentOf({ ...labels, name: 'n1' })).toBeUndefined();
    expect(`${link.origin}${link.pathname}`).toBe(`http://s.example/incidents/${begun.id}/acknowledge`);
    const query = Object.fromEntries(link.searchParams);
    const { until = '', key = '' } = query;
    expect(Number(until) * 1_000 - first.wall()).toBeGreaterThan(6 * 24 * 3_600_000);
    expect(await first.isGenuine(begun.id, query)).toBe(true);
    for (const [id, bad] of [
      ['other', query],
      [begun.id, { until: String(Number(until) + 1), key }],
      [begun.id, { until, key: key.slice(1) }],
      [begun.id, { until: '1', key }],
      [begun.id, {}],
    ] as const)
      expect(await first.isGenuine(id, bad)).toBe(false);

    expect(first.acknowledgedBy(labels)).toBeUndefined();
    expect(await first.acknowledge(begun.id, 'Anna')).toBe('acknowledged');
    expect(await first.acknowledge(begun.id, 'Bert')).toBe('acknowledged');
    expect(await first.acknowledge('nothing', 'Anna')).toBe('unknown');
    expect([first.acknowledgedBy(labels), first.incidentOf(labels)]).toEqual(['Anna', undefined]);
    const taken = (one: typeof first) =>
      one
        .addAcknowledgements([failing])[0]
        ?.problems.flatMap(({ problem, acknowledged }) =>
          acknowledged === undefined ? [] : [`${problem}: ${acknowledged.by}`],
        );
    expect(taken(first)).toEqual(['container_down: Anna']);
    expect((await first.read(begun.id))?.acknowledged?.by).toBe('Anna');
    await first.stop();

    const second = run(sources, first.wall() + MINUTE);
    second.show(failing);
    await eventually(() => expect(second.acknowledgedBy(labels)).toBe('Anna'));
    expect(await second.isGenuine(begun.id, query)).toBe(true);
    second.show(well);
    await eventually(async () => expect((await second.only()).endedAt).toBeDefined());
    await eventually(() => expect(second.acknowledgedBy(labels)).toBeUndefined());
    expect(await second.acknowledge(begun.id, 'Bert')).toBe('over');
    expect((await second.read(begun.id))?.acknowledged?.by).toBe('Anna');
    expect(second.bugs).toEqual([]);
  });

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
    const saidOf = ({ logged }: typeof first) =>
      logged
        .filter(({ problem }) => problem === 'container_down')
        .map(({ level, msg, lasted }) => [level, msg, lasted]);
    expect(saidOf(first)).toEqual([[40, 'problem opened', undefined]]);
    expect(await first.addNote(begun.id, { author: 'grace', text: 'restarted it' })).toBe('added');
    expect(await first.addNote('nothing', { author: 'grace', text: 'x' })).toBe('unknown');
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
    expect(saidOf(second).at(-1)).toEqual([30, 'problem over', formatDuration((ended.endedAt ?? 0) - ended.startedAt)]);
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

it('that were stored as clearing are not, when their problem is there and stays as it is', async () => {
  const store = await openSqlite();
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
  const store = await openSqlite();
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

/** As many nodes of which each has a problem, all stopped. */
function showStorm(count: number) {
  const [state, problem] = [failing.targets[1], failing.problems.find((one) => one.problem === 'container_down')];
  if (state === undefined || problem === undefined) throw new Error('a problem is needed');
  const names = Array.from({ length: count }, (_, index) => `x${index}`);
  const targets = names.map((name) => ({ ...state, target: { ...state.target, name } }));
  return { ...failing, targets, problems: names.map((name) => ({ ...problem, name })) };
}

it('of which more than a thousand end at once are all stored as ended, and so are as many from before a restart', async () => {
  const store = await openSqlite();
  const countOpen = async () => {
    const all = await store.list({ problem: 'container_down', limit: 9_999 });
    return [all.length, all.filter(({ endedAt }) => endedAt === undefined).length];
  };
  const first = run({ store: async () => store, history: away });
  first.show(showStorm(1_200));
  await eventually(async () => expect(await countOpen()).toEqual([1_200, 1_200]), 120_000);
  const open = await store.list({ limit: 9_999 });
  first.show(well);
  await eventually(async () => expect(await countOpen()).toEqual([1_200, 0]), 120_000);
  await first.stop();
  await store.save(open);
  const second = run({ store: async () => store, history: away }, START + 60 * MINUTE);
  const over = { ...showStorm(1_200), problems: [] };
  second.show(over);
  await second.pass(MINUTE);
  expect(await countOpen()).toEqual([1_200, 1_200]);
  second.show(over);
  await eventually(async () => expect(await countOpen()).toEqual([1_200, 0]), 120_000);
}, 480_000);

it('of which somebody was notified before they are followed say so, and later ones of the same say nothing of it', async () => {
  const link = run({ store: away, history: away });
  const by = { to: 'http://am:9093' };
  // All three in the two seconds before a snapshot.
  link.show(failing);
  link.addNotification(labels, 'firing', by);
  const { id } = await link.only();
  link.show(well);
  link.addNotification(labels, 'firing', { to: 'http://other:9093' });
  link.addNotification(labels, 'resolved', by);
  const { endedAt } = await eventually(async () => {
    const one = await link.only();
    expect(one).toMatchObject({
      id,
      end: 'recovered',
      notified: [
        { phase: 'firing', ...by },
        { phase: 'firing', to: 'http://other:9093' },
        { phase: 'resolved', ...by },
      ],
    });
    return one;
  });
  link.addNotification(labels, 'firing', { to: 'http://late:9093' });
  await link.pass(MINUTE);
  expect((await link.only()).notified).toHaveLength(3);
  const openedAt = NOW + (endedAt ?? 0) - START + 60 * MINUTE;
  link.show({ ...failing, problems: failing.problems.map((problem) => ({ ...problem, openedAt })) });
  const newest = await eventually(async () => {
    const [one] = await link.ofContainer();
    expect(one?.earlier).toBe(id);
    return one;
  });
  expect(newest?.notified).toEqual([]);
});
