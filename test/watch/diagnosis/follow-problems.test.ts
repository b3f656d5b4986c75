import { describe, expect, test } from 'vitest';
import type { Incident } from '../../../src/model/incident.ts';
import type { ParentFacts } from '../../../src/model/parent-chain.ts';
import { NOTHING_TO_DO, type Problem, type Suspicion } from '../../../src/model/problem.ts';
import { problemCatalog } from '../../../src/model/problem-catalog.ts';
import type { RelayFacts } from '../../../src/model/relay.ts';
import type { Quorum, TargetState } from '../../../src/model/snapshot.ts';
import { toRestoredProblem } from '../../../src/tell/incidents/stored-incidents.ts';
import { NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { type FollowedProblems, restoreProblems } from '../../../src/watch/diagnosis/follow-problems.ts';
import type { SubnetView } from '../../../src/watch/diagnosis/subnet-view.ts';
import { containerOf, diagnosedNode, follow, NOW, SUBNET } from '../../support/diagnosed.ts';
import { failing, nodeState, statesAfter, suspicion, T0, well } from '../../support/followed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const SECOND = 1_000;
const { confirmMs, clearMs } = problemCatalog.node_down;
const TIGHT: Quorum = { total: 4, required: 3, voting: 3 };
const TIGHT_VOTES = '3 of 4 masternodes can vote, 3 needed';

describe('a problem', () => {
  test('is suspected until it has been found for as long as its kind says, then open', () => {
    expect(statesAfter([0, [suspicion()]], [confirmMs - 1, [suspicion()]], [confirmMs, [suspicion()]])).toEqual([
      ['suspected'],
      ['suspected'],
      ['open'],
    ]);
  });

  test('has begun when Docker says so once it is open, and is confirmed no sooner for that', () => {
    const found = [suspicion({ begunAt: T0 - 60 * SECOND })];
    let followed = NO_PROBLEMS;
    const at = (ms: number, now: readonly Suspicion[] = found) => {
      followed = follow(followed, now, failing, T0 + ms);
      return followed.problems.map(({ state, since }) => [state, since - T0]);
    };
    expect(at(0)).toEqual([['suspected', 0]]);
    expect(at(confirmMs - 1)).toEqual([['suspected', 0]]);
    expect(at(confirmMs)).toEqual([['open', -60 * SECOND]]);
    // A later end of the same container makes it no younger, nor does a clock that is ahead.
    expect(at(confirmMs + SECOND, [suspicion({ begunAt: T0 + confirmMs })])).toEqual([['open', -60 * SECOND]]);
    followed = NO_PROBLEMS;
    const ahead = [suspicion({ begunAt: T0 + 60 * SECOND })];
    expect([at(0, ahead), at(confirmMs, ahead)]).toEqual([[['suspected', 0]], [['open', 0]]]);
  });

  test('of a wallet whose spend is not known again yet does not end with what covers it', () => {
    const of = { component: 'node', name: 'a' } as const;
    const [low] = follow(NO_PROBLEMS, [suspicion({ problem: 'wallet_low', lastedMs: 60 * SECOND })], well, T0).problems;
    const before = { problems: [{ ...(low as Problem), state: 'open' as const, restoredAt: T0 }], ended: [] };
    const cover = [
      suspicion({ problem: 'contract_missing', lastedMs: 600 * SECOND, causes: [{ problem: 'wallet_low', ...of }] }),
    ];
    const relay = { observation: {}, packets: {}, wallets: {} } as unknown as RelayFacts;
    const told = (isSpendKnown: boolean) =>
      follow(before, cover, well, T0 + SECOND, {
        subnet: { ...SUBNET, parentChain: { rpc: 'http://parent:8545', contract: '0x1' } },
        facts: isSpendKnown ? { relay } : {},
      }).problems.map(({ problem, state }) => [problem, state]);
    expect(told(false)).toContainEqual(['wallet_low', 'open']);
    expect(told(true).map(([problem]) => problem)).toEqual(['contract_missing']);
  });

  test('that is open and critical is ended by what covers it only once that is open too', () => {
    const of = { component: 'relayer', name: 'r' } as const;
    const stopped = (problem: 'relayer_stopped' | 'service_down') => suspicion({ ...of, problem, explains: [] });
    const cover = suspicion({
      ...{ problem: 'finality_stalled', component: undefined, name: undefined, explains: [] },
      causes: ['relayer_stopped', 'service_down'].map((problem) => ({ ...of, problem: problem as 'service_down' })),
    });
    let followed = NO_PROBLEMS;
    const pass = (ms: number, ...found: readonly Suspicion[]) => {
      followed = follow(followed, found, well, T0 + ms);
      return followed.problems.map(({ problem, state }) => [problem, state]);
    };
    const both = [stopped('relayer_stopped'), stopped('service_down')];
    for (const ms of [0, 60 * SECOND]) pass(ms, ...both);
    expect(pass(61 * SECOND, cover)).toEqual([
      ['relayer_stopped', 'open'],
      ['finality_stalled', 'suspected'],
    ]);
    expect(pass(61 * SECOND + problemCatalog.finality_stalled.confirmMs, cover)).toEqual([
      ['finality_stalled', 'open'],
    ]);
  });

  test('that is only suspected is forgotten when it is not found', () => {
    expect(statesAfter([0, [suspicion()]], [SECOND, []], [confirmMs, [suspicion()]])).toEqual([
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
    expect(statesAfter(...opened, [gone, []], [gone + clearMs - 1, []], [gone + clearMs, []]).slice(2)).toEqual([
      ['clearing'],
      ['clearing'],
      [],
    ]);
    expect(
      statesAfter(...opened, [gone, []], [gone + SECOND, [suspicion()]], [gone + clearMs, [suspicion()]]).slice(2),
    ).toEqual([['clearing'], ['open'], ['open']]);
  });

  test('that was over for longer than it takes to be confirmed begins anew, after ten seconds', () => {
    const backAfter = (awayMs: number, ...moments: readonly number[]) => {
      let followed = NO_PROBLEMS;
      const from = confirmMs + awayMs;
      for (const ms of [0, confirmMs, confirmMs + SECOND, ...moments.map((ms) => from + ms)])
        followed = follow(followed, ms === confirmMs + SECOND ? [] : [suspicion()], well, T0 + ms);
      return followed.problems.map(({ state, since, openedAt }) => [state, since - T0 - from, openedAt]);
    };
    const opened = T0 + confirmMs;
    expect(backAfter(confirmMs, 0)).toEqual([['open', -2 * confirmMs, opened]]);
    const long = confirmMs + 1;
    const before = ['clearing', -confirmMs - long, opened];
    expect(backAfter(long, 0)).toEqual([before, ['suspected', 0, undefined]]);
    expect(backAfter(long, 0, 9_999)).toEqual([before, ['suspected', 0, undefined]]);
    expect(backAfter(long, 0, 10_000)).toEqual([['open', 0, opened + long + 10_000]]);
    // What was seen of it before subnetd was started says nothing of that.
    const [stored] = follow(NO_PROBLEMS, [suspicion({ lastedMs: confirmMs })], well, T0).problems;
    const restored = { ...(stored as Problem), state: 'clearing', clearingSince: T0, restoredAt: T0 } as const;
    expect(follow({ problems: [restored], ended: [] }, [suspicion()], well, T0 + long).problems).toMatchObject([
      { state: 'open', since: T0 },
    ]);
    // Once subnetd itself has seen it over, it does.
    const over = follow(
      { problems: [{ ...restored, state: 'open', clearingSince: undefined }], ended: [] },
      [],
      well,
      T0 + 1,
    );
    expect(follow(over, [suspicion()], well, T0 + 1 + long).problems).toMatchObject([
      { state: 'clearing', since: T0 },
      { state: 'suspected', since: T0 + 1 + long },
    ]);
    // So has the earlier process, if it was clearing for long when that ended, whichever of the two is known first.
    const longOver = { ...restored, clearingSince: T0 - long };
    const anew = follow({ problems: [longOver], ended: [] }, [suspicion()], well, T0 + 1).problems;
    expect(anew.map(({ state }) => state)).toEqual(['clearing', 'suspected']);
    // So does what has begun since, as Docker knows.
    const begunAt = T0 + long;
    const sinceThen = follow({ problems: [restored], ended: [] }, [suspicion({ begunAt })], well, T0 + long).problems;
    expect(sinceThen.map(({ state }) => state)).toEqual(['clearing', 'suspected']);
    const found = follow(NO_PROBLEMS, [suspicion()], well, T0 - 1).problems;
    const problems = restoreProblems(found, [longOver]);
    expect(follow({ problems, ended: [] }, [suspicion()], well, T0 + 1).problems).toMatchObject(anew);
    // What began before it was last seen is the same, however long nobody could see it.
    const begunIn = (ms: number) =>
      follow(over, [suspicion({ begunAt: T0 + ms })], well, T0 + 1 + long).problems.map(({ state }) => state);
    expect(begunIn(-SECOND)).toEqual(['open']);
    expect(begunIn(long)).toEqual(['clearing', 'suspected']);
    // One that is not found for a moment is forgotten.
    const gone = confirmMs + long;
    const states = statesAfter(
      [0, [suspicion()]],
      [confirmMs, [suspicion()]],
      [confirmMs + SECOND, []],
      [gone, [suspicion()]],
      [gone + SECOND, []],
    );
    expect(states.slice(-2)).toEqual([['clearing', 'suspected'], ['clearing']]);
  });

  test('that is only suspected starts again after a minute in which nobody looked', () => {
    const behind = [suspicion({ problem: 'node_behind' })];
    const wait = problemCatalog.node_behind.confirmMs;
    const minute = 60 * SECOND;
    expect(wait).toBeGreaterThan(2 * minute);
    expect(statesAfter([0, behind], [minute, behind], [wait - minute, behind], [wait, behind]).at(-1)).toEqual([
      'open',
    ]);
    expect(statesAfter([wait - minute - SECOND, behind], [wait, behind], [wait + SECOND, behind]).at(-1)).toEqual([
      'suspected',
    ]);
    const late = wait - minute - 1;
    expect(statesAfter([0, behind], [minute, behind], [late, behind], [wait, behind]).at(-1)).toEqual(['suspected']);
  });

  test('stays as it is while it cannot be judged, and ends with its target', () => {
    const opened = [
      [0, [suspicion()]],
      [confirmMs, [suspicion()]],
    ] as const;
    const hidden = [nodeState('a', { latest_block: 'unknown' }), nodeState('b', { peers: 'pass' })];
    expect(statesAfter(...opened, [confirmMs + 2 * clearMs, [], hidden]).at(-1)).toEqual(['open']);
    expect(statesAfter(...opened, [confirmMs + SECOND, [], [nodeState('b', { peers: 'pass' })]]).at(-1)).toEqual([]);
  });

  test('that was stored keeps its own begin, although one of its name was over when it was read', () => {
    const found = [suspicion({ lastedMs: confirmMs })];
    const [open] = follow(NO_PROBLEMS, found, failing, T0).problems as [Problem];
    const over = { ...open, since: T0 - 60 * SECOND, endedAt: T0, isHidden: true };
    const before = { problems: [{ ...open, restoredAt: T0 }], ended: [over] };
    expect(follow(before, found, failing, T0 + SECOND).problems).toMatchObject([{ state: 'open', since: T0 }]);
    expect(follow({ ...before, problems: [] }, found, failing, T0 + SECOND).problems).toMatchObject([
      { state: 'open', since: T0 - 60 * SECOND },
    ]);
  });

  test('of the whole subnet clears as soon as one node can be judged, whichever nodes bring it', () => {
    const whole = { component: undefined, name: undefined, explains: [], nodes: ['a', 'b'] };
    const risk = [suspicion({ problem: 'quorum_at_risk', ...whole })];
    const hidden = [nodeState('a', { latest_block: 'unknown' }), nodeState('b', { latest_block: 'pass' })];
    const wait = problemCatalog.quorum_at_risk.confirmMs;
    expect(statesAfter([0, risk], [wait, risk], [wait + SECOND, [], hidden])).toEqual([
      ['suspected'],
      ['open'],
      ['clearing'],
    ]);
  });

  test('of the container before is over, although it was found for a moment more', () => {
    const stateAfter = (startedBefore: number, lastRestartBy: 'recreation' | 'policy' = 'recreation') => {
      const container = { ...containerOf('a', { startedAt: T0 + confirmMs - startedBefore }), lastRestartBy };
      const starting = { ...nodeState('a', { latest_block: 'unknown' }), facts: { container } } as TargetState;
      return statesAfter([0, [suspicion()]], [confirmMs, [suspicion()]], [confirmMs + SECOND, [], [starting]]).at(-1);
    };
    expect([stateAfter(4_999), stateAfter(5_000), stateAfter(-SECOND)]).toEqual([['clearing'], ['open'], ['clearing']]);
    expect(stateAfter(4_999, 'policy')).toEqual(['open']);
  });

  test('of a node that ends again and again opens with the risk that its first end brought', () => {
    const risk = suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, about: 'a' });
    const [once, loop] = (['container_restarting', 'silent_restart_loop'] as const).map((problem) =>
      suspicion({ problem }),
    );
    if (!once || !loop) throw new Error('there are two');
    const moments = [
      [0, [risk, once]],
      [10 * SECOND, [risk, loop]],
      [20 * SECOND, [risk, loop]],
    ] as const;
    expect(statesAfter(...moments).slice(1)).toEqual([
      ['suspected', 'suspected'],
      ['open', 'open'],
    ]);
  });

  test('that came long after the one before stays another one while others leave it', () => {
    const of = (about: string, more: Partial<Suspicion> = {}) => suspicion({ about, ...more });
    const gone = confirmMs + SECOND;
    const at = gone + confirmMs + SECOND;
    let followed = NO_PROBLEMS;
    for (const [ms, found] of [
      [0, [of('n2')]],
      [confirmMs, [of('n2')]],
      [gone, []],
      [at, [of('n1, n2, n3')]],
      // However long this one takes to be confirmed.
      [at + SECOND, [of('n2, n3', { confirmMs: 2 * confirmMs + 5 * SECOND })]],
    ] as const)
      followed = follow(followed, found, well, T0 + ms);
    expect(followed.problems.map(({ about, state, isNext }) => [about, state, isNext])).toEqual([
      ['n2', 'clearing', undefined],
      ['n2, n3', 'suspected', true],
    ]);
  });

  test('that others leave is another suspicion, but the same problem once it is open', () => {
    const risk = (about: string) =>
      suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, about });
    const wait = problemCatalog.quorum_at_risk.confirmMs;
    const stateAfter = (one: string, other: string) =>
      statesAfter([0, [risk(one)]], [wait - 1, [risk(other)]], [wait, [risk(other)]]).at(-1);
    expect([stateAfter('a', 'b'), stateAfter('a, b', 'b')]).toEqual([['suspected'], ['suspected']]);
    // What was so for its time is so, though more is.
    expect(stateAfter('a', 'a, b')).toEqual(['open']);
    const open = [
      [0, [risk('a')]],
      [wait, [risk('a')]],
    ] as const;
    expect(statesAfter(...open, [wait + 1, [risk('a, b')]], [wait + 2, [risk('b')]]).slice(2)).toEqual([
      ['open'],
      ['open'],
    ]);
    expect(statesAfter(...open, [wait + 1, [risk('b')]]).at(-1)).toEqual(['clearing', 'suspected']);
  });

  test('that a contract is behind is not told at once because the relayer has submitted to another one', () => {
    const behind = (about?: string) => suspicion({ problem: 'checkpoint_behind', ...(about && { about }) });
    const wait = problemCatalog.checkpoint_behind.confirmMs;
    const elsewhere = [
      [0, [behind('0xaa')]],
      [wait / 2, [behind('0xaa')]],
      [wait, [behind('0xaa')]],
    ] as const;
    const from = wait + SECOND;
    const each = (until: number) =>
      Array.from(
        { length: Math.floor(until / (10 * SECOND)) },
        (_, at) => [from + at * 10 * SECOND, [behind()]] as const,
      );
    expect(statesAfter(...elsewhere).at(-1)).toEqual(['open']);
    expect(statesAfter(...elsewhere, ...each(wait), [from + wait - 1, [behind()]]).at(-1)).toEqual([
      'clearing',
      'suspected',
    ]);
    expect(statesAfter(...elsewhere, ...each(wait), [from + wait, [behind()]]).at(-1)).toEqual(['open']);
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
    expect(statesAfter(...before, [again, [risk('a')]]).at(-1)).toEqual(['open']);
    // It covers the warnings of the nodes until it is over, or until what is found of others is confirmed by itself.
    expect(statesAfter(...before, [again, [risk('b')]]).at(-1)).toEqual(['clearing', 'suspected']);
    const told = follow(
      follow(follow(NO_PROBLEMS, [{ ...risk('a'), lastedMs: wait }], failing, T0), [], well, T0 + SECOND),
      [{ ...risk('b'), evidence: 'without b', fix: 'bring back b' }],
      well,
      T0 + 2 * SECOND,
    ).problems;
    const { evidence } = suspicion();
    // Each has its own words, and their time.
    expect(told).toMatchObject([
      { state: 'clearing', about: 'a', evidence, fix: NOTHING_TO_DO, seenAt: T0 },
      { state: 'suspected', about: 'b', evidence: 'without b', fix: 'bring back b', seenAt: T0 + 2 * SECOND },
    ]);
    const next = [
      [again, [risk('b')]],
      [again + 10 * SECOND, [risk('b')]],
    ] as const;
    expect(statesAfter(...before, ...next, [again + wait - 1, [risk('b')]]).at(-1)).toEqual(['clearing', 'suspected']);
    expect(statesAfter(...before, ...next, [again + wait, [risk('b')]]).at(-1)).toEqual(['open']);
    expect(
      statesAfter(...before, [again, [risk('b')]], [again + SECOND, []], [again + wait, [risk('b')]]).slice(-2),
    ).toEqual([['clearing'], ['clearing', 'suspected']]);
    // It is also confirmed when the one before ends meanwhile.
    const over = wait + SECOND + problemCatalog.quorum_at_risk.clearMs;
    const late = [
      [over - SECOND, [risk('b')]],
      [over, [risk('b')]],
      [over - SECOND + wait, [risk('b')]],
    ] as const;
    expect(statesAfter(...before, ...late).slice(-3)).toEqual([['clearing', 'suspected'], ['suspected'], ['open']]);
    expect(statesAfter(...before, [again, [risk('b')]], [again + SECOND, [risk('a')]]).at(-1)).toEqual(['open']);
  });

  test('of too few votes does not end while too few masternodes vote', () => {
    const risk = suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined });
    const wait = problemCatalog.quorum_at_risk.confirmMs;
    const over = wait + SECOND + problemCatalog.quorum_at_risk.clearMs;
    const left = (isShort: boolean, others: readonly Suspicion[] = []) => {
      let followed = NO_PROBLEMS;
      for (const [ms, found] of [
        [0, [risk]],
        [wait, [risk]],
        [wait + SECOND, others],
        [over, []],
      ] as const)
        followed = follow(followed, found, well, T0 + ms, { quorum: isShort ? TIGHT : undefined });
      return followed.problems.map(({ state, fix }) => [state, fix]);
    };
    const clearing = [['clearing', `${TIGHT_VOTES}; restart no other node until there is a spare vote again`]];
    expect([left(true), left(false)]).toEqual([clearing, []]);
    // Nor is it suspected beside that of others that are not found any more.
    expect(left(true, [{ ...risk, about: 'b' }])).toEqual(clearing);
  });

  test('of a halt or a common crash that clears has something to do while there is no spare vote', () => {
    const whole = { component: undefined, name: undefined };
    type Name = 'subnet_halted' | 'containers_crashed' | 'finality_stalled';
    const fixOf = (problem: Name, quorum?: Quorum, also: readonly Suspicion[] = []) => {
      const found = suspicion({ problem, ...whole });
      const wait = problemCatalog[problem].confirmMs;
      const open = follow(follow(NO_PROBLEMS, [found], well, T0), [found], well, T0 + wait);
      const { problems } = follow(open, also, well, T0 + wait + SECOND, { quorum });
      return problems.filter((one) => one.problem === problem).map(({ fix }) => fix);
    };
    // Whose votes are missing still, and how they come back, is known while that is only suspected.
    const fix = 'bring back n1, n2: 1 more must vote';
    const riskOf = (ms: number) => suspicion({ problem: 'quorum_at_risk', ...whole, fix, begunAt: T0 + SECOND - ms });
    expect(fixOf('subnet_halted', TIGHT, [riskOf(10_000)])).toEqual([`${TIGHT_VOTES}; ${fix}`]);
    // Who reads of a halt that has ended reads how many can vote now.
    const spare = [`${TIGHT_VOTES}; restart no other node until there is a spare vote again`];
    // Whoever has stopped them a moment ago may be starting them again.
    expect(fixOf('subnet_halted', TIGHT, [riskOf(9_999)])).toEqual(spare);
    expect([fixOf('subnet_halted', TIGHT), fixOf('containers_crashed', TIGHT)]).toEqual([spare, spare]);
    expect([fixOf('subnet_halted'), fixOf('finality_stalled', TIGHT)]).toEqual([[NOTHING_TO_DO], [NOTHING_TO_DO]]);
  });

  test('of too few votes is suspected for as long, and no longer', () => {
    const explains = [{ component: 'relayer', name: 'relayer', check: 'submissions' }] as const;
    const risk = suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, explains });
    const wait = problemCatalog.quorum_at_risk.confirmMs;
    const told = (quorum: Quorum | undefined, found: readonly Suspicion[]) => {
      let followed = follow(NO_PROBLEMS, [{ ...risk, summary: 'too few nodes vote for another block' }], well, T0);
      followed = follow(followed, [], well, T0 + wait, { quorum });
      return follow(followed, found, well, T0 + wait, { quorum }).problems.map(
        ({ state, summary, evidence, fix, explains: left }) =>
          found.length > 0 ? state : { state, summary, evidence, fix, left },
      );
    };
    const [waits] = follow(follow(NO_PROBLEMS, [risk], well, T0), [], well, T0 + 1, {
      quorum: { ...TIGHT, starting: 1 },
    }).problems;
    expect(waits?.summary).toBe('too few can vote until more of those that have just started do');
    // Whose votes were missing a moment ago, and why, is not said of now.
    expect([told(TIGHT, []), told(TIGHT, [risk])]).toEqual([
      [
        {
          state: 'suspected',
          summary: 'there is no spare vote',
          evidence: TIGHT_VOTES,
          fix: 'restart no other node until there is a spare vote again',
          // That there is no spare vote keeps no block back.
          left: [],
        },
      ],
      ['open'],
    ]);
    expect([told(undefined, []), told(undefined, [risk])]).toEqual([[], ['suspected']]);
    // Too few are left, of whom none has just started, and the halt is found later.
    const lost = told({ ...TIGHT, voting: TIGHT.required - 1 }, []);
    expect(lost).toMatchObject([{ summary: 'too few nodes vote for another block', fix: risk.fix, left: explains }]);
  });

  const FOUR = ['n1', 'n2', 'n3', 'n4'];

  test('of a chain is not over while no node answers, and that of another network while too few do', () => {
    const targetsWith = (silent: number) =>
      judgeTargets(
        FOUR.map((name, at) =>
          diagnosedNode(name, FOUR, at < silent ? { fault: { kind: 'refused', address: 'x' } } : {}),
        ),
        NOW,
      );
    const stateWith = (problem: 'chain_replaced' | 'chain_forked', silent: number) => {
      const found = suspicion({ problem, component: undefined, name: undefined });
      const targets = targetsWith(silent);
      let followed = follow(NO_PROBLEMS, [found], targets, T0);
      followed = follow(followed, [found], targets, T0 + problemCatalog[problem].confirmMs);
      return follow(followed, [], targets, T0 + 30 * SECOND).problems.map(({ state }) => state);
    };
    expect([stateWith('chain_forked', 4), stateWith('chain_forked', 3)]).toEqual([['open'], ['clearing']]);
    expect([stateWith('chain_replaced', 2), stateWith('chain_replaced', 1)]).toEqual([['open'], ['clearing']]);
  });

  test('that is a halt after a block, without others, is open at once', () => {
    const halt = (about: string, lastedMs: number) =>
      suspicion({ problem: 'subnet_halted', component: undefined, name: undefined, about, lastedMs });
    const before = [
      [0, [halt('a', 30_000)]],
      [SECOND, []],
    ] as const;
    expect(statesAfter(...before).at(-1)).toEqual(['clearing']);
    expect(statesAfter(...before, [40 * SECOND, [halt('b', 30_000)]]).at(-1)).toEqual(['open']);
  });

  test('of a monitor that saw nothing is over once something opens after it was last found', () => {
    const offline = suspicion({ problem: 'monitor_offline', component: undefined, name: undefined });
    const halt = (lastedMs: number) =>
      suspicion({ problem: 'subnet_halted', component: undefined, name: undefined, lastedMs });
    const wait = problemCatalog.monitor_offline.confirmMs;
    const before = [
      [0, [offline]],
      [wait, [offline]],
      [wait + SECOND, []],
    ] as const;
    const later = (found: Suspicion) => statesAfter(...before, [wait + 2 * SECOND, [found]]).at(-1);
    expect(later(halt(30_000))).toEqual(['open']);
    expect(later(suspicion({ problem: 'client_versions_differ', lastedMs: 3_600_000 }))?.toSorted()).toEqual([
      'clearing',
      'open',
    ]);
  });

  test('that pages for warnings is over once one opens after it was last found, as nobody would be told of that', () => {
    const risk = suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, about: 'a' });
    const wait = problemCatalog.quorum_at_risk.confirmMs;
    const openFrom = (began: number, gone: number) => {
      const at = (ms: number) => [...(ms < gone ? [risk] : []), ...(ms < began ? [] : [suspicion()])];
      const times = [0, wait, began, gone, began + confirmMs, gone + wait].toSorted((one, other) => one - other);
      return statesAfter(...times.map((ms) => [ms, at(ms)] as const)).at(-1);
    };
    const began = 2 * wait;
    expect(openFrom(began, began + confirmMs + SECOND)?.toSorted()).toEqual(['clearing', 'open']);
    expect(openFrom(began, began + confirmMs)).toEqual(['open']);
    expect(openFrom(began, began)).toEqual(['open']);
    expect(openFrom(began, began - SECOND)).toEqual(['open']);
  });

  test('that pages for a warning which lasts is over when it has been clearing for a minute', () => {
    const risk = suspicion({ problem: 'quorum_at_risk', component: undefined, name: undefined, about: 'a' });
    const wait = problemCatalog.quorum_at_risk.confirmMs;
    const found = [suspicion(), risk];
    const statesAt = (ms: number, left: readonly Suspicion[], openMs = 15 * SECOND) => {
      const gone = wait + openMs;
      return statesAfter([0, found], [wait, found], [gone, left, failing], [gone + ms, left, failing]).at(-1);
    };
    expect(statesAt(59_999, [suspicion()])).toEqual(['clearing', 'open']);
    expect(statesAt(60_000, [suspicion()])).toEqual(['open']);
    expect(statesAt(60_000, [suspicion({ problem: 'head_regression' })])).toContain('clearing');
    // Nobody was told of what was open for a moment only.
    expect(statesAt(0, [suspicion()])).toEqual(['clearing', 'open']);
    expect(statesAt(0, [suspicion()], 15 * SECOND - 1)).toEqual(['open']);
    // Another process may have told what was stored.
    const open = [0, wait].reduce((before, ms) => follow(before, found, failing, T0 + ms), NO_PROBLEMS);
    const stored = open.problems.map((one) =>
      one.problem === 'quorum_at_risk' ? { ...one, restoredAt: T0 + wait } : one,
    );
    const { problems } = follow({ ...open, problems: stored }, [suspicion()], failing, T0 + wait + SECOND);
    expect(problems.map(({ problem }) => problem)).toContain('quorum_at_risk');
  });

  test('that is a halt is over once a risk opens that began after it was last found', () => {
    const whole = { component: undefined, name: undefined, explains: [] };
    const halt = suspicion({ problem: 'subnet_halted', lastedMs: 40 * SECOND, ...whole });
    const risk = suspicion({ problem: 'quorum_at_risk', ...whole });
    const wait = problemCatalog.quorum_at_risk.confirmMs;
    const openAfter = (began: number) =>
      statesAfter([0, [halt]], [SECOND, []], [began, [risk]], [began + wait - 1, [risk]], [began + wait, [risk]]).slice(
        -2,
      );
    expect(openAfter(2 * SECOND)).toEqual([['clearing', 'suspected'], ['open']]);
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

    test('is open after 10 s when it comes back within its reopen window, and since then', () => {
      const back = over + SECOND;
      const again = (afterMs: number, from = back) =>
        statesAfter(...ended, [from, [suspicion()]], [from + afterMs, [suspicion()]]).at(-1);
      expect(again(9_999)).toEqual(['suspected']);
      expect(again(10_000)).toEqual(['open']);
      expect(again(10_000, over + clearMs - 10_001)).toEqual(['open']);
      expect(again(10_000, over + clearMs - 10_000)).toEqual(['suspected']);
      let followed = NO_PROBLEMS;
      for (const [ms, found] of [...ended, [back, [suspicion()]] as const, [back + 10_000, [suspicion()]] as const])
        followed = follow(followed, found, found.length > 0 ? failing : well, T0 + ms);
      const openedAt = T0 + back + 10_000;
      expect(followed.problems).toMatchObject([{ since: T0 + back, openedAt, seenAt: openedAt }]);
      expect(followed.ended).toEqual([]);
    });

    test('is the same one after something graver that hid it, however long that took', () => {
      const halt = suspicion({
        ...{ problem: 'subnet_halted', component: undefined, name: undefined, explains: [] },
        causes: [{ problem: 'node_down', component: 'node', name: 'a' }],
      });
      let followed = NO_PROBLEMS;
      const pass = (ms: number, ...found: readonly Suspicion[]) => {
        followed = follow(followed, found, failing, T0 + ms);
        return followed.problems.map(({ problem, state, since }) => [problem, state, since - T0]);
      };
      pass(0, suspicion());
      expect(pass(confirmMs, suspicion())).toEqual([['node_down', 'open', 0]]);
      for (let ms = confirmMs + SECOND; ms < 10 * clearMs; ms += 10 * SECOND)
        expect(pass(ms, halt)).toEqual([['subnet_halted', 'open', confirmMs + SECOND]]);
      const ended = followed;
      pass(10 * clearMs, suspicion());
      expect(pass(10 * clearMs + 10 * SECOND, suspicion())).toContainEqual(['node_down', 'open', 0]);
      // What comes some time after the cover was gone has begun anew.
      followed = ended;
      const later = 10 * clearMs + 70 * SECOND;
      pass(later, suspicion());
      expect(pass(later + 10 * SECOND, suspicion())).toContainEqual(['node_down', 'open', later]);
    });

    test('that is suspected beside one that clears goes on, also when what brought the first comes again', () => {
      const risk = (about: string, more = {}) =>
        suspicion({
          ...{ problem: 'quorum_at_risk', component: undefined, name: undefined, explains: [], about },
          ...more,
        });
      let followed = NO_PROBLEMS;
      const pass = (ms: number, ...found: readonly Suspicion[]) => {
        followed = follow(followed, found, well, T0 + ms);
        return followed.problems.map(({ about, state, since }) => [about, state, since - T0]);
      };
      pass(0, risk('n4', { confirmMs: 0 }));
      pass(SECOND);
      const next = [
        ['n4', 'clearing', 0],
        ['n3', 'suspected', 40 * SECOND],
      ];
      expect(pass(40 * SECOND, risk('n3'))).toEqual(next);
      expect(pass(41 * SECOND, risk('n3, n4', { confirmMs: 0 }))).toEqual([['n3, n4', 'open', 40 * SECOND]]);
    });

    test('is another one after something graver that came when it had begun to clear', () => {
      const halt = suspicion({
        ...{ problem: 'subnet_halted', component: undefined, name: undefined, explains: [] },
        causes: [{ problem: 'node_down', component: 'node', name: 'a' }],
      });
      let followed = NO_PROBLEMS;
      const pass = (ms: number, targets: readonly TargetState[], ...found: readonly Suspicion[]) => {
        followed = follow(followed, found, targets, T0 + ms);
        return followed.problems.map(({ problem, state, since }) => [problem, state, since - T0]);
      };
      pass(0, failing, suspicion());
      pass(confirmMs, failing, suspicion());
      expect(pass(confirmMs + SECOND, well)).toEqual([['node_down', 'clearing', 0]]);
      const hiddenFrom = confirmMs + 2 * SECOND;
      for (let ms = hiddenFrom; ms < hiddenFrom + clearMs; ms += 10 * SECOND) pass(ms, failing, halt);
      const again = hiddenFrom + clearMs;
      expect(pass(again, failing, suspicion())).toContainEqual(['node_down', 'suspected', again]);
      expect(pass(again + 10 * SECOND, failing, suspicion())).toContainEqual(['node_down', 'suspected', again]);
    });

    test('is another one on another target, of other nodes, or when it was never confirmed', () => {
      expect(statesAfter(...ended, [over + SECOND, [suspicion({ name: 'b' })]]).at(-1)).toEqual(['suspected']);
      expect(statesAfter([0, [suspicion()]], [SECOND, []], [2 * SECOND, [suspicion()]]).at(-1)).toEqual(['suspected']);
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
        statesAfter(...before, [end + SECOND, [risk(about)]], [end + 11 * SECOND, [risk(about)]]).at(-1);
      expect(back('b')).toEqual(['suspected']);
      expect(back('a')).toEqual(['open']);
    });

    test('is forgotten after its window, with its target, and when very many have ended since', () => {
      const end = (name: string) => {
        const one = suspicion({ name });
        const targets = [nodeState(name, { latest_block: 'fail' })];
        const seen = (followed: FollowedProblems, ms: number, found: readonly Suspicion[]) =>
          follow(followed, found, targets, T0 + ms);
        return (followed: FollowedProblems) =>
          seen(seen(seen(seen(followed, 0, [one]), confirmMs, [one]), gone, []), over, []);
      };
      expect(end('a')(NO_PROBLEMS).ended).toMatchObject([{ since: T0, endedAt: T0 + over }]);
      expect(follow(end('a')(NO_PROBLEMS), [], well, T0 + over + clearMs).ended).toEqual([]);
      const found = follow(NO_PROBLEMS, [suspicion()], failing, T0);
      const open = follow(found, [suspicion()], failing, T0 + confirmMs);
      expect(follow(open, [], [nodeState('b', {})], T0 + gone).ended).toEqual([]);
      const many = Array.from({ length: 300 }, (_, index) => `n${index}`).reduce<FollowedProblems>(
        (followed, name) => end(name)(followed),
        NO_PROBLEMS,
      );
      expect(many.ended).toHaveLength(200);
      expect(many.ended.at(-1)).toMatchObject({ problem: 'node_down', component: 'node', name: 'n299' });
    });
  });

  test('whose evidence goes back further than it was found is open that much sooner', () => {
    const lasted = (lastedMs: number) => statesAfter([0, [suspicion({ lastedMs })]]).at(-1);
    expect(lasted(confirmMs)).toEqual(['open']);
    expect(lasted(confirmMs - 1)).toEqual(['suspected']);
  });

  test('that clears explains only what has failed since', () => {
    const open = follow(NO_PROBLEMS, [suspicion({ problem: 'chain_forked' })], failing, T0);
    const [still] = follow(open, [], [nodeState('a', {}), nodeState('b', { peers: 'fail' })], T0 + SECOND).problems;
    expect(still?.explains).toHaveLength(1);
    const [recovered] = follow(open, [], well, T0 + SECOND).problems;
    expect(recovered).toMatchObject({ state: 'clearing', explains: [] });
    // A node that does not answer has not too few peers because another one was out, nor one that is back because it was.
    const [a, b] = failing as [TargetState, TargetState];
    const explained = (found: Suspicion, answered: boolean, backFor = 60 * SECOND) => {
      const returned = { at: T0 + SECOND - backFor, silentSince: T0 - backFor };
      const facts = {
        node: { observation: { answered, latest: { ok: false, fault: { kind: 'refused' } } }, returned },
      };
      const answers = { ...b, facts } as unknown as TargetState;
      const before = follow(NO_PROBLEMS, [{ ...found, lastedMs: 900 * SECOND }], failing, T0);
      return follow(before, [], [a, answers], T0 + SECOND).problems.map((one) => [one.problem, one.explains.length]);
    };
    const other = suspicion({ problem: 'chain_forked' });
    const own = suspicion({ problem: 'node_behind', name: 'b' });
    expect([explained(other, false), explained(other, true)]).toEqual([[['chain_forked', 0]], [['chain_forked', 1]]]);
    expect(explained(other, true, 60 * SECOND - 1)).toEqual([['chain_forked', 0]]);
    expect([explained(own, false), explained(own, true)]).toEqual([[['node_behind', 1]], [['node_behind', 0]]]);
  });

  test('that clears explains no start on order of a container since', () => {
    const explains = [{ component: 'node', name: 'a', check: 'container' }] as const;
    const crashed = suspicion({ problem: 'containers_crashed', component: undefined, name: undefined, explains });
    const leftAfter = (lastRestartBy: 'recreation' | 'policy', startedAt: number) => {
      const container = { id: 'c', running: true, status: 'running', startedAt };
      const observation = { kind: 'found', container };
      const facts = { container: { observation, restarts: 1, oomKills: 0, lastRestartBy, inspected: true } };
      const [a, b] = well as [TargetState, TargetState];
      const failed = { check: 'container', verdict: 'fail', since: T0, failures: 1 };
      const started = { ...a, facts, checks: [...a.checks, failed] } as unknown as TargetState;
      const before = follow(NO_PROBLEMS, [{ ...crashed, lastedMs: 900 * SECOND }], [started, b], T0);
      return follow(before, [], [started, b], T0 + SECOND).problems.map((one) => one.explains.length);
    };
    expect(leftAfter('recreation', T0 + 1)).toEqual([0]);
    expect(leftAfter('recreation', T0 - 1)).toEqual([1]);
    expect(leftAfter('policy', T0 + 1)).toEqual([1]);
  });

  test('that is a halt counts from its own last block, also while one before is clearing, or is over', () => {
    const halt = (block: number, begunAt: number) =>
      suspicion({ problem: 'subnet_halted', about: String(block), begunAt, explains: [] });
    const first = follow(NO_PROBLEMS, [halt(7, T0 - 30 * SECOND)], failing, T0);
    const clearing = follow(first, [], well, T0 + 60 * SECOND);
    const [before] = clearing.problems;
    const [again] = follow(clearing, [halt(9, T0 + 69 * SECOND)], failing, T0 + 100 * SECOND).problems;
    expect([before?.state, before?.since]).toEqual(['clearing', T0 - 30 * SECOND]);
    expect([again?.state, again?.since, again?.openedAt]).toEqual(['open', T0 + 69 * SECOND, T0 + 100 * SECOND]);
    const end = T0 + 60 * SECOND + problemCatalog.subnet_halted.clearMs;
    const over = follow(clearing, [], well, end);
    const [back] = follow(over, [halt(9, end - 30 * SECOND)], failing, end + SECOND).problems;
    expect([over.problems, back?.state, back?.since]).toEqual([[], 'open', end - 30 * SECOND]);
    expect(back?.openedAt).toBe(end + SECOND);
    // Without a block since, it is the same one.
    const [same] = follow(clearing, [halt(7, T0 - 30 * SECOND)], failing, T0 + 100 * SECOND).problems;
    expect([same?.state, same?.openedAt]).toEqual(['open', T0]);
  });

  test('comes before those that are less severe, and before later ones', () => {
    const found = [
      suspicion({ problem: 'head_regression' }),
      suspicion({ name: 'b' }),
      suspicion({ problem: 'subnet_halted', component: undefined, name: undefined }),
    ];
    const first = follow(NO_PROBLEMS, found.slice(0, 2), failing, T0);
    expect(follow(first, found, failing, T0 + SECOND).problems.map(({ problem }) => problem)).toEqual([
      'subnet_halted',
      'node_down',
      'head_regression',
    ]);
  });
});

