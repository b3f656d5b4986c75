import { expect, test } from 'vitest';
import { mergeEffects, producesBlocks, quorum } from '../../src/demo/effects.ts';
import {
  demoNodeNames,
  expectedChanges,
  expectedProblems,
  FAULT_NAMES,
  type FaultName,
  findFaultErrors,
  isFaultName,
  listFaults,
} from '../../src/demo/faults.ts';
import { problemCatalog } from '../../src/model/problem-catalog.ts';

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
  ['service-down', ['block_data', 'http', 'container'].map((check) => `stats/stats/${check}`), []],
  ['relayer-silent', ['relayer/relayer/submissions'], []],
  ['relayer-dead-container-up', ['relayer/relayer/http', 'relayer/relayer/submissions'], []],
  ['relayer-forking', ['relayer/relayer/submissions'], []],
  ['bootnode-misses-a-node', ['bootnode/bootnode/messages'], []],
  ['stats-stale', ['stats/stats/block_data', 'stats/stats/history_data'], []],
  ['frontend-error', ['frontend/frontend/logs'], []],
  ['console-error', ['frontend/frontend/console'], []],
  ['log-level-low', [], logBlock(1, 2, 3, 4)],
  ['log-unreadable', [], []],
  ['oom-kill', ['console', 'container', 'http', 'logs'].map((check) => `frontend/frontend/${check}`), []],
  ['ipc-path-too-long', [...lost, 'node/subnet2/container'], []],
  ['fork', [], []],
  ['mesh-hole', peers(1, 2, 3, 4), []],
  ['node-partitioned', [...latest(2), ...logBlock(2), ...peers(1, 2, 3, 4)], []],
  ['other-genesis', [...latest(2), ...logBlock(2), ...peers(1, 2, 3, 4)], []],
  ['liar', latest(2), []],
  ['non-voting', [], []],
  ['turns-missed', [], []],
  ['penalty', [], []],
  ['masternode-resigned', [], []],
  ['finality-stalled', ['relayer/relayer/submissions'], []],
  ['clock-wrong', [], []],
  ['contract-gone', ['relayer/relayer/submissions'], []],
  ['contract-refuses', ['relayer/relayer/submissions'], []],
  ['parent-down', ['relayer/relayer/submissions'], []],
  ['parent-halted', ['relayer/relayer/submissions'], []],
  ['parent-restarted', [], []],
  ['parent-reorganised', [], []],
  ['checkpoint-behind', [], []],
  ['wallet-low', [], []],
  ['wallet-empty', ['relayer/relayer/submissions'], []],
  ['packets-stuck', [], []],
  ['key-replaced', [], []],
  ['two-keys-one', [], []],
  ['double-vote', [], []],
  ['rpc-moved', [...latest(2), ...peers(2)], []],
  ['fd-limit', [...latest(2), ...peers(2), ...logBlock(2)], []],
  ['unlisted-node', [], []],
  ['ordered-then-killed', [], []],
  ['nodes-killed', [], []],
  ['container-renamed', ['node/subnet2/container'], []],
  ['never-reached', [...latest(1, 2, 3, 4), ...peers(1, 2, 3, 4)], []],
  ['no-gas-price', ['relayer/relayer/submissions'], []],
  ['rate-limited', [...latest(2), ...peers(2)], []],
  ['read-only-data', [...lost, 'node/subnet2/container'], []],
  [
    'monitor-offline',
    [
      ...latest(1, 2, 3, 4),
      ...peers(1, 2, 3, 4),
      ...['relayer', 'stats', 'frontend'].map((service) => `${service}/${service}/http`),
      'frontend/frontend/console',
    ],
    [],
  ],
  ['clock-step', [], []],
  ['rolling-restart', [], []],
];

