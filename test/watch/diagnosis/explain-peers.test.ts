import { expect, test } from 'vitest';
import type { ContainerFacts, KnownTarget } from '../../../src/model/facts.ts';
import type { Container } from '../../../src/model/observation.ts';
import type { Problem } from '../../../src/model/problem.ts';
import type { TargetState } from '../../../src/model/snapshot.ts';
import { DEFAULT_SETTINGS } from '../../../src/model/target.ts';
import { type CheckName, type CheckState, formatReason } from '../../../src/model/verdict.ts';
import { diagnoseSubnet, explainTargets, NO_PROBLEMS } from '../../../src/watch/diagnosis/diagnose-subnet.ts';
import { checkOf } from '../../../src/watch/diagnosis/subnet-view.ts';
import { diagnosedNode, diagnosedService, type Given, NOW } from '../../support/diagnosed.ts';
import { judgeTargets } from '../../support/judge-targets.ts';

const NAMES = ['n1', 'n2', 'n3', 'n4'];
const FIREWALL = 'check the bootnode and the firewall for the p2p ports';

const states = (given: Readonly<Record<string, Given>>, more: readonly KnownTarget[] = []): readonly TargetState[] =>
  judgeTargets([...NAMES.map((name) => diagnosedNode(name, NAMES, given[name])), ...more], NOW);

/** What the check `peers` of a node says before any problem is known. */
const peersOf = (targets: readonly TargetState[], name = 'n1', problems: readonly Problem[] = []): string => {
  const state = explainTargets(targets, problems).find(({ target }) => target.name === name);
  const check = state && checkOf(state, 'peers');
  return check === undefined ? '' : formatReason(check);
};

/** The states after the node has answered again for so long. */
const withReturned = (targets: readonly TargetState[], name: string, backMs: number, silentMs = 5_000) =>
  targets.map((state) => {
    const { node } = state.facts;
    const returned = { at: NOW - backMs, silentSince: NOW - backMs - silentMs };
    return state.target.name === name && node
      ? { ...state, facts: { ...state.facts, node: { ...node, returned } } }
      : state;
  });

const startedAgo = (ms: number): Given => ({ container: { startedAt: NOW - ms } });
const ended = (over: Partial<Container> = {}): Given => ({
  container: { running: false, status: 'exited', exitCode: 137, finishedAt: NOW - 1_000, ...over },
  fault: { kind: 'refused', address: 'x' },
});

test('a node that misses one that does not run, and one that is just back, is told of both', () => {
  const all = withReturned(states({ n1: { peers: ['n4'] }, n2: ended() }), 'n3', 5_000);
  const subnet = {
    name: 'devnet',
    consensus: 'XDPoS',
    settings: DEFAULT_SETTINGS,
    targets: all.map((one) => one.target),
  };
  const back = [over({ problem: 'container_down', name: 'n3', clearingSince: NOW - 5_000 })];
  const { problems } = diagnoseSubnet(subnet, all, { problems: back, ended: [] }, NOW);
  expect(peersOf(all, 'n1', problems)).toBe(
    'n1 has 1 peer instead of 3, because the container of n2 does not run, and n3 is just back',
  );
});

test('a node that misses more than do not run is told who else has just come, itself included, or ends again and again', () => {
  const said = (all: readonly TargetState[]) => {
    const n2 = over({ problem: 'container_down', state: 'open', summary: 'the container of n2 does not run' });
    const explains = [{ component: 'node', name: 'n1', check: 'peers' }] as const;
    return peersOf(all, 'n1', [{ ...n2, explains }]);
  };
  const down = 'because the container of n2 does not run';
  const own = states({ n1: { peers: [], ...startedAgo(3_000) }, n2: ended() });
  expect(said(own)).toBe(`n1 has 0 peers instead of 3, ${down}, and n1 has just started`);
  const other = states({ n1: { peers: ['n3'] }, n2: ended(), n4: startedAgo(3_000) });
  // A crash of several has named them already.
  const { component: _, name: __, ...crash } = over({ problem: 'containers_crashed', state: 'open' });
  const explains = [{ component: 'node', name: 'n1', check: 'peers' }] as const;
  expect(peersOf(other, 'n1', [{ ...crash, summary: 'n2 and n4 crashed', explains }])).toBe(
    'n1 has 1 peer instead of 3, because n2 and n4 crashed',
  );
  expect(said(other)).toBe(`n1 has 1 peer instead of 3, ${down}, and n4 has just started`);
  expect(said(states({ n1: { peers: ['n3', 'n4'] }, n2: ended(), n4: startedAgo(3_000) }))).toBe(
    `n1 has 2 peers instead of 3, ${down}`,
  );
  const loops = judgeTargets([diagnosedNode('n1', NAMES, { peers: ['n3'] }), looping('n4')], NOW);
  expect(said([...loops, ...own.slice(1, 3)])).toBe(`n1 has 1 peer instead of 3, ${down}, and n4 ends again and again`);
});

