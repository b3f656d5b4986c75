import type { Prober } from '../../model/prober.ts';
import { type RoundName, type Subnet, type Target, targetKey } from '../../model/target.ts';
import type { ProbeRuns } from './probe-runs.ts';
import type { ConnectionBudget } from './slots.ts';

type Probers = ReadonlyMap<RoundName, ReadonlyMap<Target, Prober>>;

/** Probes targets because somebody asks for it, beside the rounds. */
export interface TargetProbes {
  /** Runs each probe of a target once. While one asked for is running, another only waits for its end. Never rejects. */
  probe(target: Target, probers: Probers): Promise<void>;
  /** Probes all nodes of a subnet and their containers once, but reads no log: what is seen was so after the call. Never rejects. */
  probeNodes(subnet: Subnet, probers: Probers): Promise<void>;
}

/** What it takes to probe a target. */
export interface TargetProbesOptions {
  readonly runs: Pick<ProbeRuns, 'runInTurn'>;
  readonly connections: Pick<ConnectionBudget, 'slotsOf'>;
  /** All probes of a target have ended. */
  readonly onEnded: () => void;
  readonly onBug: (error: unknown) => void;
}

export function createTargetProbes({ runs, connections, onEnded, onBug }: TargetProbesOptions): TargetProbes {
  const running = new Map<string, Promise<void>>();

  const runOne = async (target: Target, round: RoundName, prober: Prober) => {
    const slots = connections.slotsOf(round);
    await slots?.acquire();
    // In turn: the round may be probing the target now, over the same connection.
    await runs.runInTurn(target, round, prober);
    slots?.release();
  };

  return {
    probeNodes: async ({ targets }, probers) => {
      const nodes = targets.filter(({ component }) => component === 'node');
      const started = [...probers].flatMap(([round, byTarget]) =>
        nodes.flatMap((target) => {
          const prober = round === 'logs' ? undefined : byTarget.get(target);
          return prober === undefined ? [] : [runOne(target, round, prober)];
        }),
      );
      await Promise.all(started).catch(onBug);
    },
    probe: (target, probers) => {
      const key = targetKey(target);
      const known = running.get(key);
      if (known !== undefined) return known;
      const started = [...probers].flatMap(([round, byTarget]) => {
        const prober = byTarget.get(target);
        return prober === undefined ? [] : [runOne(target, round, prober)];
      });
      const ended = Promise.all(started)
        .then(() => {
          running.delete(key);
          onEnded();
        })
        .catch(onBug);
      running.set(key, ended);
      return ended;
    },
  };
}
