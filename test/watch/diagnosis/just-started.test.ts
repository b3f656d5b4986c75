import { expect, test } from 'vitest';
import type { ContainerFacts, Facts, KnownTarget, LogFacts, NodeFacts, Progress } from '../../../src/model/facts.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { formatReason } from '../../../src/model/verdict.ts';
import { diagnoseSubnet, explainTargets, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { judgeRestart } from '../../../src/watch/diagnosis/judge-restart.ts';
import { diagnosedNode, type Given, NOW, STOPPED, withoutBlocks } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const refused = { kind: 'refused', address: 'n' } as const;

/** What is told of four masternodes; `change`: what is known of the fourth beside that. */
function tell(
  given: Readonly<Record<string, Given>>,
  change: (node: KnownTarget) => KnownTarget = (node) => node,
  before = NO_PROBLEMS,
) {
  const nodes = NAMES.map((name) => diagnosedNode(name, NAMES, given[name]));
  const targets = nodes.map((node) => (node.target.name === 'n4' ? change(node) : node));
  const subnet = {
    ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
    targets: targets.map(({ target }) => target),
  };
  const judged = judgeTargets(targets, NOW);
  return { subnet, targets: judged, ...diagnoseSubnet(subnet, judged, before, NOW) };
}

const withLatest = (known: KnownTarget, over: Partial<Progress>, observed: Partial<NodeFacts> = {}): KnownTarget => {
  const { node } = known.facts;
  return {
    ...known,
    facts: { ...known.facts, node: { ...node, ...observed, latest: { ...node?.latest, ...over } } },
  } as KnownTarget;
};

const withRuns = (known: KnownTarget, over: Partial<ContainerFacts>): KnownTarget =>
  ({
    ...known,
    facts: { ...known.facts, container: { ...(known.facts.container as NonNullable<Facts['container']>), ...over } },
  }) as KnownTarget;

const started = (agoMs: number): Given => ({ container: { startedAt: NOW - agoMs } });

test('a node has just started until it has a block that was made since, and then takes part even if no block comes for a while', () => {
  const votesOf = (over: Partial<Progress>, startedAgo = 50_000) =>
    tell({ n4: started(startedAgo) }, (node) => withLatest(node, over)).headline?.detail.split('.')[0];
  const [votes, waits] = [
    '4 of 4 masternodes can vote, 3 needed',
    '3 of 4 masternodes can vote, 3 needed, and 1 has just started',
  ];
  const madeAt = (agoMs: number) => (NOW - agoMs) / 1_000;
  // After a restart of subnetd no height has been seen to rise.
  const unseen = { risen: false, advancedAt: NOW - 1_000 };
  expect(votesOf(unseen)).toBe(waits);
  expect(votesOf({ ...unseen, timestamp: madeAt(49_000) })).toBe(votes);
  expect(votesOf({ ...unseen, timestamp: madeAt(50_000) })).toBe(waits);
  // Its last block came 40 s ago, longer than the stall limit.
  expect(votesOf({ number: 1_001, advancedAt: NOW - 40_000 })).toBe(votes);
  // It came up to a block that the others had before its start.
  expect(
    tell({ n1: { stalledMs: 55_000 }, n4: started(50_000) }, (node) => withLatest(node, { advancedAt: NOW - 40_000 }))
      .quorum,
  ).toMatchObject({ voting: 4, starting: 1 });
});

test('one that only has the header of a new block, while its log is far below, has just started', () => {
  const votesOf = (height: number, startedAt = NOW - 4_000) =>
    tell({ n4: started(5_000) }, (node) => {
      const logs = { ...(node.facts.logs as LogFacts), node: { height, startedAt, advancedAt: NOW - 1_000 } };
      const known = withLatest(node, { number: 1_001, advancedAt: NOW - 1_000 });
      return { ...known, facts: { ...known.facts, logs } } as KnownTarget;
    }).headline?.detail.split('.')[0];
  expect(votesOf(795)).toBe('3 of 4 masternodes can vote, 3 needed, and 1 has just started');
  expect(votesOf(1_000)).toBe('4 of 4 masternodes can vote, 3 needed');
  // A log that is not read since its start shows nothing.
  expect(votesOf(795, NOW - 400_000)).toBe('4 of 4 masternodes can vote, 3 needed');
});

test('the answer about a restart counts the votes as the headline does', () => {
  const { headline, ...state } = tell({ n4: started(10_000) }, (node) => withoutBlocks(node, 10_000));
  expect(headline?.detail).toBe('3 of 4 masternodes can vote, 3 needed, and 1 has just started.');
  const answer = judgeRestart({ ...state, problems: [] } as never, 'n1', { now: NOW, freshSince: NOW - 20_000 });
  expect(answer).toMatchObject({ safe: false, required: 3, voting: 3, headroom: 0 });
});

test('nothing is said of a spare vote where one too few takes part, and what is at risk tells who has just started', () => {
  const told = (before = NO_PROBLEMS) =>
    tell(
      { n2: { container: STOPPED, fault: refused }, n4: started(10_000) },
      (node) => withoutBlocks(node, 10_000),
      before,
    );
  const { headline, problems } = told();
  const votes = '2 of 4 masternodes can vote, 3 needed, and 1 has just started.';
  expect(headline?.sentence).toBe('devnet is waiting for masternodes that have just started');
  expect(headline?.detail).toContain(votes);
  expect(headline?.detail.toLowerCase()).not.toContain('no further node may fail');
  const risk = problems.find(({ problem }) => problem === 'quorum_at_risk') as Problem;
  expect(risk.evidence).toBe(
    '2 of 4 masternodes vote, 1 has just started, and 3 are needed, without n2, because the container of n2 does not run',
  );
  expect([risk.summary, risk.fix]).toEqual([
    'too few nodes vote for another block',
    'bring back n2, and wait for those that have just started; restart no other node; for n2: start it with `docker start generated-n2-1`',
  ]);
  const open = told({ problems: [{ ...risk, state: 'open', openedAt: NOW - 30_000 }], ended: [] }).headline;
  expect(open?.detail).toMatch(/^2 of 4 masternodes can vote, 3 needed, and 1 has just started\. Bring back n2, /);
  // Nor that it recovers from what was before.
  const halt: Problem = { ...risk, problem: 'subnet_halted', summary: 'the subnet is halted', about: '900' };
  const clears: Problem = { ...halt, state: 'clearing', seenAt: NOW - 9_000, clearingSince: NOW - 8_000 };
  const after = told({ problems: [clears], ended: [] }).headline;
  expect(after?.sentence).toBe('devnet is waiting for masternodes that have just started');
  expect(after?.detail).toContain('No longer seen, and over unless it returns: the subnet is halted.');
});

test('a risk that was found as a node ended is one while that starts, and opens as soon as it has not answered for 45 s', () => {
  const stopped = tell({ n4: { container: STOPPED, fault: refused } });
  const ended = stopped.problems.find(({ problem }) => problem === 'quorum_at_risk') as Problem;
  const before = [{ ...ended, since: NOW - 46_000, seenAt: NOW - 45_500 }];
  const told = (startedAgo: number, problems: readonly Problem[] = before) => {
    const given = { n4: { container: { startedAt: NOW - startedAgo }, fault: refused } };
    const { headline, ...found } = tell(given, undefined, { problems, ended: [] });
    return [headline?.sentence, headline?.detail, found.problems.map(({ problem, state }) => `${problem} ${state}`)];
  };
  expect(told(44_999)).toEqual([
    'devnet is running with no spare vote',
    '3 of 4 masternodes can vote, 3 needed, and 1 has just started. Suspected: there is no spare vote.',
    ['quorum_at_risk suspected'],
  ]);
  expect(told(44_999, [])).toMatchObject(['devnet is running with no spare vote', /^3 of 4/, []]);
  expect(told(45_000)).toMatchObject([
    'devnet is running, but no further node may fail',
    /^n4 does not answer\. Bring back n4 before any other work/,
    ['quorum_at_risk open', 'node_down suspected'],
  ]);
});

test('a suspected risk goes on while the first answers show no block, and began when the container that is missing ended', () => {
  const stopped: Readonly<Record<string, Given>> = { n4: { container: STOPPED, fault: refused } };
  const first = tell(stopped).problems.find(({ problem }) => problem === 'quorum_at_risk') as Problem;
  const unseen = Object.fromEntries(NAMES.slice(0, 3).map((name) => [name, { stalledMs: 25_000 }]));
  const told = (sinceMs: number) => {
    const before = { problems: [{ ...first, since: NOW - sinceMs, seenAt: NOW - 1_000 }], ended: [] };
    const { problems } = tell({ ...unseen, ...stopped }, undefined, before);
    const { state, summary, since } = problems.find(({ problem }) => problem === 'quorum_at_risk') ?? {};
    return [state, summary, since && NOW - since];
  };
  expect(told(19_999)).toEqual(['suspected', 'no further node may fail', 19_999]);
  expect(told(20_000)).toEqual(['open', 'no further node may fail', 70_000]);
});

test('a risk that clears and was found again is not suspected once there is a spare vote', () => {
  const { problems } = tell({ n2: { container: STOPPED, fault: refused } });
  const risk = problems.find(({ problem }) => problem === 'quorum_at_risk') as Problem;
  const next: Problem = { ...risk, state: 'suspected', about: 'n1', isNext: true };
  const clears: Problem = { ...risk, state: 'clearing', clearingSince: NOW - 9_000 };
  expect(tell({}, undefined, { problems: [clears, next], ended: [] }).headline).toMatchObject({
    sentence: 'devnet is recovering',
    detail:
      '4 of 4 masternodes can vote, 3 needed. No longer seen, and over unless it returns: no further node may fail.',
  });
});

test('a node that is just back and takes the blocks that it has missed is nobody to bring back', () => {
  const { problems } = tell({ n4: { container: { ...STOPPED, status: 'paused' }, fault: refused } });
  const over = (ms: number) =>
    problems.map((one): Problem => ({ ...one, state: 'clearing', seenAt: NOW - ms - 500, clearingSince: NOW - ms }));
  const told = (ms: number) => {
    const { headline, ...found } = tell({ n4: { height: 989 } }, undefined, { problems: over(ms), ended: [] });
    const risk = found.problems.find(({ problem }) => problem === 'quorum_at_risk');
    return [headline?.sentence, headline?.detail.split('. ')[0], risk?.state, risk?.fix];
  };
  const votes = '3 of 4 masternodes can vote, 3 needed';
  expect(told(1_000)).toEqual([
    'devnet is recovering',
    votes,
    'clearing',
    `${votes}; restart no other node until there is a spare vote again`,
  ]);
  // A minute later it is behind for another reason.
  expect(told(60_000)).toEqual([
    'devnet is recovering, but a possible problem is being checked',
    votes,
    'suspected',
    expect.stringContaining('bring back n4 before any other work'),
  ]);
});

test('an answer from before the start of a container says nothing of what runs now', () => {
  const told = (runsSince: number) => {
    const { targets } = tell({ n4: { stalledMs: 71_000 } }, (node) => withRuns(node, { runsSince }));
    const n4 = explainTargets(targets, []).find(({ target }) => target.name === 'n4');
    return n4?.checks.filter(({ check }) => check === 'latest_block').map(formatReason);
  };
  const stands = 'the block 1000 of n4 has not risen for 1m 11s (limit 1m)';
  expect(told(NOW + 1)).toEqual([`${stands}; wait up to a minute: it has just started`]);
  expect(told(NOW)).toEqual([`${stands}; run \`docker compose -p generated logs --tail 50 n4\``]);
});

test('a node that has crashed twice of late is not waited for', () => {
  const haltOf = (earlierCrashes: readonly number[], lastRestartBy: 'policy' | 'request' = 'policy') => {
    const halted = { stalledMs: 60_000 };
    const n4 = { container: { startedAt: NOW - 5_000, restartCount: 1 }, fault: refused };
    const runs = { lastRestartAt: NOW - 5_000, lastRestartBy, restarts: 1, earlierCrashes };
    const told = tell(
      { n1: halted, n2: halted, n3: { container: { ...STOPPED, startedAt: NOW - 3_600_000 }, fault: refused }, n4 },
      (node) => withRuns(node, runs),
    );
    return [told.quorum, told.problems.find(({ problem }) => problem === 'subnet_halted')?.fix];
  };
  const waits = [
    { total: 4, required: 3, voting: 3, starting: 1 },
    'wait until n4 answers, a minute at most, and restart no other node',
  ];
  expect(haltOf([])).toEqual(waits);
  expect(haltOf([NOW - 20_000], 'request')).toEqual(waits);
  expect(haltOf([NOW - 20_000])).toEqual([
    { total: 4, required: 3, voting: 2 },
    'bring back n3, n4: 1 more must vote; restart no other node; for n3: start it with `docker start generated-n3-1`; for n4: read why it ended with `docker logs --tail 100 generated-n4-1`',
  ]);
});

test('in the begin of a halt nothing is said of blocks that come uncommitted', () => {
  const named = (stalledMs: number, dueMs = stalledMs) => {
    const committed = { number: 995, advancedAt: NOW - 70_000, riseDueSince: NOW, lastGoodAt: NOW, risen: true };
    const nodes = NAMES.map((name) => {
      const node = diagnosedNode(name, NAMES, { stalledMs });
      const latest = { ...node.facts.node?.latest, riseDueSince: NOW - dueMs };
      return { ...node, facts: { ...node.facts, node: { ...node.facts.node, committed, latest } } } as KnownTarget;
    });
    const subnet = {
      ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
      targets: nodes.map(({ target }) => target),
    };
    return diagnoseSubnet(subnet, judgeTargets(nodes, NOW), NO_PROBLEMS, NOW).problems.map(({ problem }) => problem);
  };
  expect(named(2_000)).toEqual(['finality_stalled']);
  // They answer again for 20 s, so a halt is not known yet.
  expect(named(40_000, 20_000)).not.toContain('finality_stalled');
  expect(named(20_000, 20_000)).toEqual(['finality_stalled']);
});

test('a node in a loop is not waited for between two runs either', () => {
  const fixOf = (earlierCrashes: readonly number[]) => {
    const halted = { stalledMs: 60_000, peers: ['n1', 'n2', 'n3'] };
    const container = { running: false, status: 'restarting', startedAt: NOW - 10_000 } as const;
    const runs = { lastRestartAt: NOW - 10_000, lastRestartBy: 'policy', restarts: 1, earlierCrashes } as const;
    const told = tell({ n1: halted, n2: halted, n3: halted, n4: { container, fault: refused } }, (node) =>
      withLatest(withRuns(node, runs), { lastGoodAt: NOW - 6_000 }),
    );
    return told.problems.find(({ problem }) => problem === 'subnet_halted')?.fix.split(',')[0];
  };
  expect(fixOf([])).toBe('wait until n4 answers');
  expect(fixOf([NOW - 20_000])).toBe('if no block has come by 02:47:10 UTC');
});

test('blocks that a node in a loop reads again from its peers do not put off the halt once it has ended', () => {
  const halted = { stalledMs: 40_000 };
  const container = { ...STOPPED, startedAt: NOW - 15_000, finishedAt: NOW - 5_000 };
  const told = (height: number) =>
    tell(
      {
        n1: halted,
        n2: halted,
        n3: { ...halted, container: STOPPED, fault: refused },
        n4: { container, fault: refused },
      },
      (node) => ({
        ...node,
        facts: {
          ...node.facts,
          logs: { ...(node.facts.logs as LogFacts), node: { height, advancedAt: NOW - 10_000 } },
        },
      }),
    ).headline?.sentence;
  expect(told(999)).toBe('devnet is halted: 2 of 4 masternodes do not vote');
  expect(told(1_001)).not.toContain('is halted');
});

test('a node that was stopped less than a minute after its start is missing, and is not waited for', () => {
  const container = { ...STOPPED, startedAt: NOW - 30_000, finishedAt: NOW - 10_000 };
  const { quorum } = tell({ n4: { container, fault: refused } });
  expect(quorum).toEqual({ total: 4, required: 3, voting: 3, starting: undefined });
});

test('a node that crashed again and again counts once it takes blocks for longer than it ran between its crashes', () => {
  const quorumOf = (ranMs: number, change = (node: KnownTarget) => node, others: Given = {}, before = NO_PROBLEMS) => {
    const runs: Partial<ContainerFacts> = {
      ...{ lastRestartAt: NOW - ranMs, restarts: 2, earlierCrashes: [NOW - ranMs - 15_000] },
      lastRestartBy: 'policy',
    };
    const given = { n1: others, n2: others, n3: others, n4: { ...others, ...started(ranMs) } };
    const { quorum } = tell(given, (node) => change(withRuns(node, runs)), before);
    return [quorum?.voting, quorum?.starting];
  };
  expect(quorumOf(15_000)).toEqual([4, 1]);
  expect(quorumOf(15_001)).toEqual([4, undefined]);
  expect(quorumOf(15_001, (node) => withoutBlocks(node, 15_001))).toEqual([3, undefined]);
  // In a halt nobody takes blocks, so it is waited for.
  const halt: Problem = {
    ...{ problem: 'subnet_halted', severity: 'critical', alert: 'SubnetHalted', state: 'open', since: NOW - 90_000 },
    ...{ openedAt: NOW - 60_000, seenAt: NOW, summary: '', evidence: '', fix: '', explains: [], causes: [] },
  };
  const inHalt = (ranMs: number) => quorumOf(ranMs, undefined, { stalledMs: 90_000 }, { problems: [halt], ended: [] });
  expect(inHalt(15_000)).toEqual([3, undefined]);
  expect(inHalt(15_001)).toEqual([4, 1]);
});

test('a node counts as just started from when Docker tells of its start, before Docker says how it runs', () => {
  const quorumOf = (container: Partial<ContainerFacts> | undefined) =>
    tell({}, ({ target, facts }) => ({ target, facts: { ...facts, container } }) as KnownTarget).quorum;
  expect(quorumOf({ inspected: true })).toMatchObject({ voting: 4, starting: 1 });
  expect(quorumOf(undefined)).toMatchObject({ voting: 4, starting: undefined });
});

test('a node whose height only its log shows counts once that shows a block that is new since its start', () => {
  const quorumOf = (height: number, printedAgo: number) => {
    const others = Object.fromEntries(['n1', 'n2', 'n3'].map((name) => [name, { stalledMs: 25_000 }]));
    const { quorum } = tell({ ...others, n4: started(20_000) }, ({ target, facts }) => {
      const { observation, latest } = facts.node ?? {};
      const node = {
        ...facts.node,
        observation: { ...observation, latest: { ok: false, fault: refused } },
        latest: { ...latest, advancedAt: NOW - 30_000, lastGoodAt: NOW - 21_000 },
      };
      const logs = { ...facts.logs, node: { height, advancedAt: NOW - printedAgo, level: 4 } };
      return { target, facts: { ...facts, node, logs } } as KnownTarget;
    });
    return [quorum?.voting, quorum?.starting];
  };
  expect(quorumOf(1_001, 1_000)).toEqual([4, undefined]);
  // The others had this one before.
  expect(quorumOf(1_000, 1_000)).toEqual([4, 1]);
  expect(quorumOf(1_001, 20_000)).toEqual([4, 1]);
});

test('a node that starts is waited for twice as long as the others took to answer, 15 s at least and 45 s at most', () => {
  const isDown = (ranMs: number, tookMs?: number, silentMs = -3_000) => {
    const nodes = NAMES.map((name) => {
      if (name === 'n4') return diagnosedNode(name, NAMES, { ...started(ranMs), fault: refused });
      const node = diagnosedNode(name, NAMES, started(100_000));
      if (name !== 'n1' || tookMs === undefined) return node;
      const returned = { at: NOW - 100_000 + tookMs, silentSince: NOW - 100_000 + silentMs };
      return { ...node, facts: { ...node.facts, node: { ...node.facts.node, returned } } } as KnownTarget;
    });
    const subnet = {
      ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
      targets: nodes.map(({ target }) => target),
    };
    const { problems, quorum } = diagnoseSubnet(subnet, judgeTargets(nodes, NOW), NO_PROBLEMS, NOW);
    const found = problems.some(({ problem, name }) => problem === 'node_down' && name === 'n4');
    expect(quorum?.voting).toBe(found ? 3 : 4);
    return found;
  };
  expect([isDown(14_999, 5_000), isDown(15_000, 5_000)]).toEqual([false, true]);
  expect([isDown(23_999, 12_000), isDown(24_000, 12_000)]).toEqual([false, true]);
  expect([isDown(44_999, 30_000), isDown(45_000, 30_000)]).toEqual([false, true]);
  expect([isDown(44_999), isDown(45_000)]).toEqual([false, true]);
  // What came back later than right after its start was silent for another reason.
  expect(isDown(44_999, 12_000, 10_000)).toBe(false);
});
