import { expect, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { Problem, Suspicion } from '../../../src/model/problem.ts';
import type { TargetState } from '../../../src/model/snapshot.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { formatReason } from '../../../src/model/verdict.ts';
import { diagnoseSubnet, explainTargets, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import type { FollowedProblems } from '../../../src/watch/diagnosis/follow-problems.ts';
import { explainAll } from '../../../src/watch/diagnosis/suspect.ts';
import { viewTarget } from '../../../src/watch/diagnosis/view-node.ts';
import { diagnosed, diagnosedNode, diagnosedService, follow, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const healthy = (name: string) => diagnosedNode(name, NAMES);
const refused = { kind: 'refused', address: 'x' } as const;

const explainedBy = (found: readonly Suspicion[]) =>
  found.map(({ problem, name, explains }) => [
    problem,
    name,
    explains.map((each) => `${each.name} ${each.check}`).join(', '),
  ]);

const withLogs = (known: KnownTarget, logs: KnownTarget['facts']['logs']): KnownTarget => ({
  ...known,
  facts: { ...known.facts, logs },
});

test('of nodes that are all cut off from one another, no check is explained twice', () => {
  const alone = (name: string) => diagnosedNode(name, NAMES, { peers: [] });
  const found = explainedBy(diagnosed([alone('n1'), alone('n2'), alone('n3'), healthy('n4')]));
  expect(found.filter(([problem]) => problem === 'node_partitioned')).toEqual([
    ['node_partitioned', 'n1', 'n1 peers, n2 peers, n3 peers'],
    ['node_partitioned', 'n2', ''],
    ['node_partitioned', 'n3', ''],
  ]);
});

test('what a relayer said last of a parent chain that answers again is from before that', () => {
  const relayer = diagnosedService('relayer');
  const mode = { cycleAt: NOW, phase: 'failed', phaseAt: NOW, attempted: true } as const;
  const pattern = { means: 'error', count: 3, at: NOW, order: 1, what: 'the parent chain does not answer', own: false };
  const logs = {
    ...relayer.facts.logs,
    patterns: { submit_timeout: pattern },
    relayer: {
      submissions: 9,
      modes: ['full'],
      byMode: { full: { ...mode, error: { pattern: 'submit_timeout', at: NOW } } },
    },
  } as KnownTarget['facts']['logs'];
  const states = judgeTargets([withLogs(relayer, logs)], NOW);
  const said = (state: Problem['state']) => {
    const [submissions] =
      explainTargets(states, [
        {
          ...{ problem: 'parent_unreachable', component: 'relayer', name: 'relayer', severity: 'critical', alert: 'x' },
          ...{ state, since: 0, seenAt: NOW, evidence: '', causes: [] },
          summary: 'the node of the parent chain cannot be reached',
          fix: 'start it',
          explains: [{ component: 'relayer', name: 'relayer', check: 'submissions' }],
        },
      ])[0]?.checks.filter(({ check }) => check === 'submissions') ?? [];
    return submissions && formatReason(submissions);
  };
  const failing = 'the relayer (FULL) has been failing since its last submission: the parent chain does not answer';
  expect(said('open')).toBe(`${failing}; start it`);
  expect(said('clearing')).toBe(
    `${failing}, because of a problem that seems to be over: the node of the parent chain cannot be reached`,
  );
});

test('a node that is cut off now is why others miss it, not its crash of some minutes ago', () => {
  const seen = { lastRestartAt: NOW - 200_000, lastExit: { code: 0, at: NOW - 200_200 } };
  const crashed = { restarts: 1, oomKills: 0, inspected: true, ...seen } as const;
  const n4 = diagnosedNode('n4', NAMES, { peers: [], container: { startedAt: NOW - 200_000 } });
  const container = { ...n4.facts.container, ...crashed, lastRestartBy: 'policy' as const };
  const cutOff = { ...n4, facts: { ...n4.facts, container } } as KnownTarget;
  const others = ['n1', 'n2', 'n3'].map((name) =>
    diagnosedNode(name, NAMES, { peers: NAMES.filter((other) => other !== name && other !== 'n4') }),
  );
  expect(explainedBy(diagnosed([...others, cutOff])).filter(([, name]) => name === 'n4')).toEqual([
    ['container_restarting', 'n4', 'n4 container'],
    ['node_partitioned', 'n4', 'n4 peers, n1 peers, n2 peers, n3 peers'],
  ]);
});

test('a stalled node explains its height, and its peers are a problem of their own', () => {
  const stalled = diagnosedNode('n2', NAMES, { height: 900, stalledMs: 300_000, peers: ['n1', 'n3'] });
  const found = explainedBy(diagnosed([healthy('n1'), stalled, healthy('n3'), healthy('n4')]));
  expect(found.slice(0, 1)).toEqual([['node_stalled', 'n2', 'n2 latest_block, n2 log_block']]);
  expect(found.filter(([problem]) => problem === 'peers_missing')).toEqual([['peers_missing', 'n2', 'n2 peers']]);
});

test('a node that lacks only one that has just started has no problem of its own', () => {
  const lacking = (startedAgo: number, ...peers: readonly string[]) => {
    const started = diagnosedNode('n4', NAMES, { container: { startedAt: NOW - startedAgo }, peers: ['n1', 'n3'] });
    const others = [healthy('n1'), diagnosedNode('n2', NAMES, { peers, chain: { peerIds: undefined } }), healthy('n3')];
    return explainedBy(diagnosed([...others, started])).filter(([, name]) => name === 'n2');
  };
  expect(lacking(10_000, 'n1', 'n3')).toEqual([]);
  expect(lacking(70_000, 'n1', 'n3')).toEqual([['peers_missing', 'n2', 'n2 peers']]);
  // One start does not explain two peers.
  expect(lacking(10_000, 'n1')).toEqual([['peers_missing', 'n2', 'n2 peers']]);
});

test('a stats server that does not answer is a problem, although a node that is down explains what it does not show', () => {
  const service = diagnosedService('stats', { fault: refused });
  const sources = { container: { up: true, lines: 9, since: NOW - 3_600_000 } };
  const stats: KnownTarget = {
    ...withLogs(service, { sources, patterns: {}, stats: { block: { number: 9, at: 0, risenAt: 0 } } }),
    target: {
      ...service.target,
      readsFrom: 'n1',
      logFiles: [{ path: '/x', timezone: 'UTC' }],
    } as KnownTarget['target'],
  };
  const down = diagnosedNode('n1', NAMES, { fault: refused });
  const found = explainedBy(diagnosed([down, ...NAMES.slice(1).map(healthy), stats]));
  expect(found.filter(([problem]) => problem !== 'quorum_at_risk')).toEqual([
    ['node_down', 'n1', 'n1 latest_block, n1 log_block, stats block_data, stats history_data'],
    ['service_down', 'stats', 'stats http'],
  ]);
});

test('a frontend that does not answer explains the errors in its log for as long as it does not, and then while it clears', () => {
  const sources = { container: { up: true, lines: 9, since: NOW - 3_600_000 } };
  const error = { means: 'error', count: 3, at: NOW - 1_000, order: 1, what: 'it fails', own: false } as const;
  const frontend = (isWell: boolean) =>
    withLogs(diagnosedService('frontend', isWell ? {} : { fault: refused }), {
      sources,
      patterns: { http_5xx: error },
    });
  const diagnose = (isWell: boolean, before: FollowedProblems, now: number) => {
    const targets = [...NAMES.map(healthy), frontend(isWell)];
    const subnet = {
      ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
      targets: targets.map(({ target }) => target),
    };
    return diagnoseSubnet(subnet, judgeTargets(targets, NOW), before, now);
  };
  const told = ({ problems }: FollowedProblems) =>
    problems.flatMap(({ problem, name, state, explains }) =>
      name === 'frontend' ? [[problem, state, explains.map(({ check }) => check).join(', ')]] : [],
    );
  let last: FollowedProblems = NO_PROBLEMS;
  for (let ms = 0; ms <= 40_000; ms += 5_000) {
    last = diagnose(false, last, NOW + ms);
    expect(told(last)).toEqual([['service_down', ms < 20_000 ? 'suspected' : 'open', 'logs, http']]);
  }
  for (let ms = 45_000; ms <= 60_000; ms += 5_000) {
    last = diagnose(true, last, NOW + ms);
    expect(told(last)).toEqual([['service_down', 'clearing', 'logs']]);
  }
});

test.each([
  ['refuses', refused, 16_000],
  [
    'hangs, which has taken seconds to show,',
    { kind: 'timeout', address: 'x', afterMs: 10_000, received: false },
    11_000,
  ],
] as const)('a service that %s is a problem when it has not answered for as long', (_, fault, confirmMs) => {
  const targets = [...NAMES.map(healthy), diagnosedService('stats', { fault })];
  const subnet = {
    ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
    targets: targets.map(({ target }) => target),
  };
  const stateAfter = (ms: number) => {
    const first = diagnoseSubnet(subnet, judgeTargets(targets, NOW), NO_PROBLEMS, NOW);
    const { problems } = diagnoseSubnet(subnet, judgeTargets(targets, NOW), first, NOW + ms);
    return problems.map(({ problem, state }) => [problem, state]);
  };
  expect(stateAfter(confirmMs - 1)).toEqual([['service_down', 'suspected']]);
  expect(stateAfter(confirmMs)).toEqual([['service_down', 'open']]);
});

test('a check that says itself what its problem says does not say it twice', () => {
  const [state] = judgeTargets([healthy('n1')], NOW);
  if (state === undefined) throw new Error('there is one');
  const readWith = (seen: string, over: Partial<Problem>) => {
    const checks = state.checks.map((one) => ({
      ...one,
      ...(one.check === 'peers' && { verdict: 'fail' as const, seen }),
    }));
    const problem: Problem = {
      ...{ problem: 'wallet_without_funds', alert: 'A', severity: 'critical', state: 'open', since: NOW, seenAt: NOW },
      ...{ summary: 'the wallet is empty', evidence: 'it was seen', fix: 'send coins', causes: [] },
      explains: [{ component: 'node', name: 'n1', check: 'peers' }],
      ...over,
    };
    const [read] = explainTargets([{ ...state, checks } as typeof state], [problem]);
    const { cause, fix } = read?.checks.find(({ check }) => check === 'peers') ?? {};
    return [cause, fix];
  };
  expect(readWith('it fails', {})[0]).toBe('the wallet is empty');
  expect(readWith('it fails: the wallet is empty', {})).toEqual([undefined, 'send coins']);
  const clearing = { state: 'clearing', clearingSince: NOW } as const;
  expect(readWith('it fails', clearing)[0]).toBe('of a problem that seems to be over: the wallet is empty');
  expect(readWith('it fails: the wallet is empty', clearing)[0]).toBe('of a problem that seems to be over');
});

test('too few peers are explained by all nodes that do not answer', () => {
  const [state] = judgeTargets([diagnosedNode('n1', NAMES, { peers: ['n2'] })], NOW);
  const ofPeers = { verdict: 'fail' as const, seen: 'n1 has 1 peer instead of 3' };
  const checks = state?.checks.map((one) => ({ ...one, ...(one.check === 'peers' && ofPeers) }));
  const hangs = (name: string, more: Partial<Problem> = {}): Problem => ({
    ...{ problem: 'node_hanging', component: 'node', name, alert: 'A', severity: 'warning', state: 'open' },
    ...{ since: NOW, seenAt: NOW, summary: `${name} hangs`, evidence: '', fix: '', causes: [] },
    explains: [{ component: 'node', name, check: 'latest_block' }],
    ...more,
  });
  const explains = [
    { component: 'node', name: 'n1', check: 'peers' },
    { component: 'node', name: 'n2', check: 'latest_block' },
  ] as const;
  const noAnswer = { fault: { kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false } } as const;
  const many = Array.from({ length: 49 }, (_, at) => `m${at}`);
  const others = ['n2', 'n3', 'n4', 'n5', ...many].map((name) =>
    diagnosedNode(name, NAMES, name === 'n5' ? {} : noAnswer),
  );
  const causeOf = (...all: readonly Problem[]) => {
    const [read] = explainTargets([{ ...state, checks } as TargetState, ...judgeTargets(others, NOW)], all);
    return read?.checks.find(({ check }) => check === 'peers')?.cause;
  };
  const causeBy = (...others: readonly Problem[]) => causeOf(hangs('n2', { explains }), ...others);
  expect(causeOf(hangs('n2', { explains, state: 'clearing' }), hangs('n3'), hangs('n4'))).toBe(
    'of a problem that seems to be over: n2 hangs',
  );
  expect(causeBy(hangs('n3'))).toBe('n2 and n3 hang');
  expect(causeBy()).toBe('n2 hangs');
  const all = many.map((name) => hangs(name));
  expect([causeBy(...all), causeBy(hangs('n3'), ...all)]).toEqual([
    'n2, m0, m1 and 47 others hang',
    'n2 hangs, and 50 others are out',
  ]);
  // Of one that answers again it is still said, but nobody misses it.
  expect(causeBy(hangs('n5'))).toBe('n2 hangs');
  expect(causeBy(hangs('n3', { state: 'clearing' }))).toBe('n2 hangs');
  const stopped = (name: string) =>
    hangs(name, { problem: 'container_down', summary: `the container of ${name} does not run` });
  expect(causeBy(stopped('n3'), stopped('n4'))).toBe(
    'n2 hangs, the container of n3 does not run and the container of n4 does not run',
  );
  // Docker says of one that it is stopped before it is asked, and n1 lacks two peers.
  expect(causeBy(stopped('n5'))).toBe('n2 hangs and the container of n5 does not run');
  expect(causeBy(hangs('n3'), stopped('n5'))).toBe('n2 and n3 hang');
  const over = { state: 'clearing' } as const;
  expect(causeOf(hangs('n2', { ...over, explains }), { ...stopped('n5'), ...over })).toBe(
    'of a problem that seems to be over: n2 hangs and the container of n5 does not run',
  );
  // What explains something else of a node is no reason why it is no peer.
  expect(causeBy(hangs('n3', { problem: 'node_log_fault', explains: [] }))).toBe('n2 hangs');
});

test('a pause is not why a node stood when it last answered, but why it answers no more, and why it stands after that', () => {
  const causesOf = (given: Parameters<typeof diagnosedNode>[2], state: Problem['state'] = 'open') => {
    const targets = judgeTargets(
      NAMES.map((name) =>
        name === 'n1' ? diagnosedNode(name, NAMES, { stalledMs: 73_000, ...given }) : healthy(name),
      ),
      NOW,
    );
    const explains = [{ component: 'node', name: 'n1', check: 'latest_block' }] as const;
    const paused: Problem = {
      ...{ problem: 'container_paused', component: 'node', name: 'n1', alert: 'A', severity: 'warning', state },
      ...{ since: NOW, seenAt: NOW, summary: 'the container of n1 is paused', evidence: '', fix: '', causes: [] },
      explains,
    };
    const [n1] = explainTargets(targets, [paused]);
    const said = n1?.checks.flatMap((one) => (one.check === 'latest_block' ? formatReason(one) : []));
    return said?.join();
  };
  const container = { status: 'paused' } as const;
  const fault = { kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false } as const;
  expect(causesOf({ container })).toMatch(/^the block 1000 of n1 has not risen for 1m 13s \(limit 1m\); run /);
  expect(causesOf({ container, fault })).toMatch(/, because the container of n1 is paused$/);
  expect(causesOf({}, 'clearing')).toMatch(
    /, because of a problem that seems to be over: the container of n1 is paused$/,
  );
});

test('a log whose height is that of the RPC shows no fault of its own, however long it stands', () => {
  const standing = (rpc: number, logged: number) => {
    const node = diagnosedNode('n1', NAMES, { height: rpc, stalledMs: 5_000 });
    const logs = { ...node.facts.logs, node: { height: logged, advancedAt: NOW - 61_000, level: 4 } };
    const known = withLogs(node, logs as KnownTarget['facts']['logs']);
    const others = NAMES.slice(1).map((name) => diagnosedNode(name, NAMES, { height: 218, stalledMs: 5_000 }));
    return diagnosed([known, ...others]).map(({ problem }) => problem);
  };
  expect(standing(217, 217)).toEqual([]);
  expect(standing(216, 217)).toEqual(['node_log_fault']);
});

/** A problem that is open, of a node or of the whole subnet. */
const openProblem = (problem: Problem['problem'], name: string | undefined, more: Partial<Problem>): Problem => ({
  ...{ problem, alert: 'A', severity: 'warning', state: 'open', since: NOW - 9_000, seenAt: NOW, evidence: '' },
  ...{ summary: `it is ${problem}`, fix: 'mend it', causes: [], explains: [] },
  ...(name !== undefined && { component: 'node', name }),
  ...more,
});

test('a halt, or too few votes, is why nodes stand, not why one is not reached or is behind the others', () => {
  const behind = diagnosedNode('n4', NAMES, { height: 0, stalledMs: 30_000 });
  const standing = NAMES.slice(0, 2).map((name) => diagnosedNode(name, NAMES, { height: 331, stalledMs: 70_000 }));
  const cut = diagnosedNode('n3', NAMES, { fault: refused, container: { startedAt: NOW - 9_000 } });
  const found = explainedBy(diagnosed([...standing, cut, behind])).filter(([problem]) => problem === 'subnet_halted');
  expect(found).toEqual([['subnet_halted', undefined, 'n1 latest_block, n2 latest_block, n1 log_block, n2 log_block']]);
  // Nor is it once it seems to be over.
  const explainedByOver = (known: KnownTarget, problem: Problem['problem'], seenAgo = 9_000) => {
    const states = judgeTargets([known, healthy('n2'), healthy('n3'), healthy('n4')], NOW);
    const checks = ['latest_block', 'log_block'] as const;
    const explains = checks.map((check) => ({ component: 'node', name: 'n1', check }) as const);
    const open = openProblem(problem, undefined, { explains, since: NOW - 300_000, seenAt: NOW - seenAgo });
    const [one] = follow({ problems: [open], ended: [] }, [], states, NOW).problems;
    return [one?.state, ...(one?.explains.map(({ check }) => check) ?? [])];
  };
  const stands = diagnosedNode('n1', NAMES, { stalledMs: 70_000 });
  const silent = diagnosedNode('n1', NAMES, { fault: refused, stalledMs: 70_000 });
  expect(explainedByOver(stands, 'subnet_halted')).toEqual(['clearing', 'latest_block', 'log_block']);
  expect(explainedByOver(silent, 'subnet_halted')).toEqual(['clearing', 'log_block']);
  expect(explainedByOver(silent, 'quorum_at_risk')).toEqual(['clearing', 'log_block']);
  expect(explainedByOver(silent, 'chain_forked')).toEqual(['clearing', 'latest_block', 'log_block']);
  // A log that has told of a block since then stands for another reason.
  expect(explainedByOver(stands, 'subnet_halted', 200_000)).toEqual(['clearing', 'latest_block']);
});

test('a node that had all its peers since its last start lacks none because it had ended', () => {
  const isExplained = (failsSince: number, answered = true) => {
    const given = diagnosedNode('n1', NAMES, { peers: ['n2', 'n3'], container: { startedAt: NOW - 58_000 } });
    const silent = { ...given.facts.node?.observation, answered, peers: { ok: false, fault: refused } };
    const facts = { ...given.facts, node: { ...given.facts.node, ...(!answered && { observation: silent }) } };
    const [state] = judgeTargets([{ target: given.target, facts } as KnownTarget], NOW).map((one) => ({
      ...one,
      checks: one.checks.map((check) => ({ ...check, since: failsSince, runs: 9, failures: 1 })),
    }));
    return state && explainAll(viewTarget(state, {})).some(({ check }) => check === 'peers');
  };
  expect(isExplained(NOW - 1_000)).toBe(false);
  // It may not have found all of them before.
  expect(isExplained(NOW - 43_001)).toBe(true);
  // What keeps it from answering costs it all of them.
  expect(isExplained(NOW - 1_000, false)).toBe(true);
});
