import { expect, it } from 'vitest';
import { createAddressReader } from '../../../src/watch/probes/chain-values.ts';

const addresses = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`);

it('a list of far more masternodes than a chain can have is none, so that one node cannot fill the metrics', () => {
  const { readList } = createAddressReader();
  expect(readList(addresses(5_000))).toHaveLength(5_000);
  expect(readList(addresses(5_001))).toBeUndefined();
});
