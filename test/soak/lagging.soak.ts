import { expect, test } from 'vitest';
import { runLag } from '../support/lag-run.ts';

const SEEDS = Array.from({ length: 40 }, (_, index) => index + 1);
const MINUTE = 60_000;

const middle = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0;

test.each([
  { masternodes: 4, slow: 0.15, others: 0.03 },
  { masternodes: 7, slow: 0.15, others: 0.03 },
  { masternodes: 13, slow: 0.15, others: 0.03 },
  { masternodes: 4, slow: 0.08, others: 0.005 },
])('one of $masternodes that misses $slow of its turns among $others is named', ({ masternodes, slow, others }) => {
  const runs = SEEDS.map((seed) =>
    runLag({ masternodes, epochs: 60, seed, misses: (place) => (place === 1 ? slow : others), untilNamed: true }),
  );
  const found = runs.flatMap(({ named }) => named.get('n2') ?? []);
  const wrong = runs.flatMap(({ named }) => [...named.keys()].filter((name) => name !== 'n2'));
  const turns = found.map((one) => one.turns);
  console.log(
    `${masternodes} masternodes, ${slow} among ${others}: ${found.length} of ${runs.length} named, after ${middle(turns)} turns in the middle (${Math.min(...turns)} to ${Math.max(...turns)}), ${Math.round(middle(found.map(({ ms }) => ms)) / MINUTE)} minutes; others named: ${wrong.length}`,
  );
  expect([found.length, wrong]).toEqual([runs.length, []]);
});

test.each([
  { masternodes: 4, share: 0.03, epochs: 600 },
  { masternodes: 4, share: 0.005, epochs: 600 },
  { masternodes: 7, share: 0.03, epochs: 600 },
  { masternodes: 13, share: 0.1, epochs: 300 },
])('nobody is named in $epochs epochs of $masternodes that all miss $share', ({ masternodes, share, epochs }) => {
  const { turns, named } = runLag({ masternodes, epochs, seed: masternodes, misses: () => share });
  console.log(
    `${masternodes} masternodes, all miss ${share}: ${epochs} epochs, ${turns} rounds, named ${JSON.stringify([...named])}`,
  );
  expect([...named.keys()]).toEqual([]);
});
