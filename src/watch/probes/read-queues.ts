import { isRecord } from '../../lib/record.ts';
import type { RelayerMode, RelayerQueue } from '../../model/relayer-queue.ts';
import { toCount } from './chain-values.ts';

/** The queues by their names (XDC-Relayer src/processors). */
const MODES: ReadonlyMap<unknown, RelayerMode> = new Map([
  ['FULL', 'full'],
  ['LITE', 'lite'],
  ['REVERSE_FULL', 'reverse_full'],
  ['ZERO', 'zero'],
  ['REVERSE_ZERO', 'reverse_zero'],
]);

const countOf = (value: unknown): number => toCount(value) ?? 0;

function toQueue(value: unknown): readonly RelayerQueue[] {
  if (!isRecord(value) || !isRecord(value.counts)) return [];
  const mode = MODES.get(value.name);
  const { active, waiting, paused, delayed, completed, failed } = value.counts;
  if (mode === undefined) return [];
  return [
    {
      mode,
      isPaused: value.isPaused === true,
      active: countOf(active),
      // Bull moves waiting jobs to another list while the queue is paused.
      waiting: countOf(waiting) + countOf(paused),
      delayed: countOf(delayed),
      completed: countOf(completed),
      failed: countOf(failed),
    },
  ];
}

/** Reads the queues that the board of the relayer lists, the first of each mode; unknown ones are left out. */
export function readQueues(queues: readonly unknown[]): readonly RelayerQueue[] {
  const known = queues.flatMap(toQueue);
  return known.filter(({ mode }, index) => known.findIndex((one) => one.mode === mode) === index);
}
