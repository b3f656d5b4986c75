import Database from 'better-sqlite3';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { databaseAway } from '../../../src/lib/database-failure.ts';
import type { HistoryStore, Uptime } from '../../../src/model/history.ts';
import type { SubnetState } from '../../../src/model/snapshot.ts';
import { type HistoryDeps, startHistory } from '../../../src/tell/history/start-history.ts';
import { eventually } from '../../support/cli.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { NOW } from '../../support/diagnosed.ts';
import { createFakePart } from '../../support/fake-part.ts';
import { openHistory } from '../../support/history-stores.ts';
import { startPostgres } from '../../support/postgres.ts';
import { withDown } from '../../support/snapshots.ts';
import { useDatabases } from '../../support/use-api.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const START = Date.UTC(2026, 10, 21, 12);
const well = withDown();
const failing = withDown('n2');
const [n1, n2] = well.subnet.targets;
if (n1 === undefined || n2 === undefined) throw new Error('four nodes are needed');

/**
 * A daemon's history, in which ten seconds pass with each look, up to `end`: a record is one, and each read of the past. The height
 * rises by thirty blocks when a minute begins, so it does not matter which look is recorded first in it.
 */
function run(store: HistoryDeps['store'], startsAt: number, end = Number.POSITIVE_INFINITY) {
  let passed = 0;
  let state = well;
  const failures: unknown[] = [];
  const bugs: unknown[] = [];
  const link = startHistory({
    part: createFakePart('devnet'),
    store,
    snapshot: () => {
      if (passed < end) passed += 10_000;
      return [{ ...state, reference: 30 * Math.floor(passed / 60_000) }];
    },
    clock: { now: () => NOW + passed, toWall: (at) => startsAt + at - NOW },
    keptDays: { changes: 30, days: 365 },
    onFailure: (error) => failures.push(error),
    onBug: (error) => bugs.push(error),
    firstAfterMs: 0,
    recordEveryMs: 5,
  });
  onTestFinished(link.stop);
  return {
    ...link,
    failures,
    bugs,
    show: (next: SubnetState) => {
      state = next;
    },
    wall: () => startsAt + passed,
    pass: async (ms: number) => {
      const from = passed;
      await eventually(() => expect(passed).toBeGreaterThanOrEqual(from + ms), 20_000, 5);
    },
  };
}

const sum = (uptimes: readonly (Uptime | undefined)[]): number =>
  uptimes.reduce((total, one) => total + (one === undefined ? 0 : one.ok + one.fail + one.unseen + one.planned), 0);

