import type { Clock } from '../model/clock.ts';
import { limitRuns } from '../model/limit-runs.ts';
import type { Prober } from '../model/prober.ts';
import type { RoundName, Target } from '../model/target.ts';
import type { Board } from './board.ts';

/** Runs probes and records their observations. */
export interface ProbeRuns {
  /**
   * Probes a target at once. Never rejects. Runs of one prober may overlap, because an event can start one. A result
   * that is older than the recorded one is dropped.
   */
  run(target: Target, round: RoundName, prober: Prober): Promise<void>;
  /** The same, but after the earlier runs in turn have ended: a connection carries one run at a time. */
  runInTurn(target: Target, round: RoundName, prober: Prober): Promise<void>;
  /**
   * Probes a target outside of its rounds because of news, and diagnoses its subnet again if a verdict changed. Of news that
   * come by the thousand, as from an engine or a log, not each one leads to a run, but a run begins after the last.
   */
  runForNews(target: Target, round: RoundName, prober: Prober): void;
  /** Aborts the current run and closes connections. Its result is not recorded. */
  close(prober: Prober): Promise<void>;
  /** Resolves when the current runs have ended. */
  settled(): Promise<unknown>;
}

/** `onBug` gets what a prober throws; such a run does not count. */
export function createProbeRuns({ now, resumedAt }: Clock, board: Board, onBug: (error: unknown) => void): ProbeRuns {
  const closed = new WeakSet<Prober>();
  const running = new Set<Promise<void>>();
  const recorded = new WeakMap<Prober, number>();
  const turns = new WeakMap<Prober, Promise<void>>();
  /** The target of a prober, and what runs it for news. */
  const news = new WeakMap<Prober, { target: Target; readonly start: () => void }>();
  let runs = 0;

  /** A run during which the process was suspended may have timed out for that reason, so it is repeated. */
  const runAwake = async (prober: Prober) => {
    for (;;) {
      const started = now();
      const observation = await prober.probe();
      if (resumedAt() <= started) return { observation, seconds: (now() - started) / 1000 };
    }
  };

  const run: ProbeRuns['run'] = (target, round, prober) => {
    runs += 1;
    const number = runs;
    const done = runAwake(prober)
      .then(({ observation, seconds }) => {
        if (closed.has(prober) || number < (recorded.get(prober) ?? 0)) return;
        recorded.set(prober, number);
        board.recordRun(target, round, observation, seconds, now());
      })
      .catch(onBug)
      .finally(() => running.delete(done));
    running.add(done);
    return done;
  };

  return {
    run,
    runInTurn: (target, round, prober) => {
      const turn = (turns.get(prober) ?? Promise.resolve()).then(() => run(target, round, prober));
      turns.set(prober, turn);
      return turn;
    },
    runForNews: (target, round, prober) => {
      const known = news.get(prober);
      const own = known ?? {
        target,
        start: limitRuns(async () => {
          if (closed.has(prober)) return;
          await run(own.target, round, prober)
            .then(() => board.diagnoseChanged(now()))
            .catch(onBug);
        }),
      };
      own.target = target;
      if (known === undefined) news.set(prober, own);
      own.start();
    },
    close: async (prober) => {
      closed.add(prober);
      await prober.close();
    },
    settled: () => Promise.all(running),
  };
}
