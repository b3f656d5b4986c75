import { expect, test } from 'vitest';
import type { ContainerFacts, Facts, KnownTarget, Progress } from '../../../src/model/facts.ts';
import type { Container } from '../../../src/model/observation.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { Quorum, SubnetState, TargetState } from '../../../src/model/snapshot.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { type CheckName, formatReason } from '../../../src/model/verdict.ts';
import { diagnoseSubnet, explainTargets, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { findHeadline } from '../../../src/watch/diagnosis/find-headline.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import {
  addressOf,
  diagnosed,
  diagnosedNode,
  diagnosedService,
  NOW,
  STOPPED,
  withoutBlocks,
} from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

type Seen = Parameters<typeof findHeadline>[3];

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const QUORUM = { total: 4, required: 3, voting: 4 };

/** A node whose container was started a few seconds ago, and whose program does not listen yet. */
const starting = (name: string) =>
  diagnosedNode(name, NAMES, { container: { startedAt: NOW - 5_000 }, fault: { kind: 'refused', address: name } });

const withLog = (known: KnownTarget, node: NonNullable<Facts['logs']>['node']): KnownTarget =>
  ({ ...known, facts: { ...known.facts, logs: { ...known.facts.logs, node } } }) as KnownTarget;

const toSubnet = (targets: readonly KnownTarget[]) => ({
  name: 'devnet',
  consensus: 'XDPoS',
  settings: DEFAULT_SETTINGS,
  targets: targets.map((t) => t.target),
});

const diagnoseAt = (targets: readonly KnownTarget[], before = NO_PROBLEMS) => {
  return diagnoseSubnet(toSubnet(targets), judgeTargets(targets, NOW), before, NOW).problems;
};

/** The problems of a node that is stopped, as they are once it is not found any more. */
function clearing(): readonly Problem[] {
  const stopped = NAMES.map((name) =>
    name === 'n2'
      ? diagnosedNode(name, NAMES, { container: STOPPED, fault: { kind: 'refused', address: 'n2' } })
      : diagnosedNode(name, NAMES, { peers: NAMES.filter((other) => other !== name && other !== 'n2') }),
  );
  return diagnoseAt(stopped).map((one) => ({ ...one, state: 'clearing' }));
}

/** The same node a few seconds after somebody has started it, and another one that has not found it again. */
function startedAgain(): readonly KnownTarget[] {
  const at = NOW - 4_000;
  const n2 = diagnosedNode('n2', NAMES, { container: { startedAt: at } });
  const container = { ...(n2.facts.container as NonNullable<Facts['container']>), restarts: 1, lastRestartAt: at };
  return [
    { ...n2, facts: { ...n2.facts, container: { ...container, lastRestartBy: 'request' } } },
    diagnosedNode('n1', NAMES, { peers: ['n3', 'n4'] }),
  ];
}

test.each([
  { failedFrom: NOW - 65_000, lastGoodAt: NOW - 90_000, quorum: { voting: 3 } },
  { failedFrom: NOW - 64_999, lastGoodAt: NOW - 90_000, quorum: { voting: 4, starting: 1 } },
  { failedFrom: undefined, lastGoodAt: NOW - 90_000, quorum: { voting: 4, starting: 1 } },
  // It has answered since, or nothing is known of before.
  { failedFrom: NOW - 70_000, lastGoodAt: NOW - 60_000, quorum: { voting: 4, starting: 1 } },
  { failedFrom: NOW - 70_000, lastGoodAt: undefined, quorum: { voting: 4, starting: 1 } },
])(
  'a start after one of $failedFrom that brought neither a block nor an answer is no start, after an answer of $lastGoodAt',
  ({ failedFrom, lastGoodAt, quorum }) => {
    const nodes = NAMES.map((name) => {
      const known = diagnosedNode(name, NAMES, name === 'n2' ? { fault: { kind: 'refused', address: name } } : {});
      const { container: _, ...facts } = known.facts;
      if (name !== 'n2') return { ...known, facts } as KnownTarget;
      const { latest, ...node } = facts.node ?? {};
      const seen = latest && lastGoodAt !== undefined ? { ...node, latest: { ...latest, lastGoodAt } } : node;
      const log = { height: 1_000, advancedAt: NOW - 90_000, startedAt: NOW - 5_000, failedFrom };
      return withLog({ ...known, facts: { ...facts, node: seen } } as KnownTarget, log);
    });
    expect(diagnoseSubnet(toSubnet(nodes), judgeTargets(nodes, NOW), NO_PROBLEMS, NOW).quorum).toEqual({
      ...{ total: 4, required: 3 },
      ...quorum,
    });
  },
);

test.each(['node_down', 'rpc_closed'] as const)(
  'the minute after %s of a node, nobody is said to have lost it',
  (problem) => {
    const nodes = NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n1' ? { peers: ['n3', 'n4'] } : {}));
    const found = (overForMs: number) => {
      const over: Problem = {
        ...{ problem, component: 'node', name: 'n2', state: 'clearing', clearingSince: NOW - overForMs },
        ...{ severity: 'warning', alert: 'SubnetNodeDown', since: NOW - 120_000, seenAt: NOW - overForMs },
        ...{ summary: '', evidence: '', fix: '', explains: [], causes: [] },
      };
      const before = { problems: [over], ended: [] };
      return diagnoseAt(nodes, before).map((one) => `${one.problem} ${one.name} ${one.state}`);
    };
    expect(found(59_999)).toEqual([`${problem} n2 clearing`]);
    expect(found(60_000)).toContain('peers_missing n1 suspected');
  },
);

function restart(names: readonly string[]) {
  const containers = names.map((name) => `generated-${name}-1`).join(' ');
  // `docker restart` would take one after the other.
  return `restart ${names.slice(0, -1).join(', ')} and ${names.at(-1)} with \`docker stop ${containers} && docker start ${containers}\`, all of them at once`;
}
/** What to do about a halt in which enough masternodes answer. */
const waitUntil = (time: string, names: readonly string[] = NAMES, why = '') =>
  `if no block has come by ${time} UTC, ${restart(names)}; ${time > '02:46:40' ? `wait until then, as ${why}the sync messages that nodes send at their third time-out often end this` : 'that time has passed, so do it now'}`;

test('while a halt lasts, a node that lacks a peer is still named', () => {
  const halted = NAMES.map((name) =>
    diagnosedNode(name, NAMES, {
      stalledMs: 120_000,
      passedMs: undefined,
      ...(name === 'n1' && { peers: ['n3', 'n4'] }),
    }),
  );
  const first = diagnoseAt(halted);
  const second = diagnoseAt(halted, { problems: first, ended: [] });
  const named = ({ problem, name }: Problem) => [problem, name];
  expect(first.map(named)).toEqual([
    ['subnet_halted', undefined],
    ['peers_missing', 'n1'],
  ]);
  expect(second.map(named)).toEqual(first.map(named));
});

test('a check keeps its own advice while the problem that it showed clears, and others say that it seems to be over', () => {
  const reasons = explainTargets(judgeTargets(startedAgain(), NOW), clearing()).flatMap(({ checks }) =>
    checks.filter(({ verdict }) => verdict === 'fail').map((state) => formatReason(state)),
  );
  expect(reasons).toEqual([
    'generated-n2-1 was restarted on request 4s ago (02:46:36 UTC), by a person, a program or a start of Docker, and runs; if that was planned there is nothing to do, and this passes in 4m 56s',
    'n1 has 2 peers instead of 3, because of a problem that seems to be over: the container of n2 does not run',
  ]);
});

test('peers are missed because of what was over a minute before no more', () => {
  const [known] = clearing().filter(({ explains }) => explains.some(({ check }) => check === 'peers'));
  const reasonAfter = (ms: number) => {
    const summary = 'the container of n3 is paused';
    const older = known && { ...known, problem: 'container_paused' as const, name: 'n3', summary, explains: [] };
    const problems = [known, older && { ...older, seenAt: older.seenAt - ms }].filter((one) => one !== undefined);
    const explained = explainTargets(judgeTargets(startedAgain(), NOW), problems);
    return explained.flatMap(({ checks }) => checks.flatMap(({ check, cause }) => (check === 'peers' && cause) || []));
  };
  const over = 'of a problem that seems to be over';
  expect(reasonAfter(59_999)).toEqual([`${over}: the container of n2 does not run and the container of n3 is paused`]);
  expect(reasonAfter(60_000)).toEqual([`${over}: the container of n2 does not run`]);
});

test('a check is explained by a problem that lasts, rather than by one that seems to be over', () => {
  const known = clearing().find(({ explains }) => explains.some(({ check }) => check === 'peers'));
  const lasting = known && {
    ...known,
    name: 'n3',
    state: 'open' as const,
    summary: 'the container of n3 does not run',
  };
  const reasonsOf = (problems: readonly Problem[]) =>
    explainTargets(judgeTargets(startedAgain(), NOW), problems).flatMap(({ checks }) =>
      checks.flatMap((state) => (state.check === 'peers' && state.verdict === 'fail' ? [formatReason(state)] : [])),
    );
  const reasons = ['n1 has 2 peers instead of 3, because the container of n3 does not run'];
  expect(reasonsOf([known, lasting].filter((one) => one !== undefined))).toEqual(reasons);
  expect(reasonsOf([lasting, known].filter((one) => one !== undefined))).toEqual(reasons);
});

test('a check that does not judge the problem of its target says that the problem seems to be over', () => {
  const refused = { kind: 'refused', address: 'http://n' } as const;
  const nodes = NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n2' ? { fault: refused } : {}));
  const [known] = explainTargets(judgeTargets([nodes[1] as KnownTarget], NOW), clearing());
  expect(known?.checks.filter(({ verdict }) => verdict === 'fail').map((state) => formatReason(state))).toEqual([
    'n2 did not return its latest block: nothing listens at http://n, because of a problem that seems to be over: the container of n2 does not run',
    'the height in the log of n2 has been 1000 for 1m 30s, because of a problem that seems to be over: the container of n2 does not run',
  ]);
  // A log that has told of a block since then stands for another reason.
  const [other] = explainTargets(
    judgeTargets([nodes[1] as KnownTarget], NOW),
    clearing().map((one) => ({ ...one, seenAt: NOW - 91_000, explains: [] })),
  );
  const inLog = other?.checks.find(({ check }) => check === 'log_block');
  expect(inLog && formatReason(inLog)).toMatch(/^the height in the log of n2 has been 1000 for 1m 30s; /);
});

test('the headline of a subnet whose problems clear says that it recovers, and gives no order', () => {
  const problems = clearing();
  expect(problems.map(({ problem }) => problem)).toEqual(['quorum_at_risk', 'container_down']);
  const targets = judgeTargets(startedAgain(), NOW);
  const since = problems[0]?.since;
  expect(findHeadline('devnet', targets, problems, { quorum: QUORUM, hasRisen: true })).toEqual({
    standing: 'warn',
    sentence: 'devnet is recovering',
    detail:
      '4 of 4 masternodes can vote, 3 needed. No longer seen, and over unless they return: no further node may fail, the container of n2 does not run.',
    since,
  });
  // A block that is late again is what counts.
  expect(findHeadline('devnet', targets, problems, { quorum: QUORUM, hasRisen: true, quietMs: 28_000 })).toMatchObject({
    sentence: 'devnet is running, but its last block came 28s ago',
    detail:
      '4 of 4 masternodes can vote, 3 needed. No longer seen, and over unless they return: no further node may fail, the container of n2 does not run.',
  });
  const starting = { ...QUORUM, starting: 1 };
  expect(findHeadline('devnet', targets, problems, { quorum: starting, hasRisen: true }).detail).toBe(
    '3 of 4 masternodes can vote, 3 needed, and 1 has just started. No longer seen, and over unless it returns: the container of n2 does not run. Over once those that have just started vote: no further node may fail.',
  );
  const [risk, down] = problems as [Problem, Problem];
  expect(
    findHeadline('devnet', targets, [risk, { ...down, state: 'open' }], { quorum: QUORUM, hasRisen: true }).sentence,
  ).toBe('devnet is running, but the container of n2 does not run');
});

