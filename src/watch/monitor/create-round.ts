import type { Slots } from '../../lib/promises.ts';
import type { RoundName, Schedule, Target } from '../../model/target.ts';
import { createTimer, type Due, toIntervalMs } from './create-timer.ts';
import { runRound } from './run-round.ts';

/** What a round reports while it runs. */
export interface RoundEvents {
  /** `seconds` does not include the deliberate spreading. */
  readonly onFinished: (subnet: string, round: RoundName, seconds: number) => void;
  /** A tick was late, or came while the previous run was not finished. */
  readonly onLate: (subnet: string, round: RoundName, why: 'overlap' | 'overdue') => void;
}

/** One round of one subnet on its schedule. */
export type Round = ReturnType<typeof createRound>;

/** The longest time over which the probes of a round are spread, however long the interval is. */
const MAX_SPREAD_MS = 30_000;

const OVERDUE_MS = 5_000;
const DEAD_MS = 60_000;

/** What a round needs. */
export interface RoundOptions extends RoundEvents {
  readonly subnet: string;
  readonly name: RoundName;
  readonly targets: readonly Target[];
  readonly schedule: Schedule;
  readonly timeoutMs: number;
  /** Probes a target. Never rejects. */
  readonly probe: (target: Target) => Promise<void>;
  /** How long the process has run since it was last suspended. */
  readonly awakeMs: () => number;
  /** Limits the probes that run at once over all rounds. */
  readonly slots?: Slots;
}

/**
 * Creates a round whose probes are spread over the interval. A target is never probed twice at once. One that still
 * hangs when it is due is probed again as soon as that probe ends, and no other target waits for it.
 */
export function createRound(options: RoundOptions) {
  const { subnet, name, schedule, timeoutMs, onFinished, onLate, awakeMs, slots } = options;
  let { targets, probe } = options;
  let present: ReadonlySet<Target> = new Set(targets);
  const stopping = new AbortController();
  const { promise: first, resolve: firstEnded } = Promise.withResolvers<void>();
  let hasEndedOnce = false;
  /** Is the last run still starting its probes? */
  let isStarting = false;
  const running = new Set<Promise<void>>();
  /** What was due at the start of each current run, the oldest first. */
  const dueOfRuns = new Set<Due>();
  /** The targets that are being probed, and those of them that are due again. */
  const busy = new Set<Target>();
  const due = new Set<Target>();

  /** Reports a late run, unless the process was suspended meanwhile. */
  const reportLate = (why: 'overlap' | 'overdue') => {
    if (awakeMs() >= OVERDUE_MS) onLate(subnet, name, why);
  };

  const probeTarget = async (target: Target): Promise<void> => {
    if (present.has(target)) {
      busy.add(target);
      await probe(target);
    }
    if (due.delete(target) && present.has(target)) void probeAgain(target);
    else busy.delete(target);
  };
  /** Not part of a run, so that no run waits for it. */
  const probeAgain = async (target: Target): Promise<void> => {
    await slots?.acquire();
    if (!stopping.signal.aborted) await probeTarget(target);
    slots?.release();
  };
  const run = (spreadMs: number): Promise<void> => {
    const next = { ...timer.due() };
    dueOfRuns.add(next);
    let isLate = false;
    const takeTurn = (target: Target): Promise<void> | undefined => {
      // An inventory that was loaded since the run began is without it.
      if (!present.has(target)) return undefined;
      if (!busy.has(target)) return probeTarget(target);
      if (due.has(target) && !isLate) {
        isLate = true;
        reportLate('overlap');
      }
      due.add(target);
      return undefined;
    };
    isStarting = true;
    const plan = { spreadMs, slots };
    const onAllBegun = () => {
      isStarting = false;
    };
    const ended = runRound(targets, plan, stopping.signal, takeTurn, onAllBegun).then((busyMs) => {
      running.delete(ended);
      dueOfRuns.delete(next);
      if (!stopping.signal.aborted) onFinished(subnet, name, busyMs / 1000);
    });
    running.add(ended);
    return ended;
  };
  const tick = () => {
    if (isStarting) reportLate('overlap');
    // The last probe must be able to end before the next tick.
    else void run(Math.min(MAX_SPREAD_MS, Math.max(0, timer.due().gapMs - timeoutMs)));
  };

  let timer = createTimer(schedule, tick);
  /** While the process was suspended, nothing was late. */
  const overdueMs = () => Math.min(performance.now() - timer.due().at, awakeMs());
  return {
    subnet,
    name,
    /** The time between two runs: until the next one, or if that is overdue, the shorter of it and the one after. */
    intervalMs: (): number => toIntervalMs(dueOfRuns.values().next().value ?? timer.due(), performance.now()),
    /** Resolves when the first round has ended. */
    first,
    /** Has the first round ended? */
    hasEndedOnce: (): boolean => hasEndedOnce,
    /** Runs the round at once, and then by its schedule. */
    start: (): void =>
      void run(0).then(() => {
        hasEndedOnce = true;
        firstEnded();
      }),
    /** Does the schedule work: is not a tick more than a minute late? */
    isAlive: (): boolean => overdueMs() < DEAD_MS,
    /** Runs the round if its tick is overdue; the watchdog calls this. */
    wake: (): void => {
      if (overdueMs() < OVERDUE_MS) return;
      reportLate('overdue');
      timer.stop();
      timer = createTimer(schedule, tick);
      tick();
    },
    /** Goes on with other targets on the same schedule. Those that were not among them before are probed at once. */
    continueWith: (work: Pick<RoundOptions, 'targets' | 'probe'>): void => {
      const added = work.targets.filter((target) => !present.has(target));
      ({ targets, probe } = work);
      present = new Set(targets);
      for (const target of due) if (!present.has(target)) due.delete(target);
      const ended = runRound(added, { spreadMs: 0, slots }, stopping.signal, probeTarget).then(() => {
        running.delete(ended);
      });
      running.add(ended);
    },
    /** Resolves when no probe is running any more. */
    stop: async (): Promise<void> => {
      stopping.abort();
      timer.stop();
      await Promise.all(running);
    },
  };
}
