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
  riseDueSince: NOW - movedAgo,
  lastGoodAt: NOW,
});
const observed = (number: number | undefined, answered = true, peers = 3): NodeObservation => ({
  answered,
  latest: number === undefined ? { ok: false, fault: { kind: 'result-error' } } : { ok: true, value: { number } },
  peers: { ok: true, value: { count: peers, via: 'net_peerCount' } },
});
const sources = { file: { up: true, lines: 1, since: 0, caughtUp: true } } as const;
const logs = (more: Partial<LogFacts> = {}): LogFacts => ({ sources, patterns: {}, ...more });

/** A node whose height moved this long ago. */
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
  container: { observation: { kind: 'found', container }, restarts: 0, oomKills: 0, inspected: true, ...more },
});
const unreachable: Facts = {
  container: {
    observation: { kind: 'docker-unreachable', why: { address: 'unix:/s', code: 'ENOENT' } },
    restarts: 0,
    oomKills: 0,
    inspected: false,
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
const toInput = (targets: Subnet, more: Partial<AlertInput> = {}): AlertInput => ({
  snapshot: [
    {
      subnet: { name: 'd', consensus: 'XDPoS', targets: targets.map(({ target }) => target), settings },
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
  readonly active: AlertInput;
  /** Of the instance. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly clear: readonly AlertInput[];
  readonly unknown: readonly AlertInput[];
}
const nodeLabels = (name: string) => ({ subnet: 'd', component: 'node', name });
const statsLabels = { subnet: 'd', component: 'stats', name: 'stats' };
const relayerLabels = { subnet: 'd', component: 'relayer', name: 'relayer' };

/** A check that fails is an alert, one that passes is none, and one that cannot be judged changes nothing. */
const byCheck = (target: Target, check: CheckName): Case => ({
  active: toInput([state(target, { [check]: 'fail' })]),
  labels: { subnet: 'd', component: target.component, name: target.name },
  value: 0,
  clear: (['pass', 'degraded', 'skipped'] as const).map((verdict) => toInput([state(target, { [check]: verdict })])),
  unknown: [toInput([state(target, { [check]: 'unknown' })])],
});
const byFailure = (failure: string): Case => {
  const looked = { ...inContainer(run()), logs: logs() };
  const shows = (is: boolean, facts: Facts = looked) =>
    toInput([state(contained, {}, facts, { failures: { [failure]: is } })]);
  return {
    active: shows(true),
    labels: statsLabels,
    value: 1,
    clear: [shows(false), toInput([state(contained, {}, looked)])],
    unknown: [shows(false, {}), shows(false, { ...unreachable, logs: logs() })],
  };
};
const itself = (more: Partial<AlertInput>): Case => ({
  active: toInput([], more),
  labels: { instance: 'i' },
  value: 0,
  clear: [toInput([])],
  unknown: [],
});
const peers = (count: number, verdict: Verdict = 'fail') =>
  state(nodeTarget('a'), { peers: verdict }, { node: { observation: observed(9, true, count) } });
const container = (facts: Facts, verdict: Verdict = 'fail', more: More = {}) =>
  toInput([state(contained, { container: verdict }, facts, more)]);
const memory = (memoryBytes: number) => container(inContainer(run({ memoryBytes, memoryLimitBytes: 1000 })), 'pass');
const sized = (fileBytes?: number) =>
  toInput([
    state(
      { ...stats, logFiles: [{ path: '/l', timezone: 'UTC' }] },
      {},
      { logs: logs(fileBytes === undefined ? {} : { fileBytes }) },
    ),
  ]);
const withCommitted = (targets: Subnet, ago: number) =>
  toInput(
    targets.map((one) =>
      one.facts.node === undefined
        ? one
        : { ...one, facts: { node: { ...one.facts.node, committed: height(90, ago) } } },
    ),
  );
const readable = { ...stats, logFiles: [{ path: '/l', timezone: 'UTC' }] };

const cases: Readonly<Record<PushedAlertName, Case>> = {
  SubnetHalted: {
    active: toInput([stands('a'), stands('b'), down('c')]),
    labels: { subnet: 'd' },
    value: 3,
    clear: [
      toInput([stands('a'), good('b')]),
      toInput([down('a', { logs: logs({ node: { height: 9, advancedAt: NOW - 1_000 } }) }), stands('b')]),
    ],
    unknown: [toInput([fresh('a'), fresh('b')])],
  },
  SubnetFinalityStalled: {
    active: withCommitted([good('a'), good('b')], 2 * MINUTE),
    labels: { subnet: 'd' },
    value: 10,
    clear: [withCommitted([good('a')], MINUTE), withCommitted([stands('a')], 5 * MINUTE)],
    unknown: [toInput([fresh('a')]), toInput([down('a')])],
  },
  SubnetQuorumAtRisk: {
    active: toInput([good('a'), good('b'), good('c'), stands('e')]),
    labels: { subnet: 'd' },
    value: 1,
    clear: [
      toInput([good('a'), good('b'), good('c')]),
      toInput([stands('a'), stands('b')]),
      toInput([good('a'), good('b'), good('c'), good('e'), good('f'), good('g'), stands('h')]),
      toInput([good('a'), good('b'), node('c', 'fail', 1_000, 50)]),
    ],
    unknown: [toInput([fresh('a'), fresh('b')])],
  },
  SubnetNodeDown: {
    active: toInput([down('a')]),
    labels: nodeLabels('a'),
    value: 0,
    clear: [
      toInput([good('a')]),
      toInput([stands('a')]),
      toInput([state(nodeTarget('a'), { latest_block: 'skipped' })]),
    ],
    unknown: [
      toInput([fresh('a')]),
      toInput([
        state(nodeTarget('a'), { latest_block: 'unknown' }, { node: { observation: observed(undefined, false) } }),
      ]),
    ],
  },
  SubnetNodeStalled: {
    active: toInput([stands('a')]),
    labels: nodeLabels('a'),
    value: 50,
    clear: [toInput([good('a')]), toInput([node('a', 'fail', 1_000)]), toInput([down('a')])],
    unknown: [toInput([fresh('a')])],
  },
  SubnetNodeBehind: {
    active: toInput([good('b'), node('a', 'fail', 1_000, 75)]),
    labels: nodeLabels('a'),
    value: 25,
    clear: [toInput([good('b'), good('a')]), toInput([good('b'), stands('a')]), toInput([good('b'), down('a')])],
    unknown: [toInput([good('b'), fresh('a')])],
  },
  SubnetNodeTellsNoBlock: {
    active: toInput([state(nodeTarget('a'), { latest_block: 'fail' }, { node: { observation: observed(undefined) } })]),
    labels: nodeLabels('a'),
    value: 0,
    clear: [toInput([good('a')]), toInput([down('a')]), toInput([stands('a')])],
    unknown: [toInput([fresh('a')])],
  },
  SubnetNodePeersMissing: {
    active: toInput([peers(2), good('b')]),
    labels: nodeLabels('a'),
    value: 0,
    clear: [
      toInput([peers(3, 'pass')]),
      toInput([peers(2), state(nodeTarget('c'), {}, { node: { observation: observed(undefined, false) } })]),
    ],
    unknown: [toInput([fresh('a')])],
  },
  SubnetNodeLogFault: byCheck(nodeTarget('a'), 'log_block'),
  SubnetBootnodeMissesNode: {
    active: toInput([good('a'), { ...state(bootnode, { messages: 'fail' }), heardNodes: 0 }]),
    labels: { subnet: 'd', component: 'bootnode', name: 'bootnode' },
    value: 0,
    clear: [
      toInput([good('a'), state(bootnode, { messages: 'pass' })]),
      toInput([down('a'), { ...state(bootnode, { messages: 'fail' }), heardNodes: 0 }]),
    ],
    unknown: [toInput([good('a'), state(bootnode, { messages: 'unknown' })])],
  },
  SubnetRelayerStopped: {
    active: toInput([answersAgain('a', 2 * MINUTE), state(relayer, { submissions: 'fail' })]),
    labels: relayerLabels,
    value: 0,
    clear: [
      toInput([good('a'), state(relayer, { submissions: 'pass' })]),
      toInput([good('a'), state(relayer, { submissions: 'fail' }, {}, { failures: { relayer_idle: true } })]),
      toInput([down('a'), state(relayer, { submissions: 'fail' })]),
      toInput([answersAgain('a', MINUTE), state(relayer, { submissions: 'fail' })]),
    ],
    unknown: [toInput([good('a'), state(relayer, { submissions: 'unknown' })])],
  },
  SubnetServiceDown: byCheck(stats, 'http'),
  SubnetStatsStale: byCheck(stats, 'block_data'),
  SubnetFrontendErrors: byCheck(serviceTarget('frontend'), 'console'),
  SubnetContainerDown: {
    active: container(
      inContainer(run({ running: false, status: 'exited' }), { lastExit: { code: 1, at: NOW - 3 * MINUTE } }),
    ),
    labels: statsLabels,
    value: 0,
    clear: [
      container(inContainer(run()), 'pass'),
      container(inContainer(run({ running: false }), { lastExit: { code: 1, at: NOW - MINUTE } })),
    ],
    unknown: [container(unreachable, 'unknown'), container({}, 'unknown')],
  },
  SubnetContainerRestarting: {
    active: container(inContainer(run({ startedAt: NOW - MINUTE }), { lastExit: { code: 0, at: NOW - 2 * MINUTE } })),
    labels: statsLabels,
    value: 0,
    clear: [
      container({ ...inContainer(run()), logs: logs() }, 'pass'),
      container(inContainer(run({ startedAt: NOW - MINUTE }), { lastExit: { code: 0, at: NOW - 9 * MINUTE } })),
      ...(['request', 'recreation'] as const).map((lastRestartBy) =>
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
    active: memory(950),
    labels: statsLabels,
    value: 0.95,
    clear: [memory(900), container(inContainer(run({ memoryBytes: 950 })), 'pass'), toInput([state(stats, {})])],
    unknown: [container(unreachable, 'unknown'), container({}, 'unknown')],
  },
  SubnetLogFileLarge: {
    active: sized(11e9),
    labels: statsLabels,
    value: 11e9,
    clear: [sized(1e9), toInput([state(stats, {})])],
    unknown: [sized()],
  },
  SubnetCheckDegraded: {
    active: toInput([state(stats, { http: 'pass', block_data: 'degraded' })]),
    labels: statsLabels,
    value: 1,
    clear: [toInput([state(stats, { http: 'pass', block_data: 'fail' })])],
    unknown: [toInput([state(stats, { http: 'unknown' })])],
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
    active: toInput(
      [good('a'), onMachine2(stats), onMachine2(relayer), state({ ...bootnode, container: { name: 'b' } }, {})],
      {
        enginesUp: machine2(false),
      },
    ),
    labels: { subnet: 'd', engine: 'machine2' },
    value: 2,
    clear: [
      toInput([onMachine2(stats)], { enginesUp: machine2(true) }),
      toInput([good('a'), state(contained, {})], { enginesUp: machine2(false) }),
      toInput([good('a')], { enginesUp: new Map() }),
    ],
    unknown: [toInput([good('a'), onMachine2(stats)], { enginesUp: machine2(undefined) })],
  },
  SubnetdCheckStale: {
    active: toInput([state(stats, { http: 'pass' }, {}, { lastRun: NOW - 200_000 })]),
    labels: statsLabels,
    value: 200,
    clear: [
      toInput([state(stats, { http: 'pass' }, {}, { lastRun: NOW - 170_000 })]),
      toInput([state(stats, { http: 'skipped' }, {}, { lastRun: undefined })]),
      // By night, when the next run is due in the morning.
      toInput([state(stats, { http: 'pass' }, {}, { lastRun: NOW - 600 * MINUTE })], {
        intervalMs: () => 905 * MINUTE,
      }),
    ],
    unknown: [],
  },
  SubnetdRoundsLate: {
    active: toInput([good('a')], { lateRounds: () => 15 }),
    labels: { subnet: 'd' },
    value: 0.25,
    clear: [toInput([good('a')], { lateRounds: () => 6 }), toInput([good('a')], { lateRounds: () => 0 })],
    unknown: [],
  },
  SubnetdAlertsNotSent: {
    active: toInput([good('a')], { notSent: (since) => (since === NOW - 5 * MINUTE ? 7 : 0) }),
    labels: { instance: 'i' },
    value: 7,
    clear: [toInput([good('a')], { notSent: () => 0 })],
    unknown: [],
  },
  SubnetdReloadFailed: itself({ lastReloadSuccessful: false }),
  SubnetdLogSourceDown: {
    active: toInput([state(readable, {}, { logs: logs({ sources: { file: { ...sources.file, up: false } } }) })]),
    labels: statsLabels,
    value: 0,
    clear: [
      toInput([state(readable, {}, { logs: logs() })]),
      toInput([state(stats, {})]),
      toInput([onMachine2(stats, true)], { enginesUp: machine2(false) }),
    ],
    // What the log on an engine that is gone would say.
    unknown: [toInput([state(readable, {})]), toInput([onMachine2(stats, false)], { enginesUp: machine2(false) })],
  },
  SubnetdDatabaseDown: itself({ isDatabaseUp: false }),
  SubnetdWatchdog: { active: toInput([]), labels: {}, value: 1, clear: [], unknown: [] },
};

describe.each(Object.entries(cases) as [PushedAlertName, Case][])(
  '%s',
  (name, { active, labels, value, clear, unknown }) => {
    const judge = conditions[name];
    it('is active for exactly this instance, with this value', () => {
      const found = judge(active).filter(({ result }) => result !== 'unknown');
      expect(found).toEqual([{ labels, result: { value } }]);
    });
    it('is clear when nothing is wrong, or something else is', () => {
      for (const input of clear) expect(judge(input)).toEqual([]);
    });
    it('is unknown while it cannot be judged', () => {
      for (const input of unknown) expect(judge(input)).toEqual([{ labels, result: 'unknown' }]);
    });
  },
);

describe('what is found', () => {
  const judge = createJudge({});
  const none: Incidents = new Map();

  it('reports unknown only for alerts with an open incident', () => {
    const [active, unknown] = [toInput([state(stats, { http: 'fail' })]), toInput([state(stats, { http: 'unknown' })])];
    const open = foldIncidents(none, judge(active, none), NOW).incidents;
    const labels = { alertname: 'SubnetServiceDown', severity: 'warning', ...statsLabels };
    expect(judge(unknown, open)).toContainEqual({ state: 'unknown', labels });
    expect(foldIncidents(open, judge(unknown, open), NOW).incidents).toEqual(open);
    const resolved = new Map([...open].map(([key, incident]) => [key, { ...incident, phase: 'resolved' as const }]));
    for (const incidents of [none, resolved])
      expect(judge(unknown, incidents).filter(({ state }) => state === 'unknown')).toEqual([]);
  });

  it('carries the labels, times and texts of the catalogue, with links to what has an address', () => {
    const bases = { publicUrl: 'http://s', grafanaUrl: 'http://g' };
    const input = toInput([good('b'), { ...down("a b'"), target: nodeTarget("a b'") }]);
    expect(createJudge(bases)(input, none)).toContainEqual({
      state: 'active',
      labels: { alertname: 'SubnetNodeDown', severity: 'warning', ...nodeLabels("a b'") },
      annotations: {
        summary: 'A node of d does not answer.',
        description: expect.stringMatching(/^a b' of d answers no JSON-RPC call/),
        runbook_url: 'http://s/alerts/SubnetNodeDown?subnet=d&name=a+b%27',
        dashboard_url: 'http://g/d/subnetd-node?var-subnet=d&var-name=a+b%27',
      },
      forMs: MINUTE,
      keepFiringForMs: 3 * MINUTE,
    });
    const watchdog = judge(toInput([]), none).find(({ state }) => state === 'active');
    expect(watchdog).toMatchObject({ labels: { alertname: 'SubnetdWatchdog', severity: 'none' } });
    expect(watchdog).not.toHaveProperty('annotations.runbook_url');
    expect(watchdog).not.toHaveProperty('annotations.dashboard_url');
  });

  it('has for each alert exactly the labels that its rule promises', () => {
    for (const { name, severity, labels } of alertRules) {
      if (name === 'SubnetdDown') continue;
      const found = judge(cases[name].active, none).find((finding) => finding.labels.alertname === name);
      expect(Object.keys(found?.labels ?? {}).sort(), name).toEqual(['alertname', 'severity', ...labels].sort());
      expect(found?.labels.severity).toBe(severity);
    }
  });

  it('of a subnetd that has just started is the watchdog alone', () => {
    const started = toInput(
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