test('the end of a halt is not told while too few can vote again', () => {
  const halt: Problem = { ...(clearing()[0] as Problem), problem: 'subnet_halted', summary: 'the subnet is halted' };
  const detailOf = (voting: number) =>
    findHeadline('devnet', judgeTargets(startedAgain(), NOW), [halt], {
      quorum: { ...QUORUM, voting },
      hasRisen: true,
    }).detail;
  expect(detailOf(3)).toBe(
    '3 of 4 masternodes can vote, 3 needed. No longer seen, and over unless it returns: the subnet is halted.',
  );
  expect(detailOf(2)).toBe('');
});

test('two sides that may see a masternode which is not known here are not said to be split', () => {
  const active = [...NAMES, 'x'].map(addressOf);
  const masternodes = { number: 1_000, round: 2_000, active, standby: [], penalised: [] };
  const pairs: Readonly<Record<string, string>> = { n1: 'n2', n2: 'n1', n3: 'n4', n4: 'n3' };
  const nodes = NAMES.map((name) =>
    diagnosedNode(name, NAMES, { stalledMs: 40_000, peers: [pairs[name] ?? ''], chain: { masternodes } }),
  );
  const halt = diagnoseAt(nodes).find(({ problem }) => problem === 'subnet_halted');
  expect(halt?.evidence).toBe('no block after 1000 for 40s; 5 of 5 masternodes can vote, 4 needed');
});

test('what may have halted a subnet is first what ended several containers at once', () => {
  const [risk, down] = clearing() as [Problem, Problem];
  const docker = 'Docker itself was stopped, and 2 containers with it';
  const crashed: Problem = { ...risk, state: 'suspected', problem: 'containers_crashed', summary: docker };
  const told = [{ ...down, state: 'suspected' as const }, crashed];
  const { sentence, detail } = findHeadline('devnet', judgeTargets(startedAgain(), NOW), told, {
    quorum: { ...QUORUM, voting: 2 },
    hasRisen: true,
  });
  expect([sentence, detail]).toEqual([
    'devnet may be halted: 2 of 4 masternodes can vote, 3 needed',
    `${docker}, the container of n2 does not run.`,
  ]);
});

test('what may have halted a subnet is not a double vote of before', () => {
  const [risk, down] = clearing() as [Problem, Problem];
  const summary = 'n1 signed two blocks of round 7';
  const twice: Problem = { ...risk, problem: 'double_vote', severity: 'warning', state: 'open', fix: 'look', summary };
  const loop: Problem = { ...down, state: 'suspected', problem: 'node_hanging', summary: 'n4 hangs' };
  const quorum = { ...QUORUM, voting: 2 };
  const told = [twice, loop];
  expect(findHeadline('devnet', judgeTargets(startedAgain(), NOW), told, { quorum, hasRisen: true }).detail).toBe(
    'Suspected: n4 hangs. n1 signed two blocks of round 7. Look.',
  );
});

test('the headline names all nodes of which the same is suspected, and how old the last block is beside a warning', () => {
  const [, down] = clearing() as [Problem, Problem];
  const targets = judgeTargets(startedAgain(), NOW);
  const tell = (problems: readonly Problem[], quietMs = 0) =>
    findHeadline('devnet', targets, problems, { quorum: QUORUM, hasRisen: true, quietMs }).detail;
  const hangs = (name: string): Problem => ({
    ...{ ...down, state: 'suspected', problem: 'node_hanging' },
    ...{ name, summary: `${name} hangs` },
  });
  expect(tell([hangs('n1'), hangs('n2')])).toMatch(/^Suspected: n1 and n2 hang\. /);
  expect(tell([hangs('n1'), { ...hangs('n2'), summary: 'n2 is slow' }])).toMatch(/^Suspected: n1 hangs\. /);
  const open: Problem = { ...down, state: 'open' };
  expect(tell([open], 16_000)).toMatch(/ 3 needed\. The last block came 16s ago\. Start it /);
  // Also beside others, where the votes are left out.
  const loop: Problem = { ...open, name: 'n3', summary: 'n3 ends again and again' };
  expect(tell([open, loop], 16_000)).toMatch(/^The last block came 16s ago\. Start it .* n3 ends again and again\.$/);
});

test('a subnet without a problem is healthy, but not while a node has just started', () => {
  const well = NAMES.map((name) => diagnosedNode(name, NAMES));
  const told = (quorum?: Quorum) =>
    findHeadline('devnet', judgeTargets(well, NOW), [], { quorum, hasRisen: true }).sentence;
  const ofSeven = { total: 7, required: 5, voting: 7 };
  expect(told(ofSeven)).toBe('devnet is healthy: it can lose 2 more nodes');
  expect(told({ ...ofSeven, starting: 1 })).toBe('devnet is running: it can lose 1 more node');
  expect(told()).toBe('devnet is healthy');
});

test('a node that somebody has restarted is no problem, although its container fails its check', () => {
  const [restarted] = startedAgain();
  const [judged] = judgeTargets([restarted as KnownTarget], NOW);
  expect(judged?.checks.flatMap(({ check, verdict }) => (verdict === 'fail' ? check : []))).toEqual(['container']);
  expect(diagnoseAt([restarted as KnownTarget]).map(({ problem }) => problem)).toEqual([]);
});

test.each([
  ['containers_crashed', 'the containers of all 4 nodes crashed'],
  ['double_vote', 'n1 signed two blocks of round 436'],
] as const)('the headline is of a node that is down rather than of what has happened, as %s', (problem, summary) => {
  const [risk, down] = clearing() as [Problem, Problem];
  const { component: _, name: __, ...whole } = { ...risk, severity: 'warning' as const, state: 'open' as const };
  const happened: Problem = { ...whole, problem, summary, fix: 'look for the cause' };
  const targets = judgeTargets(startedAgain(), NOW);
  const told = (problems: readonly Problem[]) =>
    findHeadline('devnet', targets, problems, { quorum: QUORUM, hasRisen: true });
  const isDown = { ...down, state: 'open', fix: 'start it' } as const;
  expect(told([happened, isDown]).sentence).toBe('devnet is running, but the container of n2 does not run');
  expect(told([happened]).sentence).toBe(`devnet is running, but ${summary}`);
  // What to do stands behind what it is of.
  const graver = { ...happened, severity: 'critical' } as const;
  expect(told([graver, isDown]).detail).toBe(
    '4 of 4 masternodes can vote, 3 needed. Look for the cause. The container of n2 does not run.',
  );
});

test('minutes after a crash of several the headline is of what is suspected now, and where too few vote of why', () => {
  const [risk, down] = clearing() as [Problem, Problem];
  const { component: _, name: __, ...whole } = { ...risk, severity: 'warning' as const, state: 'open' as const };
  const summary = 'the containers of all 4 nodes crashed';
  const since = NOW - 240_000;
  const crashed: Problem = { ...whole, ...{ problem: 'containers_crashed', summary, fix: 'look', since, seenAt: NOW } };
  const ofTwo = 'the containers of n1 and n2 crashed';
  const again: Problem = { ...crashed, summary: ofTwo, isNext: true, state: 'suspected', since: NOW };
  const loop = { ...down, state: 'open', summary: 'n4 ends again and again', name: 'n4', fix: 'see' } as const;
  const targets = judgeTargets(startedAgain(), NOW);
  const told = (quorum: Quorum, problems: readonly Problem[], more: Partial<SubnetState> = {}) => {
    const { sentence, detail } = findHeadline('devnet', targets, problems, { quorum, hasRisen: true, ...more });
    return [sentence, detail];
  };
  const checked = 'devnet is running, but a possible problem is being checked';
  expect(told(QUORUM, [crashed, { ...loop, state: 'suspected' }])).toEqual([
    checked,
    '4 of 4 masternodes can vote, 3 needed. Suspected: n4 ends again and again. The containers of all 4 nodes crashed.',
  ]);
  expect(told(QUORUM, [crashed, again])).toEqual([
    checked,
    '4 of 4 masternodes can vote, 3 needed. Suspected: the containers of n1 and n2 crashed. The containers of all 4 nodes crashed.',
  ]);
  // Nor is it of the crash of one that has run again for a minute.
  const once: Problem = {
    ...crashed,
    component: 'node',
    name: 'n3',
    problem: 'container_restarting',
    summary: 'n3 crashed',
  };
  const stopped: Problem = { ...down, state: 'suspected' };
  const ofStop = (isPast: boolean) => told({ ...QUORUM, voting: 3 }, [{ ...once, isPast }, stopped]);
  expect(ofStop(true)).toEqual([
    checked,
    '3 of 4 masternodes can vote, 3 needed. Suspected: the container of n2 does not run. n3 crashed.',
  ]);
  expect(ofStop(false)[0]).toBe('devnet is running, but n3 crashed');
  expect(told(QUORUM, [{ ...once, isPast: true }])[0]).toBe('devnet is running, but n3 crashed');
  const signed: Problem = { ...crashed, problem: 'double_vote', summary: 'n1 signed two blocks of round 436' };
  expect(told(QUORUM, [signed, { ...crashed, since: NOW }])[0]).toBe(`devnet is running, but ${summary}`);
  expect(told(QUORUM, [signed, crashed])[0]).toBe('devnet is running, but n1 signed two blocks of round 436');
  // What is still told comes before all that is no longer seen.
  const runsLow: Problem = { ...crashed, severity: 'critical', state: 'clearing', problem: 'wallet_nearly_empty' };
  expect(told(QUORUM, [{ ...runsLow, summary: 'coins run out' }, crashed])).toEqual([
    `devnet is running, but ${summary}`,
    '4 of 4 masternodes can vote, 3 needed. Look.',
  ]);
  const over = { ...crashed, state: 'clearing' } as const;
  expect(told(QUORUM, [over, again])).toEqual([
    'devnet is recovering, but a possible problem is being checked',
    '4 of 4 masternodes can vote, 3 needed. Suspected: the containers of n1 and n2 crashed. No longer seen, and over unless it returns: the containers of all 4 nodes crashed.',
  ]);
  // What has happened counts before what may come, however long ago it was, and though both clear.
  const runsOut: Problem = { ...over, problem: 'wallet_low', since: NOW - 100_000 };
  expect(findHeadline('devnet', targets, [runsOut, over], { quorum: QUORUM, hasRisen: true }).since).toBe(since);
  const lost = { ...QUORUM, voting: 2 };
  const halted = 'devnet may be halted: 2 of 4 masternodes can vote, 3 needed';
  expect(told(lost, [crashed, again])).toEqual([halted, 'The containers of n1 and n2 crashed.']);
  expect(told(lost, [loop, again])).toEqual([
    halted,
    'The containers of n1 and n2 crashed. n4 ends again and again. See.',
  ]);
  // Who votes is not why.
  const members = NAMES.map((name) => ({ name, vote: name < 'n3' ? ('silent' as const) : ('votes' as const) }));
  expect(told(lost, [loop, again], { members })).toEqual([halted, 'The containers of n1 and n2 crashed.']);
  expect(told({ ...QUORUM, starting: 2 }, [loop, again], { members })).toEqual([
    'devnet is waiting for masternodes that have just started',
    '2 of 4 masternodes can vote, 3 needed, and 2 have just started. Suspected: the containers of n1 and n2 crashed.',
  ]);
  expect(told(QUORUM, [loop, again], { members })[0]).toBe('devnet is running, but n4 ends again and again');
  const late: Problem = { ...loop, ...{ problem: 'node_lags', summary: 'n4 is late', restoredAt: NOW, seenAt: NOW } };
  const wordsWith = (out: readonly string[]) => {
    const fault = { kind: 'refused', address: 'n' } as const;
    const nodes = NAMES.map((name) =>
      diagnosedNode(name, NAMES, out.includes(name) ? { container: STOPPED, fault } : {}),
    );
    const before = { problems: [late], ended: [] };
    const { sentence, detail } = diagnoseSubnet(toSubnet(nodes), judgeTargets(nodes, NOW), before, NOW).headline ?? {};
    return `${sentence}. ${detail}`;
  };
  expect(wordsWith([])).toContain('n4 is late');
  expect(wordsWith(['n1', 'n2'])).toContain('may be halted: 2 of 4');
  expect(wordsWith(['n1', 'n2'])).not.toContain('n4 is late');
});

