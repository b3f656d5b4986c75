import { expect, onTestFinished } from 'vitest';
import type { Problem } from '../../src/model/problem.ts';
import type { SubnetState } from '../../src/model/snapshot.ts';
import { restoreProblems } from '../../src/watch/diagnosis/follow-problems.ts';
import { eventually } from './cli.ts';
import { NOW } from './diagnosed.ts';
import type { FakePart } from './fake-part.ts';
import { withDown } from './snapshots.ts';

/** When an instance of a fleet begins to watch, unless a test says otherwise. */
export const FLEET_START = Date.UTC(2026, 10, 21, 12);

/** What an instance of a fleet sees of the subnet `devnet`, well at first: so much time passes between two snapshots. */
export function createSeenSubnet(part: FakePart, stepMs: number, from: number) {
  let passed = 0;
  let shown: SubnetState = withDown();
  /** Until the next diagnosis. */
  let restored: readonly Problem[] = [];
  const everRestored: Problem[] = [];
  const bugs: unknown[] = [];
  const report = (error: unknown) => void bugs.push(error);
  return {
    deps: {
      part,
      snapshot: () => {
        passed += stepMs;
        const problems = restoreProblems(shown.problems, restored);
        return part.watched.includes('devnet') ? [{ ...shown, problems, reference: passed / 2_000 }] : [];
      },
      clock: {
        now: () => NOW + passed,
        toWall: (at: number) => Math.round(from + at - NOW),
        fromWall: (at: number) => at - from + NOW,
      },
      onFailure: report,
      onBug: report,
      onRestored: (_: string, problems: readonly Problem[]) => {
        restored = problems;
        everRestored.push(...problems);
      },
    },
    /** Ends what uses it with the test, which fails if that has reported anything. */
    endWith: (stop: () => Promise<void>) =>
      onTestFinished(async () => {
        await stop();
        expect(bugs).toEqual([]);
      }),
    time: {
      show: (next: SubnetState) => {
        shown = next;
        restored = [];
      },
      wall: () => from + passed,
      passed: () => passed,
      /** The problems of earlier processes that were given to it. */
      restored: () => everRestored,
      pass: async (ms: number) => {
        const until = passed + ms;
        await eventually(() => expect(passed).toBeGreaterThanOrEqual(until), 20_000, 5);
      },
    },
  };
}
