import type { Clock } from '../../lib/clock.ts';
import type { ReportBug } from '../../lib/internal-errors.ts';
import { settleWithin } from '../../lib/promises.ts';
import type { KeptTable } from '../../model/kept.ts';
import type { LastLines, MatchingLine } from '../../model/last-lines.ts';
import type { LogPosition } from '../../model/log.ts';
import type { PlannedWork } from '../../model/planned-work.ts';
import type { Prober } from '../../model/prober.ts';
import type { SubnetProbeKind } from '../../model/subnet-facts.ts';
import {
  engineOf,
  type Inventory,
  positionKeys,
  type RoundName,
  type Subnet,
  type Target,
  targetKey,
} from '../../model/target.ts';
import { indexContainers } from '../diagnosis/index-containers.ts';
import type { DockerEvent } from '../docker/events.ts';
import { createDockerLinks } from '../docker/links.ts';
import { createDockerTimes } from '../docker/times.ts';
import { createLogWatches } from '../logs/create-log-watches.ts';
import { readLastLines } from '../logs/read-last-lines.ts';
import { createBrowserLink } from '../probes/browser-link.ts';
import { foldLogHit } from '../rules/fold-logs.ts';
import { type Board, createBoard } from './board.ts';
import { createExtraProbes } from './create-extra-probes.ts';
import { createKeptValues, createMemoryPositions } from './create-kept-values.ts';
import { createRestartJudge, type RestartJudge } from './create-restart-judge.ts';
import type { RoundEvents } from './create-round.ts';
import { createSubnetProbes, type OwnPlace } from './create-subnet-probes.ts';
import { closeWatch, createSubnetWatch, type SubnetWatch, usedBy } from './create-subnet-watch.ts';
import { type KnownTables, keepKnown } from './keep-known.ts';
import { findKnownSecrets } from './known-secrets.ts';
import { createProbeRuns } from './probe-runs.ts';
import { createConnectionBudget } from './slots.ts';
import { reuseUnchanged } from './to-target-state.ts';

