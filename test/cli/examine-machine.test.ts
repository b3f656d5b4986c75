import { expect, test } from 'vitest';
import { type Machine, withMachine } from '../../src/cli/examine-machine.ts';
import type { TargetState } from '../../src/model/snapshot.ts';
import { diagnosedNode } from '../support/diagnosed.ts';
import { stateOf } from '../support/snapshots.ts';

const NOTHING = { findings: [], unexamined: [], examined: 0 };
const GB = 1e9;

/** A subnet whose nodes have their logs in these folders, and no container. */
const stateWith = (...paths: readonly string[]) => {
  const names = paths.map((_, index) => `n${index + 1}`);
  const state = stateOf(names.map((name) => diagnosedNode(name, names)));
  const targets = state.targets.map((one, index): TargetState => {
    const { container: _, ...target } = one.target;
    return {
      ...one,
      target: { ...target, logFiles: [{ path: paths[index] ?? '', timezone: 'UTC' }] } as TargetState['target'],
    };
  });
  return { ...state, targets };
};

const machine = (free: Readonly<Record<string, number>>, memoryFree = 50): Machine => ({
  diskOf: (folder) => {
    const device = Object.keys(free).indexOf(folder);
    return device < 0 ? undefined : { free: (free[folder] ?? 0) * GB, total: 100 * GB, device };
  },
  memory: () => ({ free: memoryFree * GB, total: 100 * GB }),
});

test('a disk of which less than a tenth is free is found once, by the folder of a log file or of a glob', () => {
  const state = stateWith('/one/xdc.log', '/one/other.log', '/two/*.log', '/away/xdc.log');
  const { findings, examined } = withMachine(NOTHING, [state, state], machine({ '/one': 9.9, '/two': 10 }));
  expect(findings.map(({ finding, summary, evidence }) => [finding, summary, evidence])).toEqual([
    ['disk_low', 'the disk of /one is nearly full', '9.9 GB of 100.0 GB are free, 10 %'],
  ]);
  expect(examined).toBe(3);
});

test('memory counts where the machine holds something of a subnet', () => {
  const found = (...paths: readonly string[]) =>
    withMachine(NOTHING, [stateWith(...paths)], machine({ '/one': 50 }, 4)).findings.map(({ finding }) => finding);
  expect(found('/one/xdc.log')).toEqual(['memory_low']);
  expect(found('/away/xdc.log')).toEqual([]);
});

test('the real disk of a folder is read', () => {
  const { examined } = withMachine(NOTHING, [stateWith('/tmp/xdc.log')]);
  expect(examined).toBe(2);
});

test('a disk that this machine does not see is said once for each subnet, with whose it is', () => {
  const state = stateWith('/one/xdc.log', '/away/xdc.log', '/away/other.log');
  const { unexamined } = withMachine(NOTHING, [state], machine({ '/one': 50 }));
  expect(unexamined).toEqual([
    {
      ...{ subnet: state.subnet.name, what: 'the disk', names: ['n2', 'n3'], failed: false },
      because: 'this machine does not have their folders, or subnetd may not see them',
    },
  ]);
});
