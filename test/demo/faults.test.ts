import { expect, test } from 'vitest';
import { quorum } from '../../src/demo/effects.ts';
import {
  demoNodeNames,
  expectedChanges,
  FAULT_NAMES,
  type FaultName,
  findFaultErrors,
  isFaultName,
  listFaults,
} from '../../src/demo/faults.ts';

const parts = (nodes: number, browser = true) => ({ nodes: demoNodeNames(nodes), browser });
const latest = (...numbers: readonly number[]) => numbers.map((n) => `node/subnet${n}/latest_block`);
const peers = (...numbers: readonly number[]) => numbers.map((n) => `node/subnet${n}/peers`);

const logBlock = (...numbers: readonly number[]) => numbers.map((n) => `node/subnet${n}/log_block`);
const halted = ['relayer/relayer/submissions', 'stats/stats/block_data'];

const lost = [...latest(2), ...logBlock(2), ...peers(1, 2, 3, 4), 'bootnode/bootnode/messages'];

const OF_FOUR: readonly [FaultName, readonly string[], readonly string[]][] = [
  ['node-stalled', [...latest(2), ...logBlock(2)], []],
  ['node-down', [...lost, 'node/subnet2/container'], []],
  ['node-behind', latest(2), []],
  ['peer-missing', peers(2, 3), []],
  ['admin-not-exposed', [], peers(1, 2, 3, 4)],
  ['rpc-error-inside-result', latest(2), []],
  ['rpc-garbage', [...latest(2), ...peers(2)], []],
  ['subnet-halted', [...latest(1, 2, 3, 4), ...logBlock(1, 2, 3, 4), ...halted], []],
  ['service-down', ['block_data', 'history_data', 'http', 'container'].map((check) => `stats/stats/${check}`), []],
  ['relayer-silent', ['relayer/relayer/submissions'], []],
  ['relayer-dead-container-up', ['relayer/relayer/http', 'relayer/relayer/submissions'], []],
  ['relayer-forking', ['relayer/relayer/submissions'], []],
  ['bootnode-misses-a-node', ['bootnode/bootnode/messages'], []],
  ['stats-stale', ['stats/stats/block_data', 'stats/stats/history_data'], []],
  ['frontend-error', ['frontend/frontend/logs'], []],
  ['console-error', ['frontend/frontend/console'], []],
  ['log-level-low', [], logBlock(1, 2, 3, 4)],
  ['oom-kill', ['console', 'container', 'http', 'logs'].map((check) => `frontend/frontend/${check}`), []],
  ['ipc-path-too-long', [...lost, 'node/subnet2/container'], []],
];

test.each(OF_FOUR)('in a subnet of four, %s changes exactly these checks', (name, fails, degrades) => {
  const fault = listFaults(parts(4)).find((one) => one.name === name);
  expect(fault?.fails.toSorted()).toEqual(fails.toSorted());
  expect(fault?.degrades.toSorted()).toEqual(degrades.toSorted());
});

test('the list names every fault once, each with a sentence', () => {
  expect(listFaults(parts(4)).map(({ name }) => name)).toEqual([...FAULT_NAMES]);
  for (const { what } of listFaults(parts(4))) expect(what).toMatch(/^[A-Za-z].*\.$/);
});

test('the votes that a block needs are those of the real nodes', () => {
  expect([1, 2, 3, 4, 5, 6, 7, 9, 10, 13].map(quorum)).toEqual([1, 2, 3, 3, 4, 5, 5, 7, 7, 9]);
});

test.each(['node-down', 'node-stalled'] as const)('in a subnet of three, %s halts the chain for everyone', (fault) => {
  expect(expectedChanges([fault], parts(3)).fails).toEqual(expect.arrayContaining(latest(1, 2, 3)));
});

test('in a subnet of seven, one node down stalls no other', () => {
  const { fails } = expectedChanges(['node-down'], parts(7));
  expect(fails.filter((check) => check.endsWith('latest_block'))).toEqual(latest(2));
});

test('a check that one fault fails and another degrades is listed as failing only', () => {
  const { fails, degrades } = expectedChanges(['peer-missing', 'admin-not-exposed'], parts(4));
  expect(fails).toEqual(peers(2, 3));
  expect(degrades).toEqual(peers(1, 4));
});

test('together, all faults change what each of them changes', () => {
  // At a low log level a height that stands cannot be seen in the log.
  const all = FAULT_NAMES.filter((name) => name !== 'log-level-low');
  const { fails } = expectedChanges(all, parts(4));
  expect(new Set(fails)).toEqual(new Set(OF_FOUR.flatMap(([, each]) => each)));
});

test('without a fault nothing changes', () => {
  expect(expectedChanges([], parts(4))).toEqual({ fails: [], degrades: [] });
});

test('a fault that needs more nodes says how many, and is not listed', () => {
  expect(findFaultErrors(['node-behind', 'peer-missing', 'subnet-halted'], 2)).toEqual([
    expect.stringContaining('node-behind needs at least 4 nodes'),
    expect.stringContaining('peer-missing needs at least 3 nodes'),
  ]);
  expect(findFaultErrors(FAULT_NAMES, 4)).toEqual([]);
  expect(listFaults(parts(1)).map(({ name }) => name)).toEqual([
    'admin-not-exposed',
    'subnet-halted',
    'service-down',
    'relayer-silent',
    'relayer-dead-container-up',
    'relayer-forking',
    'stats-stale',
    'frontend-error',
    'console-error',
    'log-level-low',
    'oom-kill',
  ]);
});

test('without a browser no fault changes the check console, and the fault that only a browser sees says so', () => {
  const faults = listFaults(parts(4, false));
  expect(faults.flatMap(({ fails }) => fails).filter((check) => check.endsWith('/console'))).toEqual([]);
  const hidden = faults.filter(({ needs }) => needs !== undefined);
  expect(hidden).toMatchObject([{ name: 'console-error', fails: [], degrades: [] }]);
  expect(hidden[0]?.needs).toContain('Chromium');
  expect(listFaults(parts(4)).filter(({ needs }) => needs !== undefined)).toEqual([]);
});

test('only a fault is a fault name', () => {
  expect(isFaultName('node-down')).toBe(true);
  expect(isFaultName('toString')).toBe(false);
});
