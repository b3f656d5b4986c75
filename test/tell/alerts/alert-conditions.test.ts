import { describe, expect, it } from 'vitest';
import type { LogFacts } from '../../../src/model/facts.ts';
import type { Sight } from '../../../src/model/fleet-view.ts';
import { NOTHING_TO_DO, type Problem } from '../../../src/model/problem.ts';
import { type ProblemName, problemCatalog } from '../../../src/model/problem-catalog.ts';
import type { Quorum, TargetState } from '../../../src/model/snapshot.ts';
import type { Target } from '../../../src/model/target.ts';
import { conditionOf } from '../../../src/tell/alerts/alert-conditions.ts';
import type { AlertInput } from '../../../src/tell/alerts/alert-input.ts';
import { alertRules } from '../../../src/tell/alerts/alert-rules.ts';
import { createJudge } from '../../../src/tell/alerts/create-judge.ts';
import { subnetdConditions } from '../../../src/tell/alerts/subnetd-conditions.ts';
import type { TrackedAlerts } from '../../../src/tell/alerts/tracked-alert.ts';
import { groupAlerts } from '../../../src/tell/notify/channels/create-channels.ts';
import { foldAlerts } from '../../../src/tell/notify/tracked-alerts.ts';
import { viewOf } from '../../support/fleet-views.ts';
import { targetState, type Verdicts } from '../../support/target-state.ts';
import { nodeTarget, serviceTarget, settings } from '../../support/views.ts';

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

/** A target whose checks ran now, unless a test says otherwise. */
const state = (target: Target, verdicts: Verdicts, more: Parameters<typeof targetState>[2] = {}) =>
  targetState(target, verdicts, { lastRun: NOW, ...more });

const sources = { file: { up: true, lines: 1, since: 0 } } as const;
const logs = (more: Partial<LogFacts> = {}): LogFacts => ({ sources, patterns: {}, ...more });

const stats = serviceTarget('stats');
const relayer = serviceTarget('relayer');
const good = (name: string) => state(nodeTarget(name), { latest_block: 'pass', peers: 'pass' });
const unseen = (name: string) => state(nodeTarget(name), { latest_block: 'unknown', peers: 'unknown' });

/** A target whose container is on the second of two engines, and whether its log is read. */
const onMachine2 = (target: Target, up = true): TargetState =>
  state(
    { ...target, container: { name: 'c', engine: 'machine2' } },
    {},
    { facts: { logs: logs({ sources: { container: { ...sources.file, up } } }) } },
  );
const machine2 = (up: boolean | undefined) =>
  new Map([
    ['default', true],
    ['machine2', up],
  ]);
const bootnode: Target = { subnet: 'd', component: 'bootnode', name: 'bootnode', logFiles: [], patterns: [] };
const contained = { ...stats, container: { name: 'stats' } };

const toInput = (
  targets: readonly TargetState[],
  more: Partial<AlertInput> = {},
  problems: readonly Problem[] = [],
): AlertInput => ({
  snapshot: [
    {
      subnet: { name: 'd', consensus: 'XDPoS', targets: targets.map(({ target }) => target), settings },
      targets,
      problems,
    },
  ],
  now: NOW,
  instance: 'i',
  intervalMs: () => 10_000,
  lateRounds: () => 0,
  internalErrors: () => 0,
  notSent: () => 0,
  enginesUp: new Map([['default', true]]),
  isDatabaseUp: true,
  lastReloadSuccessful: true,
  ...more,
});

const problem = (name: ProblemName, of?: Target, more: Partial<Problem> = {}): Problem => ({
  problem: name,
  ...(of && { component: of.component, name: of.name }),
  ...problemCatalog[name],
  state: 'open',
  since: NOW,
  seenAt: NOW,
  summary: 'it is broken',
  evidence: 'it broke at 7',
  fix: 'repair it',
  explains: [],
  causes: [],
  ...more,
});

const labelsOf = ({ component, name }: Target) => ({ subnet: 'd', component, name });
const statsLabels = labelsOf(stats);