test.each(['suspected', 'open'] as const)(
  'the headline says nothing of a node while nothing can be seen, which is %s',
  (state) => {
    const [risk, down] = clearing() as [Problem, Problem];
    const summary = 'subnetd cannot reach any node';
    const offline: Problem = { ...risk, ...{ problem: 'monitor_offline', state, summary, fix: 'check the link' } };
    const wallet: Problem = { ...risk, ...{ problem: 'wallet_low', state: 'open', summary: 'the wallet runs out' } };
    const relayer: Problem = { ...wallet, component: 'relayer', name: 'relayer', severity: 'warning' };
    const targets = judgeTargets(startedAgain(), NOW);
    const told = findHeadline('devnet', targets, [offline, { ...down, state: 'open' }, relayer], { hasRisen: true });
    expect([told.sentence, told.detail]).toEqual([
      'devnet cannot be seen from here',
      'Check the link. The wallet runs out.',
    ]);
  },
);

test('a crash of several is shown of each that runs as it was started after it, and of none that was started anew since', () => {
  const [risk] = clearing() as [Problem, Problem];
  const { component: _, name: __, ...whole } = { ...risk, severity: 'warning' as const, state: 'open' as const };
  const crashed: Problem = { ...whole, problem: 'containers_crashed', nodes: NAMES, since: NOW - 120_000 };
  const namedOf = (problem: Problem, container: Partial<Container>) => {
    const nodes = NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n2' ? { container } : {}));
    return explainTargets(judgeTargets(nodes, NOW), [problem]).map((one) => one.problem?.problem);
  };
  const all = NAMES.map(() => 'containers_crashed');
  expect(namedOf(crashed, { startedAt: NOW - 119_000 })).toEqual(all);
  expect(namedOf(crashed, { startedAt: NOW - 61_000 })).toEqual(all);
  expect(namedOf(crashed, { startedAt: NOW - 60_000 })).toEqual(all.with(1, undefined as never));
  expect(namedOf(crashed, STOPPED)).toEqual(all.with(1, undefined as never));
  const atRisk = { ...crashed, problem: 'quorum_at_risk' } as const;
  expect(namedOf(atRisk, STOPPED)).toEqual(NAMES.map(() => 'quorum_at_risk'));
});

test('a log that stands at the height of all others, as its RPC does, is no fault of its node', () => {
  const named = (ofRpc: number, height: number) =>
    diagnosed(
      NAMES.map((name) => {
        // A halt is found after 88 s with these, and the log of a node is judged after 60.
        const consensus = { ...{ minePeriodMs: 2_000, timeoutPeriodMs: 40_000 }, certificateThreshold: 0.667 };
        const chain = { address: addressOf(name), consensus: { ...consensus, epoch: 900, gap: 450 } };
        const one = diagnosedNode(name, NAMES, { stalledMs: ofRpc, chain, ...(name === 'n2' && { height }) });
        return name === 'n2' ? withLog(one, { height: 1_000, advancedAt: NOW - 70_000, level: 4 }) : one;
      }),
    ).map(({ problem, name }) => `${problem} ${name}`);
  // The RPC shows a block seconds after the log, and the others have no later one.
  expect(named(50_001, 999)).toEqual([]);
  expect(named(50_000, 999)).toContain('node_log_fault n2');
  expect(named(50_000, 1_000)).toEqual([]);
});

test('a halt in which nobody answers counts from the newest block that a node had shown', () => {
  const paused = { running: false, status: 'paused' } as const;
  const fault = { kind: 'timeout', address: 'n', afterMs: 5_000, received: false } as const;
  const nodes = NAMES.map((name, place) =>
    diagnosedNode(name, NAMES, { container: paused, fault, height: 1_000 - place, stalledMs: 70_000 - place * 1_000 }),
  );
  const [halt] = diagnosed(nodes).filter(({ problem }) => problem === 'subnet_halted');
  expect(halt?.evidence).toMatch(/^no node runs and answers; 0 of 4 masternodes can vote/);
  expect(halt?.begunAt).toBe(NOW - 70_000);
  const later = nodes.map((node, place) =>
    place === 3 ? withLog(node, { height: 1_001, advancedAt: NOW - 66_000, level: 4 }) : node,
  );
  const [logged] = diagnosed(later).filter(({ problem }) => problem === 'subnet_halted');
  expect(logged).toMatchObject({ begunAt: NOW - 66_000, about: '1001' });
});

test('a subnet whose nodes have all just started waits for them, before one has answered', () => {
  const { headline, quorum } = diagnoseSubnet(
    toSubnet(NAMES.map(starting)),
    judgeTargets(NAMES.map(starting), NOW),
    NO_PROBLEMS,
    NOW,
  );
  expect(headline).toMatchObject({
    sentence: 'devnet is waiting for masternodes that have just started',
    detail: '0 of 4 masternodes can vote, 3 needed, and 4 have just started.',
  });
  expect(quorum).toMatchObject({ total: 4, starting: 4 });
});

test('the headline of a subnet that has lost its quorum anew is no longer of the problem that clears', () => {
  const [risk, down] = clearing() as [Problem, Problem];
  const lost = { ...QUORUM, voting: 2 };
  const targets = judgeTargets(startedAgain(), NOW);
  const suspected: Problem = { ...down, state: 'suspected', summary: 'the container of n4 does not run' };
  expect(findHeadline('devnet', targets, [risk, down, suspected], { quorum: lost, hasRisen: true })).toEqual({
    standing: 'warn',
    sentence: 'devnet may be halted: 2 of 4 masternodes can vote, 3 needed',
    detail: 'The container of n4 does not run.',
  });
  expect(findHeadline('devnet', targets, [suspected], { quorum: lost, hasRisen: true })).toEqual({
    standing: 'warn',
    sentence: 'devnet may be halted: 2 of 4 masternodes can vote, 3 needed',
    detail: 'The container of n4 does not run.',
  });
  expect(findHeadline('devnet', targets, [{ ...down, state: 'open' }], { quorum: lost, hasRisen: true })).toEqual({
    standing: 'warn',
    sentence: 'devnet may be halted: 2 of 4 masternodes can vote, 3 needed',
    detail:
      'The container of n2 does not run. Start it with `docker start generated-n2-1`; if it ends again, read why it ended with `docker logs --tail 100 generated-n2-1`.',
  });
  // One that votes has crashed before, and only what costs votes is suspected: not a wallet.
  const loop: Problem = {
    ...suspected,
    problem: 'silent_restart_loop',
    name: 'n4',
    summary: 'n4 ends again and again',
  };
  const crashed: Problem = { ...suspected, problem: 'container_restarting', name: 'n1', summary: 'n1 has crashed' };
  const spent: Problem = {
    ...suspected,
    problem: 'wallet_low',
    component: 'relayer',
    name: 'relayer',
    summary: 'no coins',
  };
  const members = [{ name: 'n1', vote: 'votes' as const }];
  const seen = { quorum: lost, hasRisen: true, members };
  expect(findHeadline('devnet', targets, [spent, crashed, loop], seen).detail).toBe(
    'Suspected: n4 ends again and again.',
  );
  expect(findHeadline('devnet', targets, [spent, crashed], seen).detail).toBe('');
  // What costs votes comes before what does not.
  const wallet: Problem = {
    ...risk,
    problem: 'wallet_low',
    state: 'open',
    summary: 'the wallet runs out',
    fix: 'send',
  };
  const hidden = [{ ...suspected, name: 'n3', summary: 'the container of n3 is paused' }, suspected];
  const empty: Problem = { ...wallet, ...{ component: 'relayer', name: 'relayer', summary: 'no coins are left' } };
  const hangs: Problem = { ...suspected, problem: 'node_hanging', summary: 'n2 hangs' };
  expect(findHeadline('devnet', targets, [empty, hangs], { quorum: lost, hasRisen: true }).detail).toMatch(
    /^Suspected: n2 hangs\. No coins are left\./,
  );
  expect(findHeadline('devnet', targets, [wallet, ...hidden], { quorum: lost, hasRisen: true }).detail).toBe(
    'The container of n3 is paused, the container of n4 does not run. The wallet runs out. Send.',
  );
  const halt: Problem = { ...risk, problem: 'subnet_halted', state: 'open', summary: 'halted', fix: 'bring back n4' };
  const known: Problem = { ...wallet, component: 'relayer', name: 'relayer' };
  expect(
    findHeadline('devnet', targets, [halt, known, { ...down, state: 'open' }], { quorum: lost, hasRisen: true }).detail,
  ).toMatch(/^The container of n\d [^.]*\. Bring back n4\. The wallet runs out\.$/);
  expect(findHeadline('devnet', targets, [halt, known], { quorum: lost, hasRisen: true }).detail).toBe(
    '2 of 4 masternodes can vote, 3 needed. Bring back n4. The wallet runs out.',
  );
  const enough = { ...QUORUM, voting: 3 };
  // What clears of some nodes is not gone when it is found of others.
  expect(
    findHeadline('devnet', targets, [risk, { ...risk, isNext: true, state: 'suspected' }], {
      quorum: enough,
      hasRisen: true,
    }),
  ).toMatchObject({
    sentence: 'devnet is recovering, but a possible problem is being checked',
    detail: '3 of 4 masternodes can vote, 3 needed. Suspected: no further node may fail.',
  });
  expect(findHeadline('devnet', targets, [risk, down, suspected], { quorum: enough, hasRisen: true })).toEqual({
    standing: 'warn',
    sentence: 'devnet is recovering, but a possible problem is being checked',
    detail:
      '3 of 4 masternodes can vote, 3 needed. Suspected: the container of n4 does not run. No longer seen, and over unless it returns: the container of n2 does not run. Over once there is a spare vote again: no further node may fail.',
    since: risk.since,
  });
  expect(findHeadline('devnet', targets, [suspected], { quorum: enough, hasRisen: true }).sentence).toBe(
    'devnet is running with no spare vote',
  );
});

