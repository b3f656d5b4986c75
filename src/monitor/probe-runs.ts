import type { Clock } from '../model/clock.ts';
import type { Probe } from '../model/probe.ts';
import type { RoundName, Target } from '../model/target.ts';
import type { Board } from './board.ts';

/** Lets targets be probed, and records each outcome. */
export interface ProbeRuns {
  /**
   * Probes a target at once; never rejects. Runs of one probe may overlap when an event calls for one: what an older run saw
   * is not recorded after a newer one.
   */
  run(target: Target, round: RoundName, probe: Probe): Promise<void>;
  /** The same when those that were asked for in turn before have ended, as a connection carries one run at a time. */
  runInTurn(target: Target, round: RoundName, probe: Probe): Promise<void>;
  /** Aborts the run under way and lets go of connections. What it still sees is its own end, and is not recorded. */
  close(probe: Probe): Promise<void>;
  /** Resolves when the runs that are under way have ended. */
  settled(): Promise<unknown>;
}

/** No run yet. `onBug` takes what a probe throws; such a run counts as not made. */
export function createProbeRuns({ now, resumedAt }: Clock, board: Board, onBug: (error: unknown) => void): ProbeRuns {
  const closed = new WeakSet<Probe>();
  const underWay = new Set<Promise<void>>();
  const recorded = new WeakMap<Probe, number>();
  const turns = new WeakMap<Probe, Promise<void>>();
  let runs = 0;

  /** A run in which the process was suspended may have timed out by that alone, so it is made again. */
  const runAwake = async (probe: Probe) => {
    for (;;) {
      const started = now();
      const observation = await probe.run();
      if (resumedAt() <= started) return { observation, seconds: (now() - started) / 1000 };
    }
  };

  const run: ProbeRuns['run'] = (target, round, probe) => {
    runs += 1;
    const number = runs;
    const done = runAwake(probe)
      .then(({ observation, seconds }) => {
        if (closed.has(probe) || number < (recorded.get(probe) ?? 0)) return;
        recorded.set(probe, number);
        board.record(target, round, observation, seconds, now());
      })
      .catch(onBug)
      .finally(() => underWay.delete(done));
    underWay.add(done);
    return done;
  };

  return {
    run,
    runInTurn: (target, round, probe) => {
      const turn = (turns.get(probe) ?? Promise.resolve()).then(() => run(target, round, probe));
      turns.set(probe, turn);
      return turn;
    },
    close: async (probe) => {
      closed.add(probe);
      await probe.close();
    },
    settled: () => Promise.all(underWay),
  };
}
