import { describe, expect, it } from 'vitest';
import type { HistoryStore, Uptime } from '../../../src/model/history.ts';
import { startHistory } from '../../../src/tell/history/start-history.ts';
import { eventually } from '../../support/cli.ts';
import { DATABASE_KINDS } from '../../support/databases.ts';
import { createFakePart, type FakePart } from '../../support/fake-part.ts';
import { openHistory } from '../../support/history-stores.ts';
import { createSeenSubnet, FLEET_START } from '../../support/seen-subnet.ts';
import { withDown } from '../../support/snapshots.ts';
import { useDatabases } from '../../support/use-api.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const [well, failing] = [withDown(), withDown('n2')];
const [n1, n2] = well.subnet.targets;
if (n1 === undefined || n2 === undefined) throw new Error('four nodes are needed');

/** The history of an instance: ten seconds pass between records. */
function run(store: () => Promise<HistoryStore>, part: FakePart, from = FLEET_START) {
  const { deps, endWith, time } = createSeenSubnet(part, 10_000, from);
  const keptDays = { changes: 30, days: 365 };
  const link = startHistory({ ...deps, store, keptDays, firstAfterMs: 0, recordEveryMs: 5 });
  endWith(link.stop);
  return { ...link, ...time };
}
const sum = (uptimes: readonly (Uptime | undefined)[]): number =>
  uptimes.reduce((total, one) => total + (one === undefined ? 0 : one.ok + one.fail + one.unseen + one.planned), 0);
const ofProblem = async (store: () => Promise<HistoryStore>) =>
  (await (await store()).changes({ limit: 99 }))
    .filter(({ what }) => what === 'container_down')
    .map(({ was, is }) => `${was} -> ${is}`);

describe.each(DATABASE_KINDS)('the history of a subnet in a fleet on %s', (kind) => {
  const databases = useDatabases(kind);
  const open = async () => {
    const history = openHistory(await databases.create());
    return () => history('*');
  };

  it('is at its new owner what it was before, and nothing changed or ended because it moved', async () => {
    const store = await open();
    const part = createFakePart('devnet');
    const first = run(store, part);
    await first.pass(5 * MINUTE);
    first.show(failing);
    await eventually(async () => expect(await ofProblem(store)).toEqual(['none -> open']));
    await first.pass(3 * MINUTE);
    const known = first.historyOf(n2, first.wall()).hours.at(-1);
    Object.assign(part, { watched: [], own: [], kept: [] });
    await first.pass(10 * MINUTE);
    await first.stop();

    const second = run(store, createFakePart('devnet'), FLEET_START + 2 * HOUR);
    second.show(failing);
    await eventually(() =>
      expect(sum(second.historyOf(n2, second.wall()).hours.slice(0, -1))).toBeGreaterThan(8 * MINUTE),
    );
    const before = second.historyOf(n2, second.wall()).hours.at(-3);
    expect(known?.fail).toBeGreaterThan(2 * MINUTE);
    expect(before?.fail).toBeGreaterThanOrEqual(known?.fail ?? 0);
    // The bars are filled in after the uptimes were read.
    await eventually(() =>
      expect(
        second.checkHistoryOf(n2, 'latest_block', second.wall()).halfHours.filter((bar) => bar !== 'none').length,
      ).toBeGreaterThan(1),
    );
    await second.pass(2 * MINUTE);
    expect(await ofProblem(store)).toEqual(['none -> open']);
    second.show(well);
    await eventually(async () => expect(await ofProblem(store)).toEqual(['open -> ended', 'none -> open']));
  });

  it('is written by the one that keeps it, and counted once', async () => {
    const store = await open();
    const standby = run(store, Object.assign(createFakePart('devnet'), { kept: [] }));
    const keeper = run(store, createFakePart('devnet'));
    for (const one of [standby, keeper]) one.show(failing);
    await eventually(async () => expect(await ofProblem(store)).toHaveLength(1));
    await Promise.all([standby, keeper].map((one) => one.pass(4 * MINUTE)));
    const watched = keeper.passed();
    await Promise.all([standby, keeper].map((one) => one.stop()));
    expect(await ofProblem(store)).toEqual(['none -> open']);
    const uptimes = (await (await store()).uptimesAt('day', Date.UTC(2026, 10, 21))).filter(
      ({ name }) => name === 'n1',
    );
    expect(sum(uptimes)).toBeGreaterThan(3 * MINUTE);
    expect(sum(uptimes)).toBeLessThanOrEqual(watched + 10_000);
  });

  it('begins with what was written last when another takes it over', async () => {
    const store = await open();
    const part = Object.assign(createFakePart('devnet'), { kept: [] });
    const standby = run(store, part);
    const first = createFakePart('devnet');
    const keeper = run(store, first);
    for (const one of [standby, keeper]) one.show(failing);
    await eventually(async () => expect(await ofProblem(store)).toEqual(['none -> open']));
    first.kept = [];
    await keeper.pass(MINUTE);
    Object.assign(part, { kept: ['devnet'], epoch: 2 });
    await standby.pass(7 * MINUTE);
    expect(await ofProblem(store)).toEqual(['none -> open']);
    standby.show(well);
    await eventually(async () => expect(await ofProblem(store)).toEqual(['open -> ended', 'none -> open']));
  });

  it('is read of some subnets alone', async () => {
    const store = await (await open())();
    const row = {
      component: 'node',
      name: 'n1',
      span: 'hour',
      start: FLEET_START,
      ok: 1,
      fail: 0,
      unseen: 0,
      planned: 0,
    } as const;
    const names = ['a', 'b'];
    await store.addTimes(names.map((subnet) => ({ ...row, subnet })));
    await store.addMinutes(names.map((subnet) => ({ subnet, at: FLEET_START, blocks: 1 })));
    const change = { at: FLEET_START, kind: 'inventory', what: 'inventory', was: '', is: '', reason: '' } as const;
    await store.addChanges(names.map((subnet) => ({ ...change, subnet })));
    const subnetsOf = (rows: readonly { readonly subnet: string }[]) => rows.map(({ subnet }) => subnet).sort();
    for (const [asked, found] of [
      [undefined, names],
      [['b', 'none'], ['b']],
      [[], []],
    ] as const) {
      expect(subnetsOf(await store.uptimesAt('hour', FLEET_START, asked))).toEqual(found);
      expect(subnetsOf(await store.minutesFrom(FLEET_START, asked))).toEqual(found);
      expect(subnetsOf(await store.changes({ subnets: asked, limit: 9 }))).toEqual(found);
    }
  });
});