interface Case {
  readonly active: AlertInput;
  /** Of the instance. */
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
  readonly clear: readonly AlertInput[];
  readonly unknown: readonly AlertInput[];
}
const itself = (more: Partial<AlertInput>): Case => ({
  active: toInput([], more),
  labels: { instance: 'i' },
  value: 0,
  clear: [toInput([])],
  unknown: [],
});

const seeing = (sight: Parameters<typeof viewOf>[0], missing: Sight = 'seen') => {
  const view = viewOf(sight);
  const shards = view.shards.map((each) => (each.shard.index === 2 ? { ...each, sight: missing } : each));
  return toInput([], { fleet: { ...view, shards } });
};

const cases: Readonly<Record<keyof typeof subnetdConditions, Case>> = {
  SubnetdShardUnseen: {
    active: seeing('unseen'),
    labels: { shard: '1' },
    value: 0,
    clear: [toInput([]), seeing('seen')],
    unknown: [seeing('unknown')],
  },
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
    active: toInput([state(stats, { http: 'pass' }, { lastRun: NOW - 200_000 })]),
    labels: statsLabels,
    value: 200,
    clear: [
      toInput([state(stats, { http: 'pass' }, { lastRun: NOW - 170_000 })]),
      toInput([state(stats, { http: 'skipped' }, { lastRun: undefined })]),
      // By night, when the next run is due in the morning.
      toInput([state(stats, { http: 'pass' }, { lastRun: NOW - 600 * MINUTE })], {
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
  SubnetdInternalError: {
    active: toInput([good('a')], { internalErrors: (since) => (since === NOW - 10 * MINUTE ? 1 : 0) }),
    labels: { instance: 'i' },
    value: 1,
    clear: [toInput([good('a')], { internalErrors: () => 0 })],
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
  SubnetdDatabaseDown: itself({ isDatabaseUp: false }),
  SubnetdWatchdog: { active: toInput([]), labels: {}, value: 1, clear: [], unknown: [] },
};

describe.each(Object.entries(cases) as [keyof typeof subnetdConditions, Case][])(
  '%s',
  (name, { active, labels, value, clear, unknown }) => {
    const judge = subnetdConditions[name];
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

const alertsOf = (input: AlertInput) =>
  createJudge({})(input, new Map())
    .filter(({ labels }) => labels.alertname !== 'SubnetdWatchdog')
    .map(({ labels }) => [labels.alertname, labels.name].filter((part) => part !== undefined).join(' '));

describe('a problem', () => {
  const [a, b] = [nodeTarget('a'), nodeTarget('b')];
  const targets = [good('a'), good('b'), state(stats, { http: 'pass' })];

  it.each(Object.keys(problemCatalog) as ProblemName[])('%s raises its alert once it is confirmed', (name) => {
    const { alert } = problemCatalog[name];
    const isOfSubnet = alertRules.find((rule) => rule.name === alert)?.labels.includes('name') === false;
    const input = (more: Partial<Problem>) =>
      toInput(targets, {}, [problem(name, isOfSubnet ? undefined : stats, more)]);
    const raised = [isOfSubnet ? alert : `${alert} stats`];
    expect(alertsOf(input({}))).toEqual(raised);
    expect(alertsOf(input({ state: 'clearing' }))).toEqual(raised);
    expect(alertsOf(input({ state: 'suspected' }))).toEqual([]);
  });

  it('gives its alert the time at which what shows it was read', () => {
    const [found] = createJudge({})(
      toInput(targets, {}, [problem('node_down', a, { readAt: NOW - 9_000 })]),
      new Map(),
    );
    expect(found).toMatchObject({ labels: { alertname: 'SubnetNodeDown' }, readAt: NOW - 9_000 });
    // What clears was last found between two judgements of alerts, with the words that its message has.
    const clearing = problem('node_down', a, { state: 'clearing', seenAt: NOW - 4_000 });
    expect(createJudge({})(toInput(targets, {}, [clearing]), new Map())[0]).toMatchObject({ readAt: NOW - 4_000 });
  });

  /** Tells which alerts begin and end when the problems are these. */
  function createTelling() {
    const judge = createJudge({});
    let tracked: TrackedAlerts = new Map();
    return (...problems: readonly Problem[]) => {
      const findings = judge(toInput(targets, {}, problems), tracked);
      const folded = foldAlerts(tracked, findings, NOW);
      tracked = folded.trackedAlerts;
      return folded.transitions
        .filter(({ alert: { labels } }) => labels.alertname !== 'SubnetdWatchdog')
        .map(({ to, alert: { labels, details } }) => `${labels.alertname} ${to}: ${details?.evidence}`);
    };
  }

  it('that comes while what hid another one clears is told, unless it is the same', () => {
    const told = createTelling();
    const risk = (state: Problem['state'], evidence: string) =>
      problem('quorum_at_risk', undefined, { state, evidence });
    const halt = (clearingMs?: number): Problem => ({
      ...problem('subnet_halted', undefined, { evidence: 'no block' }),
      causes: [{ problem: 'quorum_at_risk' }],
      ...(clearingMs !== undefined && { state: 'clearing', clearingSince: NOW - clearingMs }),
    });
    expect(told(risk('open', 'without a'))).toEqual(['SubnetQuorumAtRisk firing: without a']);
    expect(told(halt())).toEqual(['SubnetHalted firing: no block']);
    expect(told(halt(59_999))).toEqual([]);
    expect(told(halt(60_000), risk('suspected', 'without a'))).toEqual([]);
    expect(told(halt(60_000), risk('open', 'without a'))).toEqual([]);
    expect(told(halt())).toEqual([]);
    expect(told(halt(60_000))).toEqual(['SubnetQuorumAtRisk resolved: without a']);
    expect(told(halt(80_000), risk('open', 'without a, whose disk is full'))).toEqual([
      'SubnetQuorumAtRisk firing: without a, whose disk is full',
    ]);
  });

  it('of a vote to spare is not over with its cover, while those that have just started must still vote', () => {
    const risk = problem('quorum_at_risk', undefined);
    const halt: Problem = {
      ...problem('subnet_halted', undefined, { state: 'clearing', clearingSince: NOW - 60_000 }),
      causes: [{ problem: 'quorum_at_risk' }],
    };
    const told = (starting: number) => {
      const judge = createJudge({});
      const first = foldAlerts(new Map(), judge(toInput(targets, {}, [risk]), new Map()), NOW).trackedAlerts;
      const { snapshot, ...input } = toInput(targets, {}, [halt]);
      const quorum = { total: 4, required: 3, voting: 4, starting };
      const then = judge({ ...input, snapshot: snapshot.map((one) => ({ ...one, quorum })) }, first);
      return foldAlerts(first, then, NOW).transitions.map(({ to, alert }) => `${alert.labels.alertname} ${to}`);
    };
    expect(told(1)).toEqual(['SubnetHalted firing']);
    expect(told(0)).toEqual(['SubnetHalted firing', 'SubnetQuorumAtRisk resolved']);
  });

  it('of a halt is not over while too few vote for another block, and inhibits nothing then', () => {
    const halt = problem('subnet_halted', undefined);
    const haltAfter = (starting: number) => {
      const judge = createJudge({});
      const first = foldAlerts(new Map(), judge(toInput(targets, {}, [halt]), new Map()), NOW).trackedAlerts;
      const { snapshot, ...input } = toInput(targets, {}, []);
      const quorum = { total: 4, required: 3, voting: 4, starting };
      const then = judge({ ...input, snapshot: snapshot.map((one) => ({ ...one, quorum })) }, first);
      const { trackedAlerts } = foldAlerts(first, then, NOW);
      return [...trackedAlerts.values()].flatMap(({ labels, phase, isSuspected }) =>
        labels.alertname === 'SubnetHalted' ? [phase, isSuspected] : [],
      );
    };
    expect(haltAfter(2)).toEqual(['firing', true]);
    expect(haltAfter(1)).toEqual(['resolved', undefined]);
  });

  it('that something graver hides is not over: nobody is told of its end, nor of a new start', () => {
    const judge = createJudge({});
    const penalised = problem('masternode_penalised', a);
    const risk = problem('quorum_at_risk', undefined);
    const halt = { ...problem('subnet_halted', undefined), causes: [{ problem: 'quorum_at_risk' }] } as const;
    let tracked: TrackedAlerts = new Map();
    const told = (...problems: readonly Problem[]) => {
      const findings = judge(toInput(targets, {}, problems), tracked);
      const folded = foldAlerts(tracked, findings, NOW);
      tracked = folded.trackedAlerts;
      return folded.transitions
        .filter(({ alert: { labels } }) => labels.alertname !== 'SubnetdWatchdog')
        .map(({ to, alert: { labels } }) => `${labels.alertname} ${to}`);
    };
    expect(told(penalised)).toEqual(['SubnetMasternodePenalised firing']);
    expect(told(penalised, risk)).toEqual(['SubnetQuorumAtRisk firing']);
    expect(told(penalised, halt)).toEqual(['SubnetHalted firing']);
    const covered = () => [...tracked.values()].flatMap((one) => (one.isCovered ? [one.labels.alertname] : []));
    expect(covered()).toEqual(['SubnetQuorumAtRisk']);
    // What is found again by itself has words of now.
    expect(told(penalised, halt, { ...risk, state: 'suspected' })).toEqual([]);
    expect(covered()).toEqual([]);
    expect(told(penalised, halt)).toEqual([]);
    expect(covered()).toEqual(['SubnetQuorumAtRisk']);
    expect(told(penalised, risk)).toEqual(['SubnetHalted resolved']);
    expect(covered()).toEqual([]);
    expect(told(penalised)).toEqual(['SubnetQuorumAtRisk resolved']);
    expect(told()).toEqual(['SubnetMasternodePenalised resolved']);
    // What only pages for a warning hides nothing: it is found by itself all the while.
    const missing = problem('masternode_missing', undefined);
    expect(told(missing)).toEqual(['SubnetMasternodeMissing firing']);
    expect(told(missing, risk)).toEqual(['SubnetQuorumAtRisk firing']);
    expect(told(risk)).toEqual(['SubnetMasternodeMissing resolved']);
    // Nodes that crashed together are why a subnet is halted, so they are told beside it.
    const crashed = problem('containers_crashed', undefined);
    expect(told(crashed, halt)).toEqual(['SubnetHalted firing', 'SubnetContainersCrashed firing']);
    expect(told(risk)).toEqual(['SubnetHalted resolved', 'SubnetContainersCrashed resolved']);
    const restarting = problem('container_restarting', a);
    expect(told(restarting)).toEqual(['SubnetContainerRestarting firing', 'SubnetQuorumAtRisk resolved']);
    expect(told(restarting, risk)).toEqual(['SubnetQuorumAtRisk firing']);
    expect(told(risk)).toEqual(['SubnetContainerRestarting resolved']);
  });

  it('that something graver hid is seen to be over once that clears and there is a spare vote for sure', () => {
    const causes = [{ problem: 'quorum_at_risk' }, { problem: 'finality_stalled' }] as const;
    const isOver = (
      name: 'SubnetQuorumAtRisk' | 'SubnetFinalityStalled',
      state: 'open' | 'clearing',
      quorum: Pick<Quorum, 'voting' | 'doubtful'>,
    ) => {
      const halt = { ...problem('subnet_halted', undefined, { state }), causes };
      const rule = alertRules.find((one) => one.name === name);
      const input = toInput(targets, {}, [halt]);
      const snapshot = input.snapshot.map((one) => ({ ...one, quorum: { total: 4, required: 3, ...quorum } }));
      const found = rule && conditionOf(rule)?.({ ...input, snapshot });
      return found?.some((one) => one.isOver) ?? false;
    };
    expect(isOver('SubnetQuorumAtRisk', 'clearing', { voting: 4 })).toBe(true);
    expect(isOver('SubnetQuorumAtRisk', 'clearing', { voting: 3 })).toBe(false);
    expect(isOver('SubnetQuorumAtRisk', 'clearing', { voting: 4, doubtful: 1 })).toBe(false);
    expect(isOver('SubnetQuorumAtRisk', 'open', { voting: 4 })).toBe(false);
    // Votes say nothing of other alerts.
    expect(isOver('SubnetFinalityStalled', 'clearing', { voting: 4 })).toBe(false);
  });

  it('that is suspected again, or follows from what is, may last: its end is not told', () => {
    const judge = createJudge({});
    const down = problem('node_down', a);
    const doubtAt = (problems: readonly Problem[], voting = 4) => {
      let over: TrackedAlerts = new Map();
      for (const found of [[down], [down, risk], []])
        over = foldAlerts(over, judge(toInput(targets, {}, found), over), NOW).trackedAlerts;
      const { snapshot, ...input } = toInput(targets, {}, problems);
      const quorum = { total: 4, required: 3, voting };
      const then = judge({ ...input, snapshot: snapshot.map((one) => ({ ...one, quorum })) }, over);
      return [...foldAlerts(over, then, NOW).trackedAlerts.values()].flatMap(({ labels, phase, isDoubted }) =>
        phase === 'resolved' && isDoubted ? [labels.alertname] : [],
      );
    };
    const risk = problem('quorum_at_risk', undefined);
    const stopped = { ...problem('container_down', a, { state: 'suspected' }), causes: [{ ...down, explains: [] }] };
    expect(doubtAt([])).toEqual([]);
    expect(doubtAt([{ ...down, state: 'suspected' }])).toEqual(['SubnetNodeDown']);
    expect(doubtAt([stopped])).toEqual(['SubnetNodeDown']);
    expect(doubtAt([], 0)).toEqual(['SubnetQuorumAtRisk']);
  });

  it('that is no more than suspected, or only of what has just started, holds no message back', () => {
    const risk = problem('quorum_at_risk', undefined);
    const down = problem('node_down', a);
    const judge = createJudge({});
    const withheld = (quorum: Quorum, ...problems: readonly Problem[]) => {
      const first = foldAlerts(new Map(), judge(toInput(targets, {}, [risk]), new Map()), NOW).trackedAlerts;
      const { snapshot, ...input } = toInput(targets, {}, problems);
      const then = judge({ ...input, snapshot: snapshot.map((one) => ({ ...one, quorum })) }, first);
      const { trackedAlerts } = foldAlerts(first, then, NOW);
      const all = [...groupAlerts(trackedAlerts, NOW).firing.values()].flatMap((group) => [...group.values()]);
      return all.flatMap(({ labels, isWithheld }) =>
        labels.alertname === 'SubnetdWatchdog' ? [] : [`${labels.alertname}${isWithheld ? ' withheld' : ''}`],
      );
    };
    const enough = { total: 4, required: 3, voting: 4 };
    const both = ['SubnetQuorumAtRisk', 'SubnetNodeDown'];
    expect(withheld(enough, { ...risk, state: 'suspected' }, down).toSorted()).toEqual(both.toSorted());
    expect(withheld({ ...enough, starting: 1 }, down).toSorted()).toEqual(both.toSorted());
    // What clears covers it by itself, so that its alert does not fire.
    expect(withheld(enough, { ...risk, state: 'clearing' }, down)).toEqual(['SubnetQuorumAtRisk']);
  });

  it('that something graver pages for keeps its alert, in the words of now', () => {
    const judge = createJudge({});
    const risk = problem('quorum_at_risk', undefined);
    const missing = problem('masternode_missing', undefined, {
      evidence: 'first seen 41s ago',
      fix: 'give it its key',
    });
    let tracked: TrackedAlerts = new Map();
    const detailsAt = (at: number, ...problems: readonly Problem[]) => {
      tracked = foldAlerts(tracked, judge(toInput(targets, {}, problems), tracked), at).trackedAlerts;
      const alert = [...tracked.values()].find(({ labels }) => labels.alertname === 'SubnetMasternodeMissing');
      return { ...alert?.details, seenAt: alert?.seenAt };
    };
    expect(detailsAt(1, missing)).toMatchObject({ evidence: 'first seen 41s ago', seenAt: 1 });
    expect(detailsAt(2, risk, { ...missing, evidence: 'first seen 50s ago' })).toMatchObject({
      evidence: 'first seen 50s ago',
      fix: 'give it its key',
      seenAt: 2,
    });
    expect(detailsAt(3, risk, { ...missing, state: 'clearing', seenAt: 2, fix: NOTHING_TO_DO })).toMatchObject({
      fix: 'nothing to do about this: it is over unless it comes back',
      isClearing: true,
      seenAt: 2,
    });
  });

  it.each(['subnet_halted', 'quorum_at_risk', 'monitor_offline'] as const)(
    'of a node raises no alert of its own while %s pages for the subnet, and context and services do',
    (name) => {
      const problems = [problem('node_down', a), problem('head_regression', b), problem('service_down', stats)];
      const with_ = (more: Partial<Problem>) =>
        alertsOf(toInput(targets, {}, [problem(name, undefined, more), ...problems]));
      const { alert } = problemCatalog[name];
      const own = ['SubnetServiceDown stats', 'SubnetNodeHeadFell b'];
      expect(with_({}).toSorted()).toEqual([alert, ...own].toSorted());
      expect(with_({ state: 'suspected' }).toSorted()).toEqual(['SubnetNodeDown a', ...own].toSorted());
    },
  );

  it('that two names share gives one alert for one target', () => {
    const problems = [problem('node_down', a), problem('node_hanging', a, { state: 'clearing' })];
    const trackedAlerts = foldAlerts(
      new Map(),
      createJudge({})(toInput(targets, {}, problems), new Map()),
      NOW,
    ).trackedAlerts;
    expect([...trackedAlerts.values()].filter(({ labels }) => labels.alertname === 'SubnetNodeDown')).toHaveLength(1);
  });
});

describe('planned work', () => {
  const [a, b] = [nodeTarget('a'), nodeTarget('b')];
  const targets = [good('a'), good('b'), state(stats, { http: 'pass' })];
  const planned = (mutes: boolean) => ({ planned: { reason: 'upgrade', until: NOW + 1, by: 'ann', mutes } });
  const muted = planned(true);
  /** The alerts that are found, each with whether it is muted. */
  const foundIn = (input: AlertInput) =>
    createJudge({})(input, new Map())
      .filter(({ labels }) => labels.alertname !== 'SubnetdWatchdog')
      .map((found) => `${found.labels.alertname} ${found.state === 'active' && found.planned?.mutes}`)
      .toSorted();

  it('goes with the alert of a problem', () => {
    const problems = [problem('node_down', a, muted), problem('node_stalled', b), problem('relayer_stopped', relayer)];
    expect(foundIn(toInput(targets, {}, problems))).toEqual([
      'SubnetNodeDown true',
      'SubnetNodeStalled undefined',
      'SubnetRelayerStopped undefined',
    ]);
  });

  it('lets a page that nobody gets cover no warning of another', () => {
    const inputWith = (more: Partial<Problem>) =>
      toInput(targets, {}, [problem('quorum_at_risk', undefined, more), problem('node_down', b)]);
    expect(foundIn(inputWith(muted))).toEqual(['SubnetNodeDown undefined', 'SubnetQuorumAtRisk true']);
    expect(foundIn(inputWith(planned(false)))).toEqual(['SubnetQuorumAtRisk false']);
  });

  it('mutes an alert only if it mutes all that this reports', () => {
    const problems = [problem('node_down', a), problem('node_hanging', a, muted)];
    const tracked = (all: readonly Problem[]) =>
      [...foldAlerts(new Map(), createJudge({})(toInput(targets, {}, all), new Map()), NOW).trackedAlerts.values()]
        .filter(({ labels }) => labels.alertname === 'SubnetNodeDown')
        .map(({ isHeld }) => isHeld);
    expect([tracked(problems), tracked(problems.toReversed())]).toEqual([[undefined], [undefined]]);
    expect(tracked([problem('node_down', a, muted)])).toEqual([true]);
  });

  it('covers alerts that are about no problem by their labels', () => {
    const input = toInput([state(stats, { http: 'pass' }, { lastRun: NOW - 200_000 }), onMachine2(relayer)], {
      enginesUp: machine2(false),
      lateRounds: () => 15,
      lastReloadSuccessful: false,
    });
    const withWork = (subject: { readonly name?: string }) => {
      const [first] = input.snapshot;
      if (first === undefined) throw new Error('there is a subnet');
      const work = { subnet: 'd', from: 0, until: 1, reason: 'upgrade', by: 'ann', ...subject };
      return foundIn({ ...input, snapshot: [{ ...first, plannedWork: [work] }] });
    };
    expect(withWork({ name: 'stats' })).toEqual([
      'SubnetdCheckStale true',
      'SubnetdDockerDown undefined',
      'SubnetdReloadFailed undefined',
      'SubnetdRoundsLate undefined',
    ]);
    expect(withWork({})).toEqual([
      'SubnetdCheckStale true',
      'SubnetdDockerDown true',
      'SubnetdReloadFailed undefined',
      'SubnetdRoundsLate true',
    ]);
  });
});

describe('what is found', () => {
  const judge = createJudge({});
  const none: TrackedAlerts = new Map();
  const [_a, b] = [nodeTarget('a'), nodeTarget('b')];

  it('carries the labels, times and texts of the catalogue, what was seen and what to do, and links', () => {
    const bases = { publicUrl: 'http://s', grafanaUrl: 'http://g' };
    const input = toInput([good('b')], {}, [problem('node_down', { ...b, name: "a b'" })]);
    expect(createJudge(bases)(input, none)).toContainEqual({
      state: 'active',
      labels: { alertname: 'SubnetNodeDown', severity: 'warning', ...labelsOf(nodeTarget("a b'")) },
      annotations: {
        summary: 'A node of d does not answer.',
        description: expect.stringMatching(/^a b' of d answers no /),
        runbook_url: 'http://s/alerts/SubnetNodeDown?subnet=d&name=a+b%27',
        dashboard_url: 'http://g/d/subnetd-node?var-subnet=d&var-name=a+b%27',
        incident_url: 'http://s/incidents?alert=SubnetNodeDown&subnet=d&name=a+b%27',
      },
      details: { summary: 'it is broken', evidence: 'it broke at 7', fix: 'repair it' },
      since: expect.any(Number),
      forMs: 0,
      keepFiringForMs: 0,
    });
    const clearing = toInput([good('b')], {}, [problem('node_down', b, { state: 'clearing' })]);
    expect(createJudge(bases)(clearing, none)).toContainEqual(
      expect.objectContaining({ state: 'active', details: expect.objectContaining({ isClearing: true }) }),
    );
    // What an earlier process of subnetd has seen says so itself.
    const kept = toInput([good('b')], {}, [problem('node_down', b, { restoredAt: NOW })]);
    expect(createJudge(bases)(kept, none)).toContainEqual(
      expect.objectContaining({
        details: expect.objectContaining({ evidence: 'it broke at 7', isRestored: true }),
      }),
    );
    const watchdog = judge(toInput([]), none).find((finding) => finding.state === 'active');
    expect(watchdog).toMatchObject({ labels: { alertname: 'SubnetdWatchdog', severity: 'none' } });
    expect(watchdog).not.toHaveProperty('annotations.runbook_url');
    expect(watchdog).not.toHaveProperty('annotations.dashboard_url');
    const linked = createJudge(bases)(toInput([]), none).find(({ labels }) => labels.alertname === 'SubnetdWatchdog');
    expect(linked).toHaveProperty('annotations.runbook_url');
    expect(linked).not.toHaveProperty('annotations.incident_url');
  });

  it('has for each alert of subnetd exactly the labels that its rule promises', () => {
    for (const { name, severity, labels } of alertRules) {
      const tested = (cases as Readonly<Record<string, Case>>)[name];
      if (tested === undefined) continue;
      const found = judge(tested.active, none).find((finding) => finding.labels.alertname === name);
      expect(Object.keys(found?.labels ?? {}).sort(), name).toEqual(['alertname', 'severity', ...labels].sort());
      expect(found?.labels.severity).toBe(severity);
    }
  });

  it('knows all alerts but that subnetd is down', () => {
    expect(alertRules.filter((rule) => conditionOf(rule) === undefined).map(({ name }) => name)).toEqual([
      'SubnetdDown',
    ]);
  });

  it('of a subnetd that has just started is the watchdog alone', () => {
    const started = toInput(
      [
        unseen('a'),
        state(relayer, { http: 'unknown', submissions: 'unknown' }),
        state(contained, { container: 'unknown' }),
      ],
      { enginesUp: new Map([['default', undefined]]) },
    );
    const found = judge({ ...started, intervalMs: () => undefined }, none);
    expect(found.map(({ labels }) => labels.alertname)).toEqual(['SubnetdWatchdog']);
  });
});
