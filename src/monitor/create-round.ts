import type { RoundName, Schedule, Subnet, Target } from '../model/target.ts';
import type { Slots } from './create-slots.ts';
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
export interface Round {
  readonly subnet: string;
  readonly name: RoundName;
  /** The time between two runs: until the next one, or if that is overdue the shorter of it and the one after. */
  intervalMs(): number;
  /** Resolves when the first round has ended. */
  readonly first: Promise<void>;
  /** Whether the schedule works: no tick is more than a minute late. */
  isAlive(): boolean;
  /** Runs the round at once, and by its schedule from then on. */
  start(): void;
  /** Runs the round if its tick is overdue; the watchdog calls this. */
  wake(): void;
  /** Resolves when no probe is running any more. */
  stop(): Promise<void>;
}

/** Probes that run at once: a round of 500 targets that all hang still ends within its interval. */
const CONCURRENCY = 256;

/** The probes of one round stay close in time, however long the interval is. */
const MAX_SPREAD_MS = 30_000;

const OVERDUE_MS = 5_000;
const DEAD_MS = 60_000;

/**
 * Creates a round. Its probes are spread over the interval. A target is never probed twice at once: one that still hangs
 * when its turn comes is probed again as soon as that probe ends, and no other target waits for it. `awakeMs` is how long
 * the process has run since it was last suspended.
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
  /** Whether the last run is still starting its probes, and the runs with a probe that has not ended. */
  let isBeginning = false;
  const running = new Set<Promise<void>>();
  /** What was due when each of these runs started, the oldest first: a run that does not end delays nothing. */
  const underWay = new Set<Due>();
  /** Targets that are being probed, and those of them that are due again. */
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
  /** Outside of the runs, so that none waits for it. */
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
    // The last probe has time to end before the next tick.
    else void run(Math.min(MAX_SPREAD_MS, Math.max(0, timer.due().gapMs - timeoutMs)));
  };

  let timer = createTimer(schedule, tick);
  /** While the process was suspended, nothing was late. */
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