/** The problems of each fault in a subnet of four, in which all but one must vote. */
const PROBLEMS: Readonly<Record<FaultName, readonly string[]>> = {
  'node-stalled': ['quorum_at_risk', 'node_stalled subnet2'],
  'node-down': ['quorum_at_risk', 'container_down subnet2'],
  'node-behind': ['quorum_at_risk', 'node_behind subnet2'],
  'peer-missing': ['peers_missing subnet2'],
  'admin-not-exposed': ['check_degraded'],
  'rpc-error-inside-result': ['node_without_block subnet2'],
  'rpc-garbage': ['node_down subnet2'],
  'subnet-halted': ['subnet_halted'],
  'service-down': ['container_down stats'],
  'relayer-silent': ['relayer_stopped relayer'],
  'relayer-dead-container-up': ['relayer_dead relayer', 'relayer_stopped relayer'],
  'relayer-forking': ['relayer_stopped relayer'],
  'bootnode-misses-a-node': ['bootnode_misses_node bootnode'],
  'stats-stale': ['stats_stale stats'],
  'frontend-error': ['frontend_errors frontend'],
  'console-error': ['frontend_errors frontend'],
  'log-level-low': ['check_degraded'],
  'log-unreadable': ['log_source_down stats'],
  'oom-kill': ['out_of_memory frontend'],
  'ipc-path-too-long': ['quorum_at_risk', 'ipc_path_too_long subnet2'],
  fork: ['chain_forked'],
  'mesh-hole': [1, 2].map((n) => `peers_missing subnet${n}`),
  'node-partitioned': ['quorum_at_risk', 'node_partitioned subnet2'],
  'other-genesis': ['quorum_at_risk', 'other_chain subnet2'],
  liar: ['height_not_credible subnet2'],
  'non-voting': ['quorum_at_risk', 'node_not_voting subnet2'],
  'turns-missed': ['node_lags subnet2'],
  penalty: ['quorum_at_risk', 'masternode_penalised subnet2'],
  'masternode-resigned': ['next_epoch_at_risk'],
  'finality-stalled': ['finality_stalled'],
  'clock-wrong': ['node_clock_skewed subnet2'],
  'contract-gone': ['contract_missing relayer'],
  'contract-refuses': ['checkpoint_refused relayer'],
  'parent-down': ['parent_unreachable relayer'],
  'parent-halted': ['parent_behind relayer'],
  'parent-restarted': [],
  'parent-reorganised': [],
  'checkpoint-behind': ['checkpoint_behind relayer'],
  'wallet-low': ['wallet_low relayer'],
  'wallet-empty': ['wallet_without_funds relayer'],
  'packets-stuck': ['packets_stuck relayer'],
  'key-replaced': ['quorum_at_risk', 'masternode_missing'],
  'two-keys-one': ['quorum_at_risk', 'key_shared'],
  'double-vote': ['double_vote'],
  'rpc-moved': ['rpc_closed subnet2'],
  'fd-limit': ['quorum_at_risk', 'too_many_open_files subnet2'],
  'unlisted-node': ['containers_unlisted'],
  'ordered-then-killed': ['container_restarting subnet2'],
  'nodes-killed': ['containers_crashed'],
  'container-renamed': ['container_misnamed subnet2'],
  'never-reached': ['never_reached'],
  'no-gas-price': ['relayer_stopped relayer'],
  'rate-limited': ['node_down subnet2'],
  'read-only-data': ['quorum_at_risk', 'disk_unwritable subnet2'],
  'monitor-offline': ['monitor_offline'],
  'clock-step': ['monitor_suspended'],
  'rolling-restart': [],
};

test.each(FAULT_NAMES)('in a subnet of four, %s brings exactly these problems', (name) => {
  const problems = listFaults(parts(4)).find((one) => one.name === name)?.problems ?? [];
  expect(problems).toEqual(PROBLEMS[name]);
  for (const problem of problems) expect(Object.keys(problemCatalog)).toContain(problem.split(' ')[0]);
});

test('a wrong clock is seen by the blocks that a node prints', () => {
  const clockAnd = (fault: FaultName) => expectedProblems(['clock-wrong', fault], parts(4));
  expect(clockAnd('service-down')).toEqual(['container_down stats', 'node_clock_skewed subnet2']);
  expect(clockAnd('node-behind')).toEqual(['quorum_at_risk', 'node_behind subnet2', 'node_clock_skewed subnet2']);
  for (const fault of ['node-down', 'node-stalled', 'subnet-halted', 'log-level-low', 'other-genesis'] as const)
    expect(clockAnd(fault)).toEqual(PROBLEMS[fault]);
});