test('a node that has just started is not counted on, so a subnet that it leaves without a reserve is not called well', () => {
  const quorumOf = (startedAgo: number, takesBlocks = false) => {
    const nodes = NAMES.map((name) => {
      const node = diagnosedNode(name, NAMES, name === 'n4' ? { container: { startedAt: NOW - startedAgo } } : {});
      return name === 'n4' && !takesBlocks ? withoutBlocks(node, startedAgo) : node;
    });
    const subnet = {
      name: 'devnet',
      consensus: 'XDPoS',
      settings: DEFAULT_SETTINGS,
      targets: nodes.map((one) => one.target),
    };
    return viewSubnet(subnet, judgeTargets(nodes, NOW), NOW).quorum;
  };
  const started = quorumOf(10_000);
  expect(started).toEqual({ total: 4, required: 3, voting: 4, starting: 1 });
  expect(quorumOf(70_000)).toEqual({ total: 4, required: 3, voting: 4 });
  // One that rises with the chain again may vote.
  expect(quorumOf(10_000, true)).toEqual({ total: 4, required: 3, voting: 4 });
  const targets = judgeTargets(
    NAMES.map((name) => diagnosedNode(name, NAMES)),
    NOW,
  );
  expect(findHeadline('devnet', targets, [], { quorum: started, hasRisen: true })).toEqual({
    standing: 'ok',
    sentence: 'devnet is running with no spare vote',
    detail: '3 of 4 masternodes can vote, 3 needed, and 1 has just started.',
  });
  const most = { total: 4, required: 3, voting: 4, starting: 2 };
  expect(findHeadline('devnet', targets, [], { quorum: most, hasRisen: true })).toEqual({
    standing: 'warn',
    sentence: 'devnet is waiting for masternodes that have just started',
    detail: '2 of 4 masternodes can vote, 3 needed, and 2 have just started.',
  });
});

test('a node whose log has a new block since its start takes blocks, before it is asked again', () => {
  const [startedAgo, advancedAt] = [10_000, NOW - 1_000];
  const printing = (height: number, over: Partial<Container> = {}, crashes?: readonly number[]) => {
    const nodes = NAMES.map((name) => {
      const node = diagnosedNode(name, NAMES, {
        stalledMs: 60_000,
        container: { startedAt: NOW - startedAgo, ...over },
      });
      const { container, ...facts } = node.facts;
      const looped = container && { ...container, ...(crashes && { restarts: 3, earlierCrashes: crashes }) };
      return withLog({ ...node, facts: { ...facts, container: looped } } as KnownTarget, { height, advancedAt });
    });
    return diagnoseSubnet(toSubnet(nodes), judgeTargets(nodes, NOW), NO_PROBLEMS, NOW).quorum;
  };
  expect(printing(1_000)).toEqual({ total: 4, required: 3, voting: 4, starting: 4 });
  expect(printing(1_001)).toEqual({ total: 4, required: 3, voting: 4, starting: undefined });
  // Nor does it loop then, when no halt shows any more why no block came.
  const crashes = [NOW - 60_000, NOW - 30_000];
  expect(printing(1_000, { restartCount: 3 }, crashes)?.voting).toBe(0);
  expect(printing(1_001, { restartCount: 3 }, crashes)?.voting).toBe(4);
});

test('a node that has crashed and shows the cause again has not just started; once it takes blocks, it has, and is not relied on', () => {
  const restarted = { restarts: 1, lastRestartAt: NOW - 5_000, lastRestartBy: 'policy' as const, oomKills: 0 };
  const votingOf = (
    printedAgo: number,
    height: Partial<Progress> = {},
    peers: readonly string[] = [],
    crashing = ['n4'],
  ) => {
    const nodes = NAMES.map((name) => {
      if (!crashing.includes(name)) return diagnosedNode(name, NAMES);
      const known = diagnosedNode(name, NAMES, { container: { startedAt: NOW - 5_000 }, peers });
      const { container, node, logs, ...facts } = withoutBlocks(known, 5_000).facts;
      const latest = { ...(node?.latest as Progress), ...height };
      const printed = { means: 'fatal', count: 1, at: NOW - printedAgo, order: 1, what: 'what it means', own: false };
      const seen = {
        container: { ...container, ...restarted, inspected: true },
        node: { ...node, latest },
        logs: { ...logs, patterns: { too_many_open_files: printed } },
      };
      return { ...known, facts: { ...facts, ...seen } } as KnownTarget;
    });
    return viewSubnet(toSubnet(nodes), judgeTargets(nodes, NOW), NOW).quorum;
  };
  const rises = { risen: true, advancedAt: NOW - 1_000 };
  expect(votingOf(5_001)).toEqual({ total: 4, required: 3, voting: 4, starting: 1 });
  expect(votingOf(5_000)).toEqual({ total: 4, required: 3, voting: 3 });
  // It reads its own blocks, and nobody sends it any.
  expect(votingOf(5_000, rises)).toEqual({ total: 4, required: 3, voting: 3 });
  expect(votingOf(5_000, rises, ['n1', 'n2', 'n3'])).toEqual({ total: 4, required: 3, voting: 4, starting: 1 });
  // Without the votes of two that crash there would be no block since.
  const newer = { ...rises, number: 1_001 };
  expect(votingOf(5_000, newer, ['n1', 'n2'], ['n3', 'n4'])).toEqual({ total: 4, required: 3, voting: 4 });
});

test('a node that has answered since its start, and answers no more, is not starting', () => {
  const votingOf = (startedAgo: number, hasContainer: boolean) => {
    const fault = { kind: 'refused', address: 'http://n4' } as const;
    const nodes = NAMES.map((name) => {
      const known = diagnosedNode(
        name,
        NAMES,
        name === 'n4' ? { fault, container: { startedAt: NOW - startedAgo } } : {},
      );
      if (name !== 'n4') return known;
      const { container, node, logs, ...facts } = known.facts;
      // It has answered 20 s ago, and has printed nothing since.
      const latest = { ...(node?.latest as NonNullable<typeof node>['latest']), lastGoodAt: NOW - 20_000 };
      const printed = { ...logs, node: { height: 1_000, advancedAt: NOW - 20_000, startedAt: NOW - startedAgo } };
      const seen = { ...facts, node: { ...node, latest }, logs: printed, ...(hasContainer && { container }) };
      return { ...known, facts: seen } as KnownTarget;
    });
    const targets = nodes.map((one) => one.target);
    const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets };
    return viewSubnet(subnet, judgeTargets(nodes, NOW), NOW).quorum;
  };
  for (const hasContainer of [true, false]) {
    expect(votingOf(21_000, hasContainer)).toEqual({ total: 4, required: 3, voting: 3 });
    expect(votingOf(19_000, hasContainer)).toEqual({ total: 4, required: 3, voting: 4, starting: 1 });
  }
});

test('a halt counts from its last block, also after a restart of subnetd saw that block late', () => {
  const stalled = NAMES.map((name) => diagnosedNode(name, NAMES, { stalledMs: 40_000, peers: ['n1', 'n2'] }));
  const halt = diagnoseAt(stalled).find(({ problem }) => problem === 'subnet_halted');
  expect([halt?.since, halt?.openedAt, halt?.evidence]).toEqual([
    NOW - 40_000,
    NOW,
    'no block after 1000 for 40s; 4 of 4 masternodes can vote, 3 needed',
  ]);
  const subnet = { name: 'd', consensus: 'XDPoS', settings: DEFAULT_SETTINGS };
  const targets = stalled.map((one) => {
    const { node, logs: _, ...facts } = one.facts;
    const latest = node?.latest && { ...node.latest, risen: false, advancedAt: NOW - 5_000, riseDueSince: NOW - 5_000 };
    return { ...one, facts: { ...facts, node: node && { ...node, latest } } } as KnownTarget;
  });
  const { problems } = diagnoseSubnet(
    { ...subnet, targets: targets.map(({ target }) => target) },
    judgeTargets(targets, NOW),
    { problems: halt ? [{ ...halt, since: NOW - 90_000, openedAt: NOW - 60_000 }] : [], ended: [] },
    NOW,
  );
  expect(problems.find(({ problem }) => problem === 'subnet_halted')?.evidence).toMatch(
    /^no block after 1000 for 1m 30s; /,
  );
});

/** All stand at a block. */
const withHalt = () => NAMES.map((name) => diagnosedNode(name, NAMES, { stalledMs: 40_000 }));

test('a halt after a restart of subnetd counts from its own last block, not from that of the one before, which was stored', () => {
  const nodes = NAMES.map((name) => {
    const one = diagnosedNode(name, NAMES, { stalledMs: 40_000 });
    const { node, logs: _, ...facts } = one.facts;
    const seen = {
      risen: false,
      advancedAt: NOW - 5_000,
      riseDueSince: NOW - 5_000,
      timestamp: (NOW - 95_000) / 1_000,
    };
    return { ...one, facts: { ...facts, node: { ...node, latest: { ...node?.latest, ...seen } } } } as KnownTarget;
  });
  const [halt] = diagnoseAt(withHalt());
  const restored = { ...halt, since: NOW - 370_000, state: 'open', restoredAt: NOW - 5_000 } as Problem;
  const first = diagnoseAt(nodes, { problems: [restored], ended: [] });
  const second = diagnoseAt(nodes, { problems: first, ended: [] });
  for (const [one] of [first, second])
    expect([one?.since, one?.evidence]).toEqual([
      NOW - 95_000,
      'no block after 1000 for 1m 35s; 4 of 4 masternodes can vote, 3 needed',
    ]);
});

test('a halt does not wait for a node that has just started, and answers on another chain', () => {
  const other = { container: { startedAt: NOW - 40_000 }, chain: { genesis: '0x1234567890' } };
  const [halt] = diagnoseAt([...withHalt().slice(0, 3), diagnosedNode('n4', NAMES, { ...other, stalledMs: 40_000 })]);
  expect([halt?.evidence, halt?.fix]).toEqual([
    'no block after 1000 for 40s; 3 of 4 masternodes can vote, 3 needed, without n4 (on another chain)',
    waitUntil('02:47:30', ['n1', 'n2', 'n3']),
  ]);
});

test('a halt names those of its nodes that have just started and answer, but not all', () => {
  const evidenceWith = (started: readonly string[], more: Partial<ContainerFacts> = {}) => {
    const nodes = NAMES.map((name) => {
      const container = started.includes(name) && { container: { startedAt: NOW - 30_000 } };
      const { target, facts } = diagnosedNode(name, NAMES, { stalledMs: 40_000, ...container });
      return { target, facts: { ...facts, container: { ...facts.container, ...more } } } as KnownTarget;
    });
    return diagnoseAt(nodes).find(({ problem }) => problem === 'subnet_halted')?.evidence;
  };
  const evidenceOf = (...started: readonly string[]) => evidenceWith(started);
  const seen = 'no block after 1000 for 40s; ';
  const votes = (count: number) => `${count} of 4 masternodes can vote, 3 needed, and`;
  expect(evidenceOf('n3', 'n4')).toBe(`${seen}${votes(2)} 2 have just started (n3, n4)`);
  expect(evidenceOf(...NAMES)).toBe(`${seen}${votes(0)} 4 have just started`);
  const lastExit = { code: 137, at: NOW - 38_000 };
  const engineDown = { from: NOW - 37_000, to: NOW - 32_000 };
  expect(evidenceWith(NAMES, { lastExit, engineDown })).toBe(
    `${seen}${votes(0)} 4 have just started with Docker itself`,
  );
  expect(evidenceWith(['n3'], { lastExit, engineDown })).not.toContain('Docker');
});

test('a halt of which the nodes that were missing have just started says to wait for them', () => {
  const tell = (...started: readonly string[]) =>
    diagnoseAt(
      NAMES.map((name) =>
        started.includes(name)
          ? starting(name)
          : diagnosedNode(name, NAMES, { stalledMs: 40_000, peers: ['n1', 'n2'] }),
      ),
    )
      .filter(({ problem }) => problem === 'subnet_halted')
      .map(({ evidence, fix }) => [evidence, fix]);
  const halted = (voting: number, starting: string) =>
    `no block after 1000 for 40s; ${voting} of 4 masternodes can vote, 3 needed, and ${starting} just started; `;
  expect(tell('n3', 'n4')).toEqual([
    [
      `${halted(2, '2 have')}n3, n4 do not answer yet`,
      'wait until n3, n4 answer, a minute at most, and restart no other node',
    ],
  ]);
  expect(tell('n4')).toEqual([
    [
      `${halted(3, '1 has')}n4 does not answer yet`,
      'wait until n4 answers, a minute at most, and restart no other node',
    ],
  ]);
});

