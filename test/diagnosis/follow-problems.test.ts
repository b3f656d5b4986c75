import { describe, expect, test } from 'vitest';
import { NOTHING_FOLLOWED } from '../../src/diagnosis/diagnose-subnet.ts';
import type { Followed } from '../../src/diagnosis/follow-problems.ts';
import type { Suspicion } from '../../src/model/problem.ts';
import { problemCatalog } from '../../src/model/problem-catalog.ts';
import type { TargetState } from '../../src/model/snapshot.ts';
import type { CheckName, Verdict } from '../../src/model/verdict.ts';
import { follow as followOnce } from '../support/diagnosed.ts';
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
  let followed = NOTHING_FOLLOWED;
  return moments.map(([ms, found, targets = found.length > 0 ? failing : well]) => {
    followed = followOnce(followed, found, targets, T0 + ms);
    return followed.problems.map((one) => one.state);
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

  test('that was about others and is clearing must be confirmed again, and one about the same goes on', () => {
    const risk = (about: string) =>
      suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, about });
    const wait = problemCatalog.quorum_at_risk.confirmMs;
    const before = [
      [0, [risk('a')]],
      [wait, [risk('a')]],
      [wait + SECOND, []],
    ] as const;
    const again = wait + 2 * SECOND;
    expect(follow(...before, [again, [risk('a')]]).at(-1)).toEqual(['open']);
    // It covers the warnings of the nodes until it is over, or until what it is about next is confirmed.
    expect(follow(...before, [again, [risk('b')]]).at(-1)).toEqual(['clearing']);
    expect(follow(...before, [again, [risk('b')]], [again + wait - 1, [risk('b')]]).at(-1)).toEqual(['clearing']);
    expect(follow(...before, [again, [risk('b')]], [again + wait, [risk('b')]]).at(-1)).toEqual(['open']);
    expect(follow(...before, [again, [risk('b')]], [again + SECOND, []], [again + wait, [risk('b')]]).at(-1)).toEqual([
      'clearing',
    ]);
    const over = wait + SECOND + problemCatalog.quorum_at_risk.clearMs;
    expect(follow(...before, [over - SECOND, [risk('b')]], [over, [risk('b')]]).at(-1)).toEqual(['suspected']);
    expect(follow(...before, [again, [risk('b')]], [over, []]).at(-1)).toEqual([]);
  });

  describe('that was over', () => {
    const gone = confirmMs + SECOND;
    const over = gone + clearMs;
    const ended = [
      [0, [suspicion()]],
      [confirmMs, [suspicion()]],
      [gone, []],
      [over, []],
    ] as const;

    test('is open after 10 s when it comes back within its reopen window, and since when it first was', () => {
      const back = over + SECOND;
      const again = (afterMs: number, from = back) =>
        follow(...ended, [from, [suspicion()]], [from + afterMs, [suspicion()]]).at(-1);
      expect(again(9_999)).toEqual(['suspected']);
      expect(again(10_000)).toEqual(['open']);
      expect(again(10_000, over + clearMs - 10_001)).toEqual(['open']);
      expect(again(10_000, over + clearMs - 10_000)).toEqual(['suspected']);
      let followed = NOTHING_FOLLOWED;
      for (const [ms, found] of [...ended, [back, [suspicion()]] as const, [back + 10_000, [suspicion()]] as const])
        followed = followOnce(followed, found, found.length > 0 ? failing : well, T0 + ms);
      expect(followed.problems).toMatchObject([{ since: T0, openedAt: T0 + confirmMs, seenAt: T0 + back + 10_000 }]);
      expect(followed.ended).toEqual([]);
    });

    test('is another one on another target, of other nodes, or when it was never confirmed', () => {
      expect(follow(...ended, [over + SECOND, [suspicion({ name: 'b' })]]).at(-1)).toEqual(['suspected']);
      expect(follow([0, [suspicion()]], [SECOND, []], [2 * SECOND, [suspicion()]]).at(-1)).toEqual(['suspected']);
      const risk = (about: string) =>
        suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, about });
      const wait = problemCatalog.quorum_at_risk;
      const end = wait.confirmMs + SECOND + wait.clearMs;
      const before = [
        [0, [risk('a')]],
        [wait.confirmMs, [risk('a')]],
        [wait.confirmMs + SECOND, []],
        [end, []],
      ] as const;
      const back = (about: string) =>
        follow(...before, [end + SECOND, [risk(about)]], [end + 11 * SECOND, [risk(about)]]).at(-1);
      expect(back('b')).toEqual(['suspected']);
      expect(back('a')).toEqual(['open']);
    });

    test('is forgotten after its window, with its target, and when very many have ended since', () => {
      const end = (name: string) => {
        const one = suspicion({ name });
        const targets = [state(name, { latest_block: 'fail' })];
        const seen = (followed: Followed, ms: number, found: readonly Suspicion[]) =>
          followOnce(followed, found, targets, T0 + ms);
        return (followed: Followed) => seen(seen(seen(seen(followed, 0, [one]), confirmMs, [one]), gone, []), over, []);
      };
      expect(end('a')(NOTHING_FOLLOWED).ended).toMatchObject([{ since: T0, endedAt: T0 + over }]);
      expect(followOnce(end('a')(NOTHING_FOLLOWED), [], well, T0 + over + clearMs).ended).toEqual([]);
      const found = followOnce(NOTHING_FOLLOWED, [suspicion()], failing, T0);
      const open = followOnce(found, [suspicion()], failing, T0 + confirmMs);
      expect(followOnce(open, [], [state('b', {})], T0 + gone).ended).toEqual([]);
      const many = Array.from({ length: 300 }, (_, index) => `n${index}`).reduce<Followed>(
        (followed, name) => end(name)(followed),
        NOTHING_FOLLOWED,
      );
      expect(many.ended).toHaveLength(200);
      expect(many.ended.at(-1)).toMatchObject({ problem: 'node_down', component: 'node', name: 'n299' });
    });
  });

  test('whose evidence goes back further than it was found is open that much sooner', () => {
    const lasted = (lastedMs: number) => follow([0, [suspicion({ lastedMs })]]).at(-1);
    expect(lasted(confirmMs)).toEqual(['open']);
    expect(lasted(confirmMs - 1)).toEqual(['suspected']);
  });

  test('that clears explains only what has failed since', () => {
    const open = followOnce(NOTHING_FOLLOWED, [suspicion({ problem: 'chain_forked' })], failing, T0);
    const [still] = followOnce(open, [], [state('a', {}), state('b', { peers: 'fail' })], T0 + SECOND).problems;
    expect(still?.explains).toHaveLength(1);
    const [recovered] = followOnce(open, [], well, T0 + SECOND).problems;
    expect(recovered).toMatchObject({ state: 'clearing', explains: [] });
  });

  test('comes before those that are less severe, and before later ones', () => {
    const found = [
      suspicion({ problem: 'head_regression' }),
      suspicion({ name: 'b' }),
      suspicion({ problem: 'subnet_halted', component: undefined, name: undefined }),
    ];
    const first = followOnce(NOTHING_FOLLOWED, found.slice(0, 2), failing, T0);
    expect(followOnce(first, found, failing, T0 + SECOND).problems.map(({ problem }) => problem)).toEqual([
      'subnet_halted',
      'node_down',
      'head_regression',
    ]);
  });
});