test('a stored problem that only shows when all was read is awaited for a minute, and others for the first round', () => {
  const stored = (more: Partial<Suspicion>) => ({
    ...{ ...suspicion(more), severity: 'warning', alert: 'x', state: 'open', since: 1, openedAt: 1 },
    ...{ seenAt: T0, restoredAt: T0 },
  });
  const statesOf = (more: Partial<Suspicion>, ms: number, shown: Partial<SubnetView> = {}) => {
    const before = { problems: [stored(more)] as readonly Problem[], ended: [] };
    return follow(before, [], well, T0 + ms, shown).problems.map(({ state }) => state);
  };
  const whole = { component: undefined, name: undefined };
  expect(statesOf({ problem: 'containers_unlisted', ...whole }, 59_999)).toEqual(['open']);
  expect(statesOf({ problem: 'containers_unlisted', ...whole }, 60_000)).toEqual(['clearing']);
  // Whether no further node may fail is known once each node was asked, unless votes were missing that only pools show.
  const risk = (ms: number, targets: readonly TargetState[], ...beside: readonly Partial<Suspicion>[]) => {
    const problems = [{ problem: 'quorum_at_risk', ...whole } as const, ...beside].map(stored) as readonly Problem[];
    const found = follow({ problems, ended: [] }, [], targets, T0 + ms).problems;
    return found.flatMap(({ problem, state }) => (problem === 'quorum_at_risk' ? state : []));
  };
  const unasked = well.map((one) => ({
    ...one,
    checks: one.checks.map(({ check }) => ({ check, verdict: 'unknown' })),
  }));
  expect(risk(1, well)).toEqual(['clearing']);
  expect(risk(1, well, { problem: 'node_down' })).toEqual(['clearing']);
  expect(risk(1, [...well, ...(unasked as unknown as readonly TargetState[])])).toEqual(['open']);
  for (const problem of ['node_not_voting', 'masternode_missing', 'key_shared'] as const)
    expect([59_999, 60_000].map((ms) => risk(ms, well, { problem }))).toEqual([['open'], ['clearing']]);
  expect(statesOf({ problem: 'node_not_voting' }, 59_999)).toEqual(['open']);
  expect(statesOf({ problem: 'node_lags' }, 239_999)).toEqual(['open']);
  expect(statesOf({ problem: 'node_lags' }, 240_000)).toEqual(['clearing']);
  // No reading shows by itself that blocks do not come.
  expect(statesOf({ problem: 'parent_behind' }, 59_999)).toEqual(['open']);
  expect(statesOf({ problem: 'checkpoint_behind' }, 59_999)).toEqual(['open']);
  // But a block that was made since does.
  const blockAt = (at: number) => ({ facts: { parent: { at, headAgeMs: 0 } as ParentFacts } });
  expect(statesOf({ problem: 'parent_behind' }, 1, blockAt(T0 + 1))).toEqual(['clearing']);
  expect(statesOf({ problem: 'parent_behind' }, 1, blockAt(T0))).toEqual(['open']);
  expect(statesOf({ problem: 'checkpoint_behind' }, 1, blockAt(T0 + 1))).toEqual(['open']);
  expect(statesOf({ problem: 'node_down' }, 1)).toEqual(['clearing']);
  expect(statesOf({ problem: 'monitor_offline', ...whole }, 1)).toEqual(['clearing']);
});

