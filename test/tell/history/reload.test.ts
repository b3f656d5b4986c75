import { describe, expect, it } from 'vitest';
import type { SubnetState } from '../../../src/model/snapshot.ts';
import { createCheckBars } from '../../../src/tell/history/create-check-bars.ts';
import { createHistory } from '../../../src/tell/history/create-history.ts';
import { createSteps } from '../../../src/tell/history/create-steps.ts';
import { createChangeFinder } from '../../../src/tell/history/find-changes.ts';
import { createUnsavedTimes } from '../../../src/tell/history/unsaved-times.ts';
import { diagnosedNode, NOW, STOPPED } from '../../support/diagnosed.ts';
import { stateOf } from '../../support/snapshots.ts';

const NAMES = ['n1', 'n2', 'n3'];
const down = { fault: { kind: 'refused', address: 'x' }, container: STOPPED } as const;
const subnetOf = (name: string, names: readonly string[], failing = 'n2'): SubnetState => {
  const state = stateOf(
    names.map((one) => diagnosedNode(one, names, one === failing ? down : {})),
    name,
  );
  return {
    ...state,
    targets: state.targets.map((one) => ({
      ...one,
      target: { ...one.target, subnet: name },
      checks: one.checks.map((check) => ({ ...check, lastRun: NOW, durationSeconds: Number(one.target.name[1]) })),
    })),
  };
};
const [east, west] = [subnetOf('east', NAMES), subnetOf('west', NAMES, 'none')];
/** The other subnet is first now, without its second node, and with another one before the others. */
const later = [subnetOf('west', ['n4', 'n3', 'n1'], 'none'), east];
const targetOf = (subnet: string, name: string) => ({ ...diagnosedNode(name, [name]).target, subnet });
const AT = Date.UTC(2026, 0, 1, 12, 10);

