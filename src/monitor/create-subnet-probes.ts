import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../model/clock.ts';
import type { SubnetObservation, SubnetProbeKind, SubnetProber } from '../model/subnet-facts.ts';
import type { Subnet } from '../model/target.ts';
import { createSubnetProber, SUBNET_PROBE_KINDS, subnetProberInputs } from '../probes/subnet-probers.ts';

/** The probes of subnets as a whole. They have their own timers, so none delays a round, nor another probe. */
export interface SubnetProbes {
  /** Takes the subnets of a new inventory. A probe with the same inputs keeps running. */
  load(subnets: readonly Subnet[]): void;
  /** Runs each probe of these kinds once, outside of its schedule. */
  probeNow(kinds: readonly SubnetProbeKind[]): Promise<void>;
  /** Aborts the current probes. */
  stop(): void;
}

/** Dependencies and settings of the probes. */
export interface SubnetProbesOptions {
  readonly clock: Pick<Clock, 'now' | 'resumedAt'>;
  /** False: only `probeNow` starts probes. */
  readonly scheduled: boolean;
  readonly onSeen: (subnet: string, observation: SubnetObservation) => void;
  readonly onBug: (error: unknown) => void;
}

/** A probe with its timer. */
interface Running {
  readonly subnet: string;
  readonly kind: SubnetProbeKind;
  readonly inputs: unknown;
  readonly run: () => Promise<void>;
  readonly start: () => void;
  readonly stop: () => void;
}

function createRunning(prober: SubnetProber, subnet: Subnet, options: SubnetProbesOptions): Running {
  const { clock, onSeen, onBug } = options;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let current: Promise<void> | undefined;

  /** A probe during which the process was suspended may have failed for that reason, so it is repeated. */
  const probe = async () => {
    for (;;) {
      const started = clock.now();
      const observation = await prober.probe(stopping.signal);
      if (stopping.signal.aborted) return;
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
  const runAndWait = () => {
    const started = performance.now();
    void run().then(() => {
      if (stopping.signal.aborted) return;
      timer = setTimeout(runAndWait, Math.max(0, prober.everyMs - (performance.now() - started)));
    });
  };
  return {
    subnet: subnet.name,
    kind: prober.kind,
    inputs: subnetProberInputs(prober.kind, subnet),
    run,
    start: () => {
      if (prober.firstAfterMs === undefined) runAndWait();
      else timer = setTimeout(runAndWait, prober.firstAfterMs);
    },
    stop: () => {
      stopping.abort();
      clearTimeout(timer);
    },
  };
}

/** Starts without an inventory. */
export function createSubnetProbes(options: SubnetProbesOptions): SubnetProbes {
  let running: readonly Running[] = [];

  const findSame = (kind: SubnetProbeKind, subnet: Subnet): Running | undefined =>
    running.find(
      (one) =>
        one.kind === kind &&
        one.subnet === subnet.name &&
        isDeepStrictEqual(one.inputs, subnetProberInputs(kind, subnet)),
    );

  return {
    load: (subnets) => {
      const next = subnets.flatMap((subnet) =>
        SUBNET_PROBE_KINDS.flatMap((kind) => {
          const same = findSame(kind, subnet);
          if (same !== undefined) return [same];
          const prober = createSubnetProber(kind, subnet);
          return prober === undefined ? [] : [createRunning(prober, subnet, options)];
        }),
      );
      for (const one of running) if (!next.includes(one)) one.stop();
      const started = next.filter((one) => !running.includes(one));
      running = next;
      if (options.scheduled) for (const one of started) one.start();
    },
    probeNow: async (kinds) => {
      await Promise.all(running.filter(({ kind }) => kinds.includes(kind)).map(({ run }) => run()));
    },
    stop: () => {
      for (const { stop } of running) stop();
    },
  };
}