describe.each(DATABASE_KINDS)('a history on %s', (kind) => {
  const databases = useDatabases(kind);

  it('shows the same bars and minutes after a restart, and nothing for the time between', async () => {
    const address = await databases.create();
    const first = run(openHistory(address), START);
    await first.pass(6 * 60_000);
    first.show(failing);
    await first.pass(3 * 60_000);
    await first.stop();
    const bars = { one: first.historyOf(n1, first.wall()), two: first.historyOf(n2, first.wall()) };
    expect(bars.two.hours.at(-1)?.fail).toBeGreaterThan(100_000);
    expect(bars.one.hours.at(-1)?.fail).toBe(0);
    const minutes = first.minutesOf('devnet');
    expect(minutes.length).toBeGreaterThanOrEqual(7);

    const second = run(openHistory(address), START + 2 * HOUR, 60_000);
    expect(second.isPastRead('devnet')).toBe(false);
    await eventually(() => expect(second.isPastRead('devnet')).toBe(true), 5_000);
    await eventually(() => {
      for (const [target, before] of [
        [n1, bars.one],
        [n2, bars.two],
      ] as const) {
        const { hours, days } = second.historyOf(target, second.wall());
        // What was this hour is two hours ago now; nobody watched the hour between.
        expect(hours.at(-3)).toEqual(before.hours.at(-1));
        expect(hours.at(-2)).toBeUndefined();
        expect(days.at(-1)?.fail).toBe(before.days.at(-1)?.fail);
      }
    }, 5_000);
    const later = run(openHistory(address), START + 20 * 60_000, 60_000);
    await eventually(() => expect(later.minutesOf('devnet').slice(0, minutes.length)).toEqual(minutes), 5_000);
    expect([...first.bugs, ...second.bugs, ...first.failures, ...second.failures]).toEqual([]);
  });

  it('shows the same steps after a restart, and what it shows then joins them', async () => {
    const address = await databases.create();
    // Their time ends, so that a slow database does not let more of it pass.
    const first = run(openHistory(address), START, 7 * 60_000);
    await first.pass(6 * 60_000);
    await first.stop();
    const before = first.stepsOf('devnet', '24h', first.wall());
    expect(before.blocks.at(-1)).toBe(30);
    const lag = first.targetStepsOf(n1, '24h', first.wall()).lag;
    expect(lag.at(-1)).toBeTypeOf('number');
    const second = run(openHistory(address), START + HOUR, 7 * 60_000);
    await eventually(() => {
      const { blocks } = second.stepsOf('devnet', '24h', second.wall());
      expect(blocks.slice(-3)).toEqual([30, undefined, 30]);
      expect(second.targetStepsOf(n1, '24h', second.wall()).lag.at(-3)).toBe(lag.at(-1));
    }, 10_000);
    // Another instance has its own.
    const row = { subnet: 'd', component: 'node', name: 'n', newest: START, cells: 'AA==' } as const;
    const store = openHistory(address);
    await (await store('two')).putSteps([row]);
    await (await store('two')).putSteps([{ ...row, newest: START + 60_000, cells: 'AAA=' }]);
    expect(await (await store('two')).steps(['d', 'e'])).toEqual([{ ...row, newest: START + 60_000, cells: 'AAA=' }]);
    expect(await (await store('one')).steps(['d'])).toEqual([]);
    expect(await (await store('two')).steps([])).toEqual([]);
  });

  it('shows for each check when it failed before a restart', async () => {
    const store = openHistory(await databases.create());
    const { subnet, component, name } = n2;
    const row = { subnet, component, name, span: 'hour', ok: 1_800_000, fail: 0, unseen: 0, planned: 0 } as const;
    await (await store()).addTimes([3, 1].map((hours) => ({ ...row, start: START - hours * HOUR })));
    const change = { subnet, component, name, kind: 'check', what: 'latest_block', reason: '' } as const;
    await (await store()).addChanges([
      { ...change, at: START - 2.4 * HOUR, was: 'pass', is: 'fail' },
      { ...change, at: START - 0.6 * HOUR, was: 'fail', is: 'pass' },
    ]);
    const daemon = run(store, START);
    const bars = () => daemon.checkHistoryOf(n2, 'latest_block', START).halfHours.slice(-7);
    await eventually(() => expect(bars()).toEqual(['up', 'part', 'none', 'none', 'part', 'up', 'up']), 5_000);
    expect(daemon.checkHistoryOf(n1, 'latest_block', START).halfHours.slice(-7)).toEqual([
      ...Array(6).fill('none'),
      'up',
    ]);
  });

  it('shows nothing of a check from before the first start, not even of the same hour', async () => {
    const begun = START + 0.7 * HOUR;
    const daemon = run(openHistory(await databases.create()), begun, 120_000);
    await daemon.pass(100_000);
    // The end waits until the database has been read and written.
    await daemon.stop();
    expect(daemon.checkHistoryOf(n1, 'latest_block', daemon.wall()).halfHours.slice(-3)).toEqual([
      'none',
      'none',
      'up',
    ]);
  });

  it('of another instance in the same database is its own', async () => {
    const store = openHistory(await databases.create());
    const row = {
      subnet: 'd',
      component: 'node',
      name: 'n',
      start: START,
      ok: 1,
      fail: 2,
      unseen: 3,
      planned: 4,
    } as const;
    await (await store('one')).addTimes([{ ...row, span: 'day' }]);
    await (await store('one')).addTimes([
      { ...row, span: 'day' },
      { ...row, span: 'hour' },
    ]);
    expect(await (await store('one')).uptimesAt('day', START)).toEqual([
      { ...row, span: 'day', ok: 2, fail: 4, unseen: 6, planned: 8 },
    ]);
    expect(await (await store('two')).uptimesAt('day', START)).toEqual([]);
    expect(await (await store('two')).days({ limit: 10 })).toEqual([]);
    await (await store('one')).addMinutes([
      { subnet: 'd', at: START, blocks: 7 },
      { subnet: 'e', at: START, blocks: 1, gap: 2 },
    ]);
    await (await store('one')).addMinutes([{ subnet: 'd', at: START, blocks: 8, gap: 1 }]);
    expect(await (await store('one')).minutesFrom(START)).toEqual([
      { subnet: 'd', at: START, blocks: 8, gap: 1 },
      { subnet: 'e', at: START, blocks: 1, gap: 2 },
    ]);
    expect(await (await store('two')).minutesFrom(0)).toEqual([]);
  });

  it('loses what is older than its settings and no more, slice by slice', async () => {
    const store = await openHistory(await databases.create())();
    const target = { subnet: 'd', component: 'node', name: 'n' } as const;
    const none = { ok: 1, fail: 0, unseen: 0, planned: 0 };
    const at = (ago: number) => START - ago;
    for (const ago of [0, 1, 2, 3, 4]) {
      await store.addTimes([{ ...target, span: 'hour', start: at(ago * HOUR), ...none }]);
      await store.addTimes([{ ...target, span: 'day', start: at(ago * DAY), ...none }]);
      await store.addMinutes([{ subnet: 'd', at: at(ago * 2 * HOUR), blocks: ago }]);
    }
    const change = { ...target, kind: 'check', what: 'peers', was: 'pass', is: 'fail', reason: 'r' } as const;
    await store.addChanges(Array.from({ length: 2_400 }, (_, index) => ({ ...change, at: at(2_400 - index) })));
    const row = { subnet: 'd', component: 'node', cells: '' } as const;
    await store.putSteps([
      { ...row, name: 'old', newest: at(HOUR + 1) },
      { ...row, name: 'new', newest: at(HOUR) },
    ]);
    const keep = {
      ...{ changes: at(1_300), most: 9_999, hours: at(2 * HOUR), days: at(3 * DAY) },
      ...{ minutes: at(4 * HOUR), steps: at(HOUR) },
    };
    let slices = 0;
    while (await store.trim(keep)) slices += 1;
    expect(slices).toBeGreaterThan(1);
    expect((await store.changes({ limit: 5_000 })).map((one) => one.at)).toEqual(
      Array.from({ length: 1_300 }, (_, index) => at(1 + index)),
    );
    expect((await store.days({ limit: 9 })).map(({ start }) => start)).toEqual(
      [3, 2, 1, 0].map((ago) => at(ago * DAY)),
    );
    expect((await store.minutesFrom(0)).map(({ blocks }) => blocks)).toEqual([2, 1, 0]);
    expect((await store.steps(['d'])).map(({ name }) => name)).toEqual(['new']);
    const hours = await Promise.all([2, 3].map((ago) => store.uptimesAt('hour', at(ago * HOUR))));
    expect(hours.map((rows) => rows.length)).toEqual([1, 0]);
    while (await store.trim({ ...keep, most: 50 })) slices += 1;
    expect((await store.changes({ limit: 5_000 })).map((one) => one.at)).toEqual(
      Array.from({ length: 50 }, (_, index) => at(1 + index)),
    );
  });
});

