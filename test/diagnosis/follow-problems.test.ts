import { describe, expect, test } from 'vitest';
import { followProblems } from '../../src/diagnosis/follow-problems.ts';
import type { Problem, Suspicion } from '../../src/model/problem.ts';
import { problemCatalog } from '../../src/model/problem-catalog.ts';
import type { TargetState } from '../../src/model/snapshot.ts';
import type { CheckName, Verdict } from '../../src/model/verdict.ts';
import { nodeTarget } from '../support/views.ts';

const SECOND = 1_000;
const T0 = 1_000_000;

const state = (name: string, verdicts: Partial<Record<CheckName, Verdict>>): TargetState => ({
  target: nodeTarget(name),
  facts: {},
  failures: {},
  shownFailures: [],
  checks: Object.entries(verdicts).map(([check, verdict]) => ({
    check: check as CheckName,
    round: 'rpc',
    verdict,
    seen: '',
    fix: '',
    since: 0,
    runs: 1,
    failures: 0,
  })),
});

const suspicion = (more: Partial<Suspicion> = {}): Suspicion => ({
  problem: 'node_down',
  component: 'node',
  name: 'a',
  summary: 'a does not answer',
  evidence: 'nothing listens',
  fix: 'restart it',
  explains: [{ component: 'node', name: 'b', check: 'peers' }],
  causes: [],
  ...more,
});
const failing = [state('a', { latest_block: 'fail' }), state('b', { peers: 'fail' })];
const well = [state('a', { latest_block: 'pass' }), state('b', { peers: 'pass' })];
const { confirmMs, clearMs } = problemCatalog.node_down;

/** The problems after each of these moments, when it was found or not. */
function follow(
  ...moments: readonly (readonly [ms: number, found: readonly Suspicion[], targets?: readonly TargetState[]])[]
) {
  let problems: readonly Problem[] = [];
  return moments.map(([ms, found, targets = found.length > 0 ? failing : well]) => {
    problems = followProblems(problems, found, targets, T0 + ms);
    return problems.map((one) => one.state);
  });
}

describe('a problem', () => {
  test('is suspected until it has been found for as long as its kind says, then open', () => {
    expect(follow([0, [suspicion()]], [confirmMs - 1, [suspicion()]], [confirmMs, [suspicion()]])).toEqual([
      ['suspected'],
      ['suspected'],
      ['open'],
    ]);
  });

  test('that is only suspected is forgotten when it is not found', () => {
    expect(follow([0, [suspicion()]], [SECOND, []], [confirmMs, [suspicion()]])).toEqual([
      ['suspected'],
      [],
      ['suspected'],
    ]);
  });

  test('clears for as long as its kind says, and stays open when it comes back meanwhile', () => {
    const opened = [
      [0, [suspicion()]],
      [confirmMs, [suspicion()]],
    ] as const;
    const gone = confirmMs + SECOND;
    expect(follow(...opened, [gone, []], [gone + clearMs - 1, []], [gone + clearMs, []]).slice(2)).toEqual([
      ['clearing'],
      ['clearing'],
      [],
    ]);
    expect(
      follow(...opened, [gone, []], [gone + SECOND, [suspicion()]], [gone + clearMs, [suspicion()]]).slice(2),
    ).toEqual([['clearing'], ['open'], ['open']]);
  });

  test('stays as it is while it cannot be judged, and ends with its target', () => {
    const opened = [
      [0, [suspicion()]],
      [confirmMs, [suspicion()]],
    ] as const;
    const hidden = [state('a', { latest_block: 'unknown' }), state('b', { peers: 'pass' })];
    expect(follow(...opened, [confirmMs + 2 * clearMs, [], hidden]).at(-1)).toEqual(['open']);
    expect(follow(...opened, [confirmMs + SECOND, [], [state('b', { peers: 'pass' })]]).at(-1)).toEqual([]);
  });

  test('that consists of others than before is another suspicion, but the same problem once it is open', () => {
    const risk = (about: string) =>
      suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, about });
    const wait = problemCatalog.quorum_at_risk.confirmMs;
    expect(follow([0, [risk('a')]], [wait - 1, [risk('b')]], [wait, [risk('b')]]).at(-1)).toEqual(['suspected']);
    expect(follow([0, [risk('a')]], [wait, [risk('a')]], [wait + 1, [risk('b')]]).at(-1)).toEqual(['open']);
  });

  test('that clears explains only what has failed since', () => {
    const open = followProblems([], [suspicion({ problem: 'chain_forked' })], failing, T0);
    const [still] = followProblems(open, [], [state('a', {}), state('b', { peers: 'fail' })], T0 + SECOND);
    expect(still?.explains).toHaveLength(1);
    const [recovered] = followProblems(open, [], well, T0 + SECOND);
    expect(recovered).toMatchObject({ state: 'clearing', explains: [] });
  });

  test('comes before those that are less severe, and before later ones', () => {
    const found = [
      suspicion({ problem: 'head_regression' }),
      suspicion({ name: 'b' }),
      suspicion({ problem: 'subnet_halted', component: undefined, name: undefined }),
    ];
    const first = followProblems([], found.slice(0, 2), failing, T0);
    expect(followProblems(first, found, failing, T0 + SECOND).map(({ problem }) => problem)).toEqual([
      'subnet_halted',
      'node_down',
      'head_regression',
    ]);
  });
});