test('a halt of which the nodes that were missing answer again says until when to wait, and what to do then', () => {
  const fixOf = (answeredAgo: number, penalised: readonly string[] = [], wasSilent = true) => {
    const active = NAMES.map(addressOf).filter((one) => !penalised.includes(one));
    const masternodes = { number: 1_000, round: 2_000, active, standby: [], penalised };
    const nodes = NAMES.map((name) => {
      const node = diagnosedNode(name, NAMES, { stalledMs: 150_000, chain: { masternodes } });
      const { latest } = node.facts.node ?? {};
      if (latest === undefined || name < 'n3') return node;
      // It stopped answering before the last block, which the others have had since.
      const seen = { ...latest, number: 999, riseDueSince: NOW - answeredAgo };
      const returned = wasSilent ? { at: NOW - answeredAgo, silentSince: NOW - 149_000 } : undefined;
      return { ...node, facts: { ...node.facts, node: { ...node.facts.node, latest: seen, returned } } } as KnownTarget;
    });
    return diagnoseAt(nodes).find(({ problem }) => problem === 'subnet_halted')?.fix;
  };
  expect(fixOf(1_000)).toBe(waitUntil('02:48:09', NAMES, 'n3 answered again at 02:46:39 UTC, and '));
  // One that is penalised joins no round.
  expect(fixOf(1_000, [addressOf('n4')])).toBe(
    waitUntil('02:48:09', ['n1', 'n2', 'n3'], 'n3 answered again at 02:46:39 UTC, and '),
  );
  expect(fixOf(60_000)).toBe(waitUntil('02:47:10', NAMES, 'n3 answered again at 02:45:40 UTC, and '));
  expect(fixOf(120_000)).toBe(waitUntil('02:46:10'));
  // Whose socket has answered all the time was not away, though its RPC was.
  expect(fixOf(1_000, [], false)).not.toContain('was back');
  const halted = diagnoseAt(NAMES.map((name) => diagnosedNode(name, NAMES, { stalledMs: 40_000 })));
  expect(halted.find(({ problem }) => problem === 'subnet_halted')?.fix).toBe(waitUntil('02:47:30'));
});

test('what was seen before subnetd was started has no command in the headline until its container is asked', () => {
  const nodes = NAMES.map((name) => diagnosedNode(name, NAMES));
  const { target, facts } = diagnosedService('frontend');
  const headlineOf = (more: Partial<Problem>, isAsked = false) => {
    const container = isAsked ? facts.container : undefined;
    const down = {
      ...{ problem: 'container_down', component: 'frontend', name: 'frontend', severity: 'warning', alert: '' },
      ...{ state: 'open', since: NOW - 60_000, openedAt: NOW - 60_000, seenAt: NOW, explains: [], causes: [] },
      ...{ summary: 'the container of frontend does not run', evidence: '', fix: 'start it', restoredAt: NOW, ...more },
    } as Problem;
    const targets = judgeTargets([...nodes, { target, facts: { ...facts, container } } as KnownTarget], NOW);
    const all = {
      name: 'devnet',
      consensus: 'XDPoS',
      settings: DEFAULT_SETTINGS,
      targets: targets.map((one) => one.target),
    };
    const { headline } = diagnoseSubnet(all, targets, { problems: [down], ended: [] }, NOW);
    return headline && [headline.standing, headline.sentence, headline.detail];
  };
  expect(headlineOf({})).toEqual([
    'warn',
    'devnet has not been fully checked yet',
    'Seen before subnetd was started: the container of frontend does not run. 4 of 4 masternodes can vote, 3 needed.',
  ]);
  expect(headlineOf({ restoredAt: undefined })?.[2]).toContain('Start it.');
  expect(headlineOf({}, true)?.[1]).toBe('devnet is recovering');
});

test('before Docker has said when nodes were started, nobody is sent to restart them at once', () => {
  const unasked = NAMES.map((name) => {
    const { target, facts } = diagnosedNode(name, NAMES, { stalledMs: 120_000 });
    return { target, facts: { ...facts, container: undefined } } as KnownTarget;
  });
  const fixOf = (told: readonly Problem[], targets = unasked) =>
    diagnoseAt(targets, { problems: told, ended: [] }).find(({ problem }) => problem === 'subnet_halted')?.fix;
  expect(fixOf([])).toMatch(
    /^if no block has come by 02:48:10 UTC, restart n1, n2, n3 and n4, all of them at once; wait/,
  );
  // What was told before a restart of subnetd has the command, too.
  const halt: Problem = {
    ...{ problem: 'subnet_halted', severity: 'critical', alert: 'SubnetHalted', state: 'open', since: NOW - 90_000 },
    ...{ openedAt: NOW - 90_000, seenAt: NOW, summary: '', evidence: '', explains: [], causes: [] },
    ...{ fix: 'with a command', restartAt: NOW + 30_000, restoredAt: NOW - 1_000 },
  };
  expect(fixOf([halt])).toBe('with a command');
  // Who lacks peers is found anew with each look, but what was told says it already.
  const apart = unasked.map(({ target, facts }) => {
    const { node } = diagnosedNode(target.name, NAMES, { stalledMs: 120_000, peers: ['n1', 'n2'] }).facts;
    return { target, facts: { ...facts, node } } as KnownTarget;
  });
  expect(fixOf([halt], apart)).toBe('with a command');
});

test('nodes of several machines are restarted by no single command', () => {
  const halted = NAMES.map((name) => {
    const { target, facts } = diagnosedNode(name, NAMES, { stalledMs: 240_000 });
    const container = { project: 'generated', service: name, engine: name === 'n4' ? 'machine2' : 'machine1' };
    return { target: { ...target, container }, facts } as KnownTarget;
  });
  expect(diagnosed(halted)[0]?.fix).toMatch(/, restart n1, n2, n3 and n4, all of them at once; /);
});

test('a halt gives a node that was cut off a minute from its return, whenever the last block came', () => {
  const fixOf = (backAgo: number, told: readonly Problem[] = []) => {
    const nodes = NAMES.map((name) => diagnosedNode(name, NAMES, { stalledMs: 120_000 }));
    const cutOff: Problem = {
      ...{ problem: 'node_partitioned', severity: 'warning', alert: 'SubnetNodePartitioned' },
      ...{ component: 'node', name: 'n2', summary: '', evidence: '', fix: '', explains: [], causes: [] },
      ...{ state: 'clearing', since: NOW - 200_000, seenAt: NOW - backAgo, clearingSince: NOW - backAgo },
    };
    const problems = diagnoseAt(nodes, { problems: [cutOff, ...told], ended: [] });
    return problems.find(({ problem }) => problem === 'subnet_halted')?.fix;
  };
  expect(fixOf(59_999)).toBe(waitUntil('02:48:10'));
  expect(fixOf(60_000)).toBe(waitUntil('02:46:10'));
  // A moment that was told holds.
  const halt: Problem = {
    ...{ problem: 'subnet_halted', severity: 'critical', alert: 'SubnetHalted', state: 'open', since: NOW - 90_000 },
    ...{ openedAt: NOW - 90_000, seenAt: NOW, summary: '', evidence: '', explains: [], causes: [] },
    ...{ fix: '', restartAt: NOW - 30_000 },
  };
  expect(fixOf(59_999, [halt])).toBe(waitUntil('02:46:10'));
});

test('the moment from which a halt says to restart holds while it lasts, and is later only for a node that was started since', () => {
  const fixOf = (restartAt: number | undefined, startedAgo = 3_600_000) => {
    const nodes = NAMES.map((name) =>
      diagnosedNode(name, NAMES, {
        stalledMs: 150_000,
        ...(name === 'n4' && { container: { startedAt: NOW - startedAgo } }),
      }),
    );
    const halt: Problem = {
      ...{ problem: 'subnet_halted', severity: 'critical', alert: 'SubnetHalted', state: 'open', since: NOW - 150_000 },
      ...{
        openedAt: NOW - 120_000,
        seenAt: NOW,
        summary: '',
        evidence: '',
        fix: '',
        explains: [],
        causes: [],
        restartAt,
      },
    };
    const problems = diagnoseAt(nodes, { problems: [halt], ended: [] });
    const found = problems.find(({ problem }) => problem === 'subnet_halted');
    return [found?.fix, (found?.restartAt ?? 0) - NOW];
  };
  expect(fixOf(NOW + 20_000)).toEqual([waitUntil('02:47:00'), 20_000]);
  expect(fixOf(NOW - 1_000)).toEqual([waitUntil('02:46:39'), -1_000]);
  const started = 'n4 was started at 02:45:30 UTC, and ';
  expect(fixOf(NOW - 1_000, 70_000)).toEqual([waitUntil('02:47:00', NAMES, started), 20_000]);
  // It stood for another reason until now.
  expect(fixOf(undefined)).toEqual([waitUntil('02:48:10'), 90_000]);
  expect(fixOf(undefined, 100_000)).toEqual([waitUntil('02:48:10'), 90_000]);
});

test('a halt of two sides that do not see each other says so and which ports to open, and nobody is restarted', () => {
  type Peers = Readonly<Record<string, readonly string[]>>;
  const diagnose = (peers: Peers, listed = peers, startedAgo = 3_600_000) => {
    const nodes = NAMES.map((name) =>
      diagnosedNode(name, NAMES, {
        ...{ stalledMs: 40_000, peers: peers[name] ?? [] },
        ...(name === 'n2' && { container: { startedAt: NOW - startedAgo } }),
        chain: { peerIds: (listed[name] ?? []).map((peer) => `id-${peer}`) },
      }),
    );
    return diagnoseSubnet(toSubnet(nodes), judgeTargets(nodes, NOW), NO_PROBLEMS, NOW);
  };
  const haltOf = (...given: Parameters<typeof diagnose>) => {
    const { evidence, fix } = diagnose(...given).problems.find(({ problem }) => problem === 'subnet_halted') ?? {};
    return [evidence, fix];
  };
  const pairs = { n1: ['n2'], n2: ['n1'], n3: ['n4'], n4: ['n3'] };
  const split = [
    'no block after 1000 for 40s; at most 2 of 4 masternodes see each other, 3 needed; n1 and n2 do not see n3 and n4',
    'open the p2p ports (TCP and UDP) between n1 and n2 on one side and n3 and n4 on the other, as neither side has the 3 that must vote; a restart does not help',
  ];
  expect(haltOf(pairs)).toEqual(split);
  // Lists from before, by what the nodes count now, hide nothing.
  const before = Object.fromEntries(NAMES.map((name) => [name, NAMES.filter((one) => one !== name)]));
  expect(haltOf(pairs, { ...before, n1: ['n2'] })).toEqual(split);
  // What nodes list may be older than how many they count, which shows that too few are connected.
  expect(haltOf(pairs, before)).toEqual([
    'no block after 1000 for 40s; at most 2 of 4 masternodes see each other, 3 needed',
    'see that n1, n2, n3, n4 reach the others (p2p ports), as 3 must see each other; a restart does not help before',
  ]);
  // One that has had a block since its start had found the others, one that has had none may yet.
  expect(haltOf(pairs, pairs, 50_000)).toEqual(split);
  expect(haltOf(pairs, pairs, 30_000)[1]).toMatch(/^if no block has come by /);
  const { quorum, headline } = diagnose(pairs);
  expect(quorum).toEqual({ ...QUORUM, together: 2 });
  expect(headline?.detail).toMatch(/^At most 2 of 4 masternodes see each other, 3 needed\. Open the p2p ports /);
  // Each side may see a node that is not known here, and the other through that.
  expect(haltOf({ ...pairs, n2: ['n1', 'x'], n3: ['n4', 'x'] })[1]).toMatch(/^see that n1, n2, n3, n4 reach /);
  // One that sees both sides tells each what the other says.
  expect(haltOf({ ...pairs, n2: ['n1', 'n3'], n3: ['n2', 'n4'] })[1]).toMatch(/^see that n1, n2, n3, n4 reach /);
});