/** The time that the database has, of all hours. */
const storedTime = async (store: HistoryStore, at: number) =>
  sum(await store.uptimesAt('hour', Math.floor(at / HOUR) * HOUR));

it('at its end writes the steps of all its targets, however many they are', async () => {
  const [one] = well.targets;
  if (one === undefined) throw new Error('a target is needed');
  const targets = Array.from({ length: 1_200 }, (_, index) => ({
    ...one,
    target: { ...one.target, name: `node${index}` },
  }));
  const names = new Set<string>();
  const nothing = async () => {};
  const store: HistoryStore = {
    ...{ addTimes: nothing, addMinutes: nothing, addChanges: nothing, trim: async () => false },
    ...{ uptimesAt: async () => [], minutesFrom: async () => [], changes: async () => [], days: async () => [] },
    steps: async () => [],
    putSteps: async (rows) => {
      for (const { name } of rows) names.add(name);
    },
  };
  const daemon = run(async () => store, START, 60_000);
  daemon.show({ ...well, targets });
  await daemon.pass(50_000);
  await eventually(async () => {
    await daemon.stop();
    expect(names.size).toBe(1_201);
  }, 10_000);
});

describe('a database that is away', () => {
  const sqlite = useDatabases('sqlite');
  let lock: Database.Database | undefined;
  afterEach(() => void lock?.close());

  it('because another process locks it holds up no record, and gets everything when the lock is gone', async () => {
    const address = await sqlite.create();
    const store = await openHistory(address)();
    if (address.kind !== 'sqlite') throw new Error('unreachable');
    const history = run(openHistory(address), START);
    await history.pass(3 * 60_000);
    lock = new Database(address.path);
    lock.exec('begin immediate');
    const before = sum(history.historyOf(n1, history.wall()).hours);
    history.show(failing);
    await history.pass(5 * 60_000);
    expect(sum(history.historyOf(n1, history.wall()).hours)).toBeGreaterThanOrEqual(before + 5 * 60_000);
    expect((await store.changes({ limit: 99 })).filter(({ is }) => is === 'fail')).toEqual([]);
    lock.exec('commit');
    await eventually(async () =>
      expect((await store.changes({ limit: 99 })).filter(({ is }) => is === 'fail')).not.toEqual([]),
    );
    await history.stop();
    expect(await storedTime(store, START)).toBe(well.targets.length * sum(history.historyOf(n1, history.wall()).hours));
    expect(history.dropped()).toBe(0);
  });

  it('because writes fail gets the same writes again', async () => {
    const open = openHistory(await sqlite.create());
    let isBroken = true;
    const unlessBroken =
      <T>(write: (items: readonly T[]) => Promise<void>) =>
      async (items: readonly T[]) => {
        if (isBroken) throw databaseAway();
        await write(items);
      };
    const history = run(async () => {
      const store = await open();
      return { ...store, addTimes: unlessBroken(store.addTimes), addChanges: unlessBroken(store.addChanges) };
    }, START);
    await history.pass(2 * 60_000);
    await eventually(() => expect(history.failures).toHaveLength(1));
    history.show(failing);
    await history.pass(2 * 60_000);
    isBroken = false;
    await history.stop();
    const store = await open();
    expect(await storedTime(store, START)).toBe(well.targets.length * sum(history.historyOf(n1, history.wall()).hours));
    expect((await store.changes({ limit: 99 })).filter(({ is }) => is === 'fail')).not.toEqual([]);
  });

  it('because its server ends is written again when the server is back', async () => {
    const server = await startPostgres();
    onTestFinished(server.stop);
    const address = { kind: 'postgres', url: await server.createDatabase() } as const;
    const open = openHistory(address);
    const history = run(open, START);
    await history.pass(3 * 60_000);
    await eventually(async () => expect(await storedTime(await open(), START)).toBeGreaterThan(0));
    await server.halt();
    history.show(failing);
    await history.pass(3 * 60_000);
    const duringOutage = sum(history.historyOf(n1, history.wall()).hours);
    expect(duringOutage).toBeGreaterThanOrEqual(5 * 60_000);
    await eventually(() => expect(history.failures).toHaveLength(1));
    await server.resume();
    await eventually(async () => {
      const store = await open();
      expect(await storedTime(store, START)).toBeGreaterThanOrEqual(well.targets.length * duringOutage);
      expect((await store.changes({ limit: 99 })).filter(({ is }) => is === 'fail')).not.toEqual([]);
    });
    expect(history.dropped()).toBe(0);
  }, 60_000);

  it('from the start is asked again, and what is too much for the wait is counted', async () => {
    let asked = 0;
    const history = run(async () => {
      asked += 1;
      throw databaseAway();
    }, START);
    const names = Array.from({ length: 400 }, (_, index) => `x${index}`);
    const many = (fault: boolean): SubnetState => ({
      ...well,
      targets: names.flatMap((name) => {
        const [state] = (fault ? failing : well).targets.slice(1);
        return state === undefined ? [] : [{ ...state, target: { ...state.target, name } }];
      }),
    });
    const [good, bad] = [many(false), many(true)];
    for (let turn = 0; history.dropped() === 0 && turn < 200; turn += 1) {
      history.show(turn % 2 === 0 ? bad : good);
      await history.pass(10_000);
    }
    expect(history.dropped()).toBeGreaterThan(0);
    expect(asked).toBeGreaterThan(3);
    expect(history.failures).toHaveLength(1);
    expect(history.bugs).toEqual([]);
  }, 30_000);
});

it('is not stored before its time, nor by a daemon that ends sooner, which need not load the database for it', async () => {
  let opened = 0;
  const passed = { ms: 0 };
  const link = startHistory({
    part: createFakePart('devnet'),
    store: () => {
      opened += 1;
      return Promise.reject(new Error('away'));
    },
    snapshot: () => [well],
    clock: { now: () => NOW + passed.ms, toWall: (at) => START + at - NOW },
    keptDays: { changes: 30, days: 365 },
    onFailure: () => {},
    onBug: () => {},
    firstAfterMs: 600_000,
    recordEveryMs: 1,
    saveEveryMs: 1,
  });
  await new Promise((resolve) => setTimeout(resolve, 30));
  await link.stop();
  expect(opened).toBe(0);
});
