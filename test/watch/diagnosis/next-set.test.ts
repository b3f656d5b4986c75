import { describe, expect, test } from 'vitest';
import type { ConsensusSettings, MissedRounds, NextEpoch } from '../../../src/model/chain.ts';
import type { ElectionReading, Sent } from '../../../src/model/next-set.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import type { ChainView } from '../../../src/watch/diagnosis/chain-view.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { predictNextSet } from '../../../src/watch/diagnosis/find-next-set.ts';
import type { FollowedProblems } from '../../../src/watch/diagnosis/follow-problems.ts';
import { masternodeRows } from '../../../src/web/pages/masternodes.ts';
import { diagnosedNode, NOW, STOPPED, withoutBlocks } from '../../support/diagnosed.ts';
import { runElections } from '../../support/election-run.ts';
import { judgeTargets } from '../../support/judge-targets.ts';
import { words } from '../../support/page-words.ts';

const [A, B, C, D, E] = ['a', 'b', 'c', 'd', 'e'].map((digit) => `0x${digit.repeat(40)}`) as [
  string,
  string,
  string,
  string,
  string,
];
const SETTINGS: ConsensusSettings = {
  ...{ minePeriodMs: 2_000, timeoutPeriodMs: 10_000, certificateThreshold: 0.667, epoch: 900, gap: 450 },
};

/** Nobody has missed a round, and no round has been lost, so that rounds and blocks have the same numbers. */
const NONE: MissedRounds = { epochBlock: 900, epochRound: 900, rounds: [], byMiner: {} };

/** Of four masternodes, those of which a round of each seat was missed up to a block, by their seats. */
function missedBy(seats: readonly number[], until: number, active: readonly string[]): MissedRounds {
  const rounds = [];
  const byMiner: Record<string, number> = {};
  let blocks = 0;
  for (let round = 901; blocks < until - 900; round++) {
    const seat = (round % 900) % active.length;
    const miner = active[seat] as string;
    if (!seats.includes(seat)) blocks++;
    else {
      rounds.unshift({ round, miner });
      byMiner[miner] = (byMiner[miner] ?? 0) + 1;
    }
  }
  return { epochBlock: 900, epochRound: 900, rounds, byMiner };
}

const ACTIVE = [A, B, C, D];
const ALL = ACTIVE.map((address) => ({ address }));
/** All have sent something between the last two readings, the first of which was at block 1,190. */
const SIGNING: ReadonlyMap<string, Sent> = new Map(ACTIVE.map((address) => [address, { since: 1_190, after: 1_190 }]));

const reading = (over: Partial<ElectionReading> = {}): ElectionReading => ({
  ...{ block: 1_220, candidates: ALL, sent: SIGNING, againMs: 60_000 },
  ...over,
});

interface Given extends Partial<Pick<ChainView, 'epochsBy' | 'nextEpoch'>> {
  readonly settings?: ConsensusSettings;
  /** At which block, and in which round, where rounds were lost before those that are counted. */
  readonly number?: number;
  readonly round?: number;
  readonly election?: ElectionReading;
  readonly presenceOf?: Parameters<typeof predictNextSet>[2];
}

/** What is predicted at block 1,220 of an epoch from 900 to 1,799, whose gap block is 1,350. The first seat makes the first block. */
function predict(given: Given = {}, missedRounds: MissedRounds = NONE, penalised: readonly string[] = []) {
  const { number = 1_220, round = number + missedRounds.rounds.length, settings: consensus = SETTINGS } = given;
  const { epochsBy = 'block', nextEpoch, election = reading(), presenceOf = () => undefined } = given;
  const masternodes = { number, round, active: ACTIVE, standby: [], penalised };
  const counted = { masternodes, missedRounds, at: 0 };
  const chain = { epochsBy, consensus, counted, firstEpoch: 0, nextEpoch, foreign: new Set<never>() };
  const set = predictNextSet(chain, election, presenceOf);
  return set && { next: set.active, fate: (address: string) => set.fates.get(address) };
}

const silent = (...addresses: readonly string[]) =>
  new Map(ACTIVE.map((address) => [address, { since: 1_190, ...(!addresses.includes(address) && { after: 1_190 }) }]));

