import pino from 'pino';
import { expect, onTestFinished } from 'vitest';
import { databaseAway } from '../../src/lib/database-failure.ts';
import type { HistoryChange } from '../../src/model/history.ts';
import type { Problem } from '../../src/model/problem.ts';
import type { SubnetState } from '../../src/model/snapshot.ts';
import { type IncidentsDeps, startIncidents } from '../../src/tell/incidents/start-incidents.ts';
import { restoreProblems } from '../../src/watch/diagnosis/follow-problems.ts';
import { eventually } from './cli.ts';
import { NOW } from './diagnosed.ts';
import { createFakePart } from './fake-part.ts';
import { withDown } from './snapshots.ts';

/** When a daemon begins to watch, unless a test says otherwise. */
export const INCIDENTS_START = Date.UTC(2026, 10, 22, 3);
const well = withDown();

/** A database that does not answer. */
export const away = async () => Promise.reject(databaseAway());

/** A change of a container of the subnet. */
export const change = (at: number, over: Partial<HistoryChange> = {}): HistoryChange => ({
  ...{ at, subnet: 'devnet', kind: 'container', what: 'c', was: 'running', is: 'exited', reason: 'it has ended' },
  ...over,
});

/** The reasons of changes. */
export const reasons = (changes: readonly HistoryChange[] = []) => changes.map(({ reason }) => reason);

/** The same without what explains failed checks. */
const unexplained = (state: SubnetState): SubnetState => ({
  ...state,
  targets: state.targets.map((one) => ({
    ...one,
    checks: one.checks.map(({ because: _, cause: __, ...check }) => check),
  })),
});

type Sources = Pick<IncidentsDeps, 'store' | 'history'>;

/** A daemon's incidents, of a subnet that is well at first: two seconds pass between snapshots, from `startsAt` on. */
export function runIncidents(sources: Sources, startsAt = INCIDENTS_START) {
  let passed = 0;
  let shown = well;
  let shownUnexplained = unexplained(well);
  /** Until the next diagnosis. */
  let restored: readonly Problem[] = [];
  const failures: unknown[] = [];
  const bugs: unknown[] = [];
  const logged: Readonly<Record<string, unknown>>[] = [];
  const link = startIncidents({
    ...sources,
    part: createFakePart('devnet'),
    snapshot: () => {
      passed += 2_000;
      return [{ ...shownUnexplained, problems: restoreProblems(shown.problems, restored) }];
    },
    explained: () => [shown],
    clock: {
      now: () => NOW + passed,
      toWall: (at) => Math.round(startsAt + at - NOW),
      fromWall: (at) => at - startsAt + NOW,
    },
    keptDays: 365,
    linkKey: async (make) => `k${make().length}`,
    publicUrl: 'http://s.example',
    log: pino({ base: undefined, timestamp: false }, { write: (line: string) => void logged.push(JSON.parse(line)) }),
    minutesOf: () => [{ at: INCIDENTS_START, blocks: 30 }],
    readLastLines: async ({ name }, count) => ({
      ok: true,
      source: 'container',
      lines: [{ text: `the last ${count} of ${name}`, at: INCIDENTS_START }],
    }),
    onFailure: (error) => failures.push(error),
    onBug: (error) => bugs.push(error),
    onRestored: (_, problems) => {
      restored = problems;
    },
    followEveryMs: 3,
  });
  onTestFinished(link.stop);
  const ofContainer = async () => {
    const { incidents } = await link.list({ problem: 'container_down', limit: 9 });
    return incidents;
  };
  return {
    ...link,
    failures,
    bugs,
    logged,
    ofContainer,
    show: (next: SubnetState) => {
      shown = next;
      shownUnexplained = unexplained(next);
      restored = [];
    },
    wall: () => startsAt + passed,
    only: () =>
      eventually(async () => {
        const [one, ...others] = await ofContainer();
        expect(others).toEqual([]);
        if (one === undefined) throw new Error('no incident yet');
        return one;
      }),
    pass: async (ms: number) => {
      const from = passed;
      await eventually(() => expect(passed).toBeGreaterThanOrEqual(from + ms), 20_000, 5);
    },
  };
}
