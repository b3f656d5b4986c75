import { isRecord } from '../model/record.ts';
import type { RelayerMode, RelayerQueue } from '../model/relayer-queue.ts';

/** The queues by their names (XDC-Relayer src/processors). */
const MODES: Readonly<Record<string, RelayerMode>> = {
  FULL: 'full',
  LITE: 'lite',
  REVERSE_FULL: 'reverse_full',
  ZERO: 'zero',
  REVERSE_ZERO: 'reverse_zero',
};

const toCount = (value: unknown): number => (typeof value === 'number' && value > 0 ? Math.floor(value) : 0);

function toQueue(value: unknown): readonly RelayerQueue[] {
  if (!isRecord(value) || !isRecord(value.counts)) return [];
  const mode = MODES[String(value.name)];
  const { active, waiting, paused, delayed, completed, failed } = value.counts;
  if (mode === undefined) return [];
  return [
    {
      mode,
      isPaused: value.isPaused === true,
      active: toCount(active),
      // Bull moves waiting jobs to another list while the queue is paused.
      waiting: toCount(waiting) + toCount(paused),
      delayed: toCount(delayed),
      completed: toCount(completed),
      failed: toCount(failed),
    },
  ];
}

/** Reads the queues that the board of the relayer lists; unknown ones are left out. */
export const readQueues = (queues: readonly unknown[]): readonly RelayerQueue[] => queues.flatMap(toQueue);
