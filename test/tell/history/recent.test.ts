import { describe, expect, test } from 'vitest';
import type { CheckBar, HistoryChange } from '../../../src/model/history.ts';
import type { Snapshot } from '../../../src/model/snapshot.ts';
import { createCheckBars } from '../../../src/tell/history/create-check-bars.ts';
import { createProbeTimes } from '../../../src/tell/history/create-probe-times.ts';
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

/** A snapshot in which every probe took so long at a time. */
const probed = (snapshot: Snapshot, at: number, ms: number): Snapshot =>
  snapshot.map((subnet) => ({
    ...subnet,
    targets: subnet.targets.map((state) => ({
      ...state,
      checks: state.checks.map((check) => ({ ...check, lastRun: at, durationSeconds: ms / 1_000 })),
    })),
  }));

describe('the times of probes', () => {
  test('are the average of each minute of the last hour, without a time where nothing answered', () => {
    const times = createProbeTimes();
    times.record(probed(well, 1, 4), 0);
    times.record(probed(well, 1, 4), 5_000);
    times.record(probed(well, 2, 9), 10_000);
    times.record(probed(down, 3, 5_000), MINUTE);
    times.record(probed(down, 4, 5_000), 3 * MINUTE);
    times.record(probed(well, 5, 8), 3 * MINUTE + 1);
    expect(times.read(n2, 3 * MINUTE)).toEqual([{ at: 0, ms: 6.5 }, { at: MINUTE }, { at: 3 * MINUTE, ms: 8 }]);
    expect(times.read(n2, 60 * MINUTE).map(({ at }) => at)).toEqual([MINUTE, 3 * MINUTE]);
    times.record(probed(well, 6, 1e9), 500 * MINUTE);
    expect(times.read(n2, 500 * MINUTE)).toEqual([{ at: 500 * MINUTE, ms: 32_766.5 }]);
  });

  test('go on in the newest minute when the clock was set back', () => {
    const times = createProbeTimes();
    times.record(probed(well, 1, 4), 10 * MINUTE);
    times.record(probed(well, 2, 6), 8 * MINUTE);
    times.record(probed(well, 3, 8), 11 * MINUTE);
    expect(times.read(n2, 11 * MINUTE)).toEqual([
      { at: 10 * MINUTE, ms: 5 },
      { at: 11 * MINUTE, ms: 8 },
    ]);
  });

  test('end with their target, and are nothing before its first probe', () => {
    const times = createProbeTimes();
    expect(times.read(n2, 0)).toEqual([]);
    times.record(probed(well, 1, 4), 0);
    times.record([stateOf([diagnosedNode('n1', ['n1'])])], 1);
    expect(times.read(n2, 0)).toEqual([]);
  });
});

describe('the bars of a check', () => {
  const last = (bars: readonly CheckBar[], count: number) => bars.slice(-count);

  test('say for each half-hour whether it passed, and nothing where nobody looked', () => {
    const bars = createCheckBars();
    bars.record(well, 0);
    bars.record(down, HALF_HOUR);
    bars.record(well, HALF_HOUR + 5_000);
    bars.record(down, 3 * HALF_HOUR);
    expect(last(bars.read(n2, 'latest_block', 3 * HALF_HOUR), 5)).toEqual(['none', 'up', 'part', 'none', 'down']);
    expect(last(bars.read(n2, 'container', 4 * HALF_HOUR), 5)).toEqual(['up', 'part', 'none', 'down', 'none']);
    expect(bars.read(n2, 'latest_block', 0)).toHaveLength(48);
    bars.record(well, 1_000 * HALF_HOUR);
    expect(bars.read(n2, 'latest_block', 1_000 * HALF_HOUR)).toEqual([...Array(47).fill('none'), 'up']);
    expect(bars.read(n2, 'submissions', 0)).toEqual(Array(48).fill('none'));
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
    expect(restored(true).slice(0, 2)).toEqual(['up', 'up']);
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
