import { expect, test } from 'vitest';
import type { HistoryChange } from '../../../src/model/history.ts';
import { createRecentChanges } from '../../../src/tell/history/create-history.ts';

const NOW = Date.UTC(2026, 10, 22, 3);
const MINUTE = 60_000;

const change = (minutesAgo: number, subnet = 'a'): HistoryChange => ({
  ...{ at: NOW - minutesAgo * MINUTE, subnet, kind: 'inventory', what: 'inventory' },
  ...{ was: 'one', is: 'two', reason: `${minutesAgo} min ago` },
});

const reasons = (changes: readonly HistoryChange[]) => changes.map(({ reason }) => reason);

test('the changes of a subnet in the last hour are kept, the oldest first, also those that are read later', () => {
  const recent = createRecentChanges();
  recent.add([change(3), change(1), change(2, 'b')]);
  recent.add([change(40), change(59), change(61)]);
  recent.add([]);
  expect(reasons(recent.read('a', NOW))).toEqual(['59 min ago', '40 min ago', '3 min ago', '1 min ago']);
  expect(reasons(recent.read('a', NOW + 30 * MINUTE))).toEqual(['3 min ago', '1 min ago']);
  expect(recent.read('c', NOW)).toEqual([]);
});

test('of very many changes, the last 2,000 are kept', () => {
  const recent = createRecentChanges();
  for (let turn = 0; turn < 30; turn += 1) recent.add(Array.from({ length: 100 }, () => change(30 - turn)));
  const kept = recent.read('a', NOW);
  expect(kept).toHaveLength(2_000);
  expect(kept[0]?.reason).toBe('20 min ago');
});
