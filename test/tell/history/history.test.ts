import { expect, test } from 'vitest';
import type { PlannedWork } from '../../../src/model/planned-work.ts';
import type { Snapshot, SubnetState } from '../../../src/model/snapshot.ts';
import { createHistory } from '../../../src/tell/history/create-history.ts';
import { createPace } from '../../../src/tell/history/pace.ts';
import { createRing, findSpan, openSpan } from '../../../src/tell/history/ring.ts';
import { diagnosedNode, STOPPED } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';

test('a ring keeps the newest spans, and nothing where nobody looked', () => {
  const ring = createRing(new Uint16Array(6), 3);
  const add = (span: number, value: number) => {
    const first = openSpan(ring, span);
    if (first !== undefined) ring.cells.set([value, value + 1], first);
  };
  const read = (...spans: readonly number[]) =>
    spans.map((span) => {
      const first = findSpan(ring, span);
      return first === undefined ? undefined : [...ring.cells.subarray(first, first + ring.width)];
    });
  add(10, 1);
  add(12, 3);
  expect(read(9, 10, 11, 12, 13)).toEqual([undefined, [1, 2], [0, 0], [3, 4], undefined]);
  add(13, 5);
  add(10, 7);
  add(11, 9);
  expect(read(10, 11, 12, 13)).toEqual([undefined, [9, 10], [3, 4], [5, 6]]);
  add(900, 1);
  expect(read(13, 898, 899, 900)).toEqual([undefined, [0, 0], [0, 0], [1, 2]]);
});

const MINUTE = 60_000;

test('the pace is the blocks between the ends of minutes, and knows nothing of a minute that nobody watched', () => {
  const pace = createPace();
  // Every 10 s, five blocks each.
  for (let at = 0; at <= 3 * MINUTE; at += 10_000) pace.record(at, 100 + at / 2_000, 2);
  expect(pace.read()).toEqual([0, 1, 2].map((minute) => ({ at: minute * MINUTE, blocks: 30, gap: 2 })));
  // Nobody looks for two minutes; then no block comes.
  for (let at = 5 * MINUTE; at <= 7 * MINUTE; at += 10_000) pace.record(at, 500, undefined);
  expect(pace.read().slice(3)).toEqual([
    { at: 5 * MINUTE, blocks: 0 },
    { at: 6 * MINUTE, blocks: 0 },
  ]);
  // A chain that was reset has a lower height.
  for (let at = 7 * MINUTE; at <= 8 * MINUTE; at += 10_000) pace.record(at, 3, undefined);
  expect(pace.read().at(-1)).toEqual({ at: 7 * MINUTE, blocks: 0 });
  pace.record(8 * MINUTE + 10_000, undefined, undefined);
  for (let at = 8 * MINUTE + 20_000; at <= 9 * MINUTE; at += 10_000) pace.record(at, 3, undefined);
  expect(pace.read().at(-1)?.at).toBe(7 * MINUTE);
});

test('blocks that the chain cannot have made in a minute are no pace of it', () => {
  const read = (blocks: number, minePeriodMs: number | undefined) => {
    const pace = createPace();
    for (let at = 0; at <= MINUTE; at += 10_000) pace.record(at, at < 30_000 ? 20 : 20 + blocks, 2, minePeriodMs);
    return pace.read().map((minute) => minute.blocks);
  };
  expect([read(1_020, 2_000), read(61, 2_000), read(60, 2_000)]).toEqual([[], [], [60]]);
  expect(read(1_020, undefined)).toEqual([1_020]);
});

test('the pace keeps an hour', () => {
  const pace = createPace();
  for (let at = 0; at <= 70 * MINUTE; at += 10_000) pace.record(at, at / 10_000, undefined);
  expect(pace.read()).toHaveLength(60);
  expect(pace.read()[0]?.at).toBe(10 * MINUTE);
});

test('a clock that is set adds no time and takes none away, and a minute in which it was set is not counted', () => {
  const node = diagnosedNode('n1', ['n1']);
  const at = Date.UTC(2026, 0, 1, 12, 30);
  /** Records each 5 s for two minutes, where the clock is set by `stepMs` after half a minute. */
  const run = (stepMs: number) => {
    const history = createHistory();
    for (let passed = 0; passed <= 120_000; passed += 5_000)
      history.record(
        [{ ...stateOf([node]), reference: 100 + passed / 1_000 }],
        at + passed + (passed > 30_000 ? stepMs : 0),
        passed,
      );
    const times = history.historyOf(node.target, at).hours.at(-1);
    return { times, blocks: history.minutesOf('devnet').map(({ blocks }) => blocks) };
  };
  const times = { ok: 120_000, fail: 0, unseen: 0, planned: 0 };
  expect(run(0)).toEqual({ times, blocks: [60, 60] });
  expect(run(20_000)).toEqual({ times, blocks: [60] });
  expect(run(-20_000)).toEqual({ times, blocks: [] });
});

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const down = { fault: { kind: 'refused', address: 'x' }, container: STOPPED } as const;

test('the time down is that of the target which is the cause, not of those that miss it', () => {
  const given = (name: string) =>
    name === 'n2' ? down : { peers: NAMES.filter((one) => one !== 'n2' && one !== name) };
  const state = stateOf(NAMES.map((name) => diagnosedNode(name, NAMES, given(name))));
  const at = Date.UTC(2026, 0, 1, 12, 30);
  const lastHours = (plannedWork: readonly PlannedWork[]) => {
    const history = createHistory();
    for (let passed = 0; passed <= 60_000; passed += 10_000)
      history.record([{ ...state, plannedWork }], at + passed, passed);
    return state.targets.slice(0, 2).map(({ target }) => history.historyOf(target, at).hours.at(-1));
  };
  const well = { ok: 60_000, fail: 0, unseen: 0, planned: 0 };
  expect(lastHours([])).toEqual([well, { ok: 0, fail: 60_000, unseen: 0, planned: 0 }]);
  // Work on all of them makes that time planned, and leaves the time up as it is.
  const work = { subnet: 'devnet', from: 0, until: at, reason: 'upgrade', by: 'ann' };
  expect(lastHours([work])).toEqual([well, { ok: 0, fail: 0, unseen: 0, planned: 60_000 }]);
  expect(lastHours([{ ...work, name: 'n1' }])).toEqual([well, { ok: 0, fail: 60_000, unseen: 0, planned: 0 }]);
});

test('a pause is not a time at all, and a target that is gone is forgotten', () => {
  const [one, two] = ['n1', 'n2'].map((name) => diagnosedNode(name, ['n1', 'n2']));
  if (one === undefined || two === undefined) throw new Error('two nodes are needed');
  const both = stateOf([one, two]);
  const history = createHistory();
  const at = Date.UTC(2026, 0, 1, 12, 30);
  const hour = (state: SubnetState | undefined) =>
    state?.targets[0] && history.historyOf(state.targets[0].target, at).hours.at(-1);
  const record = (snapshot: Snapshot, passed: number) => history.record(snapshot, at + passed, passed);
  record([both], 0);
  record([both], 10_000);
  record([both], 10_000 + 60_001);
  expect(hour(both)?.ok).toBe(10_000);
  record([both], 80_001);
  expect(hour(both)?.ok).toBe(20_000);
  record([], 90_001);
  expect(hour(both)).toBeUndefined();
});