test('a stored problem is no part of what is only suspected, and does not end with it', () => {
  const [down] = follow(NO_PROBLEMS, [suspicion({ lastedMs: confirmMs })], failing, T0).problems;
  const whole = { component: undefined, name: undefined, causes: [down as Problem] };
  const found = [suspicion({ problem: 'never_reached', ...whole })];
  const told = (stored: Partial<Problem>, ms: number) => {
    let followed: FollowedProblems = { problems: [{ ...(down as Problem), ...stored }], ended: [] };
    for (const at of [1, ms]) followed = follow(followed, found, failing, T0 + at);
    return followed.problems.map(({ problem, state }) => `${problem} ${state}`);
  };
  const { confirmMs: wait } = problemCatalog.never_reached;
  expect(told({ restoredAt: T0 }, wait)).toEqual(['node_down open', 'never_reached suspected']);
  expect(told({ restoredAt: T0 }, wait + 1)).toEqual(['never_reached open']);
  expect(told({}, 2)).toEqual(['never_reached suspected']);
});

test('what a stored halt covered is not open again when the halt is over', () => {
  const words = { summary: 's', evidence: 'e', fix: 'f' };
  const stored = (problem: 'subnet_halted' | 'quorum_at_risk', more: Partial<Incident> = {}) =>
    toRestoredProblem(
      {
        ...{ id: problem, subnet: 'd', problem, severity: 'critical', alert: 'x', first: words, last: words },
        ...{ foundAt: 1, startedAt: 1, returns: 0, causes: [], effects: [], notified: [], ...more },
      },
      { now: T0, toWall: Number },
    );
  const risk = stored('quorum_at_risk');
  const after = (...problems: readonly Problem[]) =>
    follow({ problems, ended: [] }, [], well, T0 + SECOND).problems.map(({ problem, state }) => `${problem} ${state}`);
  expect(after(stored('subnet_halted', { clearSince: T0 - SECOND }), risk)).toEqual(['subnet_halted clearing']);
  expect(after(risk)).toEqual(['quorum_at_risk clearing']);
});

