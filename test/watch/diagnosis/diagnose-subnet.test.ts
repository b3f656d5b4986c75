import { describe, expect, test } from 'vitest';
import type { KnownTarget } from '../../../src/model/facts.ts';
import type { Problem } from '../../../src/model/problem.ts';
import { type ProblemName, problemCatalog } from '../../../src/model/problem-catalog.ts';
import { DEFAULT_SETTINGS, type Subnet } from '../../../src/model/target.ts';
import { formatReason } from '../../../src/model/verdict.ts';
import { diagnoseSubnet, explainTargets, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { findHeadline } from '../../../src/watch/diagnosis/find-headline.ts';
import { viewSubnet } from '../../../src/watch/diagnosis/view-subnet.ts';
import {
  addressOf,
  diagnosedNode,
  diagnosedService,
  type Given,
  listCauses,
  named as listNames,
  NOW,
  STOPPED,
} from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const timeout = { kind: 'timeout', address: 'http://n', afterMs: 5_000, received: false } as const;

const toSubnet = (targets: readonly KnownTarget[]): Subnet => ({
  ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
  targets: targets.map(({ target }) => target),
});

/** A relayer that reads through the first node, and whose submissions have failed for a while. */
function failingRelayer(container = {}, pattern = 'submit_failed'): KnownTarget {
  const relayer = diagnosedService('relayer', { container });
  const error = { pattern, at: NOW - 1_000 };
  const full = { phase: 'failed', phaseAt: NOW - 1_000, attempted: false, error } as const;
  return {
    target: { ...relayer.target, readsFrom: 'n1' } as KnownTarget['target'],
    facts: {
      ...relayer.facts,
      logs: {
        ...{ sources: { container: { up: true, lines: 9, since: NOW - 3_600_000 } } },
        patterns: {},
        relayer: { byMode: { full }, submissions: 3, modes: ['full'] },
      },
    },
  };
}

const reasonsOf = (targets: readonly KnownTarget[], problems: readonly Problem[]) =>
  Object.fromEntries(
    explainTargets(judgeTargets(targets, NOW), problems).flatMap(({ target, checks }) =>
      checks
        .filter(({ verdict }) => verdict === 'fail')
        .map((state) => [`${target.name}/${state.check}`, [state.because?.problem, formatReason(state)]]),
    ),
  );

test('the check of a container that has ended gives the fix of the known failure that its log shows', () => {
  const { target, facts } = diagnosedNode('n2', NAMES, { container: STOPPED, fault: timeout });
  const what = 'its database is empty';
  const hit = { means: 'fatal', what, count: 1, at: NOW - 80_000, own: true, order: 1 } as const;
  const lost = { target, facts: { ...facts, logs: { sources: {}, patterns: { database_empty: hit } } } };
  const targets = [diagnosedNode('n1', NAMES), lost, diagnosedNode('n3', NAMES), diagnosedNode('n4', NAMES)];
  const { problems } = diagnoseSubnet(toSubnet(targets), judgeTargets(targets, NOW), NO_PROBLEMS, NOW);
  const [because, reason] = reasonsOf(targets, problems)['n2/container'] ?? [];
  expect(because).toBe('database_lost');
  expect(reason).toMatch(/; check the disk, then let the node sync again/);
});

test('a node that is out and has never given its address counts as one masternode without a name, if there is one', () => {
  const quorumWith = (active: readonly string[]) => {
    const masternodes = { number: 1_000, round: 2_000, active: active.map(addressOf), standby: [], penalised: [] };
    const targets = NAMES.map((name) =>
      name === 'n3' || name === 'n4'
        ? diagnosedNode(name, NAMES, { fault: timeout, chain: { address: undefined, masternodes } })
        : diagnosedNode(name, NAMES, { chain: { masternodes } }),
    );
    return diagnoseSubnet(toSubnet(targets), judgeTargets(targets, NOW), NO_PROBLEMS, NOW).quorum;
  };
  expect(quorumWith(NAMES)).toMatchObject({ total: 4, voting: 2 });
  expect(quorumWith(['n1', 'n2', 'n3'])).toMatchObject({ total: 3, voting: 2 });
  expect(quorumWith(['n1', 'n2'])).toMatchObject({ total: 2, voting: 2 });
});

test('a node that does not vote puts no quorum at risk when it is stalled or behind, unless nobody knows its address', () => {
  const masternodes = {
    number: 1_000,
    round: 2_000,
    active: ['n1', 'n2', 'n3'].map(addressOf),
    standby: [],
    penalised: [],
  };
  const late = { height: 900, stalledMs: 90_000 };
  const problemsOf = (given: Given) =>
    listNames(NAMES.map((name) => diagnosedNode(name, NAMES, { chain: { masternodes }, ...(name === 'n4' && given) })));
  expect(problemsOf({ ...late, chain: { masternodes } })).toEqual(['node_stalled n4']);
  expect(problemsOf({ height: 900, chain: { masternodes } })).toEqual(['node_behind n4']);
  expect(problemsOf({ ...late, chain: { masternodes, address: undefined } })).toEqual(['node_stalled n4']);
  masternodes.active.push(addressOf('n5'));
  expect(problemsOf({ ...late, chain: { masternodes, address: undefined } })).toEqual([
    'node_stalled n4',
    'quorum_at_risk',
  ]);
});

test('the headline names the first of the problems that are equally bad, with its fix before the others', () => {
  const targets = [
    ...NAMES.map((name) => diagnosedNode(name, NAMES)),
    ...(['stats', 'frontend'] as const).map((name) => diagnosedService(name, { container: STOPPED })),
  ];
  const judged = judgeTargets(targets, NOW);
  const { problems } = diagnoseSubnet(toSubnet(targets), judged, NO_PROBLEMS, NOW);
  const open = problems.map((problem): Problem => ({ ...problem, state: 'open' }));
  expect(findHeadline('devnet', judged, open, { quorum: undefined, hasRisen: true })).toMatchObject({
    sentence: 'devnet is running, but the container of stats does not run',
    detail:
      'Start it with `docker start generated-stats-1`; if it ends again, read why it ended with `docker logs --tail 100 generated-stats-1`. The container of frontend does not run.',
  });
});

test('the headline names what fails now before what will fail, and what is critical before both', () => {
  const targets = NAMES.map((name) => diagnosedNode(name, NAMES));
  const problem = (name: ProblemName, summary: string, since: number): Problem => ({
    ...{ problem: name, ...problemCatalog[name], summary, evidence: '', fix: 'mend it', state: 'open', explains: [] },
    ...{ causes: [], since, seenAt: NOW, ...(name !== 'quorum_at_risk' && { component: 'relayer', name: 'relayer' }) },
  });
  const sentence = (...problems: readonly Problem[]) =>
    findHeadline('devnet', judgeTargets(targets, NOW), problems, { quorum: undefined, hasRisen: true }).sentence;
  const low = problem('wallet_low', 'its wallet runs out in less than a week', NOW - 90_000);
  const crashed = problem('container_restarting', 'its container has crashed', NOW - 20_000);
  expect(sentence(low, crashed)).toBe('devnet is running, but its container has crashed');
  expect(sentence(low)).toBe('devnet is running, but its wallet runs out in less than a week');
  const empty = problem('wallet_nearly_empty', 'its wallet runs out in less than two days', NOW - 90_000);
  expect(sentence(crashed, empty)).toBe('devnet is running, but its wallet runs out in less than two days');
});

test('each failing check is told by its cause, and only what shows the cause has its fix', () => {
  const peers = (name: string) => NAMES.filter((other) => other !== name && other !== 'n2');
  const targets = NAMES.map((name) =>
    diagnosedNode(name, NAMES, name === 'n2' ? { container: STOPPED, fault: timeout } : { peers: peers(name) }),
  );
  const { problems, quorum } = diagnoseSubnet(toSubnet(targets), judgeTargets(targets, NOW), NO_PROBLEMS, NOW);
  expect(quorum).toEqual({ total: 4, required: 3, voting: 3 });
  const why = 'because the container of n2 does not run';
  expect(reasonsOf(targets, problems)).toEqual({
    ...Object.fromEntries(
      ['n1', 'n3', 'n4'].map((name) => [
        `${name}/peers`,
        ['container_down', `${name} has 2 peers instead of 3, ${why}`],
      ]),
    ),
    'n2/latest_block': ['container_down', expect.stringMatching(`^n2 did not return its latest block: .*, ${why}$`)],
    'n2/log_block': ['container_down', expect.stringMatching(`^the height in the log of n2 has been .*, ${why}$`)],
    'n2/container': [
      'container_down',
      expect.stringMatching(
        /^generated-n2-1 exited at .* with code 137 .*; start it with `docker start generated-n2-1`; /,
      ),
    ],
  });
});

test('peers are missed because of the node that has not answered for longest', () => {
  const paused = { running: false, status: 'paused' } as const;
  const targets = NAMES.map((name) =>
    diagnosedNode(name, NAMES, {
      ...(name === 'n2' && { container: paused, stalledMs: 1_000 }),
      ...(name === 'n3' && { container: STOPPED, fault: timeout }),
      ...(name !== 'n3' && { peers: NAMES.filter((other) => other !== name && other !== 'n3') }),
    }),
  );
  const { problems } = diagnoseSubnet(toSubnet(targets), judgeTargets(targets, NOW), NO_PROBLEMS, NOW);
  expect(reasonsOf(targets, problems)['n1/peers']).toEqual([
    'container_down',
    'n1 has 2 peers instead of 3, because the container of n3 does not run',
  ]);
});

test('a relayer whose node has just started waits for it, for a minute', () => {
  const startedAgo = (ms: number) => [
    ...NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n1' ? { container: { startedAt: NOW - ms } } : {})),
    failingRelayer(),
  ];
  const found = (ms: number) => {
    const targets = startedAgo(ms);
    return listCauses(viewSubnet(toSubnet(targets), judgeTargets(targets, NOW), NOW)).map(({ problem }) => problem);
  };
  expect(found(59_999)).toEqual([]);
  expect(found(60_000)).toEqual(['relayer_stopped']);
});

describe('what a node that hangs brings for its readers', () => {
  const hanging = [
    ...NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n1' ? { fault: timeout } : {})),
    failingRelayer(),
  ];
  const recovered = [...NAMES.map((name) => diagnosedNode(name, NAMES)), failingRelayer()];
  const named = (targets: readonly KnownTarget[], before: readonly Problem[]) =>
    listCauses(viewSubnet(toSubnet(targets), judgeTargets(targets, NOW), NOW), before).map(({ problem }) => problem);
  const open = diagnoseSubnet(toSubnet(hanging), judgeTargets(hanging, NOW), NO_PROBLEMS, NOW).problems.map(
    (problem): Problem => ({ ...problem, state: 'open' }),
  );

  test('is not a problem of its own, also for as long as that of the node is clearing', () => {
    expect(named(hanging, [])).toEqual(['node_hanging', 'quorum_at_risk']);
    // What it says of the parent chain is.
    const lacksContract = [...hanging.slice(0, -1), failingRelayer({}, 'contract_missing')];
    expect(named(lacksContract, [])).toEqual(expect.arrayContaining(['node_hanging', 'contract_missing']));
    expect(named(recovered, open)).toEqual([]);
    expect(named(recovered, [])).toEqual(['relayer_stopped']);
  });

  test('leaves a new problem of the node itself to be said, after the minute in which it takes the blocks that it missed', () => {
    const behind = [
      ...NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n1' ? { height: 900 } : {})),
      failingRelayer(),
    ];
    const over = (ms: number) =>
      open.map((problem): Problem => ({ ...problem, state: 'clearing', clearingSince: NOW - ms }));
    expect(named(behind, open)).not.toContain('node_behind');
    expect(named(behind, over(59_999))).not.toContain('node_behind');
    expect(named(behind, over(60_000))).toContain('node_behind');
  });
});

describe('a node that catches up far below the others', () => {
  const seen = (stalledMs: Readonly<Record<string, number>>) =>
    listCauses(
      ((targets) => viewSubnet(toSubnet(targets), judgeTargets(targets, NOW), NOW))(
        NAMES.map((name) =>
          diagnosedNode(name, NAMES, name === 'n2' ? { height: 900 } : { stalledMs: stalledMs[name] ?? 2_000 }),
        ),
      ),
    ).map(({ problem, name = '' }) => `${problem} ${name}`.trim());

  test('shows no stall of those at one height: a slow chain, whose blocks reach one node first', () => {
    expect(seen({ n1: 27_000, n3: 13_000, n4: 27_000 })).toEqual(['node_behind n2', 'quorum_at_risk']);
  });

  test('hides no halt', () => {
    expect(seen({ n1: 28_000, n3: 27_000, n4: 13_000 })).toContain('subnet_halted');
    expect(seen({ n1: 27_999, n3: 27_000, n4: 13_000 })).not.toContain('subnet_halted');
  });
});

test('a node that is not heard yet when the link is back was not silent all the time', () => {
  const refused = { kind: 'refused', address: 'http://192.0.2.1:852' } as const;
  const targets = NAMES.map((name) => {
    const node = diagnosedNode(name, NAMES, name === 'n1' ? {} : { fault: refused });
    const { latest, ...facts } = node.facts.node ?? {};
    const long = latest && { ...latest, lastGoodAt: NOW - 480_000 };
    return { ...node, facts: { ...node.facts, node: { ...facts, latest: long } } } as KnownTarget;
  });
  const offline = { ...{ problem: 'monitor_offline', severity: 'warning', alert: 'SubnetdOffline' }, state: 'open' };
  const before = { ...offline, ...{ summary: '', evidence: '', fix: '', explains: [], causes: [] } };
  const lastOf = (problems: readonly Problem[]) =>
    listCauses(viewSubnet(toSubnet(targets), judgeTargets(targets, NOW), NOW), problems).find(
      ({ name }) => name === 'n2',
    )?.lastedMs;
  expect(lastOf([])).toBeUndefined();
  const offlineUntil = (clearingSince?: number) =>
    [
      { ...before, since: NOW - 480_000, seenAt: NOW, ...(clearingSince && { state: 'clearing', clearingSince }) },
    ] as Problem[];
  expect(lastOf(offlineUntil(NOW - 59_000))).toBe(0);
  // It was asked before the link was back, so nothing is said of it.
  expect(lastOf(offlineUntil())).toBeUndefined();
});

test('who votes is not known while every node is out of reach from here', () => {
  const seen = (fault: 'timeout' | undefined) => {
    const targets = NAMES.map((name) => {
      const node = diagnosedNode(
        name,
        NAMES,
        fault && { fault: { kind: fault, address: name, afterMs: 5_000, received: false } },
      );
      const { container: _, ...facts } = node.facts;
      return { ...node, facts } as KnownTarget;
    });
    const { quorum, members, headline } = diagnoseSubnet(
      toSubnet(targets),
      judgeTargets(targets, NOW),
      NO_PROBLEMS,
      NOW,
    );
    return { quorum, votes: members.map(({ vote }) => vote), detail: headline?.detail };
  };
  expect(seen(undefined).quorum).toEqual({ total: 4, required: 3, voting: 4 });
  expect(seen('timeout')).toEqual({
    quorum: undefined,
    votes: ['unknown', 'unknown', 'unknown', 'unknown'],
    detail: 'Check the network link and the name server of the machine of subnetd; the subnet itself may be well.',
  });
});

describe('how soon a problem of a node is open', () => {
  const stallMs = 28_000;
  const confirmMs = problemCatalog.node_stalled.confirmMs;
  const states = (given: Given, seenAt = NOW) => {
    const targets = NAMES.map((name) => diagnosedNode(name, NAMES, name === 'n2' ? given : {}));
    return diagnoseSubnet(toSubnet(targets), judgeTargets(targets, NOW), NO_PROBLEMS, seenAt).problems.map(
      ({ problem, state }) => `${problem} ${state}`,
    );
  };

  test('a node that is stalled is told when the others have gone on without it for so long that it would miss its peers', () => {
    const stalled = (stalledMs: number, passedMs: number, container: Given['container'] = {}) =>
      states({ height: 995, stalledMs, passedMs, container });
    expect(stalled(stallMs - 1, stallMs - 1)).toEqual([]);
    const atRiskMs = problemCatalog.quorum_at_risk.confirmMs;
    expect(stalled(stallMs, atRiskMs - 1)).toEqual(['quorum_at_risk suspected', 'node_stalled suspected']);
    expect(stalled(confirmMs, confirmMs - 1)).toEqual(['quorum_at_risk open', 'node_stalled suspected']);
    expect(stalled(confirmMs, confirmMs)).toEqual(['quorum_at_risk open', 'node_stalled open']);
    // A restart may be why.
    expect(stalled(90_000, 90_000, { startedAt: NOW - 59_000 })).toEqual([]);
    const unseen = NAMES.map((name) =>
      diagnosedNode(name, NAMES, name === 'n2' ? { height: 995, stalledMs: 90_000 } : {}),
    ).map(({ target, facts: { container: _, ...facts } }) => ({ target, facts }));
    const { problems } = diagnoseSubnet(toSubnet(unseen), judgeTargets(unseen, NOW), NO_PROBLEMS, NOW);
    expect(problems.map(({ state }) => state)).toEqual(['suspected', 'suspected']);
  });

  test('a node that is the last to be asked after a halt was not left behind: the time of the halt does not count', () => {
    const last = (passedMs: number | undefined) =>
      states({ height: 999, stalledMs: 110_000, passedMs }).filter((one) => !one.startsWith('node_log_fault'));
    // Its check still fails, as it has not been asked since.
    expect(last(undefined)).toEqual([]);
    expect(last(stallMs / 2 - 2_001)).toEqual([]);
    expect(last(stallMs / 2 + 2_000)).toEqual(['quorum_at_risk suspected', 'node_stalled suspected']);
    expect(last(confirmMs)).toEqual(['quorum_at_risk open', 'node_stalled open']);
  });

  test('too few votes for another block are a page only if blocks come all the same: a halt is one by itself', () => {
    const stopped = ['n2', 'n3'];
    const targets = NAMES.map((name) => {
      const isStopped = stopped.includes(name);
      const fault = { kind: 'unreachable', address: 'x' } as const;
      return diagnosedNode(name, NAMES, isStopped ? { fault, container: STOPPED } : {});
    });
    const follow = (moments: readonly number[]) => {
      let followed = NO_PROBLEMS;
      for (const ms of moments)
        followed = diagnoseSubnet(toSubnet(targets), judgeTargets(targets, NOW), followed, NOW + ms);
      return followed.problems.map(({ problem, state }) => `${problem} ${state}`);
    };
    const risk = { problem: 'quorum_at_risk', summary: 'too few nodes vote for another block' };
    expect(listCauses(viewSubnet(toSubnet(targets), judgeTargets(targets, NOW), NOW))).toContainEqual(
      expect.objectContaining({ ...risk, confirmMs: stallMs + 20_000 }),
    );
    expect(follow([0, 20_000])).toEqual([
      ...['quorum_at_risk suspected', 'container_down suspected', 'container_down suspected'],
    ]);
    expect(follow([0, 25_900, 26_000])).toEqual(['subnet_halted open', 'container_down open', 'container_down open']);
  });

  test('a risk is told by its own time when more nodes go before that, unless a halt comes of it soon', () => {
    const names = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6', 'n7'];
    const at = (ms: number, lastBlockMs: number, stopped: readonly string[], finishedAt = NOW) => {
      const targets = names.map((name) => {
        const container = { ...STOPPED, finishedAt };
        const gone: Given = { fault: { kind: 'unreachable', address: 'x' }, container };
        const answers: Given = { stalledMs: -Math.min(ms, lastBlockMs), passedMs: undefined };
        return diagnosedNode(name, names, stopped.includes(name) ? gone : answers);
      });
      return [toSubnet(targets), judgeTargets(targets, NOW + ms), NOW + ms] as const;
    };
    /** What is told 20 s after the first two were stopped, and a third one 10 s after them. */
    const statesAt = (untilMs: number, lastBlockMs: number, first = ['n5', 'n6'], finishedAt = NOW) => {
      let followed = NO_PROBLEMS;
      for (const ms of [0, 10_000, untilMs]) {
        const [subnet, judged, now] = at(ms, lastBlockMs, ms < 10_000 ? first : ['n5', 'n6', 'n7'], finishedAt);
        followed = diagnoseSubnet(subnet, judged, followed, now);
      }
      return followed.problems.map(({ problem, state, name = '' }) => `${problem} ${name} ${state}`);
    };
    expect(statesAt(20_000, 11_000)).toEqual([
      'quorum_at_risk  open',
      ...['container_down n5 open', 'container_down n6 open', 'container_down n7 suspected'],
    ]);
    expect(statesAt(19_999, 11_000)[0]).toBe('quorum_at_risk  suspected');
    // The stall limit is 38 s, and a halt that comes within 40 s is told within a minute.
    expect([statesAt(20_000, 2_000)[0], statesAt(20_000, 1_999)[0]]).toEqual([
      'quorum_at_risk  open',
      'quorum_at_risk  suspected',
    ]);
    // They count from their end, also where subnetd was started after that.
    expect(statesAt(20_000, 1_999, ['n5', 'n6'], NOW - 1)[0]).toBe('quorum_at_risk  open');
    // One of them is back, so it is another risk.
    expect(statesAt(20_000, 11_000, ['n4', 'n5'])[0]).toBe('quorum_at_risk  suspected');
    // Too few from the first on.
    expect(statesAt(20_000, 11_000, ['n5', 'n6', 'n7'])[0]).toBe('quorum_at_risk  suspected');
    // So they are where a risk of others clears, and that has its own time.
    let followed = NO_PROBLEMS;
    const moments = [
      ...[0, 20_000].map((ms) => [ms, ['n1', 'n2']] as const),
      [21_000, []] as const,
      ...[22_000, 42_000].map((ms) => [ms, ['n5', 'n6', 'n7']] as const),
    ];
    for (const [ms, stopped] of moments) {
      const [subnet, judged, now] = at(ms, 19_000, stopped);
      followed = diagnoseSubnet(subnet, judged, followed, now);
    }
    const risks = followed.problems.filter(({ problem }) => problem === 'quorum_at_risk');
    expect(risks.map(({ state }) => state)).toEqual(['clearing', 'suspected']);
  });

  test('a node that does not answer is suspected first, however long it has been silent: others may be silent too', () => {
    const fault = { kind: 'timeout', address: 'x', afterMs: 5_000, received: false } as const;
    expect(states({ fault, stalledMs: 90_000 })).toContain('node_hanging suspected');
  });
});

test('a relayer pages for its submissions with what its container has', () => {
  const targets = [...NAMES.map((name) => diagnosedNode(name, NAMES)), failingRelayer(STOPPED)];
  const found = listCauses(viewSubnet(toSubnet(targets), judgeTargets(targets, NOW), NOW));
  expect(found.map(({ problem, fix }) => [problem, fix.split(';')[0]])).toEqual([
    ['container_down', 'start it with `docker start generated-relayer-1`'],
    ['relayer_stopped', 'start it with `docker start generated-relayer-1`'],
  ]);
  expect(found[1]?.evidence).toMatch(
    /^the relayer \(FULL\) has been failing .*, because the container of relayer does not run$/,
  );
});
