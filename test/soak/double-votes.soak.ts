import { expect, test } from 'vitest';
import { runVoteRounds } from '../support/vote-rounds.ts';

test('a million honest rounds show no double vote', () => {
  const runs = [
    { masternodes: 3, rounds: 200_000, seed: 3 },
    { masternodes: 4, rounds: 500_000, seed: 4 },
    { masternodes: 7, rounds: 250_000, seed: 7 },
    { masternodes: 18, rounds: 50_000, seed: 18 },
  ].map(runVoteRounds);
  for (const run of runs) console.log(JSON.stringify(run));
  expect(runs.reduce((sum, { rounds }) => sum + rounds, 0)).toBe(1_000_000);
  expect(runs.map(({ wrong }) => wrong)).toEqual([0, 0, 0, 0]);
});

test.each([4, 7, 13])(
  'all of 100 double votes in pools that are read are found, with %d masternodes',
  (masternodes) => {
    const run = runVoteRounds({ masternodes, rounds: 20_000, seed: masternodes, planted: 100 });
    expect(run).toMatchObject({ planted: 100, found: 100, wrong: 0 });
  },
);

test('of 100 double votes that are sent to all nodes, pools that are read once a minute show nearly all', () => {
  const run = runVoteRounds({ masternodes: 4, rounds: 20_000, seed: 5, planted: 100, planting: 'sent' });
  console.log(JSON.stringify(run));
  expect(run.wrong).toBe(0);
  expect(run.found).toBeGreaterThanOrEqual(95);
});