test('a halt says to start a node that was stopped before anything else', () => {
  const fixOf = (container: Partial<Container>) => {
    const others = withHalt().slice(0, 3);
    const n4 = diagnosedNode('n4', NAMES, { container, stalledMs: 150_000, fault: { kind: 'refused', address: 'n4' } });
    return diagnoseAt([...others, n4]).find(({ problem }) => problem === 'subnet_halted')?.fix;
  };
  expect(fixOf(STOPPED)).toMatch(/^start n4 with `docker start generated-n4-1`, and if no block has come by /);
  expect(fixOf({ status: 'paused', startedAt: NOW - 600_000 })).not.toMatch(/^start/);
});

test('a halt without one that is out does not send those who are connected to each other to their p2p ports', () => {
  const refused = { kind: 'refused', address: 'n' } as const;
  const fixWith = (peers: readonly string[], ...foundBy: readonly string[]) => {
    const others = NAMES.slice(0, 3).map((name) => {
      const node = diagnosedNode(name, NAMES, { stalledMs: 90_000, peers: peers.filter((one) => one !== name) });
      const foundPeerAt = foundBy.includes(name) ? NOW - 1_000 : undefined;
      return { ...node, facts: { ...node.facts, node: { ...node.facts.node, foundPeerAt } } } as KnownTarget;
    });
    const out = diagnosedNode('n4', NAMES, { stalledMs: 90_000, fault: refused });
    const { latest } = out.facts.node ?? {};
    const long = latest && { ...latest, lastGoodAt: NOW - 90_000 };
    const silent = { ...out, facts: { ...out.facts, node: { ...out.facts.node, latest: long } } } as KnownTarget;
    const halted = diagnoseAt([...others, silent]);
    return halted.find(({ problem }) => problem === 'subnet_halted')?.fix;
  };
  expect(fixWith(['n1', 'n2', 'n3'])).toMatch(/^if no block has come by 02:46:40 UTC, restart n1, n2 and n3 with /);
  expect(fixWith(['n1', 'n2'])).toMatch(
    /^see that n1, n2 reach the others \(p2p ports\), and if no block has come by 02:46:40 UTC, restart n1, n2 and n3 with /,
  );
  // Who has found one a moment ago may find the others, and these it.
  for (const foundBy of [['n1', 'n2'], ['n2']])
    expect(fixWith(['n1', 'n2'], ...foundBy)).toMatch(
      /^if no block has come by 02:46:40 UTC, restart n1, n2 and n3 with /,
    );
});

test('a halt counts from the newest block that a node has shown, though its nodes have ended since', () => {
  const haltAfter = (shownAgo: number) => {
    const old = diagnosedNode('n1', NAMES, { stalledMs: 120_000 });
    const ended = NAMES.slice(1).map((name) => {
      const fault = { kind: 'refused', address: name } as const;
      const node = diagnosedNode(name, NAMES, { stalledMs: shownAgo, fault });
      const { latest } = node.facts.node ?? {};
      const seen = latest && { ...latest, number: latest.number + 5 };
      return { ...node, facts: { ...node.facts, node: { ...node.facts.node, latest: seen } } } as KnownTarget;
    });
    return diagnoseAt([old, ...ended])
      .find(({ problem }) => problem === 'subnet_halted')
      ?.evidence.split(';')[0];
  };
  expect(haltAfter(5_000)).toBeUndefined();
  expect(haltAfter(60_000)).toBe('no block after 1005 for 1m');
});

test('nodes whose crash is still reported are not just back once they have run for a minute, so that a halt tells its cause', () => {
  const fixOf = (startedAgo: number) => {
    const nodes = NAMES.map((name) =>
      diagnosedNode(name, NAMES, { stalledMs: 150_000, container: { startedAt: NOW - startedAgo } }),
    );
    const crashed = NAMES.map(
      (name): Problem => ({
        ...{ problem: 'container_restarting', severity: 'warning', alert: 'SubnetContainerRestarting' },
        ...{ component: 'node', name, summary: '', evidence: '', fix: '', explains: [], causes: [] },
        ...{ state: 'open', since: NOW - startedAgo, seenAt: NOW },
      }),
    );
    const problems = diagnoseAt(nodes, { problems: crashed, ended: [] });
    return problems.find(({ problem }) => problem === 'subnet_halted')?.fix;
  };
  expect(fixOf(59_000)).toBe(waitUntil('02:47:11', NAMES, 'n1 was started at 02:45:41 UTC, and '));
  expect(fixOf(90_000)).toBe(waitUntil('02:46:40'));
});

test('while too few vote, a log without new blocks is not a fault of its node', () => {
  const paused = { container: { status: 'paused' }, stalledMs: 27_000 } as const;
  const nodes = NAMES.map((name) => diagnosedNode(name, NAMES, name < 'n3' ? { stalledMs: 27_000 } : paused)).map(
    (node) => (node.target.name === 'n1' ? withLog(node, { height: 1_000, advancedAt: NOW - 70_000, level: 4 }) : node),
  );
  const said = diagnoseAt(nodes).map(({ problem, name = '' }) => `${problem} ${name}`);
  expect(said).toContain('quorum_at_risk ');
  expect(said).not.toContain('node_log_fault n1');
});

test('the bootnode misses no node while one starts, or is read again for less than a minute', () => {
  const bootnode: KnownTarget = {
    target: { subnet: 'devnet', component: 'bootnode', name: 'bootnode', logFiles: [], patterns: [] },
    facts: {},
  };
  const found = (startedAgo: number, backAgo?: number) => {
    const nodes = NAMES.map((name) => {
      const stalledMs = backAgo === undefined ? 2_000 : 300_000;
      const container = { startedAt: NOW - startedAgo };
      const one = diagnosedNode(name, NAMES, name === 'n4' ? { container, stalledMs } : {});
      const { node } = one.facts;
      if (name !== 'n4' || backAgo === undefined || node?.latest === undefined) return one;
      // Its next block is due since then, as it was not read before.
      const latest = { ...node.latest, riseDueSince: NOW - backAgo };
      return { ...one, facts: { ...one.facts, node: { ...node, latest } } };
    });
    const targets = [...nodes, bootnode];
    const states = judgeTargets(targets, NOW).map((state) => ({
      ...state,
      checks: state.checks.map((check) =>
        check.check === 'messages'
          ? { ...check, verdict: 'fail' as const, seen: 'it has not heard n4', fix: 'start it' }
          : check,
      ),
    }));
    const subnet = {
      name: 'devnet',
      consensus: 'XDPoS',
      settings: DEFAULT_SETTINGS,
      targets: targets.map((one) => one.target),
    };
    return diagnoseSubnet(subnet, states, NO_PROBLEMS, NOW).problems.map(({ problem }) => problem);
  };
  expect(found(59_999)).not.toContain('bootnode_misses_node');
  expect(found(60_000)).toContain('bootnode_misses_node');
  expect(found(3_600_000, 59_999)).not.toContain('bootnode_misses_node');
  expect(found(3_600_000, 60_000)).toContain('bootnode_misses_node');
});

test('the bootnode has not heard a node because of what is wrong with that node, whoever else is down', () => {
  const fault = { kind: 'refused', address: 'http://n' } as const;
  const reasonOf = (unheard: readonly string[]) => {
    const nodes = NAMES.map((name) => diagnosedNode(name, NAMES, name > 'n2' ? { container: STOPPED, fault } : {}));
    const states = judgeTargets(nodes, NOW);
    const missed = {
      check: 'messages',
      round: 'logs',
      verdict: 'fail',
      seen: 'it has not heard them',
      since: 0,
    } as const;
    const bootnode = {
      target: { subnet: 'devnet', component: 'bootnode', name: 'bootnode', logFiles: [], patterns: [] },
      ...{ facts: {}, failures: [], shownFailures: [], endedFailures: [] },
      checks: [{ ...missed, lastRun: NOW, durationSeconds: 0, runs: 1, failures: 1 }],
      heardNodes: NAMES.filter((name) => !unheard.includes(name)),
    } as unknown as TargetState;
    const targets = [...states, bootnode];
    const subnet = {
      name: 'devnet',
      consensus: 'XDPoS',
      settings: DEFAULT_SETTINGS,
      targets: targets.map((one) => one.target),
    };
    const { problems } = diagnoseSubnet(subnet, targets, NO_PROBLEMS, NOW);
    return explainTargets(targets, problems)
      .at(-1)
      ?.checks.map((check) => formatReason(check));
  };
  expect(reasonOf(['n3'])).toEqual(['it has not heard them, because the container of n3 does not run']);
  expect(reasonOf(['n4'])).toEqual(['it has not heard them, because the container of n4 does not run']);
  // One that runs is not heard for another reason.
  expect(reasonOf(['n1', 'n4'])).toEqual(['it has not heard them']);
});

test('after a restart of subnetd in a halt, nodes that were out then and answer now are waited for, and missed by nobody', () => {
  const halted = { stalledMs: 40_000 };
  const isOut = (name: string) => name > 'n2';
  const out = { status: 'paused' } as const;
  const timeout = { kind: 'timeout', address: 'n', afterMs: 5_000, received: false } as const;
  const paused = NAMES.map((name) =>
    diagnosedNode(name, NAMES, isOut(name) ? { ...halted, container: out, fault: timeout } : halted),
  );
  const open = diagnoseAt(paused).map((one) => ({ ...one, state: 'open' as const }));
  expect(open.map(({ problem, name }) => `${problem} ${name}`)).toContain('container_paused n3');
  const back = NAMES.map((name) =>
    diagnosedNode(name, NAMES, isOut(name) ? halted : { ...halted, peers: NAMES.slice(0, 2) }),
  );
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    settings: DEFAULT_SETTINGS,
    targets: back.map((t) => t.target),
  };
  const said = (problems: readonly Problem[], targets: readonly KnownTarget[] = back) =>
    diagnoseSubnet(subnet, judgeTargets(targets, NOW), { problems, ended: [] }, NOW).problems.flatMap(
      ({ problem, name = '', state, fix }) => (state === 'clearing' ? [] : [`${problem} ${name}: ${fix}`]),
    );
  const wait = `subnet_halted : ${waitUntil('02:48:10')}`;
  expect(said(open)).toEqual([wait]);
  // As while one of the two is still out.
  const half = back.map((one) => (one.target.name === 'n4' ? (paused[3] as KnownTarget) : one));
  expect(said(open, half).filter((one) => one.startsWith('peers_missing'))).toEqual([]);
  const clearing = (agoMs: number) =>
    open.map((one) =>
      one.problem === 'container_paused' ? { ...one, state: 'clearing' as const, clearingSince: NOW - agoMs } : one,
    );
  expect(said(clearing(59_999))).toEqual([wait]);
  expect(said(clearing(60_000))[0]).toBe(
    `subnet_halted : see that n1, n2 reach the others (p2p ports), and ${waitUntil('02:48:10')}`,
  );
});