describe('what is kept of a target', () => {
  it('stays its own when others come, go, or change their order: its times', () => {
    const times = createUnsavedTimes(99);
    const kept = ['east', 'west'];
    const history = createHistory({ keeps: (subnet) => kept.includes(subnet), times, addMinute: () => {} });
    history.record([east, west], AT, AT);
    history.record([east, west], AT + 10_000, AT + 10_000);
    kept.pop();
    history.record(later, AT + 15_000, AT + 15_000);
    // The pace of a subnet ends with it.
    history.restore([], [{ subnet: 'east', at: AT, blocks: 3 }]);
    history.restore([], [{ subnet: 'gone', at: AT, blocks: 3 }]);
    history.record(later, AT + 15_000, AT + 15_000);
    expect(['east', 'gone'].map((subnet) => history.minutesOf(subnet).length)).toEqual([1, 0]);
    const hourOf = (subnet: string, name: string) => {
      const { hours, days } = history.historyOf(targetOf(subnet, name), AT);
      expect(days.at(-1)).toEqual(hours.at(-1));
      return hours.at(-1);
    };
    const none = { ok: 0, fail: 0, unseen: 0, planned: 0 };
    expect(hourOf('east', 'n2')).toEqual({ ...none, fail: 15_000 });
    expect(hourOf('west', 'n3')).toEqual({ ...none, ok: 15_000 });
    expect(hourOf('west', 'n4')).toEqual({ ...none, ok: 5_000 });
    expect(hourOf('west', 'n2')).toBeUndefined();
    // What was not written yet of one that is gone is written, and nothing of a subnet that another instance keeps now.
    const rows = Array.from({ length: 3 }, () => times.take(99)).flat();
    const hours = rows.filter(({ span }) => span === 'hour');
    expect(rows).toHaveLength(2 * hours.length);
    expect(hours.map(({ subnet, name, ok, fail }) => `${subnet} ${name} ${ok} ${fail}`).sort()).toEqual([
      'east n1 15000 0',
      'east n2 0 15000',
      'east n3 15000 0',
      'west n1 10000 0',
      'west n2 10000 0',
      'west n3 10000 0',
    ]);
    // Of what the database has of earlier hours, only what is about known targets is taken over, once they are known.
    const row = { subnet: 'new', component: 'node', name: 'n1', span: 'hour', start: AT - 600_000, ...none } as const;
    history.restore([{ ...row, ok: 7 }], []);
    history.begin([...later, subnetOf('new', NAMES)]);
    history.restore([{ ...row, ok: 9 }], []);
    expect(hourOf('east', 'n2')?.fail).toBe(15_000);
    expect(history.historyOf(targetOf('new', 'n1'), AT).hours.at(-1)?.ok).toBe(9);
  });

  it('stays its own when others come, go, or change their order: its probes and bars', () => {
    const [probes, bars] = [createSteps(), createCheckBars()];
    for (const part of [probes, bars]) part.record([east, west], AT);
    for (const part of [probes, bars]) part.record(later, AT + 1);
    const timeOf = (subnet: string, name: string) =>
      probes.targetStepsOf(targetOf(subnet, name), '1h', AT + 60_000).p50.at(-1);
    probes.record(later, AT + 60_000);
    expect(['n3', 'n4', 'n1'].map((name) => timeOf('west', name))).toEqual([3_000, 4_000, 1_000]);
    expect(['n1', 'n2', 'n3'].map((name) => timeOf('east', name))).toEqual([1_000, Number.POSITIVE_INFINITY, 3_000]);
    expect(timeOf('west', 'n2')).toBeUndefined();
    // What was probed before is not counted again in the next minute, whatever its place is then.
    probes.record([east, west], AT + 60_000);
    probes.record([east, west], AT + 120_000);
    expect(probes.targetStepsOf(targetOf('east', 'n1'), '1h', AT + 120_000).p50.slice(-2)).toEqual([1_000, undefined]);
    const barOf = (subnet: string, name: string) =>
      bars.read(targetOf(subnet, name), 'latest_block', AT).halfHours.at(-1);
    expect(['n1', 'n2', 'n3'].map((name) => barOf('east', name))).toEqual(['up', 'down', 'up']);
    expect(['n1', 'n2', 'n3', 'n4'].map((name) => barOf('west', name))).toEqual(['up', 'none', 'up', 'up']);
  });

  it('stays its own when its checks are others', () => {
    const [bars, finder] = [createCheckBars(), createChangeFinder()];
    const find = (state: SubnetState) =>
      finder.find([state], (at) => at, AT).map(({ name, what, was, is }) => `${name} ${what}: ${was} -> ${is}`);
    const without = (check: string): SubnetState => ({
      ...east,
      targets: east.targets.map((one) => ({ ...one, checks: one.checks.filter((other) => other.check !== check) })),
    });
    const [first] = east.targets[1]?.checks ?? [];
    if (first?.check !== 'latest_block') throw new Error('another check is first');
    find(east);
    bars.record([east], AT);
    expect(find(without('latest_block'))).toEqual([]);
    bars.record([without('latest_block')], AT + 1);
    expect(bars.read(targetOf('east', 'n2'), 'latest_block', AT).halfHours.at(-1)).toBe('none');
    expect(bars.read(targetOf('east', 'n2'), 'container', AT).halfHours.at(-1)).toBe('down');
    expect(bars.read(targetOf('east', 'n1'), 'container', AT).halfHours.at(-1)).toBe('up');
    expect(find(east)).toEqual(['n2 latest_block: unknown -> fail']);
  });

  it('stays its own when others come, go, or change their order: what it was last', () => {
    const finder = createChangeFinder();
    const find = (snapshot: readonly SubnetState[]) =>
      finder
        .find(snapshot, (at) => at, AT)
        .filter(({ kind }) => kind !== 'masternode')
        .map(({ subnet, name, kind, what, was, is }) => `${subnet} ${name} ${kind} ${what}: ${was} -> ${is}`);
    expect(find([east, west])).toContain('east n2 check latest_block: unknown -> fail');
    expect(find(later)).toEqual([]);
    expect(find([subnetOf('east', NAMES, 'none')])).toEqual(
      expect.arrayContaining([
        'east n2 check latest_block: fail -> pass',
        expect.stringContaining('east n2 container generated-n2-1: exited -> '),
        'east n2 problem container_down: open -> ended',
      ]),
    );
    // One that comes back is new.
    expect(find([west, east])).toContain('east n2 problem container_down: none -> open');
    expect(find([subnetOf('west', NAMES, 'n1')])).toEqual(
      expect.arrayContaining([
        'west n1 check latest_block: pass -> fail',
        'east n2 problem container_down: open -> ended',
      ]),
    );
  });

  it('is looked for in what was stored also when it has not changed since', () => {
    const finder = createChangeFinder();
    const find = (at: number) => finder.find([east], (time) => time, at).map(({ what, is }) => `${what} ${is}`);
    const stored = finder.find([east], (time) => time, AT);
    finder.remember(stored.toReversed());
    for (let minute = 1; minute < 10; minute += 1) expect(find(AT + minute * 60_000)).toEqual([]);
  });
});