test('what came after a stored problem had cleared, and before subnetd was started, is another one', () => {
  const words = { summary: 's', evidence: 'e', fix: 'f' };
  const restored = toRestoredProblem(
    {
      ...{ id: 'a', subnet: 'd', problem: 'node_down', component: 'node', name: 'a', severity: 'warning', alert: 'x' },
      ...{ first: words, last: { ...words, since: T0 - 70 * SECOND } },
      ...{ foundAt: T0 - 100 * SECOND, startedAt: T0 - 80 * SECOND, returns: 0 },
      ...{ causes: [], effects: [], notified: [], clearSince: T0 - 54 * SECOND },
    },
    { now: T0, toWall: Number },
  );
  // What its last words say began when it came again.
  expect(restored.since).toBe(T0 - 70 * SECOND);
  const found = (begunAgo: number) =>
    follow({ problems: [restored], ended: [] }, [suspicion({ begunAt: T0 - begunAgo })], failing, T0 + SECOND).problems;
  expect(found(7 * SECOND).map(({ state }) => state)).toEqual(['clearing', 'suspected']);
  expect(found(55 * SECOND).map(({ state }) => state)).toEqual(['open']);
});

test('stored problems are those of before a restart: open since then, in the words of now', () => {
  const opened = { openedAt: T0 + confirmMs, state: 'open' } as const;
  const [a, b] = [suspicion(), suspicion({ name: 'b' })];
  const stored = [a, b].map((one) => ({
    ...{ ...one, evidence: 'of before', severity: 'warning', alert: 'SubnetNodeDown', since: T0, seenAt: T0 },
    ...opened,
  })) as readonly Problem[];
  const found = follow(NO_PROBLEMS, [a], failing, T0 + 9_999_000).problems;
  expect(found.map(({ state }) => state)).toEqual(['suspected']);
  const after = (before: readonly Problem[]) =>
    follow({ problems: restoreProblems(found, before), ended: [] }, [a], failing, T0 + 9_999_001).problems;
  expect(after(stored.slice(0, 1))).toMatchObject([{ name: 'a', evidence: a.evidence, since: T0, ...opened }]);
  expect(restoreProblems(found, stored)).toEqual(stored);
  // One that was not stored stays as it is, and one that is about others begins by itself.
  expect(restoreProblems(found, [])).toEqual(found);
  const others = after(stored.map((one) => ({ ...one, about: 'x' }))).filter(({ name }) => name === 'a');
  expect(others.map(({ state, about }) => [state, about])).toEqual([
    ['clearing', 'x'],
    ['suspected', undefined],
  ]);
});