test('of nodes that end again and again each is named once, also while it answers', () => {
  const explains = [{ component: 'node', name: 'n1', check: 'peers' }] as const;
  const loop = over({ problem: 'silent_restart_loop', state: 'open', summary: 'n2 ends again and again', explains });
  const nodes = [diagnosedNode('n1', NAMES, { peers: ['n3'] }), looping('n2'), looping('n4')];
  expect(peersOf(judgeTargets(nodes, NOW), 'n1', [loop])).toBe(
    'n1 has 1 peer instead of 3, because n2 ends again and again, and n4 ends again and again',
  );
  // Between two runs it does so too, and that is why it has no peers itself.
  const waiting = { running: false, status: 'restarting', exitCode: 0, finishedAt: NOW - 1_000 } as const;
  const n4 = diagnosedNode('n4', NAMES, { peers: ['n3'], container: { startedAt: NOW - 9_000, ...waiting } });
  const { observation } = n4.facts.container ?? {};
  const container = { ...looping('n4').facts.container, observation } as ContainerFacts;
  const all = judgeTargets([...nodes.slice(0, 2), { ...n4, facts: { ...n4.facts, container } }], NOW);
  for (const name of ['n1', 'n4']) {
    const found = { ...loop, explains: [{ component: 'node', name, check: 'peers' }] as const };
    expect(peersOf(all, name, [found])).toBe(
      `${name} has 1 peer instead of 3, because n2 ends again and again, and n4 ends again and again`,
    );
  }
});

test('in the minute after a start nobody is sent to the firewall for the peer that is missing', () => {
  const said = (ms: number, ...peers: readonly string[]) =>
    peersOf(states({ n1: { peers: ['n3', 'n4'] }, n2: { ...startedAgo(ms), peers } }));
  const waits = 'n1 has 2 peers instead of 3; wait up to a minute: n2 has just started';
  expect(said(59_999, 'n3', 'n4')).toBe(waits);
  expect(said(60_000, 'n3', 'n4')).toBe(`n1 has 2 peers instead of 3; ${FIREWALL}`);
  // Not for one that has found all of its peers some time ago.
  expect(said(19_999, 'n1', 'n3', 'n4')).toBe(waits);
  expect(said(20_000, 'n1', 'n3', 'n4')).toBe(`n1 has 2 peers instead of 3; ${FIREWALL}`);
});

test('a node that misses fewer than have just started is told how many of them, as nobody knows which', () => {
  const said = (...peers: readonly string[]) =>
    peersOf(states({ n1: { peers }, n2: startedAgo(9_000), n3: startedAgo(9_000) }));
  const wait = 'wait up to a minute: n2, n3 have just started';
  expect(said('n2', 'n4')).toBe(`n1 has 2 peers instead of 3; ${wait}; it misses 1 of them`);
  expect(said('n4')).toBe(`n1 has 1 peer instead of 3; ${wait}`);
});

test('a node that has just started, or is just back, is told to wait for as many peers as the others do not explain', () => {
  const started = states({ n1: { peers: [], ...startedAgo(5_000) } });
  expect(peersOf(started)).toBe('n1 has 0 peers instead of 3; wait up to a minute: it has just started');
  const back = withReturned(states({ n1: { peers: ['n3'] } }), 'n1', 59_999);
  expect(peersOf(back)).toBe('n1 has 1 peer instead of 3; wait up to a minute: it is just back');
});

