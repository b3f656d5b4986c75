import { describe, expect, it } from 'vitest';
import type { AlertInput } from '../../src/alerts/alert-input.ts';
import { alertRules } from '../../src/alerts/alert-rules.ts';
import { conditions, type PushedAlertName } from '../../src/alerts/conditions.ts';
import { createJudge } from '../../src/alerts/create-judge.ts';
import type { ContainerFacts, Facts, LogFacts, Progress } from '../../src/model/facts.ts';
import type { Incidents } from '../../src/model/incident.ts';
import type { Container, NodeObservation } from '../../src/model/observation.ts';
import type { TargetState } from '../../src/model/snapshot.ts';
import type { Target } from '../../src/model/target.ts';
import type { CheckName, Verdict } from '../../src/model/verdict.ts';
import { foldIncidents } from '../../src/notify/incidents.ts';
import { nodeTarget, serviceTarget, settings } from '../support/views.ts';

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

type Verdicts = Readonly<Partial<Record<CheckName, Verdict>>>;
interface More {
  readonly failures?: TargetState['failures'];
  readonly since?: number;
  readonly lastRun?: number | undefined;
  readonly failed?: number;
}

/** A target with verdicts and facts as a test wants them. */
const state = (target: Target, verdicts: Verdicts, facts: Facts = {}, more: More = {}): TargetState => ({
  target,
  facts,
  failures: more.failures ?? {},
  checks: Object.entries(verdicts).map(([check, verdict]) => ({
    check: check as CheckName,
    round: check === 'http' ? 'services' : check === 'container' ? 'containers' : 'rpc',
    verdict,
    reason: '',
    since: more.since ?? 0,
    runs: 1,
    failures: more.failed ?? 0,
    ...('lastRun' in more ? more.lastRun !== undefined && { lastRun: more.lastRun } : { lastRun: NOW }),
  })),
});

const height = (number: number, movedAgo: number): Progress => ({
  number,
  advancedAt: NOW - movedAgo,
  risen: true,
  standingSince: NOW - movedAgo,
  lastGoodAt: NOW,
});
const observed = (number: number | undefined, answered = true, peers = 3): NodeObservation => ({
  answered,
  latest: number === undefined ? { ok: false, fault: { kind: 'result-error' } } : { ok: true, value: { number } },
  peers: { ok: true, value: { count: peers, via: 'net_peerCount' } },
});
const sources = { file: { up: true, lines: 1, since: 0, caughtUp: true } } as const;
const logs = (more: Partial<LogFacts> = {}): LogFacts => ({ sources, patterns: {}, ...more });

/** A node whose height moved so long ago. */
const node = (name: string, latest: Verdict, movedAgo: number, number = 100, more: Facts = {}): TargetState =>
  state(
    nodeTarget(name, { logFiles: [{ path: '/l', timezone: 'UTC' }] }),
    { latest_block: latest },
    {
      node: {
        observation: observed(number),
        latest: height(number, movedAgo),
        committed: height(number - 3, movedAgo),
      },
      ...more,
    },
  );
const good = (name: string) => node(name, 'pass', 1_000);
const stands = (name: string) => node(name, 'fail', 5 * MINUTE, 50);
const down = (name: string, more: Facts = {}): TargetState =>
  state(
    nodeTarget(name),
    { latest_block: 'fail', peers: 'fail' },
    { node: { observation: observed(undefined, false) }, ...more },
  );
const answersAgain = (name: string, ago: number) =>
  state(
    nodeTarget(name),
    { latest_block: 'pass' },
    { node: { observation: observed(9) } },
    { failed: 3, since: NOW - ago },
  );
const fresh = (name: string) => state(nodeTarget(name), { latest_block: 'unknown', peers: 'unknown' });

const stats = serviceTarget('stats');
const relayer = { ...serviceTarget('relayer'), readsFrom: 'a' };
const contained = { ...stats, container: { name: 'stats' } };
const bootnode: Target = { subnet: 'd', component: 'bootnode', name: 'bootnode', logFiles: [], patterns: [] };

const run = (more: Partial<Container> = {}): Container => ({
  id: 'c',
  name: 'stats',
  running: true,
  status: 'running',
  startedAt: 0,
  oomKilled: false,
  restartCount: 0,
  ...more,
});
const inContainer = (container: Container, more: Partial<ContainerFacts> = {}): Facts => ({
  container: { observation: { kind: 'found', container }, restarts: 0, oomKills: 0, looked: true, ...more },
});
const unreachable: Facts = {
  container: {
    observation: { kind: 'docker-unreachable', why: { address: 'unix:/s', code: 'ENOENT' } },
    restarts: 0,
    oomKills: 0,
    looked: false,
  },
};

