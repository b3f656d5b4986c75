import { describe, expect, test } from 'vitest';
import type { BlockLag, LagFacts, TurnTally } from '../../../src/model/lag.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { diagnoseSubnet, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import type { FollowedProblems } from '../../../src/watch/diagnosis/follow-problems.ts';
import { addressOf, diagnosedNode, type Given, NOW, STOPPED } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';
import { runLag } from '../../support/lag-run.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const HOUR = 3_600_000;

/** The second node misses more, or is later; the others are alike. */
interface Odd {
  readonly turns?: Partial<TurnTally>;
  readonly others?: Partial<TurnTally>;
  readonly blocks?: Partial<BlockLag>;
  readonly votes?: number;
  readonly given?: Given;
  /** How far all clocks are ahead of ours, and that of the second node alone. */
  readonly aheadMs?: readonly [all: number, own: number];
  readonly before?: FollowedProblems;
}

const TURNS: TurnTally = { of: 400, hits: 4, times: 4, clean: 60 };
const QUICK: BlockLag = { blocks: 100, delayMs: 0, delayP95Ms: 90, importMs: 4 };

function find({ turns, others, blocks, votes = 0.25, given, aheadMs: [all, own] = [0, 0], before }: Odd) {
  const isOdd = (name: string) => name === 'n2';
  const lag: LagFacts = {
    turns: new Map(NAMES.map((name) => [addressOf(name), { ...TURNS, ...(isOdd(name) ? turns : others) }])),
    votes: new Map(NAMES.map((name) => [addressOf(name), { of: 500, hits: isOdd(name) ? 500 * votes : 50 }])),
    blocks: new Map(NAMES.map((name) => [name, { ...QUICK, ...(isOdd(name) && blocks) }])),
  };
  const nodes = NAMES.map((name) => {
    const { target, facts } = diagnosedNode(name, NAMES, isOdd(name) ? given : {});
    const logs = facts.logs && { ...facts.logs, clockAheadMs: isOdd(name) ? all + own : all };
    return { target, facts: { ...facts, ...(logs && { logs }) } };
  });
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    settings: DEFAULT_SETTINGS,
    targets: nodes.map((one) => one.target),
  };
  const followed = diagnoseSubnet(subnet, judgeTargets(nodes, NOW), before ?? NO_PROBLEMS, NOW, { facts: { lag } });
  const { problems, epoch } = followed;
  return {
    followed,
    problems: problems
      .filter(({ problem }) => problem === 'node_lags')
      .map(({ name, severity, summary, evidence, fix }) => [name, severity, summary, evidence, fix]),
    lag: epoch?.masternodes.find(({ name }) => name === 'n2')?.lag,
  };
}

const OFTEN: Partial<TurnTally> = { hits: 60, times: 40, clean: 2 };

describe('a masternode that misses turns', () => {
  test('is named with its share, the least that it is, and that of the others', () => {
    const { problems, lag } = find({ turns: OFTEN, votes: 0.98 });
    expect(problems).toEqual([
      [
        'n2',
        'warning',
        'n2 misses more of its turns than the others',
        '15 % of its latest turns brought no block (at least 10 %, allowing for chance), against 1 % of those of most others; 98 % of the rounds reached their quorum without its vote, and 10 % without that of most others; it gets and imports blocks as fast as the others, so what keeps its own blocks back cannot be told from here',
        'see what its machine is short of with `docker stats --no-stream` and `iostat -x 5 3`: processor, memory or disk; if nothing stands out, measure the path to the machines of the others, for example with `mtr`, and look at its peers. A masternode that makes no block in a part of an epoch is penalised',
      ],
    ]);
    expect(lag).toMatchObject({ missedShare: 0.15, votesLateShare: 0.98, delayMs: 0, importMs: 4 });
    expect(lag?.missedAtLeast).toBeCloseTo(0.1046, 3);
  });

  test('is not named for what the others miss too, nor after few turns, nor for one bad time', () => {
    expect(find({ turns: OFTEN, others: { hits: 30, times: 20 } }).problems).toEqual([]);
    expect(find({ turns: { ...OFTEN, of: 90 } }).problems).toEqual([]);
    expect(find({ turns: OFTEN, others: { of: 90 } }).problems).toEqual([]);
    expect(find({ turns: { ...OFTEN, times: 3 } }).problems).toEqual([]);
  });

  test('is not named any more after a row of blocks', () => {
    expect(find({ turns: { ...OFTEN, clean: 47 } }).problems).toHaveLength(1);
    expect(find({ turns: { ...OFTEN, clean: 48 } }).problems).toEqual([]);
  });

  test('is not named while it is down, cut off or behind, which are problems of their own', () => {
    const down = { container: STOPPED, fault: { kind: 'refused', address: 'x' } } as const;
    for (const given of [down, { peers: [] }, { height: 900, stalledMs: 120_000 }])
      expect(find({ turns: OFTEN, given }).problems).toEqual([]);
  });
});

