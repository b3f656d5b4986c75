import { expect, it } from 'vitest';
import { createAddressReader } from '../../../src/watch/probes/chain-values.ts';
import { toBlock } from '../../../src/watch/probes/node-calls.ts';

const addresses = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `0x${(index + 1).toString(16).padStart(40, '0')}`);

it('a list of far more masternodes than a chain can have is none, so that one node cannot fill the metrics', () => {
  const { readList } = createAddressReader();
  expect(readList(addresses(5_000))).toHaveLength(5_000);
  expect(readList(addresses(5_001))).toBeUndefined();
});

it('the round of a block is read where the node gives it as a number', () => {
  const roundOf = (Round: unknown) => toBlock({ Number: 7, Timestamp: 1, Round, Error: '' });
  expect(roundOf(12)).toEqual({ ok: true, value: { number: 7, timestamp: 1, round: 12 } });
  for (const none of [undefined, null, -1, 1.5, 'x'])
    expect(roundOf(none)).toEqual({ ok: true, value: { number: 7, timestamp: 1 } });
});
