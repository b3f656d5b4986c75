import { expect, it } from 'vitest';
import { createPace } from '../../../../src/watch/probes/setup/setup-tools.ts';

const MANY = 400 * 3;

it('the nodes of many small subnets that begin at once are read at fifty a second, after the first fifty', () => {
  const takeTurn = createPace(() => 1_000);
  const waits = Array.from({ length: MANY }, takeTurn);
  expect(waits.slice(0, 50)).toEqual(Array(50).fill(0));
  expect(waits.slice(50)).toEqual(Array.from({ length: MANY - 50 }, (_, index) => (index + 1) * 20));
});

it('fifty may come at once again after a pause of a second, and fewer after a shorter one', () => {
  let now = 0;
  const takeTurn = createPace(() => now);
  const countAtOnce = () => {
    let count = 0;
    while (takeTurn() === 0) count += 1;
    return count;
  };
  expect(countAtOnce()).toBe(50);
  // The turn that had to wait is one of them.
  now += 1_020;
  expect(countAtOnce()).toBe(50);
  now += 220;
  expect(countAtOnce()).toBe(10);
});
