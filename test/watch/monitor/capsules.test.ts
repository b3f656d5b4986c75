import { expect, test } from 'vitest';
import { FAULT_NAMES, type FaultName } from '../../../src/demo/faults.ts';
import { findDifferences, replay, unpackReplay } from '../../../src/watch/monitor/replay.ts';
import { compareProblems, judgeAgain, readCapsule, storedCapsules, WITHOUT_CAPSULE } from '../../support/capsules.ts';

const stored = storedCapsules() as readonly FaultName[];

test('every fault of the demo has a capsule, or a reason why it has none', () => {
  expect([...stored, ...Object.keys(WITHOUT_CAPSULE)].sort()).toEqual([...FAULT_NAMES].sort());
});

test.each(stored)('%s has its problems, in the words that are stored', (fault) => {
  const before = readCapsule(fault);
  if (before === undefined) throw new Error(`${fault} has no capsule`);
  const { after } = replay(before.replay);
  expect(compareProblems(fault, after)).toMatchObject({ missing: [], wrong: [] });
  expect(findDifferences({ before, after }), 'if that is meant: npm run capsules -- --words').toEqual([]);
  expect(JSON.stringify(after)).toBe(JSON.stringify({ headline: before.headline, problems: before.problems }));
});

const wordsOfChecks = (packed: string) =>
  unpackReplay(packed).input.targets.flatMap(({ target, checks }) =>
    checks.map(({ check, verdict, seen, fix }) => ({ name: target.name, check, verdict, seen, fix })),
  );

test.each(stored)('the checks of %s say of its facts what is stored, as problems repeat it', (fault) => {
  const packed = readCapsule(fault)?.replay ?? '';
  expect(wordsOfChecks(judgeAgain(packed)), 'if that is meant: npm run capsules -- --words').toEqual(
    wordsOfChecks(packed),
  );
});