test('a masternode that is named stays named while its height is behind for a time', () => {
  const behind = { height: 900, stalledMs: 120_000 };
  const { followed } = find({ turns: OFTEN });
  const named = followed.problems.map((one) => ({ ...one, state: 'open' as const, since: NOW - HOUR }));
  const again = find({ turns: OFTEN, given: behind, before: { problems: named, ended: [] } });
  expect(again.followed.problems.find(({ problem }) => problem === 'node_lags')?.state).toBe('open');
});

test('a masternode with a wrong clock is not named, unless it is our clock that is wrong', () => {
  expect(find({ turns: OFTEN, aheadMs: [0, -9_000] }).problems).toEqual([]);
  expect(find({ turns: OFTEN, aheadMs: [-9_000, 0] }).problems).toHaveLength(1);
});

describe('a masternode whose log shows blocks late', () => {
  test('has a path that is far, if it imports them as fast as the others', () => {
    const { problems } = find({ blocks: { delayMs: 1_400, delayP95Ms: 2_300 } });
    expect(problems).toEqual([
      [
        'n2',
        'warning',
        'n2 is later than the others',
        'in its log a block comes 1.4 s later than in half of the logs, one in 20 2.3 s or more; 25 % of the rounds reached their quorum without its vote, and 10 % without that of most others; it imports blocks as fast as the others, so they reach it late',
        'measure the path to the machines of the others, for example with `mtr`, and look at its peers. A masternode that makes no block in a part of an epoch is penalised',
      ],
    ]);
  });

  test('has a slow machine, if importing takes it long', () => {
    const [problem = []] = find({ blocks: { delayMs: 1_400, delayP95Ms: 2_300, importMs: 850 } }).problems;
    expect(problem[3]).toContain('; what sets it apart: it takes 850 ms to import a block, the others 4 ms');
    expect(problem[4]).toMatch(
      /^see what its machine is short of with `docker stats --no-stream` and `iostat -x 5 3`: processor, memory or disk\. /,
    );
  });

  test('is not named below half of the mine period', () => {
    expect(find({ blocks: { delayMs: 999 } }).problems).toEqual([]);
    expect(find({ blocks: { delayMs: 1_000 } }).problems).toHaveLength(1);
  });
});

describe('in a simulated subnet', () => {
  test('one of four that misses 15 % among 3 % is named within hours, and nobody else', () => {
    const { named } = runLag({ masternodes: 4, epochs: 20, seed: 1, misses: (place) => (place === 1 ? 0.15 : 0.03) });
    expect([...named.keys()]).toEqual(['n2']);
    expect(named.get('n2')?.ms).toBeLessThan(2 * HOUR);
  });

  test('nobody is named in 60 epochs in which all miss some', () => {
    expect([...runLag({ masternodes: 4, epochs: 60, seed: 2, misses: () => 0.05 }).named.keys()]).toEqual([]);
  });

  test('a node that was down for an hour is not named for that', () => {
    const isDown = (place: number, ms: number) => place === 2 && ms > 3 * HOUR && ms < 4 * HOUR;
    expect([...runLag({ masternodes: 4, epochs: 20, seed: 3, misses: () => 0.01, isDown }).named.keys()]).toEqual([]);
  });

  test('an hour in which all miss half of their turns names nobody', () => {
    const misses = (_: number, ms: number) => (ms > 3 * HOUR && ms < 4 * HOUR ? 0.5 : 0.01);
    expect([...runLag({ masternodes: 4, epochs: 20, seed: 4, misses }).named.keys()]).toEqual([]);
  });

  test('one minute in which a node makes no block names nobody', () => {
    const misses = (place: number, ms: number) => (place === 1 && ms > 3 * HOUR && ms < 3 * HOUR + 60_000 ? 1 : 0.005);
    expect([...runLag({ masternodes: 4, epochs: 20, seed: 5, misses }).named.keys()]).toEqual([]);
  });
});