test('after a restart of subnetd, a node that is not asked yet counts as its stored problem says', () => {
  const refused = { kind: 'refused', address: 'n' } as const;
  const open = diagnoseAt(
    NAMES.map((name) =>
      diagnosedNode(name, NAMES, name > 'n2' ? { fault: refused, stalledMs: 40_000 } : { stalledMs: 40_000 }),
    ),
  ).map((one) => ({ ...one, state: 'open' as const }));
  expect(open.map(({ problem, name = '' }) => `${problem} ${name}`)).toEqual([
    'subnet_halted ',
    'node_down n3',
    'node_down n4',
  ]);
  const unasked = NAMES.map((name) => {
    const node = diagnosedNode(name, NAMES, { stalledMs: 40_000 });
    return name > 'n2' ? ({ ...node, facts: { ...node.facts, node: undefined } } as KnownTarget) : node;
  });
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    settings: DEFAULT_SETTINGS,
    targets: unasked.map((t) => t.target),
  };
  const found = (state: 'open' | 'clearing') =>
    diagnoseSubnet(
      subnet,
      judgeTargets(unasked, NOW),
      { problems: open.map((one) => ({ ...one, state })), ended: [] },
      NOW,
    );
  expect(found('open').quorum).toEqual({ total: 4, required: 3, voting: 2 });
  expect(found('open').problems.find(({ problem }) => problem === 'subnet_halted')).toMatchObject({
    state: 'open',
    evidence:
      'no block after 1000 for 40s; 2 of 4 masternodes can vote, 3 needed, without n3 (does not answer), n4 (does not answer)',
    fix: 'bring back n3, n4: 1 more must vote; restart no other node',
  });
  expect(found('clearing').quorum).toEqual({ total: 4, required: 3, voting: 4 });
});

test('after a restart of subnetd, nobody knows of a node whether it votes before that and Docker were asked', () => {
  const stored: Problem = {
    ...{ problem: 'node_down', component: 'node', severity: 'warning', alert: 'SubnetNodeDown', state: 'open' },
    ...{ summary: '', evidence: '', fix: '', explains: [], causes: [] },
    ...{ since: NOW - 90_000, openedAt: NOW - 90_000, seenAt: NOW, restoredAt: NOW },
  };
  // Docker was not asked of n2, n3 not at all, and n4 only by Docker, which says that it does not run.
  const [n1, n2, n3, n4] = NAMES.map((name) =>
    diagnosedNode(name, NAMES, name === 'n4' ? { container: STOPPED } : {}),
  ) as [KnownTarget, KnownTarget, KnownTarget, KnownTarget];
  const { chain } = n1.facts.node ?? {};
  const known = (one: KnownTarget, facts: Facts) => ({ ...one, facts: { ...one.facts, ...facts } }) as KnownTarget;
  const targets = [
    n1,
    known(n2, { container: undefined }),
    known(n3, { container: undefined, node: undefined }),
    known(n4, { node: undefined }),
  ];
  const judged = (isAsked: boolean) =>
    judgeTargets(targets, NOW).map((state) => ({
      ...state,
      checks: state.checks.map((one) => (one.verdict === 'unknown' && !isAsked ? { ...one, lastRun: undefined } : one)),
    }));
  const votes = (isAsked: boolean) =>
    diagnoseSubnet(
      toSubnet(targets),
      judged(isAsked),
      { problems: [{ ...stored, name: 'n3' }], ended: [] },
      NOW,
    ).members.map(({ vote }) => vote);
  expect(chain?.observation.masternodes?.active).toHaveLength(4);
  expect(votes(false)).toEqual(['votes', 'unknown', 'unknown', 'unknown']);
  expect(votes(true)).toEqual(['votes', 'votes', 'silent', 'silent']);
});

test('a halt lasts until there is a block, also while the nodes that were out come back', () => {
  const down = (name: string) =>
    diagnosedNode(name, NAMES, { container: STOPPED, fault: { kind: 'refused', address: name } });
  /** It stood at a height, and answers again since a moment, if it does. */
  const withHeight = (node: KnownTarget, number: number) => {
    const { latest } = node.facts.node ?? {};
    const advancedAt = NOW - (number > 1_000 ? 1_000 : 90_000);
    const seen = latest && { ...latest, number, risen: true, riseDueSince: NOW - 2_000, advancedAt };
    const returned = { at: NOW - 2_000, silentSince: NOW - 80_000 };
    return { ...node, facts: { ...node.facts, node: { ...node.facts.node, latest: seen, returned } } } as KnownTarget;
  };
  const back = (name: string, height = 1_000) =>
    withHeight(diagnosedNode(name, NAMES, { container: { startedAt: NOW - 5_000 } }), height);
  const started = (name: string) => withHeight(starting(name), 1_000);
  const open = diagnoseAt(NAMES.map(down)).map((one) => ({
    ...one,
    since: NOW - 600_000,
    openedAt: NOW - 590_000,
    seenAt: NOW - 60_000,
    state: 'open' as const,
  }));
  const haltOf = (targets: readonly KnownTarget[], problems: readonly Problem[] = open) => {
    const subnet = { name: 'd', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets: targets.map((t) => t.target) };
    const found = diagnoseSubnet(subnet, judgeTargets(targets, NOW), { problems, ended: [] }, NOW);
    const halt = found.problems.find(({ problem }) => problem === 'subnet_halted');
    return [halt?.state, halt?.evidence, halt?.fix, found.headline?.sentence];
  };
  expect(haltOf(NAMES.map(started))).toEqual([
    'open',
    'no block after 1000 for 10m; 0 of 4 masternodes can vote, 3 needed, and 4 have just started; n1, n2, n3, n4 do not answer yet',
    'wait until n1, n2, n3, n4 answer, a minute at most, and restart no other node',
    'd is halted',
  ]);
  // The first height that a log tells after a start is the last one before it.
  const head = { height: 1_000, advancedAt: NOW - 500 };
  expect(haltOf(NAMES.map((name) => withLog(started(name), head)))[1]).toMatch(/^no block after 1000 for 10m; /);
  expect(haltOf(NAMES.map((name) => withHeight(down(name), 1_000)))[1]).toMatch(/^no node runs and answers; /);
  // Of what stood before the start of subnetd nothing was seen.
  const unseen = (known: KnownTarget) =>
    ({ ...known, facts: { ...known.facts, node: { ...known.facts.node, latest: undefined } } }) as KnownTarget;
  expect(haltOf(NAMES.map((name) => withLog(unseen(started(name)), {})))[1]).toMatch(/^no block after 1000 for 10m; /);
  // A node that is back may show another block of that height, which was made later.
  const made = (agoMs: number, height?: number) =>
    NAMES.map((name) => {
      const known = back(name, height);
      const { node } = known.facts;
      const latest = { ...node?.latest, timestamp: (NOW - agoMs) / 1_000 };
      return { ...known, facts: { ...known.facts, node: { ...node, latest } } } as KnownTarget;
    });
  const remade = made(85_000);
  const about = (number: string) => open.map((one) => ({ ...one, about: number }));
  expect(haltOf(remade, about('1000'))[1]).toMatch(/^no block after 1000 for 10m; /);
  expect(haltOf(remade, about('999'))[1]).toMatch(/^no block after 1000 for 1m 25s; /);
  expect(haltOf(NAMES.map((name) => back(name)))).toEqual([
    'open',
    'no block after 1000 for 10m; 0 of 4 masternodes can vote, 3 needed, and 4 have just started',
    waitUntil('02:48:08', NAMES, 'n1 answered again at 02:46:38 UTC, and '),
    'd is halted',
  ]);
  expect(haltOf(NAMES.map((name) => back(name, 1_001)))[0]).toBe('clearing');
  // Also where it was found once more between that block and the answers that show it.
  const again = open.map((one) => ({ ...one, since: NOW - 90_000, seenAt: NOW - 500 }));
  expect(haltOf(made(1_000, 1_001), again)).toEqual([
    'clearing',
    expect.any(String),
    'nothing to do about this: it is over unless it comes back',
    'd is recovering',
  ]);
  // The first answers after a restart of subnetd show no rise, but which block is the last.
  const unrisen = made(3_000, 1_007).map(({ target, facts }) => {
    const latest = facts.node?.latest && { ...facts.node.latest, risen: false };
    return { target, facts: { ...facts, node: { ...facts.node, latest } } } as KnownTarget;
  });
  const restored = again.map((one) => ({ ...one, about: '1000', since: NOW - 20_000, restoredAt: NOW - 2_000 }));
  expect(haltOf(unrisen, restored)[1]).toMatch(/^no block after 1007 for 3s; /);
  // One that was last asked before the last block has caught up with what another has printed before its start.
  const caughtUp = back('n1', 1_001);
  const printed = (height: number) => [
    caughtUp,
    ...NAMES.slice(1).map((name) => withLog(back(name), { heightBefore: height })),
  ];
  expect(haltOf(printed(1_001))[0]).toBe('open');
  expect(haltOf(printed(1_000))[0]).toBe('clearing');
  const asked = (advancedAt: number) => [
    caughtUp,
    ...NAMES.slice(1).map((name) => withLog(back(name), { height: 1_001, advancedAt })),
  ];
  expect(haltOf(asked(NOW - 580_000))[0]).toBe('open');
  // A line that is read after the halt was last found has its own time.
  expect(haltOf(asked(NOW - 579_999))[0]).toBe('clearing');
  // The log shows the block before the next answer.
  const shown = (height: number, advancedAt: number) =>
    NAMES.map((name) => withLog(back(name), { heightBefore: 1_000, startedAt: NOW - 5_000, height, advancedAt }));
  expect(haltOf(shown(1_001, NOW - 500))[0]).toBe('clearing');
  expect(haltOf(shown(1_000, NOW - 500))[0]).toBe('open');
  const first = open.map((one) => ({ ...one, since: NOW - 60_000 }));
  expect(haltOf(shown(1_001, NOW - 500), first)[0]).toBe('clearing');
  // The heads of all were set back, so new blocks are below the one at which the chain stood.
  const below = (madeAt: number, committedAt = madeAt) =>
    NAMES.map((name) => {
      const node = withLog(back(name, 988), { heightBefore: 1_000, startedAt: NOW - 5_000, height: 988 });
      const latest = node.facts.node?.latest && {
        ...node.facts.node.latest,
        ...{ advancedAt: NOW - 1_000, timestamp: madeAt / 1_000 },
      };
      const committed = latest && { ...latest, number: 986, timestamp: committedAt / 1_000 };
      return { ...node, facts: { ...node.facts, node: { ...node.facts.node, latest, committed } } } as KnownTarget;
    });
  expect(haltOf(below(NOW - 1_000))[0]).toBe('clearing');
  // Until one of them is committed, it may be lost again.
  expect(haltOf(below(NOW - 1_000, NOW - 700_000))[0]).toBe('open');
  expect(haltOf(below(NOW - 571_999))[0]).toBe('clearing');
  expect(haltOf(below(NOW - 572_000))[0]).toBe('open');
  // By the time of a block from the future nobody can say when it was made.
  expect(haltOf(below(NOW + 28_001))[0]).toBe('open');
  // It ended by a log. Answers from before are no news.
  const over = open.map((one) => ({ ...one, state: 'clearing' as const, clearingSince: NOW - 2_000 }));
  const old = (log: object) =>
    NAMES.map((name) => withLog(diagnosedNode(name, NAMES, { height: 1_000, stalledMs: 90_000 }), log));
  expect(haltOf(old({ height: 1_001, advancedAt: NOW - 3_000 }), over)[0]).toBe('clearing');
  expect(haltOf(old({ height: 1_000, advancedAt: NOW - 3_000 }), over)[0]).toBe('open');
  expect(haltOf(old({ height: 1_001, advancedAt: NOW - 90_000 }), over).slice(0, 2)).toEqual([
    'open',
    'no block after 1001 for 1m 30s; 4 of 4 masternodes can vote, 3 needed',
  ]);
  // Where no halt was, or is over, a start of all nodes is none.
  expect(haltOf(NAMES.map(started), [])[0]).toBeUndefined();
  expect(
    haltOf(
      NAMES.map((name) => back(name)),
      open.map((one) => ({ ...one, state: 'clearing' })),
    )[0],
  ).toBe('clearing');
});

