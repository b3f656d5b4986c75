import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../lib/clock.ts';
import type { SubnetObservation, SubnetProbeKind, SubnetProber } from '../../model/subnet-facts.ts';
import type { ContainerRef, Subnet, Target } from '../../model/target.ts';
import type { DockerEvent } from '../docker/events.ts';
import { createMonitorExposure } from '../probes/setup/create-monitor-exposure.ts';
import { createPace } from '../probes/setup/setup-tools.ts';
import {
  createSubnetProber,
  SUBNET_PROBE_KINDS,
  type SubnetProberTools,
  subnetProberInputs,
} from '../probes/subnet-probers.ts';

/** Where subnetd itself is on this machine. */
export interface OwnPlace {
  /** At which it listens. Without it, subnetd does not ask what it shows to anyone. */
  readonly port?: number | undefined;
  /** In which it writes. */
  readonly folders?: readonly string[];
}

/** Dependencies and settings of the probes. */
export interface SubnetProbesOptions {
  readonly clock: Pick<Clock, 'now' | 'toWall' | 'resumedAt'>;
  /** False: only `probeNow` starts probes. */
  readonly scheduled: boolean;
  readonly docker: SubnetProberTools['docker'];
  readonly keepsConnections: () => boolean;
  readonly own?: OwnPlace | undefined;
  readonly onSeen: (subnet: string, observation: SubnetObservation) => void;
  readonly onBug: (error: unknown) => void;
}

/** What makes a list of containers another one. */
const COMES_OR_GOES = ['start', 'die', 'destroy'];

/** A container that has started is probed after this time: it needs some to start, and others may start with it. */
export const AFTER_START_MS = 30_000;

/** What is gone is not waited for, unless another one starts in its place. */
const AFTER_END_MS = 2_000;

/** So many lines about one failure come together. */
const AFTER_FAILURE_MS = 500;

/** A probe with its timer. */
type Running = ReturnType<typeof createRunning>;

function createRunning(prober: SubnetProber, subnet: Subnet, options: SubnetProbesOptions) {
  const { clock, onSeen, onBug } = options;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;
  let soonMs = 0;
  let current: Promise<void> | undefined;
  let nextMs = prober.everyMs;

  /** A probe during which the process was suspended may have failed for that reason, so it is repeated. */
  const probe = async () => {
    for (;;) {
      const started = clock.now();
      const observation = await prober.probe(stopping.signal);
      if (stopping.signal.aborted) return;
      nextMs = observation.againMs ?? prober.everyMs;
      if (clock.resumedAt() <= started) return onSeen(subnet.name, observation);
    }
  };
  const run = () => {
    current ??= probe()
      .catch(onBug)
      .finally(() => {
        current = undefined;
      });
    return current;
  };
  const runRepeatedly = () => {
    const started = performance.now();
    void run().then(() => {
      if (stopping.signal.aborted) return;
      timer = setTimeout(runRepeatedly, Math.max(0, nextMs - (performance.now() - started)));
    });
  };
  const runSoonIf = (isOutdated: boolean | undefined, afterMs = AFTER_START_MS) => {
    if (isOutdated !== true || !options.scheduled || (soon !== undefined && afterMs <= soonMs)) return;
    clearTimeout(soon);
    soonMs = afterMs;
    soon = setTimeout(() => {
      soon = undefined;
      void run();
    }, afterMs);
  };
  return {
    subnet: subnet.name,
    kind: prober.kind,
    inputs: subnetProberInputs(prober.kind, subnet),
    run,
    start: (): void => {
      if (prober.firstAfterMs === undefined) runRepeatedly();
      else timer = setTimeout(runRepeatedly, prober.firstAfterMs);
    },
    containerStarted: (target: Target, containerId: string): void =>
      runSoonIf(prober.isOutdatedBy?.(target, containerId)),
    targetFailed: (target: Target): void => {
      const afterMs = prober.doubtedAfterMs?.(target);
      runSoonIf(afterMs !== undefined, Math.max(afterMs ?? 0, AFTER_FAILURE_MS));
    },
    projectChanged: (engine: string, project: string | undefined, hasStarted: boolean): void =>
      runSoonIf(prober.isProjectOutdated?.(engine, project), hasStarted ? AFTER_START_MS : AFTER_END_MS),
    stop: (): void => {
      stopping.abort();
      clearTimeout(timer);
      clearTimeout(soon);
      prober.close?.();
    },
  };
}

/**
 * The probes of subnets as a whole. They have their own timers, so none delays a round, nor another probe.
 * Starts without an inventory.
 */
export function createSubnetProbes(options: SubnetProbesOptions) {
  const { clock, scheduled, docker, own: { port: ownPort, folders = [] } = {} } = options;
  const stopping = new AbortController();
  let running: readonly Running[] = [];
  let named: readonly ContainerRef[] = [];
  let firstName: string | undefined;
  const tools: SubnetProberTools = {
    docker,
    keepsConnections: options.keepsConnections,
    ownFolders: (subnet) => (subnet === firstName ? folders : []),
    now: clock.now,
    wall: () => clock.toWall(clock.now()),
    namedContainers: () => named,
    known: new WeakMap(),
    takeTurn: scheduled ? createPace(clock.now) : () => 0,
    ...(ownPort !== undefined && { readMonitor: createMonitorExposure(ownPort, clock.now, stopping.signal) }),
  };

  return {
    /** Takes the subnets of a new inventory. A probe with the same inputs keeps running. */
    load: (subnets: readonly Subnet[]): void => {
      firstName = subnets[0]?.name;
      named = subnets.flatMap(({ targets }) => targets.flatMap(({ container }) => container ?? []));
      const before = Map.groupBy(running, ({ subnet }) => subnet);
      const next = subnets.flatMap((subnet) =>
        SUBNET_PROBE_KINDS.flatMap((kind) => {
          const known = before.get(subnet.name)?.find((one) => one.kind === kind);
          if (known !== undefined && isDeepStrictEqual(known.inputs, subnetProberInputs(kind, subnet))) return [known];
          const prober = createSubnetProber(kind, subnet, tools);
          return prober === undefined ? [] : [createRunning(prober, subnet, options)];
        }),
      );
      const [kept, known] = [new Set(next), new Set(running)];
      for (const one of running) if (!kept.has(one)) one.stop();
      const started = next.filter((one) => !known.has(one));
      running = next;
      if (scheduled) for (const one of started) one.start();
    },
    /** Runs each probe of these kinds once, outside of its schedule. */
    probeNow: async (kinds: readonly SubnetProbeKind[]): Promise<void> => {
      await Promise.all(running.filter(({ kind }) => kinds.includes(kind)).map(({ run }) => run()));
    },
    /** A container of a target has started. If that makes something outdated, it is probed soon. */
    containerStarted: (target: Target, containerId: string): void => {
      for (const one of running) if (one.subnet === target.subnet) one.containerStarted(target, containerId);
    },
    /** The log of a target has a new error. What that makes doubtful is probed soon. */
    targetFailed: (target: Target): void => {
      for (const one of running) if (one.subnet === target.subnet) one.targetFailed(target);
    },
    /** Something has happened to a container of no target. If its project was listed and is another now, it is listed soon. */
    onOtherContainer: ({ action, project }: Pick<DockerEvent, 'action' | 'project'>, engine: string): void => {
      if (!COMES_OR_GOES.includes(action)) return;
      for (const one of running) one.projectChanged(engine, project, action === 'start');
    },
    /** Aborts the current probes. */
    stop: (): void => {
      stopping.abort();
      for (const { stop } of running) stop();
    },
  };
}