test('a peer that answers again is just back for a minute, unless it does not now', () => {
  const few = states({ n1: { peers: ['n3', 'n4'] }, n2: { peers: ['n3', 'n4'] } });
  const back = 'n1 has 2 peers instead of 3; wait up to a minute: n2 is just back';
  expect(peersOf(withReturned(few, 'n2', 59_999))).toBe(back);
  expect(peersOf(withReturned(few, 'n2', 60_000))).toContain(FIREWALL);
  const silent = states({ n1: { peers: ['n3', 'n4'] }, n2: { fault: { kind: 'refused', address: 'x' } } });
  expect(peersOf(withReturned(silent, 'n2', 5_000))).toContain(FIREWALL);
  // Nor one that has ended since its answer.
  const gone = states({ n1: { peers: ['n3', 'n4'] }, n2: { container: { running: false, status: 'restarting' } } });
  expect(peersOf(withReturned(gone, 'n2', 5_000))).toContain(FIREWALL);
});

test('nodes that answered while the chain stood were not away', () => {
  const few = states({ n1: { peers: ['n3', 'n4'] }, n4: { peers: [], ...startedAgo(5_000) } });
  const rose = ['n1', 'n2', 'n3'].reduce(
    (all, name) => withCheck(all, name, 'latest_block', { since: NOW - 5_000, failures: 1 }),
    few,
  );
  expect(peersOf(rose)).toBe('n1 has 2 peers instead of 3; wait up to a minute: n4 has just started');
});

/** A problem that is over since a moment. */
const over = (more: Partial<Problem>): Problem => ({
  ...{ problem: 'node_down', component: 'node', name: 'n2', state: 'clearing', severity: 'warning', alert: 'x' },
  ...{ since: 0, seenAt: NOW - 9_000, summary: 'n2 does not answer', evidence: '', fix: '', explains: [], causes: [] },
  ...more,
});

test('a node whose own problem has ended is just back, though it still lags', () => {
  const lagging = states({ n1: { peers: ['n3', 'n4'] }, n2: { height: 900 } });
  expect(peersOf(lagging)).toContain(FIREWALL);
  expect(peersOf(lagging, 'n1', [over({})])).toBe('n1 has 2 peers instead of 3; wait up to a minute: n2 is just back');
  expect(peersOf(lagging, 'n1', [over({ problem: 'disk_filling' })])).toContain(FIREWALL);
  // What is said of a crash ends minutes after it.
  expect(peersOf(lagging, 'n1', [over({ problem: 'container_restarting' })])).toContain(FIREWALL);
  const silent = states({ n1: { peers: ['n3', 'n4'] }, n2: { fault: { kind: 'refused', address: 'x' } } });
  expect(peersOf(silent, 'n1', [over({})])).toContain(FIREWALL);
});

test('a node is just back for a minute after its problem, and no longer once it has had its peers', () => {
  const few = states({ n1: { peers: ['n3', 'n4'] }, n2: { peers: ['n3', 'n4'] } });
  const said = (name: string, endedAgo: number, lostAgo: number) =>
    peersOf(
      few.map((state) => ({
        ...state,
        checks: state.checks.map((one) => (one.check === 'peers' ? { ...one, since: NOW - lostAgo } : one)),
      })),
      'n1',
      [over({ name, clearingSince: NOW - endedAgo })],
    );
  const other = 'n1 has 2 peers instead of 3; wait up to a minute: n2 is just back';
  expect(said('n2', 59_999, 59_999)).toBe(other);
  expect(said('n2', 60_000, 60_000)).toContain(FIREWALL);
  const own = 'n1 has 2 peers instead of 3; wait up to a minute: it is just back';
  expect(said('n1', 40_000, 40_000)).toBe(own);
  // Until its next ping it may have counted peers that it had lost while it was away.
  expect(said('n1', 40_000, 25_001)).toBe(own);
  expect(said('n1', 40_000, 25_000)).toContain(FIREWALL);
});