/** Probes the targets of an inventory on schedule and judges them. */
export interface Monitor extends Pick<Board, 'snapshot' | 'unexplained' | 'restoreProblems' | 'inputOf'> {
  /** Loads or replaces the inventory; unchanged targets continue undisturbed. A throw is a bug, and changes nothing. */
  load(inventory: Inventory): void;
  /** Reports how rounds run, from now on. */
  onRound(events: Partial<RoundEvents>): void;
  /** The usual time between two runs of a round, in milliseconds. */
  intervalMs(subnet: string, round: RoundName): number | undefined;
  /** Do the schedules work? */
  isAlive(): boolean;
  /** Is an inventory loaded, and has the first RPC round of each subnet ended? */
  isReady(): boolean;
  /** Has the first RPC round of a subnet ended since it is watched? Without a node, the first round of any kind. */
  readonly isReadyFor: (subnet: string) => boolean;
  /** Does each Docker Engine that a target needs answer? Undefined while that is unknown. */
  enginesUp(): ReadonlyMap<string, boolean | undefined>;
  /** The last lines of a target's log, read now, within 2 s. Each is redacted and cut. Never rejects. */
  readLastLines(target: Target, count: number): Promise<LastLines>;
  /** The last lines of a target's log that matched a pattern, each redacted and cut. */
  matchingLines(target: Target): readonly MatchingLine[];
  /** Probes one target at once, beside its rounds; undefined when the inventory has no such target. Never rejects. */
  probeTarget(subnet: string, name: string): Promise<void> | undefined;
  readonly restarts: RestartJudge;
  /** Probes each subnet as a whole once, in these ways, outside of the schedule. */
  probeSubnetsNow(kinds: readonly SubnetProbeKind[]): Promise<void>;
  /** Probes each wanted target once, outside of the schedule. */
  probeNow(wanted: (target: Target, round: RoundName) => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Dependencies and settings of a monitor. */
export interface MonitorOptions extends KnownTables {
  /** Docker dropped lines of a target's log before they were read, after the one with this timestamp. */
  readonly onLogLost?: (target: Target, after: string, times: number) => void;
  readonly clock: Clock;
  /** False: only `probeNow` starts probes. */
  readonly scheduled: boolean;
  /** The stored positions of logs; without them, a restart of subnetd reads from the start again. */
  readonly positions?: () => Promise<KeptTable<LogPosition>>;
  /** The most connections of probes and the most log files that are open at once; by default there is no limit. */
  readonly limits?: { readonly connections: number; readonly logFiles: number };
  readonly own?: OwnPlace | undefined;
  /** All planned work that is known now. */
  readonly plannedWork?: () => readonly PlannedWork[];
  /** Called every second by the loop that starts overdue rounds, while every schedule works and the first round has ended. */
  readonly onRunning?: (() => void) | undefined;
  /** A problem has opened. */
  readonly onOpened?: () => void;
  /** A bug in a probe, which does not count then, or in a diagnosis. */
  readonly onBug: ReportBug;
}

const WATCHDOG_MS = 1_000;

/** While stopping, work that does not end when it is aborted is abandoned after this time, such as a read from a dead disk. */
const READERS_END_MS = 800;
const PROBES_END_MS = 2_500;

/** Starts without an inventory. */
export function createMonitor(options: MonitorOptions): Monitor {
  const { clock, scheduled, limits } = options;
  const onBug = (error: unknown) => options.onBug(error, 'probe');
  const positions = options.positions && createKeptValues(options.positions);
  const { now } = clock;
  const onBroken = (error: unknown, subnet: string) => options.onBug(error, 'diagnosis', { subnet });
  const board = createBoard(clock.toWall, clock.disturbances, options.plannedWork, onBroken, options.onOpened);
  const known = keepKnown(options, board);
  const onRecorded = (target: Target, round: RoundName) => {
    if (!scheduled || round !== 'services') return;
    const http = board.checksOf(target).find(({ check }) => check === 'http');
    if (http?.verdict === 'fail') extraProbes.failed(target, now() - http.since);
  };
  const runs = createProbeRuns(clock, board, { onRecorded, onBug });
  let watches: readonly SubnetWatch[] = [];
  let watchesByName: ReadonlyMap<string, SubnetWatch> = new Map();
  const watchOf = (subnet: string) => watchesByName.get(subnet);
  const proberOf = (target: Target, round: RoundName) => watchOf(target.subnet)?.probers.get(round)?.get(target);
  let findTargets = indexContainers<Target>([]);
  const readySubnets = new Set<string>();
  let wasReady = false;
  let receivers: Pick<Inventory, 'alertmanager' | 'channels'> = { alertmanager: { urls: [] } };
  /** What the inventory keeps secret of each subnet, found for the first who needs it. */
  const secrets = new Map<string, readonly string[]>();
  const secretsOf = (target: Target): readonly string[] => {
    const found =
      secrets.get(target.subnet) ??
      findKnownSecrets(watchOf(target.subnet)?.subnet ?? { targets: [target] }, receivers);
    if (watchesByName.has(target.subnet)) secrets.set(target.subnet, found);
    return found;
  };

  const onEvent = (event: DockerEvent, engine: string) => {
    const at = clock.fromWall(event.at);
    const targets = findTargets(event, engine);
    if (targets.length === 0) subnetProbes.onOtherContainer(event, engine);
    for (const target of targets) {
      board.foldEvent(target, { ...event, at });
      logs.onContainerEvent(target, event.action);
      if (event.action === 'start') {
        subnetProbes.containerStarted(target, event.id);
        probeAfterStart(target);
      }
      probeContainer(target);
    }
  };
  const probeContainer = (target: Target) => {
    const prober = proberOf(target, 'containers');
    if (prober) runs.runForNews(target, 'containers', prober);
  };
  const lostEngines = new Set<string>();
  const onEngineState = (engine: string) => {
    logs.onEngineState(engine);
    const isLost = docker.areUp().get(engine) === false;
    if (isLost) lostEngines.add(engine);
    else if (!lostEngines.delete(engine)) return;
    for (const { subnet } of watches)
      for (const target of subnet.targets) {
        if (target.container === undefined || engineOf(target.container) !== engine) continue;
        // A restart of Docker may be over before the next round.
        probeContainer(target);
        // While an engine is down, so are the ports that it publishes.
        if (!isLost) probeAfterStart(target);
      }
  };
  const docker = createDockerLinks(onEvent, onEngineState);
  const browsers = createBrowserLink();
  const connections = createConnectionBudget(limits?.connections);

  const onLogNews = (target: Target, urgent: boolean) => {
    const prober = proberOf(target, 'logs');
    if (prober === undefined) return;
    if (urgent) subnetProbes.targetFailed(target);
    // A verdict other than pass must not wait for the next round to change.
    const isUnsettled = board.checksOf(target).some(({ round, verdict }) => round === 'logs' && verdict !== 'pass');
    if (urgent || isUnsettled) runs.runForNews(target, 'logs', prober);
    else
      prober
        .probe()
        .then((observation) => board.foldObservation(target, observation, now()))
        .catch(onBug);
  };
  const logs = createLogWatches({
    docker,
    positions: positions ?? createMemoryPositions(),
    clock,
    fold: foldLogHit,
    onNews: onLogNews,
    maxOpenFiles: limits?.logFiles,
    onLost: options.onLogLost,
  });

  const subnetProbes = createSubnetProbes({
    clock,
    scheduled,
    docker,
    keepsConnections: connections.keeps,
    own: options.own,
    onSeen: (subnet, observation) => {
      board.foldSubnet(subnet, observation, now());
      board.diagnoseChanged(now());
    },
    onBug,
  });

  /** How long the process has run since it was last suspended. */
  const awakeMs = () => now() - clock.resumedAt();
  const tools = {
    docker,
    browsers,
    toWatched: createDockerTimes(clock.fromWall),
    keepsConnections: connections.keeps,
    now,
  };
  const listeners: Partial<RoundEvents>[] = [];
  const onLate: RoundEvents['onLate'] = (...late) => {
    for (const events of listeners) events.onLate?.(...late);
  };
  const onRoundFinished: RoundEvents['onFinished'] = (subnet, round, seconds) => {
    board.diagnose(subnet, now());
    for (const { onFinished } of listeners) onFinished?.(subnet, round, seconds);
  };
  const shared = { scheduled, runs, connections, awakeMs, onFinished: onRoundFinished, onLate, onBug };

  /** Judges a round again when all of its targets have been probed: the first were judged before the others were known. */
  const judgeTogether = (subnet: Subnet, round: RoundName) => {
    board.diagnose(subnet.name, now());
    board.judgeAgain(subnet, round, now());
    board.diagnose(subnet.name, now());
  };
  const onFirstEnded = (watch: SubnetWatch, round: RoundName) => {
    const { subnet, rounds, newRounds } = watch;
    if (newRounds.some(({ name }) => name === round)) judgeTogether(subnet, round);
    // It may have been replaced or removed meanwhile.
    if (watchOf(subnet.name) !== watch) return;
    if (round === 'rpc' || rounds.every(({ name }) => name !== 'rpc')) readySubnets.add(subnet.name);
  };
  const close = (watch: SubnetWatch, kept: ReturnType<typeof usedBy>) => closeWatch(watch, kept, shared);

  /** Builds everything, or changes nothing. */
  const build = (inventory: Inventory) => {
    const subnets = inventory.subnets.map((subnet) => reuseUnchanged(subnet, watchOf(subnet.name)?.subnet));
    const plan = logs.prepare();
    const created: SubnetWatch[] = [];
    try {
      const next = subnets.map((subnet) => {
        const known = watchOf(subnet.name);
        if (known?.subnet === subnet) return known;
        const watch = createSubnetWatch(subnet, known, { ...shared, tools: { ...tools, logs: plan.watchOf } });
        created.push(watch);
        return watch;
      });
      board.load({ ...inventory, subnets }, now());
      return { next, created, plan };
    } catch (error) {
      plan.abandon();
      const running = usedBy(watches);
      for (const watch of created) void close(watch, running);
      throw error;
    }
  };

  const isAlive = () => watches.every(({ rounds }) => rounds.every((round) => round.isAlive()));
  const watchdog = setInterval(() => {
    const time = now();
    for (const { rounds } of watches) for (const round of rounds) round.wake();
    board.diagnoseChanged(time);
    if (wasReady && isAlive()) options.onRunning?.();
  }, WATCHDOG_MS);

  const intervalMs: Monitor['intervalMs'] = (subnet, round) =>
    watchOf(subnet)
      ?.rounds.find(({ name }) => name === round)
      ?.intervalMs();

  /** Runs each probe of a target once. A round may be probing it now, over the same connection, so they run in turn. */
  const probeAll = async (target: Target, { probers }: SubnetWatch, isWanted: (round: RoundName) => boolean) => {
    const run = (round: RoundName, prober: Prober) => {
      const probe = () => runs.runInTurn(target, round, prober);
      return connections.slotsOf(round)?.use(probe) ?? probe();
    };
    const started = [...probers].flatMap(([round, byTarget]) => {
      const prober = isWanted(round) ? byTarget.get(target) : undefined;
      return prober === undefined ? [] : [run(round, prober)];
    });
    await Promise.all(started).catch(onBug);
  };
  const extraProbes = createExtraProbes((target) => {
    const watch = watchOf(target.subnet);
    if (watch !== undefined) void probeAll(target, watch, (round) => round === 'services');
  });
  const probeAfterStart = (target: Target) => {
    if (scheduled && proberOf(target, 'services') !== undefined) extraProbes.started(target);
  };
  /** Somebody has asked to probe these targets, and the probes are running. */
  const asked = new Map<string, Promise<void>>();

  /** Reads no log: what is seen was so after the call. The silent nodes are probed too, and not waited for. */
  const probeNodes = async ({ name }: Subnet, silent: ReadonlySet<string>) => {
    const watch = watchOf(name);
    const nodes = watch?.subnet.targets.filter(({ component }) => component === 'node') ?? [];
    const probed = nodes.map((node) => ({ node, ended: watch && probeAll(node, watch, (round) => round !== 'logs') }));
    await Promise.all(probed.map(({ node, ended }) => (silent.has(node.name) ? undefined : ended)));
    board.diagnose(name, now());
  };

  return {
    load: (inventory) => {
      const { next, created, plan } = build(inventory);
      const used = new Set(
        inventory.subnets.flatMap(({ targets }) =>
          targets.flatMap(({ container }) => (container ? [engineOf(container)] : [])),
        ),
      );
      docker.setEngines(Object.fromEntries(Object.entries(inventory.engines).filter(([name]) => used.has(name))));
      connections.expect(next);
      const targets = next.flatMap(({ subnet }) => subnet.targets);
      findTargets = indexContainers(targets);
      const before = watches;
      watches = next;
      watchesByName = new Map(next.map((watch) => [watch.subnet.name, watch]));
      receivers = inventory;
      secrets.clear();

      // A prober or a round stays in its subnet, so only the new watches can have taken one over.
      const kept = usedBy(created);
      const left = new Set(next);
      for (const watch of before) if (!left.has(watch)) void close(watch, kept);
      plan.commit(targets);
      subnetProbes.load(next.map(({ subnet }) => subnet));
      positions?.keepOnly(new Set(targets.flatMap(positionKeys)));
      known.keepOnly(next.map(({ subnet }) => subnet));
      for (const name of readySubnets) if (!watchesByName.has(name)) readySubnets.delete(name);
      const firsts = next.flatMap(({ rounds }) => rounds.flatMap(({ name, first }) => (name === 'rpc' ? first : [])));
      void Promise.all(firsts).then(() => {
        // The first round of a replaced inventory ends unfinished.
        wasReady ||= watches === next;
      });
      for (const watch of created) {
        known.keep(watch.subnet);
        watch.start();
        for (const { name, first } of watch.rounds) first.then(() => onFirstEnded(watch, name)).catch(onBug);
      }
    },
    snapshot: board.snapshot,
    inputOf: board.inputOf,
    unexplained: board.unexplained,
    restoreProblems: board.restoreProblems,
    intervalMs,
    isAlive,
    isReady: () => wasReady,
    isReadyFor: (subnet) => readySubnets.has(subnet),
    onRound: (events) => void listeners.push(events),
    enginesUp: docker.areUp,
    readLastLines: (target, count) => readLastLines(target, count, { docker, secrets: secretsOf(target) }),
    matchingLines: (target) => logs.linesOf(target, secretsOf(target)),
    probeTarget: (subnet, name) => {
      const watch = watchOf(subnet);
      const target = watch?.subnet.targets.find((one) => one.name === name);
      if (watch === undefined || target === undefined) return undefined;
      const key = targetKey(target);
      const probing =
        asked.get(key) ??
        probeAll(target, watch, () => true)
          .then(() => {
            asked.delete(key);
            board.diagnoseChanged(now());
          })
          .catch(onBug);
      asked.set(key, probing);
      return probing;
    },
    restarts: createRestartJudge({ snapshot: board.unexplained, probeNodes, intervalMs, now, toWall: clock.toWall }),
    probeSubnetsNow: subnetProbes.probeNow,
    probeNow: async (wanted) => {
      const started = watches.flatMap(({ probers }) =>
        [...probers].flatMap(([round, own]) =>
          [...own]
            .filter(([target]) => wanted(target, round))
            .map(([target, prober]) => runs.run(target, round, prober)),
        ),
      );
      await Promise.all(started);
      for (const { subnet } of watches) judgeTogether(subnet, 'rpc');
    },
    stop: async () => {
      clearInterval(watchdog);
      extraProbes.stop();
      // Everything is aborted first and waited for afterwards. Nothing that hangs may keep positions from being saved.
      const ended = Promise.all([...watches.map((watch) => close(watch, new Set())), runs.settled()]);
      const readersEnded = settleWithin(READERS_END_MS, logs.stop());
      docker.stop();
      subnetProbes.stop();
      await Promise.all([
        positions?.stop(readersEnded.then(() => {})) ?? readersEnded,
        known.stop(),
        settleWithin(PROBES_END_MS, ended),
      ]);
    },
  };
}
