import { describe, expect, it } from 'vitest';
import { databaseAway } from '../../../src/lib/database-failure.ts';
import { createStateSaver } from '../../../src/tell/notify/create-state-saver.ts';
import { createFakePart, type FakePart } from '../../support/fake-part.ts';

/** A value of a subnet. */
interface Row {
  readonly subnet: string;
  readonly value: number;
}

/** A database whose next read ends when the test says so, with what was there when it began. */
function createShared(...stored: readonly Row[]) {
  const rows = new Map(stored.map((row) => [row.subnet, row]));
  let gate: ReturnType<typeof Promise.withResolvers<void>> | undefined;
  let loads = 0;
  return {
    rows,
    loads: () => loads,
    holdReads: () => {
      gate = Promise.withResolvers<void>();
      return () => gate?.resolve();
    },
    store: {
      load: async () => {
        loads += 1;
        const read = [...rows.values()];
        await gate?.promise;
        return read;
      },
      save: async (changed: ReadonlyMap<string, Row>, gone: readonly string[]) => {
        for (const [key, row] of changed) rows.set(key, row);
        for (const key of gone) rows.delete(key);
      },
    },
  };
}

/** The saver of an instance that knows these values, and takes over what it reads. */
function run(shared: ReturnType<typeof createShared>, part: FakePart, ...known: readonly Row[]) {
  const current = new Map(known.map((row) => [row.subnet, row]));
  const read: string[] = [];
  const bugs: string[] = [];
  const saver = createStateSaver<Row>({
    part,
    now: () => 0,
    store: async () => shared.store,
    isWanted: (subnet) => !part.isShadowed(subnet),
    current: () => current,
    keyOf: ({ subnet }) => subnet,
    subnetOf: ({ subnet }) => subnet,
    isSame: (one, other) => one.value === other.value,
    onRead: (stored) => {
      for (const row of stored) {
        read.push(`${row.subnet} ${row.value}`);
        current.set(row.subnet, row);
      }
    },
    onBug: (error) => bugs.push(String(error)),
  });
  return { ...saver, current, read, bugs };
}

describe('an instance that begins to keep a subnet while it reads', () => {
  it('reads once more, and neither overwrites nor deletes what the one before has written meanwhile', async () => {
    const shared = createShared({ subnet: 'moved', value: 1 });
    const part = Object.assign(createFakePart('moved'), { kept: [] });
    const one = run(shared, part);
    const release = shared.holdReads();
    const saving = one.save();
    await expect.poll(shared.loads).toBe(1);
    shared.rows.set('moved', { subnet: 'moved', value: 2 });
    Object.assign(part, { kept: ['moved'], epoch: 2 });
    release();
    await saving;
    expect([shared.rows.get('moved')?.value, one.isKept('moved'), one.isKnown('moved')]).toEqual([2, false, true]);
    await one.save();
    expect([one.read, one.isKept('moved')]).toEqual([['moved 1', 'moved 2'], true]);
    one.current.delete('moved');
    await one.save();
    expect([...shared.rows]).toEqual([]);
  });

  it('does not take what was read for another subnet just before', async () => {
    const shared = createShared({ subnet: 'moved', value: 1 });
    const part = Object.assign(createFakePart('moved', 'other'), { shadowed: ['moved'] });
    const one = run(shared, part);
    const release = shared.holdReads();
    const saving = one.save();
    await expect.poll(shared.loads).toBe(1);
    shared.rows.set('moved', { subnet: 'moved', value: 2 });
    part.shadowed = [];
    release();
    await saving;
    expect([one.read, one.isKnown('moved')]).toEqual([[], false]);
    await one.save();
    expect(one.read).toEqual(['moved 2']);
  });
});

describe('a subnet that has left the inventory', () => {
  it('is read by its shard once the instance that had it is gone, stored or not when it was read first', async () => {
    const shared = createShared({ subnet: 'early', value: 1 });
    const part = Object.assign(createFakePart('early', 'late', 'other'), { shadowed: ['early', 'late'] });
    const one = run(shared, part);
    await one.save();
    shared.rows.set('late', { subnet: 'late', value: 2 });
    part.watched = ['other'];
    await one.save();
    expect(one.read).toEqual([]);
    part.shadowed = [];
    await one.save();
    expect(one.read).toEqual(['early 1', 'late 2']);
    one.current.clear();
    await one.save();
    expect([...shared.rows]).toEqual([]);
    const loads = shared.loads();
    await one.save();
    expect(shared.loads()).toBe(loads);
  });

  it('is read by its shard when it left while nobody ran, and by no other', async () => {
    const shared = createShared({ subnet: 'removed', value: 1 });
    const owner = Object.assign(createFakePart(), { own: ['removed'], kept: ['removed'] });
    const [one, two] = [run(shared, owner), run(shared, createFakePart('third'))];
    for (const each of [one, two, one, two]) await each.save();
    expect([one.read, two.read]).toEqual([['removed 1'], []]);
  });
});

it('a saver that fails for a bug reports it, and one whose database is down does not', async () => {
  const shared = createShared();
  const one = run(shared, createFakePart('own'), { subnet: 'own', value: 1 });
  const { save } = shared.store;
  for (const error of [databaseAway(), new Error('a bug')]) {
    shared.store.save = () => Promise.reject(error);
    await one.save();
  }
  expect(one.bugs).toEqual(['Error: a bug']);
  shared.store.save = save;
  await one.save();
  expect(shared.rows.get('own')?.value).toBe(1);
});