test('a node that was silent only while none could be seen is not just back', () => {
  const few = withReturned(states({ n1: { peers: ['n3', 'n4'] } }), 'n2', 5_000);
  const { component: _, name: __, ...whole } = over({ problem: 'monitor_offline' });
  expect(peersOf(few, 'n1', [{ ...whole, seenAt: NOW - 24_999 }])).toContain(FIREWALL);
  expect(peersOf(few, 'n1', [{ ...whole, seenAt: NOW - 25_000 }])).toContain('n2 is just back');
  // It went away before that.
  expect(peersOf(few, 'n1', [{ ...whole, seenAt: NOW - 4_999 }])).toContain('n2 is just back');
});

test('the log of a node that was away has stood because of that', () => {
  const logOf = (problem: Problem) => {
    const targets = states({ n2: { height: 950, stalledMs: 200_000 } });
    const n2 = explainTargets(targets, [problem]).find(({ target }) => target.name === 'n2');
    const check = n2 && checkOf(n2, 'log_block');
    return check && formatReason(check);
  };
  expect(logOf(over({}))).toMatch(/ for 3m 20s, because of a problem that seems to be over: n2 does not answer$/);
  expect(logOf(over({ name: 'n3' }))).not.toContain('seems to be over');
});

test('a node that has had its peers since its start lacks another one than itself', () => {
  const lacking = (answeredAgo: number, lostAgo: number, failures = 0) => {
    const [n1, ...others] = withCheck(
      states({ n1: { peers: ['n3', 'n4'], ...startedAgo(50_000) } }),
      ...(['n1', 'peers', { since: NOW - lostAgo, failures }] as const),
    );
    const returned = { at: NOW - answeredAgo, silentSince: NOW - 55_000 };
    const node = { ...n1?.facts.node, returned };
    return peersOf([{ ...n1, facts: { ...n1?.facts, node } } as TargetState, ...others]);
  };
  const starts = 'n1 has 2 peers instead of 3; wait up to a minute: it has just started';
  expect(lacking(45_000, 5_000)).toContain(FIREWALL);
  expect(lacking(45_000, 30_000)).toContain(FIREWALL);
  expect(lacking(45_000, 30_001)).toBe(starts);
  // Its first answer came late, or it was never seen with all of them.
  expect(lacking(19_999, 5_000)).toBe(starts);
  expect(lacking(45_000, 5_000, 1)).toBe(starts);
});

/** The states where a check of a node has begun to fail, or was last run, so long ago. */
const withCheck = (targets: readonly TargetState[], name: string, check: CheckName, over: Partial<CheckState>) =>
  targets.map((state) =>
    state.target.name === name
      ? {
          ...state,
          checks: state.checks.map((one) => (one.check === check ? ({ ...one, ...over } as CheckState) : one)),
        }
      : state,
  );

test.each(['latest_block', 'container'] as const)(
  'until the %s of each other node was asked since, a lost peer sends nobody to the firewall',
  (check) => {
    const few = states({ n1: { peers: ['n3', 'n4'] }, n2: { peers: ['n3', 'n4'] } });
    const said = (lostAgo: number, askedAgo: number) =>
      peersOf(
        withCheck(withCheck(few, 'n1', 'peers', { since: NOW - lostAgo }), 'n2', check, { lastRun: NOW - askedAgo }),
      );
    const waits = 'n1 has 2 peers instead of 3; wait a moment: not every other node has been asked since';
    expect(said(2_000, 2_001)).toBe(waits);
    expect(said(2_000, 2_000)).toContain(FIREWALL);
    // Docker may never answer.
    expect(said(19_999, 60_000)).toBe(waits);
    expect(said(20_000, 60_000)).toContain(FIREWALL);
  },
);

