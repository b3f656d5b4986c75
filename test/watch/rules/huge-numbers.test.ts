import { expect, test } from 'vitest';
import type { LogState } from '../../../src/model/facts.ts';
import type { Component } from '../../../src/model/target.ts';
import { parseDockerEvent } from '../../../src/watch/docker/events.ts';
import { readRotation } from '../../../src/watch/docker/log-container.ts';
import { createAddressReader } from '../../../src/watch/probes/chain-values.ts';
import { toPoolStatus } from '../../../src/watch/probes/pool-status.ts';
import { foldLogHit } from '../../../src/watch/rules/fold-logs.ts';

const HUGE = '9'.repeat(400);

test.each<[Component, string, LogState]>([
  ['node', 'imported_segment', { node: { height: 12, advancedAt: 1 } }],
  ['node', 'loaded_head', { node: { height: 12, advancedAt: 1 } }],
  ['stats', 'block_data', { stats: { block: { number: 12, at: 1, risenAt: 1 } } }],
])('in the log of a %s, a height of 400 digits in %s is none', (component, pattern, state) => {
  const hit = { pattern, means: 'progress', at: 2, counted: true } as const;
  expect(foldLogHit(component, state, { ...hit, value: HUGE })).toEqual(state);
  expect(foldLogHit(component, {}, { ...hit, value: HUGE })[component as 'node']?.height).toBeUndefined();
  // The next real block still counts.
  const next = foldLogHit(component, foldLogHit(component, state, { ...hit, value: HUGE }), { ...hit, value: '13' });
  expect(next.node?.height ?? next.stats?.block?.number).toBe(13);
});

test('a start block of 400 digits does not hide that the relayer goes on', () => {
  const attempt = (value: string, at: number, before: LogState) =>
    foldLogHit('relayer', before, { pattern: 'attempt', means: 'state', at, value, counted: true });
  const state = attempt('40', 3, attempt(HUGE, 2, attempt('10', 1, {})));
  expect(state.relayer?.byMode.full).toMatchObject({ startBlock: 40, advancedAt: 3 });
});

test('Docker cannot make a time, an exit code or a size without an end', () => {
  const event = (timeNano: string, exitCode: string) =>
    parseDockerEvent(
      `{"Type":"container","Action":"die","Actor":{"ID":"a","Attributes":{"name":"n","exitCode":"${exitCode}"}},"timeNano":${timeNano}}`,
    );
  expect(event('1e400', '1')).toBeUndefined();
  expect(event('1700000000000000000', HUGE)).toEqual({ action: 'die', id: 'a', name: 'n', at: 1_700_000_000_000 });
  expect(readRotation({ Type: 'json-file', Config: { 'max-size': `${HUGE}m` } })).toBeUndefined();
});

test('a round of 400 digits in the pool of a node makes the answer one that cannot be read', () => {
  const address = `0x${'a'.repeat(40)}`;
  const pool = (round: string) => ({
    vote: {},
    timeout: { [`${round}:1`]: { CurrentSigners: [address], MissingSigners: [] } },
  });
  const read = (round: string) => toPoolStatus(pool(round), address, createAddressReader());
  expect(read('12')).toBeDefined();
  expect(read(HUGE)).toBeUndefined();
});
