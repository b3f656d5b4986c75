import { expect, test } from 'vitest';
import { findWarnings } from '../../../src/watch/inventory/find-warnings.ts';
import { parseInventory } from '../../../src/watch/inventory/parse-inventory.ts';

const warningsOf = (ipc: string) => {
  const parsed = parseInventory(`subnets: [{ name: devnet, nodes: [{ name: subnet1, ipc: '${ipc}' }] }]`, {});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return findWarnings(parsed.inventory, 0);
};

test('a socket path of 107 bytes is good, and of 108 it is warned of before the node fails, in bytes and not letters', () => {
  expect(warningsOf(`/${'x'.repeat(106)}`)).toEqual([]);
  expect(warningsOf(`/${'x'.repeat(107)}`)).toEqual([
    expect.stringMatching(/subnet1 in devnet.* 108 bytes .*at most 107/),
  ]);
  expect(warningsOf(`/${'ä'.repeat(54)}`)).toHaveLength(1);
});

test('a maintenance window is warned of once it is over', () => {
  const parsed = parseInventory(
    `subnets: [{ name: devnet, nodes: [{ name: subnet1, rpc: 'http://x' }] }]
maintenance:
  - { subnet: devnet, schedule: '0 0 22 * * *', for: 1h, reason: backup }
  - { subnet: devnet, from: 2026-12-01T22:00Z, until: 2026-12-01T23:00Z, reason: upgrade }`,
    {},
  );
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  const end = Date.parse('2026-12-01T23:00Z');
  expect(findWarnings(parsed.inventory, end - 1)).toEqual([]);
  expect(findWarnings(parsed.inventory, end)).toEqual([
    'maintenance[1]: it ended at 2026-12-01 23:00 UTC and no longer covers anything; remove it',
  ]);
});