describe('a warning of a node', () => {
  const wait = problemCatalog.quorum_at_risk.confirmMs;
  const risk = suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, about: 'a' });
  const at = (ms: number, ...found: readonly Suspicion[]) => [ms, found] as const;

  test('waits for what is suspected to page in its place, for a minute at most', () => {
    const late = 7 * SECOND;
    const both = [at(0, suspicion()), at(late, suspicion(), risk)] as const;
    const states = (...more: readonly (readonly [number, readonly Suspicion[]])[]) => follow(...both, ...more).at(-1);
    expect(states(at(confirmMs, suspicion(), risk))).toEqual(['suspected', 'suspected']);
    expect(states(at(late + wait, suspicion(), risk))).toEqual(['open', 'open']);
    expect(states(at(confirmMs, suspicion()))).toEqual(['open']);
    const slow = { ...risk, confirmMs: 10 * 60 * SECOND };
    const seen = at(40 * SECOND, suspicion(), slow);
    expect(states(seen, at(confirmMs + 60 * SECOND - 1, suspicion(), slow))).toEqual(['suspected', 'suspected']);
    expect(states(seen, at(confirmMs + 60 * SECOND, suspicion(), slow))).toEqual(['suspected', 'open']);
  });

  test('that is open, of another component, or no warning does not wait', () => {
    const opened = [at(0, suspicion()), at(confirmMs, suspicion())] as const;
    expect(follow(...opened, at(confirmMs + SECOND, suspicion(), risk)).at(-1)).toEqual(['suspected', 'open']);
    const others = [
      suspicion({ component: 'stats', name: 'stats', problem: 'service_down' }),
      suspicion({ problem: 'head_regression' }),
    ];
    const seen = follow(at(0, ...others), at(25 * SECOND, ...others, risk), at(30 * SECOND, ...others, risk));
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
      follow([0, both], [confirmMs, both], [confirmMs + SECOND, found], [haltOver, []], [haltOver + SECOND, []]),
    ).toEqual([['open', 'suspected'], ['open', 'open'], ['clearing', 'open'], ['clearing', 'clearing'], []]);
  });

  test('clears by itself when something still pages for it, or nothing did', () => {
    const risk = suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, explains: [] });
    const all = [halted, risk, suspicion()];
    expect(
      follow([0, all], [confirmMs, all], [confirmMs + SECOND, [risk, suspicion()]], [haltOver + SECOND, [risk]]).at(-1),
    ).toEqual(['open', 'clearing']);
    expect(follow([0, found], [confirmMs, found], [confirmMs + SECOND, []]).at(-1)).toEqual(['clearing']);
  });

  test('that is found when it does stays open, and is reported itself from then on', () => {
    const both = [halted, suspicion()];
    expect(
      follow([0, both], [confirmMs, both], [confirmMs + SECOND, found], [haltOver + SECOND, found]).at(-1),
    ).toEqual(['open']);
  });
});
