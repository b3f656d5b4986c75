import type { Clock } from '../../lib/clock.ts';
import { limitRuns } from '../../lib/promises.ts';
import type { Prober } from '../../model/prober.ts';
import type { RoundName, Target } from '../../model/target.ts';
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
   * Probes a target outside of its rounds because of an event or a line of its log, and diagnoses its subnet if a verdict changed.
   * Thousands of events at once start few runs, and one begins after the last event.
   */
  runForNews(target: Target, round: RoundName, prober: Prober): void;
  /** Aborts the current run and closes connections. Its result is not recorded. */
  close(prober: Prober): Promise<void>;
  /** Resolves when the current runs have ended. */
  settled(): Promise<unknown>;
}

/** What is known of the runs of one prober. */
interface Runs {
  isClosed: boolean;
  /** The number of the newest run that was recorded. */
  recorded: number;
  /** Resolves when the runs in turn have ended. */
  turn: Promise<void>;
  /** What runs the prober for news, and the target that the last of them was about. */
  news?: { target: Target; readonly start: () => void };
}

const NOTHING_RUNS = Promise.resolve();

/** What is told of runs. */
interface ProbeRunEvents {
  readonly onRecorded: (target: Target, round: RoundName) => void;
  /** What a prober throws; such a run does not count. */
  readonly onBug: (error: unknown) => void;
}

export function createProbeRuns(
  { now, resumedAt }: Clock,
  board: Board,
  { onRecorded, onBug }: ProbeRunEvents,
): ProbeRuns {
  // One record holds all that changes: each entry that is set in a WeakMap costs time in every collection of garbage.
  const runsOfAll = new WeakMap<Prober, Runs>();
  /** By their numbers. */
  const running = new Map<number, Promise<void>>();
  let started = 0;

  const runsOf = (prober: Prober): Runs => {
    const known = runsOfAll.get(prober);
    if (known !== undefined) return known;
    const runs: Runs = { isClosed: false, recorded: 0, turn: NOTHING_RUNS };
    runsOfAll.set(prober, runs);
    return runs;
  };

  const probe = async (target: Target, round: RoundName, prober: Prober, runs: Runs, number: number) => {
    try {
      for (;;) {
        const startedAt = now();
        const observation = await prober.probe();
        const endedAt = now();
        // A run during which the process was suspended may have timed out for that reason, so it is repeated.
        if (resumedAt() > startedAt) continue;
        if (runs.isClosed || number < runs.recorded) return;
        runs.recorded = number;
        board.recordRun(target, round, observation, (endedAt - startedAt) / 1000, endedAt);
        onRecorded(target, round);
        return;
      }
    } catch (error) {
      onBug(error);
    } finally {
      running.delete(number);
    }
  };

  const run: ProbeRuns['run'] = (target, round, prober) => {
    started += 1;
    const done = probe(target, round, prober, runsOf(prober), started);
    running.set(started, done);
    return done;
  };

  return {
    run,
    runInTurn: (target, round, prober) => {
      const runs = runsOf(prober);
      runs.turn = runs.turn.then(() => run(target, round, prober));
      return runs.turn;
    },
    runForNews: (target, round, prober) => {
      const runs = runsOf(prober);
      const news = runs.news ?? {
        target,
        start: limitRuns(async () => {
          if (runs.isClosed) return;
          await run(news.target, round, prober)
            .then(() => board.diagnoseChanged(now()))
            .catch(onBug);
        }),
      };
      news.target = target;
      runs.news = news;
      news.start();
    },
    close: async (prober) => {
      runsOf(prober).isClosed = true;
      await prober.close();
    },
    settled: () => Promise.all(running.values()),
  };
}
