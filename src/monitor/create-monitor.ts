import { isDeepStrictEqual } from 'node:util';
import { type DockerEvent, matchesContainer } from '../docker/event.ts';
import { createDockerLink } from '../docker/link.ts';
import { createDockerTimes } from '../docker/times.ts';
import { createMemoryPositions } from '../logs/create-memory-positions.ts';
import type { Clock } from '../model/clock.ts';
import type { PositionTable } from '../model/log.ts';
import { type Probe, type ProbeKind, roundOf } from '../model/probe.ts';
import { settleWithin } from '../model/settle-within.ts';
import type { Snapshot } from '../model/snapshot.ts';
import { type Inventory, positionKeys, type RoundName, type Subnet, type Target, targetKey } from '../model/target.ts';
import { createBrowserLink } from '../probes/browser-link.ts';
import { createProbe, PROBE_KINDS, probeInputs } from '../probes/create-probe.ts';
import { createBoard } from './board.ts';
import { createConnectionBudget } from './create-connection-budget.ts';
import { createKeptPositions } from './create-kept-positions.ts';
import { createLogWatches, type LogWatchPlan } from './create-log-watches.ts';
import { createRound, type Round, type RoundEvents } from './create-round.ts';
import { keepValues } from './keep-values.ts';
import { createProbeRuns } from './probe-runs.ts';

