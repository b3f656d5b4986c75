import type { Client } from './create-client.ts';
import type { PostableAlert } from './to-alert.ts';

/** What has become of alerts, each counted once for each Alertmanager and attempt. */
export interface AlertCounts {
  sent: number;
  failed: number;
  dropped: number;
}

/** Tells one Alertmanager, at its own pace. */
export interface Sender {
  /** Queues alerts by key; one that still waits under the same key is replaced. */
  offer(alerts: ReadonlyMap<string, PostableAlert>): void;
  /** Gives what is queued and under way so long, then gives up. */
  stop(withinMs: number): Promise<void>;
}

/** What a sender is given; it adds to `counts`. */
export interface SenderOptions {
  readonly client: Client;
  readonly counts: AlertCounts;
  /** The most alerts that wait; beyond it the oldest are dropped. */
  readonly capacity?: number;
  readonly firstPauseMs?: number;
  /** Called when it begins to fail or fails in another way, and when it works again. */
  readonly onTrouble: (why: string) => void;
  readonly onFine: () => void;
}

const CAPACITY = 10_000;
const BATCH = 64;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** A sender with an empty queue. */
export function createSender(options: SenderOptions): Sender {
  const { client, counts, capacity = CAPACITY, firstPauseMs = FIRST_PAUSE_MS, onTrouble, onFine } = options;
  const queue = new Map<string, PostableAlert>();
  let trouble: string | undefined;
  let pauseMs = firstPauseMs;
  let stopped = false;
  let endPause = () => {};

  const pause = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pauseMs);
      endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  const trim = () => {
    for (const oldest of queue.keys()) {
      if (queue.size <= capacity) return;
      queue.delete(oldest);
      counts.dropped += 1;
    }
  };
  /** Puts back what could not be told; what has come under the same key meanwhile is newer. */
  const putBack = (batch: readonly (readonly [string, PostableAlert])[]) => {
    const newer = [...queue];
    queue.clear();
    for (const [key, alert] of [...batch, ...newer]) queue.set(key, alert);
    trim();
  };

  const sendBatch = async () => {
    const batch = [...queue.entries()].slice(0, BATCH);
    for (const [key] of batch) queue.delete(key);
    const answer = await client.call(
      'POST',
      '/alerts',
      batch.map(([, alert]) => alert),
    );
    if (answer.ok) {
      counts.sent += batch.length;
      pauseMs = firstPauseMs;
      if (trouble !== undefined && !stopped) onFine();
      trouble = undefined;
      return;
    }
    counts.failed += batch.length;
    if (trouble !== answer.why && !stopped) onTrouble(answer.why);
    trouble = answer.why;
    // A refused batch may have been taken in part, and would be refused again: all that fires is told again within a minute.
    if (!answer.again) return;
    putBack(batch);
    if (!stopped) await pause();
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  };

  let pumping: Promise<void> | undefined;
  const pump = async () => {
    while (queue.size > 0 && !(stopped && trouble !== undefined)) await sendBatch();
    pumping = undefined;
  };

  return {
    offer: (alerts) => {
      if (stopped) return;
      for (const [key, alert] of alerts) queue.set(key, alert);
      trim();
      if (queue.size > 0) pumping ??= pump();
    },
    stop: async (withinMs) => {
      stopped = true;
      endPause();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, withinMs);
      await Promise.race([pumping, late]);
      clearTimeout(timer);
      await client.close();
      await pumping;
    },
  };
}
