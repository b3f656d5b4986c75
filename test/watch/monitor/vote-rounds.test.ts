import { expect, test } from 'vitest';
import { runVoteRounds } from '../../support/vote-rounds.ts';

test('honest masternodes never vote twice, whatever their rounds and pools look like', () => {
  expect(runVoteRounds({ masternodes: 4, rounds: 3_000, seed: 1 })).toMatchObject({ found: 0, wrong: 0 });
});

test('each double vote in a pool that is read, or in two, is found once', () => {
  const run = runVoteRounds({ masternodes: 7, rounds: 1_500, seed: 2, planted: 30 });
  expect(run).toMatchObject({ planted: 30, found: 30, wrong: 0 });
});