describe('in a subnet', () => {
  test('a masternode without a block in the epoch that signs nothing is left out, unless it signs up to the last 15th block', () => {
    const { next, fate } = predict({ election: reading({ sent: silent(B) }) }, missedBy([1], 1_220, ACTIVE)) ?? {};
    expect(next).toEqual([A, C, D]);
    expect(fate?.(B)).toMatchObject({ state: 'penalised', reason: 'no-block', signBy: 1_335 });
    expect(fate?.(A)).toEqual({ state: 'active' });
  });

  test('one that signs stays in without a block, and so does one that has signed in the last 150 blocks and is down', () => {
    const missed = missedBy([1], 1_220, ACTIVE);
    expect(predict({}, missed)?.next).toEqual(ACTIVE);
    const down = { presenceOf: (one: string) => (one === B ? ('out' as const) : undefined) };
    // It has signed before the blocks that count, and then after their first.
    expect(predict(down, missed)?.next).toEqual([A, C, D]);
    const late = reading({ sent: new Map([...SIGNING, [B, { since: 1_201, after: 1_201 }]]) });
    expect(predict({ ...down, election: late }, missed)?.next).toEqual(ACTIVE);
  });

  test('one that is back is expected to sign only while there is a block left for it to sign', () => {
    const missed = missedBy([1], 1_220, ACTIVE);
    const back = { presenceOf: () => 2_000, election: reading({ sent: silent(B) }) };
    expect(predict(back, missed)?.next).toEqual(ACTIVE);
    const settings = { ...SETTINGS, gap: 570 };
    const late = predict({ ...back, settings, election: reading({ sent: silent(A, B, C, D) }) }, missed);
    expect(late?.next).toEqual([A, C, D]);
    // It ran when the last of these blocks came, the 1,215th, a few blocks ago.
    const there = { ...back, settings, presenceOf: () => 10_001, election: reading({ sent: silent(A, B, C, D) }) };
    expect(predict(there, missed)?.next).toEqual(ACTIVE);
    expect(predict({ ...there, presenceOf: () => 10_000 }, missed)?.next).toEqual([A, C, D]);
    expect(late?.fate(B)).toEqual({
      state: 'penalised',
      reason: 'no-block',
      makeBy: 1_220 + missed.rounds.length + 9 - ((1_220 + missed.rounds.length + 9 - 1) % 4),
    });
  });

  test('a part of the epoch before without a block of it counts too, by the set of that epoch', () => {
    // 450 rounds from 450 on: each seat of three has 150 turns.
    const before = {
      active: [A, E, B],
      fromRound: 450,
      toRound: 899,
      missed: new Map([
        [B, 150],
        [A, 149],
      ]),
    };
    const candidates = [...ALL, { address: E }];
    const { next, fate } = predict({ election: reading({ before, candidates, sent: silent(B) }) }) ?? {};
    expect(next).toEqual([A, C, D, E]);
    expect(fate?.(B)).toMatchObject({ state: 'penalised', reason: 'no-block-before', signBy: 1_335 });
    expect(predict({ election: reading({ before, candidates }) })?.next).toEqual([A, B, C, D, E]);
  });

  test('who is penalised stays so until it signs', () => {
    const candidates = [...ALL, { address: E }];
    const quiet = new Map<string, Sent>([...SIGNING, [E, { since: 1_190 }]]);
    const out = predict({ election: reading({ candidates, sent: quiet }) }, NONE, [E]);
    expect([out?.next, out?.fate(E)?.reason]).toEqual([ACTIVE, 'still-penalised']);
    const back = reading({
      candidates,
      sent: new Map<string, Sent>([...SIGNING, [E, { since: 1_190, after: 1_190 }]]),
    });
    expect(predict({ election: back }, NONE, [E])?.next).toEqual([...ACTIVE, E]);
  });

  test('of too many, those with the most stake have turns, and equal ones keep their order', () => {
    const stakes = [5n, 3n, 10n ** 25n + 1n, 10n ** 25n, 3n];
    const candidates = [A, B, C, D, E].map((address, place) => ({ address, stake: stakes[place] as bigint }));
    const settings = { ...SETTINGS, maxMasternodes: 4 };
    const { next, fate } = predict({ settings, election: reading({ candidates }) }) ?? {};
    expect(next).toEqual([C, D, A, B]);
    expect(fate?.(E)).toEqual({ state: 'standby', reason: 'stake' });
    expect(predict({ settings: { ...SETTINGS, maxMasternodes: 1 }, election: reading({ candidates }) })?.next).toEqual([
      C,
    ]);
  });

  test('who has resigned is no candidate, and a new candidate has turns', () => {
    const { next, fate } =
      predict({ election: reading({ candidates: [A, B, C, E].map((address) => ({ address })) }) }) ?? {};
    expect(next).toEqual([A, B, C, E]);
    expect(fate?.(D)).toEqual({ state: 'removed', reason: 'no-candidate' });
  });

  test('what the chain has chosen replaces the prediction, and nothing can be done up to some block any more', () => {
    const nextEpoch = { block: 1_351, candidates: ACTIVE, penalised: [B] };
    const { next, fate } = predict({ nextEpoch }, missedBy([1], 1_220, ACTIVE)) ?? {};
    expect(next).toEqual([A, C, D]);
    expect(fate?.(B)).toEqual({ state: 'penalised', reason: undefined });
  });

  test('nothing is predicted by what was read in another epoch, or while the counts do not fit', () => {
    expect(predict({ election: reading({ block: 899 }) })).toBeUndefined();
    expect(predict({}, { ...NONE, epochBlock: 899 })).toBeUndefined();
  });
});

