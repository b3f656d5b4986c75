import { isDeepStrictEqual } from 'node:util';
import { type DockerEvent, matchesContainer } from '../docker/event.ts';
import { createDockerLinks } from '../docker/links.ts';
import { createDockerTimes } from '../docker/times.ts';
import { createLogWatches, type LogWatchPlan } from '../logs/create-log-watches.ts';
import { createMemoryPositions } from '../logs/tail/create-memory-positions.ts';
import type { Clock } from '../model/clock.ts';
import type { PositionTable } from '../model/log.ts';
import { type ProbeKind, type Prober, roundOf } from '../model/prober.ts';
import type { Snapshot } from '../model/snapshot.ts';
import {
  engineOf,
  type Inventory,
  positionKeys,
  type RoundName,
  type Subnet,
  type Target,
  targetKey,
} from '../model/target.ts';
import { settleWithin } from '../model/within.ts';
import { createBrowserLink } from '../probes/browser-link.ts';
import { createProber, PROBE_KINDS, proberInputs } from '../probes/create-prober.ts';
import { foldLogHit } from '../rules/fold-logs.ts';
import { createBoard } from './board.ts';
import { createConnectionBudget } from './create-connection-budget.ts';
import { createKeptPositions } from './create-kept-positions.ts';
import { createRound, type Round, type RoundEvents } from './create-round.ts';
import { keepValues } from './keep-values.ts';
import { createProbeRuns } from './probe-runs.ts';

