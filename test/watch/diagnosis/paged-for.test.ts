import { describe, expect, test } from 'vitest';
import type { Suspicion } from '../../../src/model/problem.ts';
import { problemCatalog } from '../../../src/model/problem-catalog.ts';
import { NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { follow } from '../../support/diagnosed.ts';
import { failing, statesAfter, suspicion, T0, well } from '../../support/followed.ts';

const SECOND = 1_000;
const { confirmMs } = problemCatalog.node_down;

describe('a warning of a node', () => {
  const wait = problemCatalog.quorum_at_risk.confirmMs;
  const risk = suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, about: 'a' });
  const at = (ms: number, ...found: readonly Suspicion[]) => [ms, found] as const;

  test('waits for what is suspected to page in its place, for a minute at most', () => {
    const late = 7 * SECOND;
    const both = [at(0, suspicion()), at(late, suspicion(), risk)] as const;
    const states = (...more: readonly (readonly [number, readonly Suspicion[]])[]) =>
      statesAfter(...both, ...more).at(-1);
    expect(states(at(confirmMs, suspicion(), risk))).toEqual(['suspected', 'suspected']);
    expect(states(at(late + wait, suspicion(), risk))).toEqual(['open', 'open']);
    expect(states(at(confirmMs, suspicion()))).toEqual(['open']);
    const slow = { ...risk, confirmMs: 10 * 60 * SECOND };
    const seen = at(40 * SECOND, suspicion(), slow);
    expect(states(seen, at(confirmMs + 60 * SECOND - 1, suspicion(), slow))).toEqual(['suspected', 'suspected']);
    expect(states(seen, at(confirmMs + 60 * SECOND, suspicion(), slow))).toEqual(['suspected', 'open']);
  });

  test('waits as well when it is back, with the time of its first begin', () => {
    const { clearMs } = problemCatalog.node_down;
    const gone = confirmMs + clearMs + SECOND;
    const back = gone + 50 * SECOND;
    const ended = [at(0, suspicion()), at(confirmMs, suspicion()), at(confirmMs + SECOND), at(gone)] as const;
    const states = (seconds: number) =>
      statesAfter(...ended, at(back, suspicion(), risk), at(back + seconds * SECOND, suspicion(), risk)).at(-1);
    expect(statesAfter(...ended).at(-1)).toEqual([]);
    expect(states(12)).toEqual(['suspected', 'suspected']);
    expect(states(20)).toEqual(['open', 'open']);
    expect(statesAfter(...ended, at(back, suspicion()), at(back + 12 * SECOND, suspicion())).at(-1)).toEqual(['open']);
  });

  test('waits as well when it is suspected beside one of its name that clears, which goes on to clear', () => {
    const gone = confirmMs + SECOND;
    const back = gone + confirmMs + SECOND;
    const before = [at(0, suspicion()), at(confirmMs, suspicion()), at(gone)] as const;
    const states = (...ms: readonly number[]) =>
      statesAfter(...before, ...[0, ...ms].map((one) => at(back + one, suspicion(), risk))).at(-1);
    expect(states(10 * SECOND)?.toSorted()).toEqual(['clearing', 'suspected', 'suspected']);
    expect(states(10 * SECOND, wait - 1)?.toSorted()).toEqual(['clearing', 'suspected', 'suspected']);
    expect(states(10 * SECOND, wait)).toEqual(['open', 'open']);
  });

  test('that is open, of another component, or no warning does not wait', () => {
    const opened = [at(0, suspicion()), at(confirmMs, suspicion())] as const;
    expect(statesAfter(...opened, at(confirmMs + SECOND, suspicion(), risk)).at(-1)).toEqual(['suspected', 'open']);
    const others = [
      suspicion({ component: 'stats', name: 'stats', problem: 'service_down' }),
      suspicion({ problem: 'head_regression' }),
    ];
    const seen = statesAfter(at(0, ...others), at(25 * SECOND, ...others, risk), at(30 * SECOND, ...others, risk));
    expect(seen.at(-1)).toEqual(['suspected', 'open', 'open']);
  });
});

describe('a warning that is not found any more', () => {
  const halted = suspicion({ problem: 'subnet_halted', component: undefined, name: undefined, explains: [] });
  const haltOver = confirmMs + problemCatalog.subnet_halted.clearMs;
  const found = [suspicion()];

  test('ends with what paged for it, so that no alert of its own starts then', () => {
    const both = [halted, suspicion()];
    expect(
      statesAfter([0, both], [confirmMs, both], [confirmMs + SECOND, found], [haltOver, []], [haltOver + SECOND, []]),
    ).toEqual([['open', 'suspected'], ['open', 'open'], ['clearing', 'open'], ['clearing', 'clearing'], []]);
  });

  test('clears by itself when something still pages for it, or nothing did', () => {
    const risk = suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, explains: [] });
    const all = [halted, risk, suspicion()];
    expect(
      statesAfter(
        [0, all],
        [confirmMs, all],
        [confirmMs + SECOND, [risk, suspicion()]],
        [haltOver + SECOND, [risk]],
      ).at(-1),
    ).toEqual(['open', 'clearing']);
    expect(statesAfter([0, found], [confirmMs, found], [confirmMs + SECOND, []]).at(-1)).toEqual(['clearing']);
  });

  test('is moved by what is only suspected neither way', () => {
    const risk = suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, explains: [] });
    expect(
      statesAfter([0, found], [confirmMs, found], [confirmMs + SECOND, [risk]], [confirmMs + 2 * SECOND, []]).at(-1),
    ).toEqual(['clearing']);
    const both = [halted, suspicion()];
    expect(
      statesAfter(
        [0, both],
        [confirmMs, both],
        [confirmMs + SECOND, found],
        [haltOver, []],
        [haltOver + SECOND, [risk]],
      ).at(-1),
    ).toEqual(['suspected']);
  });

  test('that is found when it does stays open, and is reported itself from then on', () => {
    const both = [halted, suspicion()];
    expect(
      statesAfter([0, both], [confirmMs, both], [confirmMs + SECOND, found], [haltOver + SECOND, found]).at(-1),
    ).toEqual(['open']);
  });

  test('clears by itself when its halt was announced: that has paged for nothing', () => {
    const planned = { by: 'ops', reason: 'upgrade', until: T0 + 60 * 60 * SECOND, mutes: true };
    let followed = NO_PROBLEMS;
    for (const [ms, causes] of [
      ...[0, confirmMs].map((at) => [at, [halted, suspicion()]] as const),
      [confirmMs + SECOND, found],
      [haltOver, []],
      [haltOver + SECOND, []],
    ] as const) {
      const { problems, ended } = follow(followed, causes, causes.length > 0 ? failing : well, T0 + ms);
      followed = {
        ended,
        problems: problems.map((one) => (one.problem === 'subnet_halted' ? { ...one, planned } : one)),
      };
    }
    expect(followed.problems).toMatchObject([{ problem: 'node_down', state: 'clearing' }]);
  });

  test('is the same one when it comes back after it has ended so, and what is not a warning clears by itself', () => {
    const fell = suspicion({ problem: 'head_regression' });
    const all = [halted, suspicion(), fell];
    const over = haltOver + SECOND;
    const states = statesAfter(
      ...[0, confirmMs].map((at) => [at, all] as const),
      [confirmMs + SECOND, [suspicion(), fell]],
      [over - SECOND, []],
      [over, []],
      [over + SECOND, found],
      [over + 11 * SECOND, found],
    );
    expect(states.slice(-3)).toEqual([['clearing'], ['suspected', 'clearing'], ['open', 'clearing']]);
  });
});