describe('in a network of XDPoSChain', () => {
  const byRound = { epochsBy: 'round' } as const;

  test('who has made no block is left out although it signs, and its last turn is what can keep it in', () => {
    const missed = missedBy([1], 1_220, ACTIVE);
    const { next, fate } = predict(byRound, missed) ?? {};
    // It signs, so it is back, and has turns left.
    expect(next).toEqual(ACTIVE);
    const quiet = predict({ ...byRound, election: reading({ sent: silent(B) }) }, missed);
    expect(quiet?.fate(B)).toEqual({ state: 'penalised', reason: 'no-block', makeBy: 1_797 });
    expect(fate?.(B)).toEqual({ state: 'active' });
  });

  test('the first block of the epoch does not count', () => {
    // The first seat made that block and none since.
    const missed = missedBy([0], 1_220, ACTIVE);
    const down = { presenceOf: (one: string) => (one === A ? ('out' as const) : undefined) };
    expect(predict({ ...byRound, ...down }, missed)?.next).toEqual([B, C, D]);
    expect(predict({ ...down, election: reading({ sent: silent(A) }) }, missed)?.next).toEqual(ACTIVE);
  });

  test('what was signed before the epoch began does not count', () => {
    // The next one begins with block 1,240 at the latest.
    const soon = { ...byRound, round: 1_780 };
    const candidates = [...ALL, { address: E }];
    const stateAfter = (block: number) => {
      const election = reading({ candidates, sent: new Map<string, Sent>([[E, { since: block, after: block }]]) });
      const missed = { ...NONE, epochBlock: 1_200, epochRound: 1_760 };
      const presenceOf = (one: string) => (one === E ? ('out' as const) : undefined);
      return predict({ ...soon, election, presenceOf }, missed, [E])?.fate(E)?.state;
    };
    expect([stateAfter(1_199), stateAfter(1_201)]).toEqual(['penalised', 'active']);
  });

  test('who is penalised comes back by signing, and in the second epoch in any case', () => {
    const candidates = [...ALL, { address: E }];
    const election = reading({ candidates, sent: new Map<string, Sent>([...SIGNING, [E, { since: 1_190 }]]) });
    const out = predict({ ...byRound, election }, NONE, [E]);
    expect(out?.fate(E)).toEqual({ state: 'penalised', reason: 'still-penalised', signBy: 1_785 });
    const first = { ...NONE, epochBlock: 0, epochRound: 0 };
    expect(predict({ ...byRound, number: 620, election }, first, [E])?.next).toEqual([...ACTIVE, E]);
  });
});