/** Watches what the inventory lists, and knows how it stands. */
export interface Monitor {
  /**
   * Takes an inventory: at first, and instead of the one before. What did not change goes on undisturbed. Throws when it
   * cannot be watched, which is a bug; then the one before stays in force as it was.
   */
  load(inventory: Inventory): void;
  snapshot(): Snapshot;
  /** The usual gap between two runs of a round, in milliseconds. */
  intervalMs(subnet: string, round: RoundName): number | undefined;
  /** The schedules work. */
  isAlive(): boolean;
  /** An inventory is loaded, and the first RPC round of each of its subnets has ended once. */
  isReady(): boolean;
  isDockerUp(): boolean | undefined;
  /** Looks once at each target of the subnets, in the rounds given, outside of any schedule. */
  lookNow(wanted: (target: Target, round: RoundName) => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** What the monitor is given. */
export interface MonitorOptions extends RoundEvents {
  /** Docker threw lines of a target's log away before they were read, after the one with this time. */
  readonly onLogLost?: (target: Target, after: string, times: number) => void;
  readonly clock: Clock;
  /** False: nothing is looked at but by `lookNow`. */
  readonly scheduled: boolean;
  /** Where it is kept how far logs were read; without it, a restart of subnetd begins anew. */
  readonly positions?: PositionTable;
  /** How many connections of probes and how many log files may be open at once; by default what they would like. */
  readonly limits?: { readonly connections: number; readonly logFiles: number };
  /** Something in the monitor itself broke; the look counts as not made. */
  readonly onBug: (error: unknown) => void;
}

const ROUNDS = ['rpc', 'containers', 'services', 'logs', 'console'] as const;
const WATCHDOG_MS = 1_000;

/** What has been aborted ends at once; what cannot be aborted, such as a read from a dead disk, is left after this long. */
const READERS_END_MS = 800;
const LOOKS_END_MS = 2_500;

/** What is known of logs is at hand: a look at them only reads it. */
const LOGS_TIMEOUT_MS = 1_000;

/** The looks that a subnet's rounds make, and the rounds on their schedules. */
interface Watch {
  readonly subnet: Subnet;
  /** By their key. */
  readonly targets: ReadonlyMap<string, Target>;
  readonly probes: ReadonlyMap<RoundName, ReadonlyMap<Target, Probe>>;
  readonly rounds: readonly Round[];
}

/** A monitor without an inventory. */
export function createMonitor(options: MonitorOptions): Monitor {
  const { clock, scheduled, onFinished, onLate, onBug, limits } = options;
  const positions = options.positions && createKeptPositions(options.positions);
  const { now } = clock;
  const board = createBoard(clock.toWall);
  const runs = createProbeRuns(clock, board, onBug);
  let watches: readonly Watch[] = [];
  let ready = false;

  const onEvent = (event: DockerEvent) => {
    const at = clock.fromWall(event.at);
    for (const { subnet, probes } of watches) {
      for (const target of subnet.targets) {
        if (!target.container || !matchesContainer(target.container, event)) continue;
        board.addEvent(target, { ...event, at });
        if (event.action === 'start') logs.wake(target);
        const probe = probes.get('containers')?.get(target);
        if (probe) void runs.run(target, 'containers', probe);
      }
    }
  };
  const docker = createDockerLink(onEvent);
  const browsers = createBrowserLink();
  const connections = createConnectionBudget(limits?.connections);

  const onLogNews = (target: Target, urgent: boolean) => {
    const probe = watches.map(({ probes }) => probes.get('logs')?.get(target)).find((found) => found !== undefined);
    if (probe === undefined) return;
    // A verdict that is not good yet should not have to wait for the next round.
    const unsettled = board.checksOf(target).some(({ round, verdict }) => round === 'logs' && verdict !== 'pass');
    if (urgent || unsettled) void runs.run(target, 'logs', probe);
    else
      probe
        .run()
        .then((observation) => board.add(target, observation, now()))
        .catch(onBug);
  };
  const logs = createLogWatches(
    docker,
    positions ?? createMemoryPositions(),
    clock,
    onLogNews,
    limits?.logFiles,
    options.onLogLost,
  );

  /** For how long the process has run since it was last suspended. */
  const awakeMs = () => now() - clock.resumedAt();
  const toWatched = createDockerTimes(clock.fromWall);

  /** The probe of a watch that a new one of the same subnet can go on with. */
  const findKept = (before: Watch | undefined, kind: ProbeKind, subnet: Subnet, target: Target): Probe | undefined => {
    // Followers of logs are kept on their own.
    if (before === undefined || kind === 'logs') return undefined;
    const old = before.targets.get(targetKey(target));
    if (old === undefined) return undefined;
    const isSame = isDeepStrictEqual(probeInputs(kind, old, before.subnet), probeInputs(kind, target, subnet));
    return isSame ? before.probes.get(roundOf[kind](old))?.get(old) : undefined;
  };

  const probesOf = (some: readonly Watch[]) =>
    some.flatMap(({ probes }) => [...probes.values()].flatMap((own) => [...own.values()]));

  /** Ends the looks under way too, but those of probes that are kept: their connections are closed. */
  const close = async (watch: Watch, kept: ReadonlySet<Probe>): Promise<void> => {
    const stopped = watch.rounds.map((round) => round.stop());
    const ended = probesOf([watch])
      .filter((probe) => !kept.has(probe))
      .map((probe) => runs.close(probe));
    for (const result of await Promise.allSettled([...stopped, ...ended]))
      if (result.status === 'rejected') onBug(result.reason);
  };

  /** Everything is built and nothing begins; what was built before something threw is closed again. */
  const createWatch = (subnet: Subnet, before: Watch | undefined, plan: LogWatchPlan): Watch => {
    const probes = new Map(ROUNDS.map((round) => [round, new Map<Target, Probe>()]));
    const targets = new Map(subnet.targets.map((target) => [targetKey(target), target]));
    const tools = {
      docker,
      browsers,
      logs: plan.use,
      toWatched,
      keepsConnections: connections.keeps,
      now,
    };
    const rounds: Round[] = [];
    try {
      for (const kind of PROBE_KINDS)
        for (const target of subnet.targets) {
          const probe = findKept(before, kind, subnet, target) ?? createProbe(kind, target, subnet, tools);
          if (probe) probes.get(roundOf[kind](target))?.set(target, probe);
        }
      for (const [name, own] of probes) {
        if (own.size === 0 || !scheduled) continue;
        const lookAt = (target: Target) => runs.runInTurn(target, name, own.get(target) as Probe);
        const settings = { timeoutMs: LOGS_TIMEOUT_MS, ...subnet.checks[name] };
        const events = { onFinished, onLate, awakeMs };
        rounds.push(createRound(subnet, name, [...own.keys()], settings, lookAt, events, connections.slotsOf(name)));
      }
      return { subnet, targets, probes, rounds };
    } catch (error) {
      void close({ subnet, targets, probes, rounds }, new Set(probesOf(watches)));
      throw error;
    }
  };

  /** Either all of it is built, or nothing has changed. */
  const build = (inventory: Inventory) => {
    const subnets = inventory.subnets.map((subnet) =>
      keepValues(subnet, watches.find((watch) => watch.subnet.name === subnet.name)?.subnet),
    );
    const plan = logs.prepare();
    const made: Watch[] = [];
    try {
      const next = subnets.map((subnet) => {
        const known = watches.find((watch) => watch.subnet.name === subnet.name);
        if (known?.subnet === subnet) return known;
        const watch = createWatch(subnet, known, plan);
        made.push(watch);
        return watch;
      });
      board.load({ ...inventory, subnets }, now());
      return { next, made, plan };
    } catch (error) {
      plan.abandon();
      const running = new Set(probesOf(watches));
      for (const watch of made) void close(watch, running);
      throw error;
    }
  };

  const watchdog = setInterval(() => {
    now();
    for (const { rounds } of watches) for (const round of rounds) round.wake();
  }, WATCHDOG_MS);

  return {
    load: (inventory) => {
      const { next, made, plan } = build(inventory);
      const needsDocker = inventory.subnets.some(({ targets }) => targets.some(({ container }) => container));
      docker.use(needsDocker ? inventory.docker : undefined);
      connections.expect(next.map(({ probes }) => probes));
      const before = watches;
      watches = next;
      const probes = new Set(probesOf(next));
      for (const watch of before) if (!next.includes(watch)) void close(watch, probes);
      const targets = next.flatMap(({ subnet }) => subnet.targets);
      plan.commit(targets);
      positions?.keepOnly(new Set(targets.flatMap(positionKeys)));
      for (const { subnet, rounds } of made)
        for (const round of rounds) {
          round.start();
          // The first nodes were judged before the others had been read.
          round.first.then(() => board.judgeAgain(subnet, round.name, now())).catch(onBug);
        }
      const firsts = watches.flatMap(({ rounds }) =>
        rounds.filter(({ name }) => name === 'rpc').map(({ first }) => first),
      );
      void Promise.all(firsts).then(() => {
        // The first round of an inventory that was replaced ends with it, unfinished.
        if (watches === next) ready = true;
      });
    },
    snapshot: board.snapshot,
    intervalMs: (subnet, round) =>
      watches
        .find((watch) => watch.subnet.name === subnet)
        ?.rounds.find(({ name }) => name === round)
        ?.intervalMs(),
    isAlive: () => watches.every(({ rounds }) => rounds.every((round) => round.isAlive())),
    isReady: () => ready,
    isDockerUp: docker.isUp,
    lookNow: async (wanted) => {
      const started = watches.flatMap(({ probes }) =>
        [...probes].flatMap(([round, own]) =>
          [...own].filter(([target]) => wanted(target, round)).map(([target, probe]) => runs.run(target, round, probe)),
        ),
      );
      await Promise.all(started);
    },
    stop: async () => {
      clearInterval(watchdog);
      // First everything is aborted; only then is anything waited for, and nothing that hangs keeps positions from being saved.
      const ended = Promise.all([...watches.map((watch) => close(watch, new Set())), runs.settled()]);
      const readersEnded = settleWithin(READERS_END_MS, logs.stop());
      docker.stop();
      await Promise.all([
        positions?.stop(readersEnded.then(() => {})) ?? readersEnded,
        settleWithin(LOOKS_END_MS, ended),
      ]);
    },
  };
}
