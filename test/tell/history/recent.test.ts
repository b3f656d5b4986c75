import { describe, expect, test } from 'vitest';
import type { CheckHistory, HistoryChange } from '../../../src/model/history.ts';
import type { Snapshot } from '../../../src/model/snapshot.ts';
import { createCheckBars } from '../../../src/tell/history/create-check-bars.ts';
import { diagnosedNode, STOPPED } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';

const MINUTE = 60_000;
const HALF_HOUR = 30 * MINUTE;
const NAMES = ['n1', 'n2'];
const REFUSED = { kind: 'refused', address: 'x' } as const;
const snapshotOf = (n2: Parameters<typeof diagnosedNode>[2] = {}): Snapshot => [
  stateOf(NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n2' ? n2 : {}))),
];
const well = snapshotOf();
const down = snapshotOf({ fault: REFUSED, container: STOPPED });
const n2 = well[0]?.subnet.targets[1];
if (n2 === undefined) throw new Error('two nodes are needed');

describe('the bars of a check', () => {
  const last = ({ halfHours }: CheckHistory, count: number) => halfHours.slice(-count);

  test('say for each half-hour whether it passed, and nothing where nobody looked', () => {
    const bars = createCheckBars();
    bars.record(well, 0);
    bars.record(down, HALF_HOUR);
    bars.record(well, HALF_HOUR + 5_000);
    bars.record(down, 3 * HALF_HOUR);
    expect(last(bars.read(n2, 'latest_block', 3 * HALF_HOUR), 5)).toEqual(['none', 'up', 'part', 'none', 'down']);
    expect(last(bars.read(n2, 'container', 4 * HALF_HOUR), 5)).toEqual(['up', 'part', 'none', 'down', 'none']);
    expect(bars.read(n2, 'latest_block', 0).halfHours).toHaveLength(48);
    bars.record(well, 1_000 * HALF_HOUR);
    expect(last(bars.read(n2, 'latest_block', 1_000 * HALF_HOUR), 48)).toEqual([...Array(47).fill('none'), 'up']);
    expect(bars.read(n2, 'submissions', 0)).toEqual({ halfHours: Array(48).fill('none'), probes: [] });
  });

  test('have a mark for each of its last 24 probes, also after a reload of the inventory', () => {
    const bars = createCheckBars();
    const probed = (snapshot: Snapshot, lastRun: number): Snapshot =>
      snapshot.map((state) => ({
        ...state,
        targets: state.targets.map((one) => ({
          ...one,
          target: { ...one.target },
          checks: one.checks.map((check) => ({ ...check, lastRun })),
        })),
      }));
    const probes = () => bars.read(n2, 'latest_block', 0).probes;
    expect(probes()).toEqual([]);
    for (const run of [0, 1, 1, 2]) bars.record(probed(run === 1 ? down : well, run), 0);
    expect(probes()).toEqual(['up', 'down', 'up']);
    for (let run = 3; run < 25; run += 1) bars.record(probed(well, run), 0);
    expect(probes()).toEqual(['down', ...Array(23).fill('up')]);
    bars.record(probed(down, 25), 0);
    expect(probes()).toEqual([...Array(23).fill('up'), 'down']);
  });

  test('of the time before a restart come from the changes of then', () => {
    const at = 100 * HALF_HOUR;
    const change = (bar: number, was: string, is: string): HistoryChange => ({
      ...{ at: bar * HALF_HOUR, subnet: 'devnet', component: 'node', name: 'n2', kind: 'check', what: 'latest_block' },
      ...{ was, is, reason: '' },
    });
    const changes = [change(97.5, 'fail', 'pass'), change(95.5, 'pass', 'fail'), change(40, 'fail', 'pass')];
    const restored = (isWhole: boolean, isWatched = (bar: number) => bar !== 98) => {
      const bars = createCheckBars();
      // What it is at the restart, it became after the process had ended.
      bars.restore({
        ...{ snapshot: down, changes: changes.slice(0, isWhole ? 3 : 2), isWhole, startedAt: at },
        isWatched: (_, start) => isWatched(start / HALF_HOUR),
      });
      bars.record(well, at);
      return bars.read(n2, 'latest_block', at);
    };
    expect(last(restored(true), 7)).toEqual(['up', 'part', 'down', 'part', 'none', 'up', 'up']);
    expect(restored(true).halfHours.slice(0, 2)).toEqual(['up', 'up']);
    // A change that is older than all bars says how it was until the restart, whatever it is after that.
    const passed = createCheckBars();
    passed.restore({
      ...{ snapshot: down, changes: [change(40, 'fail', 'pass')], isWhole: true, startedAt: at },
      isWatched: () => true,
    });
    expect(last(passed.read(n2, 'latest_block', at), 3)).toEqual(['up', 'up', 'none']);
    // Of changes that are not all there, only the time since the oldest is known.
    expect(last(restored(false), 7)).toEqual(['none', 'down', 'down', 'part', 'none', 'up', 'up']);
    expect(
      last(
        restored(true, () => false),
        7,
      ),
    ).toEqual([...Array(6).fill('none'), 'up']);
  });
});