test('once a halt is seen to end, who did not answer before it ended is not missed until it is asked again', () => {
  const refused = { kind: 'refused', address: 'n' } as const;
  const silent = (name: string) => diagnosedNode(name, NAMES, { fault: refused, stalledMs: 90_000 });
  const open = diagnoseAt(NAMES.map(silent)).map((one) => ({
    ...one,
    since: NOW - 600_000,
    seenAt: NOW - 60_000,
    state: 'open' as const,
  }));
  expect(open.map(({ problem }) => problem)).toContain('subnet_halted');
  // Two answer, and have the height of before, or a new block.
  const answering = (name: string, number: number) => {
    const node = diagnosedNode(name, NAMES);
    const latest = { ...node.facts.node?.latest, number };
    return { ...node, facts: { ...node.facts, node: { ...node.facts.node, latest } } } as KnownTarget;
  };
  const at = (number: number) => NAMES.map((name) => (name < 'n3' ? answering(name, number) : silent(name)));
  const targets = at(1_001);
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    settings: DEFAULT_SETTINGS,
    targets: targets.map((t) => t.target),
  };
  const found = (askedAgo: number, problems: readonly Problem[] = open, seen = targets) => {
    const states = judgeTargets(seen, NOW).map((state) => ({
      ...state,
      checks: state.checks.map((check) => ({ ...check, lastRun: NOW - askedAgo, durationSeconds: 0 })),
    }));
    const { quorum, problems: all } = diagnoseSubnet(subnet, states, { problems, ended: [] }, NOW);
    return [
      quorum?.voting,
      all.find(({ problem, state }) => problem === 'quorum_at_risk' && state === 'suspected')?.fix,
    ];
  };
  expect(found(1_000)).toEqual([4, undefined]);
  expect(found(1_000, open, at(1_000))[0]).toBe(2);
  // A halt that is back has the time of its first begin. Blocks since then do not end it.
  const all = judgeTargets(NAMES.map(silent), NOW);
  expect(diagnoseSubnet(subnet, all, { problems: open, ended: [] }, NOW).quorum?.voting).toBe(0);
  const clearing = open.map((one) => ({ ...one, state: 'clearing' as const, clearingSince: NOW - 2_000 }));
  expect(found(2_000, clearing)).toEqual([4, undefined]);
  expect(found(1_999, clearing)).toEqual([
    2,
    'bring back n3, n4: 1 more must vote; restart no other node; for n3: read why with `docker logs --tail 100 generated-n3-1`; for n4: read why with `docker logs --tail 100 generated-n4-1`',
  ]);
  expect(found(1_000, [])[0]).toBe(2);
  // Where enough have answered since before the halt, it ended without those that are silent.
  const three = (...returned: readonly string[]) =>
    NAMES.map((name): KnownTarget => {
      const { facts, ...node } = name === 'n4' ? silent(name) : answering(name, 1_001);
      const back = returned.includes(name) && { returned: { at: NOW - 3_000, silentSince: NOW - 90_000 } };
      return { ...node, facts: { ...facts, node: { ...facts.node, ...back } } } as KnownTarget;
    });
  expect([found(1_000, open, three())[0], found(1_000, open, three('n3'))[0]]).toEqual([3, 4]);
});

test('right after a start nobody is said to vote before each node was asked', () => {
  const nodes = NAMES.map((name) => diagnosedNode(name, NAMES));
  const unasked = nodes.map((one) =>
    one.target.name === 'n3' ? ({ ...one, facts: { ...one.facts, node: undefined } } as KnownTarget) : one,
  );
  const said = (targets: readonly KnownTarget[]) =>
    findHeadline('devnet', judgeTargets(targets, NOW), [], { quorum: QUORUM, hasRisen: false });
  expect(said(nodes)).toMatchObject({
    sentence: 'devnet has not been seen to make a block yet',
    detail: '4 of 4 masternodes can vote, 3 needed.',
  });
  expect(said(unasked)).toMatchObject({ sentence: 'devnet has not been fully checked yet', detail: '' });
  // Also where the time of a block shows that it is new.
  expect(findHeadline('devnet', judgeTargets(unasked, NOW), [], { quorum: QUORUM, hasRisen: true }).sentence).toBe(
    'devnet has not been fully checked yet',
  );
  // Nor that it recovers from what an earlier process of subnetd has seen to clear.
  const down1 = { ...(clearing()[1] as Problem), state: 'suspected' } as const;
  const halt = { ...down1, problem: 'subnet_halted', name: undefined, state: 'clearing', summary: 'the halt' } as const;
  const saidAfter = (known: readonly KnownTarget[], last: Partial<Problem>, seen: Partial<Seen> = {}) => {
    const problems = [down1, { ...halt, ...last } as Problem];
    const votes = { quorum: QUORUM, hasRisen: true, ...seen };
    return findHeadline('devnet', judgeTargets(known, NOW), problems, votes);
  };
  const recovers = { sentence: 'devnet is recovering, but a possible problem is being checked' };
  expect(saidAfter(unasked, { restoredAt: NOW })).toMatchObject({
    ...{ standing: 'off', sentence: 'devnet has not been fully checked yet' },
    detail: 'Suspected: the container of n2 does not run.',
  });
  expect(saidAfter(unasked, {})).toMatchObject(recovers);
  expect(saidAfter(nodes, { restoredAt: NOW })).toMatchObject(recovers);
  // It may stand for another reason since.
  expect(saidAfter(nodes, { restoredAt: NOW }, { hasRisen: false }).sentence).toBe(
    'devnet has not been seen to make a block yet',
  );
  expect(saidAfter(nodes, {}, { hasRisen: false })).toMatchObject(recovers);
  // A halt is over with a new block.
  expect(saidAfter(nodes, {}).detail).toContain('No longer seen, and over unless it returns: the halt.');
  expect(saidAfter(nodes, {}, { quietMs: 15_000 }).detail).not.toContain('No longer seen');
  // Nor is the subnet said to run because another problem is known of it.
  const down = { ...(clearing()[1] as Problem), state: 'open' } as const;
  const targets = judgeTargets(nodes, NOW);
  expect(findHeadline('devnet', targets, [down], { quorum: QUORUM, hasRisen: false }).sentence).toBe(
    'devnet has not been seen to make a block yet, and the container of n2 does not run',
  );
  // Nor that no further node may fail, while all seem to vote.
  const risk = {
    ...halt,
    problem: 'quorum_at_risk',
    state: 'open',
    restoredAt: NOW,
    summary: 'no further node may fail',
  };
  const saidOf = (voting: number) =>
    findHeadline('devnet', targets, [risk as Problem], { quorum: { ...QUORUM, voting }, hasRisen: true });
  expect(saidOf(4)).toMatchObject({
    sentence: 'devnet has not been fully checked yet',
    detail: 'Seen before subnetd was started: no further node may fail.',
  });
  expect(saidOf(3).sentence).toBe('devnet is running, but no further node may fail');
});

test('right after a start nobody counts the votes before each node, and Docker about its container, was asked', () => {
  const down = { fault: { kind: 'refused', address: 'n' }, container: STOPPED } as const;
  const targets = NAMES.map((name) => diagnosedNode(name, NAMES, { stalledMs: 600_000, ...(name > 'n2' && down) }));
  const seen = (unasked?: CheckName) => {
    const states = judgeTargets(targets, NOW).map((state) => ({
      ...state,
      checks: state.checks.map((one) =>
        state.target.name === 'n1' && one.check === unasked
          ? { ...one, verdict: 'unknown' as const, lastRun: undefined }
          : one,
      ),
    }));
    const { quorum, problems } = diagnoseSubnet(toSubnet(targets), states, NO_PROBLEMS, NOW);
    const halt = problems.find(({ problem }) => problem === 'subnet_halted');
    return [quorum?.voting, halt?.evidence.split(';')[1], halt?.fix];
  };
  const fix =
    'bring back n3, n4: 1 more must vote; restart no other node; for n3 and n4: start them with `docker start generated-n3-1 generated-n4-1`';
  const votes = ' 2 of 4 masternodes can vote, 3 needed, without n3 (stopped), n4 (stopped)';
  expect(seen()).toEqual([2, votes, fix]);
  expect(seen('peers')).toEqual([2, votes, fix]);
  const unknown = [undefined, ' how many can vote is not known yet, without n3 (stopped), n4 (stopped)', fix];
  expect([seen('latest_block'), seen('container')]).toEqual([unknown, unknown]);
});

test('what an old answer says of a node counts no more when the last of what kept it from answering is over', () => {
  const refused = { kind: 'refused', address: 'n' } as const;
  const targets = NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n3' ? { fault: refused } : {}));
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    settings: DEFAULT_SETTINGS,
    targets: targets.map((one) => one.target),
  };
  const states = judgeTargets(targets, NOW);
  const [node] = states.filter(({ target }) => target.name === 'n3');
  const check = node?.checks.find((one) => one.check === 'latest_block');
  const askedAt = (check?.lastRun ?? 0) - (check?.durationSeconds ?? 0) * 1_000;
  const over = (problem: 'container_paused' | 'container_restarting', clearingSince: number): Problem => ({
    ...(diagnoseAt(targets)[0] as Problem),
    ...{ problem, component: 'node', name: 'n3', state: 'clearing', clearingSince, explains: [] },
  });
  const saysDown = (...problems: readonly Problem[]) =>
    diagnoseSubnet(subnet, states, { problems, ended: [] }, NOW).problems.some(
      ({ problem, state }) => problem === 'node_down' && state !== 'clearing',
    );
  expect(saysDown(over('container_paused', askedAt))).toBe(false);
  expect(saysDown(over('container_paused', askedAt - 1))).toBe(true);
  expect(saysDown(over('container_paused', askedAt), over('container_restarting', askedAt - 1))).toBe(false);
  expect(saysDown(over('container_paused', askedAt - 1), over('container_restarting', askedAt))).toBe(false);
});

test('a node that was seen to lose its peers is cut off for sure as soon as it has none', () => {
  const names = [...NAMES, 'n5', 'n6', 'n7'];
  const nodes = names.map((name) =>
    diagnosedNode(name, names, { peers: name === 'n2' ? [] : names.filter((one) => one !== name && one !== 'n2') }),
  );
  const stateAfter = (lostMs: number, state: Problem['state'] = 'suspected') => {
    const lost: Problem = {
      ...{ problem: 'peers_missing', severity: 'warning', alert: 'SubnetNodePeersMissing', component: 'node' },
      ...{ name: 'n2', summary: '', evidence: '', fix: '', explains: [], causes: [] },
      ...{ state, since: NOW - lostMs, seenAt: NOW - 1_000 },
    };
    const problems = diagnoseAt(nodes, { problems: [lost], ended: [] });
    return problems.find(({ problem }) => problem === 'node_partitioned')?.state;
  };
  expect([stateAfter(9_999), stateAfter(10_000)]).toEqual(['suspected', 'open']);
  expect(stateAfter(10_000, 'clearing')).toBe('suspected');
});

test('a node that is cut off is not back because its crash of minutes ago is told no more', () => {
  const nodes = NAMES.map((name) =>
    diagnosedNode(name, NAMES, { peers: name === 'n2' ? [] : NAMES.filter((one) => one !== name && one !== 'n2') }),
  );
  const [stopped] = clearing();
  const over = (problem: Problem['problem']) => {
    const one: Problem = {
      ...(stopped as Problem),
      problem,
      component: 'node',
      name: 'n2',
      clearingSince: NOW - 1_000,
    };
    return diagnoseAt(nodes, { problems: [one], ended: [] }).some((each) => each.problem === 'node_partitioned');
  };
  expect([over('container_restarting'), over('container_paused')]).toEqual([true, false]);
});