/** Watches what the inventory lists. */
export interface Monitor {
  /**
   * Takes the first inventory, or replaces it. What did not change goes on undisturbed. Throws when it cannot be watched,
   * which is a bug; the one before stays in force then.
   */
  load(inventory: Inventory): void;
  snapshot(): Snapshot;
  /** The usual gap between two runs of a round, in milliseconds. */
  intervalMs(subnet: string, round: RoundName): number | undefined;
  /** The schedules work. */
  isAlive(): boolean;
  /** An inventory is loaded, and the first RPC round of each of its subnets has ended once. */
  isReady(): boolean;
  /** Whether each Docker Engine that a target needs answers; undefined while that is not known. */
  enginesUp(): ReadonlyMap<string, boolean | undefined>;
  /** Probes each wanted target once, outside of any schedule. */
  probeNow(wanted: (target: Target, round: RoundName) => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** What the monitor needs. */
export interface MonitorOptions extends RoundEvents {
  /** Docker threw lines of a target's log away before they were read, after the one with this time. */
  readonly onLogLost?: (target: Target, after: string, times: number) => void;
  readonly clock: Clock;
  /** False: nothing is probed but by `probeNow`. */
  readonly scheduled: boolean;
  /** How far logs were read; without it, a restart of subnetd begins again. */
  readonly positions?: PositionTable;
  /** How many connections of probers and how many log files may be open at once; by default what they would like. */
  readonly limits?: { readonly connections: number; readonly logFiles: number };
  /** A bug in the monitor itself; the probe counts as not made. */
  readonly onBug: (error: unknown) => void;
}

const ROUNDS = ['rpc', 'containers', 'services', 'logs', 'console'] as const;
const WATCHDOG_MS = 1_000;

/** Aborted work ends at once. What cannot be aborted, such as a read from a dead disk, is left behind after this time. */
const READERS_END_MS = 800;
const PROBES_END_MS = 2_500;

/** Followers have read the logs already: this probe only copies what they know. */
const LOGS_TIMEOUT_MS = 1_000;

/** The probers of a subnet, and their rounds on their schedules. */
interface Watch {
  readonly subnet: Subnet;
  /** By their key. */
  readonly targets: ReadonlyMap<string, Target>;
  readonly probers: ReadonlyMap<RoundName, ReadonlyMap<Target, Prober>>;
  readonly rounds: readonly Round[];
}

/** Creates a monitor that has no inventory yet. */
export function createMonitor(options: MonitorOptions): Monitor {
  const { clock, scheduled, onFinished, onLate, onBug, limits } = options;
  const positions = options.positions && createKeptPositions(options.positions);
  const { now } = clock;
  const board = createBoard(clock.toWall);
  const runs = createProbeRuns(clock, board, onBug);
  let watches: readonly Watch[] = [];
  let ready = false;

  const onEvent = (event: DockerEvent, engine: string) => {
    const at = clock.fromWall(event.at);
    for (const { subnet, probers } of watches) {
      for (const target of subnet.targets) {
        const { container } = target;
        if (!container || engineOf(container) !== engine || !matchesContainer(container, event)) continue;
        board.addEvent(target, { ...event, at });
        if (event.action === 'start') logs.wake(target);
        const prober = probers.get('containers')?.get(target);
        if (prober) void runs.run(target, 'containers', prober);
      }
    }
  };
  const docker = createDockerLinks(onEvent);
  const browsers = createBrowserLink();
  const connections = createConnectionBudget(limits?.connections);

  const onLogNews = (target: Target, urgent: boolean) => {
    const prober = watches.map(({ probers }) => probers.get('logs')?.get(target)).find((found) => found !== undefined);
    if (prober === undefined) return;
    // A verdict that is not good yet should not have to wait for the next round.
    const unsettled = board.checksOf(target).some(({ round, verdict }) => round === 'logs' && verdict !== 'pass');
    if (urgent || unsettled) void runs.run(target, 'logs', prober);
    else
      prober
        .probe()
        .then((observation) => board.add(target, observation, now()))
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

  /** For how long the process has run since it was last suspended. */
  const awakeMs = () => now() - clock.resumedAt();
  const toWatched = createDockerTimes(clock.fromWall);

  /** The prober of the watch before that can go on under a new inventory. */
  const findKept = (before: Watch | undefined, kind: ProbeKind, subnet: Subnet, target: Target): Prober | undefined => {
    // Followers of logs are kept on their own.
    if (before === undefined || kind === 'logs') return undefined;
    const old = before.targets.get(targetKey(target));
    if (old === undefined) return undefined;
    const isSame = isDeepStrictEqual(proberInputs(kind, old, before.subnet), proberInputs(kind, target, subnet));
    return isSame ? before.probers.get(roundOf[kind](old))?.get(old) : undefined;
  };

  const probersOf = (some: readonly Watch[]) =>
    some.flatMap(({ probers }) => [...probers.values()].flatMap((own) => [...own.values()]));

  /** Stops the rounds, and aborts the probes of all probers but those that are kept. */
  const close = async (watch: Watch, kept: ReadonlySet<Prober>): Promise<void> => {
    const stopped = watch.rounds.map((round) => round.stop());
    const ended = probersOf([watch])
      .filter((prober) => !kept.has(prober))
      .map((prober) => runs.close(prober));
    for (const result of await Promise.allSettled([...stopped, ...ended]))
      if (result.status === 'rejected') onBug(result.reason);
  };

  /** Everything is built and nothing begins; what was built before something threw is closed again. */
  const createWatch = (subnet: Subnet, before: Watch | undefined, plan: LogWatchPlan): Watch => {
    const probers = new Map(ROUNDS.map((round) => [round, new Map<Target, Prober>()]));
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
          const prober = findKept(before, kind, subnet, target) ?? createProber(kind, target, subnet, tools);
          if (prober) probers.get(roundOf[kind](target))?.set(target, prober);
        }
      for (const [name, own] of probers) {
        if (own.size === 0 || !scheduled) continue;
        const probeTarget = (target: Target) => runs.runInTurn(target, name, own.get(target) as Prober);
        const settings = { timeoutMs: LOGS_TIMEOUT_MS, ...subnet.checks[name] };
        const events = { onFinished, onLate, awakeMs };
        rounds.push(
          createRound(subnet, name, [...own.keys()], settings, probeTarget, events, connections.slotsOf(name)),
        );
      }
      return { subnet, targets, probers, rounds };
    } catch (error) {
      void close({ subnet, targets, probers, rounds }, new Set(probersOf(watches)));
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
      const running = new Set(probersOf(watches));
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
      const used = new Set(
        inventory.subnets.flatMap(({ targets }) =>
          targets.flatMap(({ container }) => (container ? [engineOf(container)] : [])),
        ),
      );
      docker.setEngines(Object.fromEntries(Object.entries(inventory.engines).filter(([name]) => used.has(name))));
      connections.expect(next.map(({ probers }) => probers));
      const before = watches;
      watches = next;
      const probers = new Set(probersOf(next));
      for (const watch of before) if (!next.includes(watch)) void close(watch, probers);
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
    enginesUp: docker.areUp,
    probeNow: async (wanted) => {
      const started = watches.flatMap(({ probers }) =>
        [...probers].flatMap(([round, own]) =>
          [...own]
            .filter(([target]) => wanted(target, round))
            .map(([target, prober]) => runs.run(target, round, prober)),
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
        settleWithin(PROBES_END_MS, ended),
      ]);
    },
  };
}
