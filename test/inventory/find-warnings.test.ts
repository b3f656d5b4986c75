import { expect, test } from 'vitest';
import { findWarnings } from '../../src/inventory/find-warnings.ts';
import { parseInventory } from '../../src/inventory/parse-inventory.ts';

const warningsOf = (ipc: string) => {
  const parsed = parseInventory(`subnets: [{ name: devnet, nodes: [{ name: subnet1, ipc: '${ipc}' }] }]`, {});
  if (!parsed.ok) throw new Error(JSON.stringify(parsed));
  return findWarnings(parsed.inventory);
};

test('a socket path of 107 bytes is good, and of 108 it is warned of before the node fails, in bytes and not letters', () => {
  expect(warningsOf(`/${'x'.repeat(106)}`)).toEqual([]);
  expect(warningsOf(`/${'x'.repeat(107)}`)).toEqual([
    expect.stringMatching(/subnet1 in devnet.* 108 bytes .*at most 107/),
  ]);
  expect(warningsOf(`/${'ä'.repeat(54)}`)).toHaveLength(1);
});
