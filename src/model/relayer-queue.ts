import type { WatchedMs } from '../lib/clock.ts';

/** The modes of the relayer. Each has its own queue. */
export type RelayerMode = 'full' | 'lite' | 'reverse_full' | 'zero' | 'reverse_zero';

/** The jobs of one mode of the relayer, as its queue board counts them (bull-board). They begin at 0 with each start. */
export interface RelayerQueue {
  readonly mode: RelayerMode;
  readonly isPaused: boolean;
  readonly active: number;
  readonly waiting: number;
  readonly delayed: number;
  readonly completed: number;
  readonly failed: number;
}

/** A queue over many probes. */
export interface QueueFacts extends RelayerQueue {
  /** When it was first read, or the relayer was last seen to have started. */
  readonly since: WatchedMs;
  /** When the number of completed jobs was last seen to rise; the same of failed ones. */
  readonly completedAt?: WatchedMs;
  readonly failedAt?: WatchedMs;
}

/** Whether a queue has, or had, a job: the queues of other modes stay at 0. */
export const hasJobs = ({ active, waiting, delayed, completed, failed }: RelayerQueue): boolean =>
  active + waiting + delayed + completed + failed > 0;

/** Whether its last jobs failed, as far as is known. */
export const failsNow = ({ completedAt = 0, failedAt = 0 }: QueueFacts): boolean => failedAt > completedAt;