test('a node that does not vote brings a risk where three of four vote, a halt among three, and neither among seven', () => {
  expect(expectedProblems(['node-down'], parts(3))).toEqual(['subnet_halted', 'container_down subnet2']);
  expect(expectedProblems(['non-voting'], parts(7))).toEqual(['node_not_voting subnet2']);
});

test('of two faults both problems are there, and each once', () => {
  expect(expectedProblems(['peer-missing', 'service-down'], parts(4))).toEqual([
    'container_down stats',
    'peers_missing subnet2',
  ]);
  expect(expectedProblems(['admin-not-exposed', 'log-level-low'], parts(4))).toEqual(PROBLEMS['log-level-low']);
  expect(expectedProblems(['peer-missing', 'node-down'], parts(4))).toEqual(PROBLEMS['node-down']);
});

test('a wallet that is low is seen by what it pays, so only while the relayer submits', () => {
  const lowAnd = (fault: FaultName) => expectedProblems(['wallet-low', fault], parts(4));
  expect(lowAnd('service-down')).toEqual(['container_down stats', 'wallet_low relayer']);
  for (const fault of ['wallet-empty', 'relayer-silent', 'parent-down', 'subnet-halted', 'finality-stalled'] as const)
    expect(lowAnd(fault)).toEqual(PROBLEMS[fault]);
});

test.each(OF_FOUR)('in a subnet of four, %s changes exactly these checks', (name, fails, degrades) => {
  const fault = listFaults(parts(4)).find((one) => one.name === name);
  expect(fault?.fails.toSorted()).toEqual(fails.toSorted());
  expect(fault?.degrades.toSorted()).toEqual(degrades.toSorted());
});

test('of two nodes with one key either may stop, as the other signs, but not both', () => {
  const comes = (...down: readonly string[]) =>
    producesBlocks(mergeEffects([{ keys: { subnet2: 'subnet3' } }, { down }]), demoNodeNames(4));
  expect([comes(), comes('subnet2'), comes('subnet3')]).toEqual([true, true, true]);
  expect([comes('subnet2', 'subnet3'), comes('subnet1')]).toEqual([false, false]);
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
  // At a low log level a height that stands cannot be seen in the log, and without a network little is seen at all.
  const all: readonly FaultName[] = FAULT_NAMES.filter(
    (name) => name !== 'log-level-low' && name !== 'monitor-offline',
  );
  const { fails } = expectedChanges(all, parts(4));
  expect(new Set(fails)).toEqual(new Set(OF_FOUR.flatMap(([name, each]) => (all.includes(name) ? each : []))));
});

test('only without a network or a container is a check unknown: those of the containers, and those of the logs that Docker has', () => {
  const { unknown } = expectedChanges(['monitor-offline'], parts(4));
  expect(unknown.toSorted()).toEqual(
    [
      ...['subnet1', 'subnet2', 'subnet3', 'subnet4'].map((name) => `node/${name}`),
      ...['bootnode', 'relayer', 'stats', 'frontend'].map((name) => `${name}/${name}`),
    ]
      .map((target) => `${target}/container`)
      .concat(
        logBlock(1, 2, 3, 4),
        'bootnode/bootnode/messages',
        'relayer/relayer/submissions',
        'frontend/frontend/logs',
      )
      .sort(),
  );
  const others = listFaults(parts(4)).filter(({ unknown }) => unknown.length > 0);
  expect(others.map((fault) => [fault.name, fault.unknown])).toEqual([
    ['container-renamed', logBlock(2)],
    ['monitor-offline', unknown],
  ]);
});

test('without a fault nothing changes', () => {
  expect(expectedChanges([], parts(4))).toEqual({ fails: [], degrades: [], unknown: [] });
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
    'log-unreadable',
    'oom-kill',
    'finality-stalled',
    'contract-gone',
    'contract-refuses',
    'parent-down',
    'parent-halted',
    'parent-restarted',
    'parent-reorganised',
    'checkpoint-behind',
    'wallet-low',
    'wallet-empty',
    'no-gas-price',
    'packets-stuck',
    'unlisted-node',
    'never-reached',
    'monitor-offline',
    'clock-step',
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
