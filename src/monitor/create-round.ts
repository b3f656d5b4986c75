import type { RoundName, Schedule, Subnet, Target } from '../model/target.ts';
import type { Slots } from './create-slots.ts';
import { createTimer, type Due, toIntervalMs } from './create-timer.ts';
import { runRound } from './run-round.ts';

/** What a round reports while it runs. */
export interface RoundEvents {
  /** `seconds` without the deliberate spreading. */
  readonly onFinished: (subnet: string, round: RoundName, seconds: number) => void;
  /** A tick came while probes of the one before had not begun or a target still hung in one, or did not come in time. */
  readonly onLate: (subnet: string, round: RoundName, why: 'overlap' | 'overdue') => void;
}

/** One round of one subnet on its schedule. */
export interface Round {
  readonly subnet: string;
  readonly name: RoundName;
  /** The gap between two runs: that to the next one, or once that is overdue the shorter of it and the one after. */
  intervalMs(): number;
  /** Resolves when the first round has ended. */
  readonly first: Promise<void>;
  /** The schedule works: no tick is more than a minute late. */
  isAlive(): boolean;
  /** Runs the round for the first time, and by its schedule from then on. */
  start(): void;
  /** Runs the round when its tick is overdue, which is the watchdog's work. */
  wake(): void;
  /** Resolves when no look is under way any more. */
  stop(): Promise<void>;
}

/** Looks under way at once: a round of 500 targets that all hang still ends within its interval. */
const CONCURRENCY = 256;

/** Readings of one round stay near each other in time, however long the interval. */
const MAX_SPREAD_MS = 30_000;

const OVERDUE_MS = 5_000;
const DEAD_MS = 60_000;

/**
 * Once started, runs the round at once, then by its schedule, the probes spread over the interval. A target is never probed
 * twice at once: one that still hangs when its turn comes is probed again as soon as that has ended, and no other waits
 * for it. `awakeMs` gives for how long the process has run since it was last suspended.
 */
export function createRound(
  { name: subnet }: Subnet,
  name: RoundName,
  targets: readonly Target[],
  { schedule, timeoutMs }: { readonly schedule: Schedule; readonly timeoutMs: number },
  look: (target: Target) => Promise<void>,
  { onFinished, onLate, awakeMs }: RoundEvents & { readonly awakeMs: () => number },
  slots?: Slots,
): Round {
  const stopping = new AbortController();
  const { promise: first, resolve: firstEnded } = Promise.withResolvers<void>();
  /** Is the last run still beginning its probes? And the runs of which some probe has not ended. */
  let isBeginning = false;
  const running = new Set<Promise<void>>();
  /** What was due when each of these runs began, the oldest first: a run that does not end puts nothing off. */
  const underWay = new Set<Due>();
  /** Targets that are being probed, and those of them whose turn has come again. */
  const busy = new Set<Target>();
  const due = new Set<Target>();

  /** What was under way while the process was suspended has not been late by that. */
  const late = (why: 'overlap' | 'overdue') => {
    if (awakeMs() >= OVERDUE_MS) onLate(subnet, name, why);
  };

  const probeTarget = async (target: Target): Promise<void> => {
    busy.add(target);
    await look(target);
    if (due.delete(target)) void lookAgain(target);
    else busy.delete(target);
  };
  /** Outside of any run, so that none waits for it. */
  const lookAgain = async (target: Target): Promise<void> => {
    await slots?.take();
    if (!stopping.signal.aborted) await probeTarget(target);
    slots?.free();
  };
  const run = (spreadMs: number): Promise<void> => {
    const next = { ...timer.due() };
    underWay.add(next);
    let isLate = false;
    const takeTurn = async (target: Target): Promise<void> => {
      if (!busy.has(target)) return probeTarget(target);
      if (due.has(target) && !isLate) {
        isLate = true;
        late('overlap');
      }
      due.add(target);
    };
    isBeginning = true;
    const plan = { spreadMs, concurrency: CONCURRENCY, slots };
    const onAllBegun = () => {
      isBeginning = false;
    };
    const ended = runRound(targets, plan, stopping.signal, takeTurn, onAllBegun).then((busyMs) => {
      running.delete(ended);
      underWay.delete(next);
      if (!stopping.signal.aborted) onFinished(subnet, name, busyMs / 1000);
    });
    running.add(ended);
    return ended;
  };
  const tick = () => {
    if (isBeginning) late('overlap');
    // The last look has time to end before the next tick.
    else void run(Math.min(MAX_SPREAD_MS, Math.max(0, timer.due().gapMs - timeoutMs)));
  };

  let timer = createTimer(schedule, tick);
  /** A process that was suspended has not been late while it was. */
  const overdueMs = () => Math.min(performance.now() - timer.due().at, awakeMs());
  return {
    subnet,
    name,
    intervalMs: () => toIntervalMs(underWay.values().next().value ?? timer.due(), performance.now()),
    first,
    start: () => void run(0).then(firstEnded),
    isAlive: () => overdueMs() < DEAD_MS,
    wake: () => {
      if (overdueMs() < OVERDUE_MS) return;
      late('overdue');
      timer.stop();
      timer = createTimer(schedule, tick);
      tick();
    },
    stop: async () => {
      stopping.abort();
      timer.stop();
      await Promise.all(running);
    },
  };
}
