import { expect, test } from 'vitest';
import { parseClients } from '../../src/demo/demo-client.ts';
import { expectedChanges, expectedProblems, findFaultErrors, listFaults } from '../../src/demo/faults.ts';

const MIXED = ['go', 'nethermind', 'go', 'go'] as const;
const parts = { nodes: ['subnet1', 'subnet2', 'subnet3', 'subnet4'], clients: MIXED, browser: true };

test('one word is for all nodes, and a list has one for each', () => {
  expect(parseClients('go', undefined)).toEqual(['go', 'go', 'go', 'go']);
  expect(parseClients('xdposchain', 3)).toEqual(['xdposchain', 'xdposchain', 'xdposchain']);
  expect(parseClients('go, go,nethermind', undefined)).toEqual(['go', 'go', 'nethermind']);
});

test.each([
  ['go,geth', undefined, 'has no client "geth"; there are go, xdposchain, nethermind'],
  ['go,go', 4, 'names 2 clients, and there are 4 nodes'],
  ['', undefined, 'has no client ""; there are go, xdposchain, nethermind'],
  ['nethermind', 4, 'needs a node of another client, as Nethermind sends no block to the stats server'],
])('--clients %j with %j nodes is wrong', (text, nodes, error) => {
  expect(parseClients(text, nodes)).toBe(error);
});

test('a fault that needs a socket or a result of Go cannot happen to Nethermind', () => {
  expect(findFaultErrors(['ipc-path-too-long', 'node-down', 'rpc-error-inside-result'], 4, MIXED)).toEqual([
    'The fault ipc-path-too-long cannot happen to Nethermind, which has no socket; give subnet2 another client in --clients.',
    'The fault rpc-error-inside-result cannot happen to Nethermind, which is asked for no result of that form; give subnet2 another client in --clients.',
  ]);
  expect(findFaultErrors(['ipc-path-too-long'], 4, ['go', 'go', 'go', 'nethermind'])).toEqual([]);
  const xdposchain = ['xdposchain', 'xdposchain'] as const;
  expect(findFaultErrors(['ipc-path-too-long', 'rpc-error-inside-result'], 2, xdposchain)).toEqual([
    'The fault rpc-error-inside-result cannot happen to XDPoSChain, whose header is read where its engine gives no block; give subnet2 another client in --clients.',
  ]);
  const names = listFaults(parts).map(({ name }) => name);
  expect(names).toContain('node-down');
  expect(names).not.toContain('ipc-path-too-long');
});

test('what the generator hides, Nethermind shows', () => {
  expect(expectedChanges(['admin-not-exposed'], parts).degrades).toEqual([
    'node/subnet1/peers',
    'node/subnet3/peers',
    'node/subnet4/peers',
  ]);
  expect(expectedChanges(['log-level-low'], parts).degrades).not.toContain('node/subnet2/log_block');
  expect(expectedProblems(['log-level-low'], parts)).toEqual(['check_degraded']);
  expect(expectedProblems(['log-level-low', 'clock-wrong'], parts)).toContain('node_clock_skewed subnet2');
});