test('a node that has lost all of its peers is not cut off before it is known whether the others run', () => {
  const few = states({ n1: { peers: [] } });
  const found = (askedAgo: number) => {
    const targets = withCheck(withCheck(few, 'n1', 'peers', { since: NOW - 2_000 }), 'n2', 'container', {
      lastRun: NOW - askedAgo,
    });
    const subnet = {
      name: 'devnet',
      consensus: 'XDPoS',
      settings: DEFAULT_SETTINGS,
      targets: few.map((one) => one.target),
    };
    return diagnoseSubnet(subnet, targets, NO_PROBLEMS, NOW).problems.map(({ summary }) => summary);
  };
  expect(found(2_001)).not.toContain('n1 is cut off from the other nodes');
  expect(found(2_000)).toContain('n1 is cut off from the other nodes');
});

test('a node that was silent for long enough to lose its peers is given time to find them before it lacks any', () => {
  const few = states({ n1: { peers: [] }, n2: { peers: [] } });
  const found = (silentMs: number) => {
    const targets = withReturned(withReturned(few, 'n1', 1_000, silentMs), 'n2', 1_000, silentMs);
    const subnet = {
      ...{ name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS },
      targets: few.map((one) => one.target),
    };
    return diagnoseSubnet(subnet, targets, NO_PROBLEMS, NOW).problems.map(({ summary }) => summary);
  };
  // It cannot take part until it has found one.
  expect(found(10_000)).toEqual(['too few nodes vote for another block']);
  expect(found(9_999)).toContain('n1 is cut off from the other nodes');
});

test('a peer that has not answered since its start is waited for no longer than a start takes', () => {
  const said = (ms: number) =>
    peersOf(
      states({ n1: { peers: ['n3', 'n4'] }, n2: { ...startedAgo(ms), fault: { kind: 'refused', address: 'x' } } }),
    );
  expect(said(44_999)).toBe('n1 has 2 peers instead of 3; wait up to a minute: n2 has just started');
  expect(said(45_000)).toContain(FIREWALL);
});

test('nodes that found a peer a moment ago may find the others too', () => {
  const found = (agoMs: number, names = ['n1', 'n2']) =>
    states({ n1: { peers: ['n3', 'n4'] }, n2: { peers: ['n3', 'n4'] } }).map((state) => {
      const { node } = state.facts;
      return names.includes(state.target.name) && node
        ? { ...state, facts: { ...state.facts, node: { ...node, foundPeerAt: NOW - agoMs } } }
        : state;
    });
  const diagnosed = (all: readonly TargetState[]) => {
    const targets = all.map((one) => one.target);
    const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets };
    return diagnoseSubnet(subnet, all, NO_PROBLEMS, NOW);
  };
  // Who has just started is the better reason.
  const all = [...found(1_000).slice(0, 2), ...states({ n4: startedAgo(3_000) }).slice(2)];
  expect(peersOf(all)).toBe('n1 has 2 peers instead of 3; wait up to a minute: n4 has just started');
  const n3 = over({
    problem: 'container_down',
    name: 'n3',
    state: 'open',
    summary: 'the container of n3 does not run',
  });
  const explains = [{ component: 'node', name: 'n1', check: 'peers' }] as const;
  const two = found(1_000).map((one) => ({ ...one, target: { ...one.target, expectedPeers: 4 } }) as TargetState);
  expect(peersOf(two, 'n1', [{ ...n3, explains }])).toBe(
    'n1 has 2 peers instead of 3, because the container of n3 does not run',
  );
  const problemsOf = (all: readonly TargetState[]) => diagnosed(all).problems.map(({ summary }) => summary);
  const waits = 'n1 has 2 peers instead of 3; wait up to a minute: n2 is finding its peers';
  expect([peersOf(found(39_999)), problemsOf(found(39_999))]).toEqual([waits, []]);
  expect(peersOf(found(40_000))).toContain(FIREWALL);
  expect(problemsOf(found(40_000))).toEqual(['n1 is not connected to n2']);
  // A restart of another one waits until they have.
  expect(diagnosed(found(1_000)).members.filter(({ isAbsent }) => isAbsent)).toEqual([]);
  // One side is enough.
  expect(problemsOf(found(1_000, ['n2']))).toEqual([]);
  expect(peersOf(found(1_000, ['n1']))).toBe(
    'n1 has 2 peers instead of 3; wait up to a minute: it is finding its peers',
  );
});