test('twenty epochs of stopped and returning nodes, and of a key with little stake, come as predicted', async () => {
  const names = ['n1', 'n2', 'n3', 'n4', 'n5'];
  const epochs = await runElections({
    names,
    epochs: 20,
    stakes: [9n, 8n, 7n, 6n, 1n],
    most: 4,
    changes: [
      // Down through the first part of epoch 3, and back before the last block that it can sign.
      { at: 2_600, down: ['n2'] },
      { at: 3_120, down: [] },
      // Down through that of epoch 4, and back too late for it.
      { at: 3_500, down: ['n3'] },
      { at: 4_060, down: [] },
      // Down in the second part of epoch 6 alone, and back in the next one: no turn in epoch 8 but for its signatures.
      { at: 5_845, down: ['n1'] },
      { at: 6_310, down: [] },
      // Down for two epochs.
      { at: 8_000, down: ['n4'] },
      { at: 9_990, down: [] },
    ],
  });
  expect(epochs).toHaveLength(20);
  expect(epochs.filter(({ came, last }) => came.join() !== last.join())).toEqual([]);
  expect(epochs.filter(({ early, came }) => early !== 'changed' && early.join() !== came.join())).toEqual([]);
  const shown = epochs.map(({ epoch, came, penalised }) => `${epoch} ${came.join()} ${penalised.join()}`.trim());
  expect(new Set(shown.map((one) => one.replace(/^\d+ /, '')))).toEqual(
    new Set(['n1,n2,n3,n4', 'n1,n2,n4,n5 n3', 'n1,n2,n3,n5 n4']),
  );
  expect(shown.slice(0, 2)).toEqual(['4 n1,n2,n3,n4', '5 n1,n2,n4,n5 n3']);
});