/** A target whose container is on the second of two engines, and whether its log is read. */
const onMachine2 = (target: Target, up = true): TargetState =>
  state(
    { ...target, container: { name: 'c', engine: 'machine2' } },
    {},
    { logs: logs({ sources: { container: { ...sources.file, up } } }) },
  );
const machine2 = (up: boolean | undefined) =>
  new Map([
    ['default', true],
    ['machine2', up],
  ]);

type Subnet = readonly TargetState[];
const see = (targets: Subnet, more: Partial<AlertInput> = {}): AlertInput => ({
  snapshot: [
    {
      subnet: { name: 'd', consensus: 'XDPoS', targets: targets.map(({ target }) => target), checks: settings },
      targets,
    },
  ],
  now: NOW,
  instance: 'i',
  intervalMs: () => 10_000,
  lateRounds: () => 0,
  notSent: () => 0,
  enginesUp: new Map([['default', true]]),
  isDatabaseUp: true,
  lastReloadSuccessful: true,
  ...more,
});

interface Case {
  readonly so: AlertInput;
  /** What the alert is of besides the subnet, and its value. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly not: readonly AlertInput[];
  readonly unknown: readonly AlertInput[];
}
const ofNode = (name: string) => ({ subnet: 'd', component: 'node', name });
const ofStats = { subnet: 'd', component: 'stats', name: 'stats' };
const ofRelayer = { subnet: 'd', component: 'relayer', name: 'relayer' };

/** A check that fails is an alert, one that passes is none, and one that cannot be judged changes nothing. */
const byCheck = (target: Target, check: CheckName): Case => ({
  so: see([state(target, { [check]: 'fail' })]),
  labels: { subnet: 'd', component: target.component, name: target.name },
  value: 0,
  not: (['pass', 'degraded', 'skipped'] as const).map((verdict) => see([state(target, { [check]: verdict })])),
  unknown: [see([state(target, { [check]: 'unknown' })])],
});
const byFailure = (failure: string): Case => {
  const looked = { ...inContainer(run()), logs: logs() };
  const shows = (is: boolean, facts: Facts = looked) =>
    see([state(contained, {}, facts, { failures: { [failure]: is } })]);
  return {
    so: shows(true),
    labels: ofStats,
    value: 1,
    not: [shows(false), see([state(contained, {}, looked)])],
    unknown: [shows(false, {}), shows(false, { ...unreachable, logs: logs() })],
  };
};
const itself = (seen: Partial<AlertInput>): Case => ({
  so: see([], seen),
  labels: { instance: 'i' },
  value: 0,
  not: [see([])],
  unknown: [],
});
const peers = (count: number, verdict: Verdict = 'fail') =>
  state(nodeTarget('a'), { peers: verdict }, { node: { observation: observed(9, true, count) } });
const container = (facts: Facts, verdict: Verdict = 'fail', more: More = {}) =>
  see([state(contained, { container: verdict }, facts, more)]);
const memory = (memoryBytes: number) => container(inContainer(run({ memoryBytes, memoryLimitBytes: 1000 })), 'pass');
const sized = (fileBytes?: number) =>
  see([
    state(
      { ...stats, logFiles: [{ path: '/l', timezone: 'UTC' }] },
      {},
      { logs: logs(fileBytes === undefined ? {} : { fileBytes }) },
    ),
  ]);
const withCommitted = (targets: Subnet, ago: number) =>
  see(
    targets.map((one) =>
      one.facts.node === undefined
        ? one
        : { ...one, facts: { node: { ...one.facts.node, committed: height(90, ago) } } },
    ),
  );
const readable = { ...stats, logFiles: [{ path: '/l', timezone: 'UTC' }] };

const cases: Readonly<Record<PushedAlertName, Case>> = {
  SubnetHalted: {
    so: see([stands('a'), stands('b'), down('c')]),
    labels: { subnet: 'd' },
    value: 3,
    not: [
      see([stands('a'), good('b')]),
      see([down('a', { logs: logs({ node: { height: 9, advancedAt: NOW - 1_000 } }) }), stands('b')]),
    ],
    unknown: [see([fresh('a'), fresh('b')])],
  },
  SubnetFinalityStalled: {
    so: withCommitted([good('a'), good('b')], 2 * MINUTE),
    labels: { subnet: 'd' },
    value: 10,
    not: [withCommitted([good('a')], MINUTE), withCommitted([stands('a')], 5 * MINUTE)],
    unknown: [see([fresh('a')]), see([down('a')])],
  },
  SubnetQuorumAtRisk: {
    so: see([good('a'), good('b'), good('c'), stands('e')]),
    labels: { subnet: 'd' },
    value: 1,
    not: [
      see([good('a'), good('b'), good('c')]),
      see([stands('a'), stands('b')]),
      see([good('a'), good('b'), good('c'), good('e'), good('f'), good('g'), stands('h')]),
      see([good('a'), good('b'), node('c', 'fail', 1_000, 50)]),
    ],
    unknown: [see([fresh('a'), fresh('b')])],
  },
  SubnetNodeDown: {
    so: see([down('a')]),
    labels: ofNode('a'),
    value: 0,
    not: [see([good('a')]), see([stands('a')]), see([state(nodeTarget('a'), { latest_block: 'skipped' })])],
    unknown: [
      see([fresh('a')]),
      see([state(nodeTarget('a'), { latest_block: 'unknown' }, { node: { observation: observed(undefined, false) } })]),
    ],
  },
  SubnetNodeStalled: {
    so: see([stands('a')]),
    labels: ofNode('a'),
    value: 50,
    not: [see([good('a')]), see([node('a', 'fail', 1_000)]), see([down('a')])],
    unknown: [see([fresh('a')])],
  },
  SubnetNodeBehind: {
    so: see([good('b'), node('a', 'fail', 1_000, 75)]),
    labels: ofNode('a'),
    value: 25,
    not: [see([good('b'), good('a')]), see([good('b'), stands('a')]), see([good('b'), down('a')])],
    unknown: [see([good('b'), fresh('a')])],
  },
  SubnetNodeTellsNoBlock: {
    so: see([state(nodeTarget('a'), { latest_block: 'fail' }, { node: { observation: observed(undefined) } })]),
    labels: ofNode('a'),
    value: 0,
    not: [see([good('a')]), see([down('a')]), see([stands('a')])],
    unknown: [see([fresh('a')])],
  },
  SubnetNodePeersMissing: {
    so: see([peers(2), good('b')]),
    labels: ofNode('a'),
    value: 0,
    not: [
      see([peers(3, 'pass')]),
      see([peers(2), state(nodeTarget('c'), {}, { node: { observation: observed(undefined, false) } })]),
    ],
    unknown: [see([fresh('a')])],
  },
  SubnetNodeLogFault: byCheck(nodeTarget('a'), 'log_block'),
  SubnetBootnodeMissesNode: {
    so: see([good('a'), { ...state(bootnode, { messages: 'fail' }), heardNodes: 0 }]),
    labels: { subnet: 'd', component: 'bootnode', name: 'bootnode' },
    value: 0,
    not: [
      see([good('a'), state(bootnode, { messages: 'pass' })]),
      see([down('a'), { ...state(bootnode, { messages: 'fail' }), heardNodes: 0 }]),
    ],
    unknown: [see([good('a'), state(bootnode, { messages: 'unknown' })])],
  },
  SubnetRelayerStopped: {
    so: see([answersAgain('a', 2 * MINUTE), state(relayer, { submissions: 'fail' })]),
    labels: ofRelayer,
    value: 0,
    not: [
      see([good('a'), state(relayer, { submissions: 'pass' })]),
      see([good('a'), state(relayer, { submissions: 'fail' }, {}, { failures: { relayer_idle: true } })]),
      see([down('a'), state(relayer, { submissions: 'fail' })]),
      see([answersAgain('a', MINUTE), state(relayer, { submissions: 'fail' })]),
    ],
    unknown: [see([good('a'), state(relayer, { submissions: 'unknown' })])],
  },
  SubnetServiceDown: byCheck(stats, 'http'),
  SubnetStatsStale: byCheck(stats, 'block_data'),
  SubnetFrontendErrors: byCheck(serviceTarget('frontend'), 'console'),
  SubnetContainerDown: {
    so: container(
      inContainer(run({ running: false, status: 'exited' }), { lastExit: { code: 1, at: NOW - 3 * MINUTE } }),
    ),
    labels: ofStats,
    value: 0,
    not: [
      container(inContainer(run()), 'pass'),
      container(inContainer(run({ running: false }), { lastExit: { code: 1, at: NOW - MINUTE } })),
    ],
    unknown: [container(unreachable, 'unknown'), container({}, 'unknown')],
  },
  SubnetContainerRestarting: {
    so: container(inContainer(run({ startedAt: NOW - MINUTE }), { lastExit: { code: 0, at: NOW - 2 * MINUTE } })),
    labels: ofStats,
    value: 0,
    not: [
      container({ ...inContainer(run()), logs: logs() }, 'pass'),
      container(inContainer(run({ startedAt: NOW - MINUTE }), { lastExit: { code: 0, at: NOW - 9 * MINUTE } })),
      ...(['order', 'recreation'] as const).map((lastRestartBy) =>
        container(
          inContainer(run({ startedAt: NOW - MINUTE }), {
            lastExit: { code: 0, at: NOW - 2 * MINUTE },
            lastRestartAt: NOW - MINUTE,
            lastRestartBy,
          }),
        ),
      ),
    ],
    unknown: [container(unreachable, 'unknown')],
  },
  SubnetContainerMemoryNearLimit: {
    so: memory(950),
    labels: ofStats,
    value: 0.95,
    not: [memory(900), container(inContainer(run({ memoryBytes: 950 })), 'pass'), see([state(stats, {})])],
    unknown: [container(unreachable, 'unknown'), container({}, 'unknown')],
  },
  SubnetLogFileLarge: {
    so: sized(11e9),
    labels: ofStats,
    value: 11e9,
    not: [sized(1e9), see([state(stats, {})])],
    unknown: [sized()],
  },
  SubnetCheckDegraded: {
    so: see([state(stats, { http: 'pass', block_data: 'degraded' })]),
    labels: ofStats,
    value: 1,
    not: [see([state(stats, { http: 'pass', block_data: 'fail' })])],
    unknown: [see([state(stats, { http: 'unknown' })])],
  },
  SubnetIpcPathTooLong: byFailure('ipc_path_too_long'),
  SubnetContainerOutOfMemory: byFailure('out_of_memory'),
  SubnetNodeHeadFell: byFailure('head_regression'),
  SubnetNodeMinerStopped: byFailure('miner_loop_stopped'),
  SubnetNodeMasternodeUpdateFailed: byFailure('masternode_update_failed'),
  SubnetNodeAddressInUse: byFailure('address_in_use'),
  SubnetNodeDatabaseLost: byFailure('database_lost'),
  SubnetRelayerDead: byFailure('relayer_dead'),
  SubnetRelayerRedisDead: byFailure('relayer_redis_dead'),
  SubnetRelayerIdle: byFailure('relayer_idle'),
  SubnetRelayerWalletEmpty: byFailure('wallet_without_funds'),
  SubnetStatsWithoutContract: byFailure('stats_without_contract'),
  SubnetFrontendWithoutRegistry: byFailure('frontend_without_registry'),
  SubnetdDockerDown: {
    so: see([good('a'), onMachine2(stats), onMachine2(relayer), state({ ...bootnode, container: { name: 'b' } }, {})], {
      enginesUp: machine2(false),
    }),
    labels: { subnet: 'd', engine: 'machine2' },
    value: 2,
    not: [
      see([onMachine2(stats)], { enginesUp: machine2(true) }),
      see([good('a'), state(contained, {})], { enginesUp: machine2(false) }),
      see([good('a')], { enginesUp: new Map() }),
    ],
    unknown: [see([good('a'), onMachine2(stats)], { enginesUp: machine2(undefined) })],
  },
  SubnetdCheckStale: {
    so: see([state(stats, { http: 'pass' }, {}, { lastRun: NOW - 200_000 })]),
    labels: ofStats,
    value: 200,
    not: [
      see([state(stats, { http: 'pass' }, {}, { lastRun: NOW - 170_000 })]),
      see([state(stats, { http: 'skipped' }, {}, { lastRun: undefined })]),
      // By night, when the next run is due in the morning.
      see([state(stats, { http: 'pass' }, {}, { lastRun: NOW - 600 * MINUTE })], { intervalMs: () => 905 * MINUTE }),
    ],
    unknown: [],
  },
  SubnetdRoundsLate: {
    so: see([good('a')], { lateRounds: () => 15 }),
    labels: { subnet: 'd' },
    value: 0.25,
    not: [see([good('a')], { lateRounds: () => 6 }), see([good('a')], { lateRounds: () => 0 })],
    unknown: [],
  },
  SubnetdAlertsNotSent: {
    so: see([good('a')], { notSent: (since) => (since === NOW - 5 * MINUTE ? 7 : 0) }),
    labels: { instance: 'i' },
    value: 7,
    not: [see([good('a')], { notSent: () => 0 })],
    unknown: [],
  },
  SubnetdReloadFailed: itself({ lastReloadSuccessful: false }),
  SubnetdLogSourceDown: {
    so: see([state(readable, {}, { logs: logs({ sources: { file: { ...sources.file, up: false } } }) })]),
    labels: ofStats,
    value: 0,
    not: [
      see([state(readable, {}, { logs: logs() })]),
      see([state(stats, {})]),
      see([onMachine2(stats, true)], { enginesUp: machine2(false) }),
    ],
    // What the log on an engine that is gone would say.
    unknown: [see([state(readable, {})]), see([onMachine2(stats, false)], { enginesUp: machine2(false) })],
  },
  SubnetdDatabaseDown: itself({ isDatabaseUp: false }),
  SubnetdWatchdog: { so: see([]), labels: {}, value: 1, not: [], unknown: [] },
};

describe.each(Object.entries(cases) as [PushedAlertName, Case][])('%s', (name, { so, labels, value, not, unknown }) => {
  const judge = conditions[name];
  it('fires with exactly these labels and this value', () => {
    const found = judge(so).filter(({ isKnown }) => isKnown);
    expect(found).toEqual([{ labels, isKnown: true, value }]);
  });
  it('does not fire when all is well, or for another cause', () => {
    for (const seen of not) expect(judge(seen)).toEqual([]);
  });
  it('stays unchanged while it cannot be judged', () => {
    for (const seen of unknown) expect(judge(seen)).toEqual([{ labels, isKnown: false }]);
  });
});

describe('what is found', () => {
  const judge = createJudge({});
  const none: Incidents = new Map();

  it('reports unknown instances only of alerts that are open', () => {
    const [firing, unknown] = [see([state(stats, { http: 'fail' })]), see([state(stats, { http: 'unknown' })])];
    const open = foldIncidents(none, judge(firing, none), NOW).incidents;
    const labels = { alertname: 'SubnetServiceDown', severity: 'warning', ...ofStats };
    expect(judge(unknown, open)).toContainEqual({ state: 'unknown', labels });
    expect(foldIncidents(open, judge(unknown, open), NOW).incidents).toEqual(open);
    expect(judge(unknown, none).filter((finding) => finding.state === 'unknown')).toEqual([]);
  });

  it('carries the labels, times and texts of the catalogue, with links to what has an address', () => {
    const bases = { publicUrl: 'http://s', grafanaUrl: 'http://g' };
    const seen = see([good('b'), { ...down("a b'"), target: nodeTarget("a b'") }]);
    expect(createJudge(bases)(seen, none)).toContainEqual({
      state: 'firing',
      labels: { alertname: 'SubnetNodeDown', severity: 'warning', ...ofNode("a b'") },
      annotations: {
        summary: 'A node of d does not answer.',
        description: expect.stringMatching(/^a b' of d answers no JSON-RPC call/),
        runbook_url: 'http://s/alerts/SubnetNodeDown?subnet=d&name=a+b%27',
        dashboard_url: 'http://g/d/subnetd-node?var-subnet=d&var-name=a+b%27',
      },
      forMs: MINUTE,
      keepFiringForMs: 3 * MINUTE,
    });
    const watchdog = judge(see([]), none).find(({ state }) => state === 'firing');
    expect(watchdog).toMatchObject({ labels: { alertname: 'SubnetdWatchdog', severity: 'none' } });
    expect(watchdog).not.toHaveProperty('annotations.runbook_url');
    expect(watchdog).not.toHaveProperty('annotations.dashboard_url');
  });

  it('has for each alert exactly the labels that its rule promises', () => {
    for (const { name, severity, labels } of alertRules) {
      if (name === 'SubnetdDown') continue;
      const found = judge(cases[name].so, none).find((finding) => finding.labels.alertname === name);
      expect(Object.keys(found?.labels ?? {}).sort(), name).toEqual(['alertname', 'severity', ...labels].sort());
      expect(found?.labels.severity).toBe(severity);
    }
  });

  it('of a subnetd that has just started is the watchdog alone', () => {
    const started = see(
      [
        fresh('a'),
        state(relayer, { http: 'unknown', submissions: 'unknown' }),
        state(contained, { container: 'unknown' }),
      ],
      { enginesUp: new Map([['default', undefined]]) },
    );
    const found = judge({ ...started, intervalMs: () => undefined }, none);
    expect(found.map(({ labels }) => labels.alertname)).toEqual(['SubnetdWatchdog']);
  });
});