test('several nodes that came are named by how they came', () => {
  const few = states({ n1: { peers: [] }, n2: startedAgo(1_000), n3: startedAgo(2_000) });
  expect(peersOf(withReturned(few, 'n4', 5_000))).toBe(
    'n1 has 0 peers instead of 3; wait up to a minute: n2, n3 have just started, and n4 is just back',
  );
});

/** A node that has crashed three times within a minute. */
function looping(name: string): KnownTarget {
  const { target, facts } = diagnosedNode(name, NAMES, startedAgo(1_000));
  const crashes = {
    ...{ restarts: 3, earlierCrashes: [NOW - 40_000, NOW - 20_000], lastRestartAt: NOW - 1_000 },
    ...{ lastRestartBy: 'policy' as const },
  };
  const observation = { answered: false, latest: { ok: false, fault: { kind: 'closed', address: 'x' } } } as const;
  const container = { ...facts.container, oomKills: 0, inspected: true, ...crashes };
  return { target, facts: { ...facts, container, node: { observation } } };
}

test('a node that ends again and again has not just started', () => {
  const others = ['n1', 'n3', 'n4'].map((name) => diagnosedNode(name, NAMES, { peers: ['n3', 'n4'] }));
  expect(peersOf(judgeTargets([...others, looping('n2')], NOW))).toContain(FIREWALL);
});

test('more peers are missing than nodes came or do not run: something else is wrong too', () => {
  expect(peersOf(states({ n1: { peers: ['n4'] }, n2: startedAgo(1_000) }))).toContain(FIREWALL);
  expect(peersOf(states({ n1: { peers: ['n4'] }, n2: startedAgo(1_000), n3: ended() }))).toContain(FIREWALL);
});

test('a check of before whose node has all of its peers by now keeps its words', () => {
  const said = { verdict: 'fail', seen: 'n1 had 2 peers', fix: 'look' } as const;
  expect(peersOf(withCheck(states({}), 'n1', 'peers', said))).toBe('n1 had 2 peers; look');
});

test('a service that has just started is no peer of a node', () => {
  const stats = diagnosedService('stats', { container: { startedAt: NOW - 1_000 } });
  expect(peersOf(states({ n1: { peers: ['n3', 'n4'] } }, [stats]))).toContain(FIREWALL);
});

test('a node is to be waited for when Docker has just told of the start of its container, and not yet how it runs', () => {
  const said = (container: ContainerFacts) => {
    const n1 = diagnosedNode('n1', NAMES, { fault: { kind: 'refused', address: 'x' } });
    const [state] = explainTargets(judgeTargets([{ ...n1, facts: { ...n1.facts, container } }], NOW), []);
    return state && checkOf(state, 'latest_block')?.fix;
  };
  const begun = { restarts: 0, oomKills: 0, inspected: true };
  expect(said(begun)).toBe('wait up to a minute: it has just started');
  // Before Docker was first asked, nobody knows.
  expect(said({ ...begun, inspected: false })).toMatch(/^start it if it does not run/);
});

test('a node that does not answer keeps its own reason while another one starts', () => {
  const silent = states({ n1: { fault: { kind: 'refused', address: 'x' } }, n2: startedAgo(1_000) });
  const before = silent.find(({ target }) => target.name === 'n1');
  const own = before && checkOf(before, 'peers');
  expect(peersOf(silent)).toBe(own && formatReason(own));
});

test('a check that a problem explains, or that passes, stays as it is', () => {
  const targets = states({ n1: { peers: ['n3', 'n4'] }, n2: startedAgo(1_000) });
  const problem: Problem = {
    ...{ problem: 'peers_missing', component: 'node', name: 'n1', state: 'open', severity: 'warning' },
    ...{ alert: 'SubnetPeersMissing', since: 0, seenAt: NOW, summary: '', evidence: '', fix: 'its own fix' },
    ...{ explains: [{ component: 'node', name: 'n1', check: 'peers' }], causes: [] },
  };
  const [n1] = explainTargets(targets, [problem]);
  expect(n1 && checkOf(n1, 'peers')?.fix).toBe('its own fix');
  expect(peersOf(targets, 'n3')).toBe('n3 has 3 peers');
});