describe('the problem', () => {
  const NAMES = ['n1', 'n2', 'n3', 'n4'];
  /** A subnet at block 1,220, of which the second node is down, or its last part has been lost. */
  function find(
    at: {
      height?: number;
      isDown?: boolean;
      startedMs?: number;
      downMs?: number;
      election?: Partial<ElectionReading>;
      chosen?: Pick<NextEpoch, 'candidates' | 'penalised'>;
      /** Who has no turns in this epoch. */
      left?: readonly string[];
      penalised?: readonly string[];
      before?: FollowedProblems;
      stalledMs?: number;
      alsoDown?: string;
      /** Whose turns brought no block, by their places. */
      missing?: readonly number[];
    } = {},
  ) {
    const {
      height = 1_220,
      isDown = true,
      startedMs,
      downMs = 31_000,
      election,
      chosen,
      left = [],
      penalised = left,
    } = at;
    const { before = NO_PROBLEMS, stalledMs = 2_000, alsoDown, missing = isDown ? [1] : [] } = at;
    const active = ACTIVE.filter((address) => !left.includes(address));
    const isLater = height >= 1_800;
    const missedRounds = isLater
      ? { ...NONE, epochBlock: 1_800, epochRound: 1_800 }
      : missedBy(missing, height, ACTIVE);
    const round = height + missedRounds.rounds.length;
    const masternodes = { number: height, round, active, standby: [], penalised };
    const nextEpoch = chosen && { block: 1_351, ...chosen };
    const pool = { voteRounds: 8, neverSigned: isDown ? [B] : [], timeouts: 0, timeoutRound: 0 };
    const nodes = NAMES.map((name, place) => {
      const node = diagnosedNode(name, NAMES, {
        ...{ height, stalledMs },
        ...(isDown &&
          (name === 'n2' || name === alsoDown) && {
            fault: { kind: 'refused', address: 'x' },
            container: { ...STOPPED, startedAt: NOW - downMs + 1 },
          }),
        ...(startedMs !== undefined && name === 'n4' && { container: { startedAt: NOW - startedMs } }),
        chain: { address: ACTIVE[place] as string, masternodes, missedRounds, pool, ...(nextEpoch && { nextEpoch }) },
      });
      return startedMs !== undefined && name === 'n4' ? withoutBlocks(node, startedMs) : node;
    });
    const targets = nodes.map(({ target }) => target);
    const facts = {
      election: { ...reading({ block: height, sent: silent(B), ...election }), at: NOW },
    };
    const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets };
    const followed = diagnoseSubnet(subnet, judgeTargets(nodes, NOW), before, NOW, { facts });
    const { problems, epoch } = followed;
    const [problem] = problems.filter((one) => one.problem === 'next_epoch_at_risk');
    return {
      followed,
      state: problem?.state,
      problem: problem && [problem.severity, problem.summary, problem.evidence, problem.fix],
      next: epoch?.next,
      line: words(String(masternodeRows('devnet', epoch))).match(/As things go .*? needed\./)?.[0],
      fate: epoch?.masternodes.find(({ name }) => name === 'n2')?.next,
    };
  }

  test('says whom the chain leaves out, why, what that leaves, and up to which block the node can come back', () => {
    const { problem, next, fate } = find();
    expect(problem).toEqual([
      'warning',
      'n2 will have no turns in epoch 2',
      'no block made in this epoch; if all go on as they do until block 1350, 3 masternodes have turns in epoch 2, 3 of them can vote, and 3 are needed',
      'bring n2 back: it stays in the set if it is in sync and signs block 1335, in about 3m 50s',
    ]);
    expect(next).toEqual({ total: 3, required: 3, voting: 3, isChosen: false });
    expect(fate).toMatchObject({ state: 'penalised', signBy: 1_335 });
  });

  test('is not said while too few can vote for the blocks until then', () => {
    expect(find({ alsoDown: 'n3' }).problem).toBeUndefined();
  });

  test('is not said of one that has run since turns were last counted, 30 s ago: it may have taken its own', () => {
    const signing = { missedRounds: NONE, election: { sent: SIGNING } };
    expect(find({ downMs: 29_999, ...signing }).fate).toEqual({ state: 'active' });
    expect(find({ downMs: 30_000, ...signing }).fate).toMatchObject({ state: 'penalised' });
  });

  test('counts in the line of the epoch only who votes now, not who has just started', () => {
    const lineOf = (startedMs: number) => find({ isDown: false, startedMs }).line;
    expect(lineOf(59_999)).toBe('As things go it has 4 masternodes: 3 can vote, 3 are needed.');
    expect(lineOf(60_000)).toBe('As things go it has 4 masternodes: 4 can vote, 3 are needed.');
  });

  test('counts in the line of the epoch who may not vote, but no more than there are spare votes, and not who leaves', () => {
    const mayMiss = (...missing: number[]) => find({ isDown: false, missing, election: { sent: SIGNING } });
    expect(mayMiss(1).line).toBe('As things go it has 4 masternodes: 3 or 4 can vote, 3 are needed.');
    expect(mayMiss(1, 2).line).toBe(mayMiss(1).line);
    const without = (one: string) => {
      const chosen = { candidates: [...ACTIVE, E], penalised: [one] };
      return find({ height: 1_400, isDown: false, missing: [1], chosen }).next;
    };
    expect(without(D)).toEqual({ total: 4, required: 3, voting: 4, doubtful: 1, isChosen: true });
    expect(without(B)).toEqual({ total: 4, required: 3, voting: 4, isChosen: true });
  });

  test('comes ten minutes before the choice, not earlier', () => {
    expect(find({ height: 1_049 }).problem).toBeUndefined();
    expect(find({ height: 1_049 }).fate).toMatchObject({ state: 'penalised' });
    expect(find({ height: 1_050 }).problem).toBeDefined();
  });

  test('stays when the choice is made, and then says what is left to do', () => {
    const { problem, next } = find({ height: 1_400, chosen: { candidates: ACTIVE, penalised: [B] } });
    expect(problem?.slice(1)).toEqual([
      'n2 has no turns in epoch 2',
      'no block made in this epoch; as chosen at block 1350, 3 masternodes have turns in epoch 2, 3 of them can vote, and 3 are needed',
      'bring n2 back and keep it running: the choice is made, and the next one counts what is signed before it',
    ]);
    expect(next?.isChosen).toBe(true);
  });

  test('says of one that has resigned and is not chosen, that a new proposal counts from the next choice on', () => {
    const chosen = { candidates: [A, C, D], penalised: [] };
    expect(find({ height: 1_400, isDown: false, election: { sent: SIGNING }, chosen }).problem?.slice(1)).toEqual([
      'n2 has no turns in epoch 2, which leaves no spare vote',
      'no longer a candidate; as chosen at block 1350, 3 masternodes have turns in epoch 2, 3 of them can vote, and 3 are needed',
      'propose n2 again in the validator contract, if that was not intended: the choice is made, so this counts from the next one on',
    ]);
  });

  test('names a candidate that has resigned and one with too little stake, and says that no vote is left to spare', () => {
    const candidates = [A, C, D].map((address) => ({ address }));
    expect(find({ isDown: false, election: { candidates, sent: SIGNING } }).problem?.slice(1)).toEqual([
      'n2 will have no turns in epoch 2, which leaves no spare vote',
      'no longer a candidate; if all go on as they do until block 1350, 3 masternodes have turns in epoch 2, 3 of them can vote, and 3 are needed',
      'propose n2 again in the validator contract, if that was not intended',
    ]);
  });

  const confirmed = (followed: FollowedProblems): FollowedProblems => ({
    ...followed,
    problems: followed.problems.map((one) => ({ ...one, state: 'open', openedAt: NOW })),
  });

  /** As an earlier process of subnetd has stored it. */
  const restored = ({ problems }: FollowedProblems): FollowedProblems => ({
    ...NO_PROBLEMS,
    problems: problems.map(({ nodes: _, about: __, ...one }) => ({ ...one, restoredAt: NOW })),
  });

  test('goes on in the epoch of which it was told, and as long as the node is penalised, so that nobody is told of an end', () => {
    const then = (at: Parameters<typeof find>[0]) =>
      find({ height: 1_830, before: confirmed(find().followed), left: [B], ...at });
    const out = then({});
    expect([out.state, ...(out.problem ?? [])]).toEqual([
      'open',
      'warning',
      'n2 has no turns in epoch 2',
      'as foretold, epoch 2 goes on without n2: 3 masternodes have turns',
      'bring it back and keep it running: at block 2250 the chain chooses who takes part in epoch 3',
    ]);
    const later = find({ height: 2_730, before: out.followed, left: [B] });
    expect([later.state, later.problem?.[1]]).toEqual(['open', 'n2 has had no turns since epoch 2']);
    const afterRestart = find({ height: 2_730, before: restored(later.followed), left: [B] });
    expect([afterRestart.state, afterRestart.problem?.[1]]).toEqual(['open', 'n2 has had no turns since epoch 2']);
    // It has turns again, or it has resigned, which is known by the end of the epoch.
    expect(then({ left: [], isDown: false }).state).toBe('clearing');
    const resigned = then({ penalised: [], isDown: false });
    expect([resigned.state, ...(resigned.problem ?? []).slice(1)]).toEqual([
      'open',
      'n2 has no turns in epoch 2',
      'as foretold, epoch 2 goes on without n2: 3 masternodes have turns',
      'propose n2 again in the validator contract, if that was not intended',
    ]);
    const over = { height: 2_730, before: resigned.followed, isDown: false };
    expect(find({ ...over, left: [B], penalised: [] }).state).toBe('clearing');
    // Nobody was told of it.
    expect(then({ before: find().followed }).problem).toBeUndefined();
  });

  test('is hidden by a halt, in which no epoch begins, and does not end with it', () => {
    const before = confirmed(find().followed);
    const { problems } = find({ height: 1_250, before, stalledMs: 240_000 }).followed;
    expect(problems.map(({ problem }) => problem)).toEqual(['subnet_halted', 'container_down']);
    expect(problems[0]?.causes.map(({ problem }) => problem)).toContain('next_epoch_at_risk');
  });

  test('of another node takes its place', () => {
    const before = confirmed(find().followed);
    const candidates = [A, B, C].map((address) => ({ address }));
    const election = { block: 2_100, candidates, sent: SIGNING };
    const at = { height: 2_100, before, left: [B], isDown: false };
    expect(find({ ...at, election }).problem?.[1]).toBe('n4 will have no turns in epoch 3');
  });

  test('is none while all have turns, and before anything was read', () => {
    expect(find({ isDown: false, election: { sent: SIGNING } }).problem).toBeUndefined();
  });
});
