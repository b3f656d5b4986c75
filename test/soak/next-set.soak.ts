import { expect, test } from 'vitest';
import { planChanges, runElections } from '../support/election-run.ts';

const RUNS = [
  { nodes: 4, epochs: 30, seed: 4 },
  { nodes: 4, epochs: 30, seed: 44 },
  { nodes: 7, epochs: 30, seed: 7 },
  { nodes: 7, epochs: 30, seed: 70 },
  { nodes: 7, epochs: 30, seed: 71 },
  { nodes: 10, epochs: 20, seed: 10 },
  // More candidates than places.
  { nodes: 13, epochs: 15, seed: 13, most: 11 },
  { nodes: 13, epochs: 15, seed: 14, most: 10 },
];

test('each of 200 next sets is the one that was predicted', async () => {
  let [right, early, rightEarly, smaller] = [0, 0, 0, 0];
  const reasons = new Map<string, number>();
  for (const { nodes, epochs, seed, most } of RUNS) {
    const names = Array.from({ length: nodes }, (_, index) => `subnet${index + 1}`);
    const stakes = names.map((_, place) => 10n ** 25n + BigInt(nodes - place));
    const changes = planChanges(names, epochs, seed);
    const run = await runElections({ names, epochs, changes, ...(most !== undefined && { most, stakes }) });
    for (const one of run) {
      const came = one.came.join();
      if (one.last.join() === came) right++;
      else console.log(JSON.stringify({ seed, ...one }));
      if (one.early !== 'changed') {
        early++;
        if (one.early.join() === came) rightEarly++;
        else console.log(JSON.stringify({ seed, ...one }));
      }
      if (one.penalised.length > 0) smaller++;
      for (const { reason = '' } of one.without) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    }
  }
  console.log(
    `right before the gap block ${right} of 200, of them ${smaller} with penalties; ten minutes before, where nothing changed since, ${rightEarly} of ${early}; ${JSON.stringify(Object.fromEntries(reasons))}`,
  );
  expect(right).toBe(200);
  expect(rightEarly).toBe(early);
  expect(early).toBeGreaterThan(100);
  expect(smaller).toBeGreaterThan(100);
});
