import { settleWithin, sleep } from '../../lib/promises.ts';
import type { Client } from './create-client.ts';
import type { PostableAlert } from './to-alert.ts';

/** Outcomes of sending alerts, counted per Alertmanager and attempt. */
export interface AlertCounts {
  sent: number;
  failed: number;
  dropped: number;
}

/** Sends alerts to one Alertmanager, at its own pace. */
export type Sender = ReturnType<typeof createSender>;

/** What a sender needs; it adds to `counts`. */
export interface SenderOptions {
  readonly client: Client;
  readonly counts: AlertCounts;
  /** The longest queue; beyond it the oldest alerts are dropped. */
  readonly capacity?: number;
  readonly firstPauseMs?: number;
  /** Called when sending starts to fail or fails for a new reason, and when it works again. */
  readonly onFailure: (why: string) => void;
  /** The Alertmanager has accepted these. */
  readonly onAccepted?: (alerts: readonly PostableAlert[]) => void;
  readonly onRecovery: () => void;
}

const CAPACITY = 10_000;
const BATCH = 64;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;

/** Creates a sender with an empty queue. */
export function createSender(options: SenderOptions) {
  const { client, counts, capacity = CAPACITY, firstPauseMs = FIRST_PAUSE_MS, onFailure, onRecovery } = options;
  const queue = new Map<string, PostableAlert>();
  /** What was forgotten while a batch is sent: it is not put back. */
  const forgotten = new Set<string>();
  let failure: string | undefined;
  let pauseMs = firstPauseMs;
  const stopping = new AbortController();
  const { signal } = stopping;

  const trim = () => {
    for (const oldest of queue.keys()) {
      if (queue.size <= capacity) return;
      queue.delete(oldest);
      counts.dropped += 1;
    }
  };
  /** Puts back what could not be sent; an alert queued in the meantime under the same key is newer. */
  const putBack = (batch: readonly (readonly [string, PostableAlert])[]) => {
    const newer = [...queue];
    queue.clear();
    const wanted = batch.filter(([key]) => !forgotten.has(key));
    for (const [key, alert] of [...wanted, ...newer]) queue.set(key, alert);
    trim();
  };

  const sendBatch = async () => {
    const batch = [...queue.entries().take(BATCH)];
    for (const [key] of batch) queue.delete(key);
    forgotten.clear();
    const answer = await client.call(
      'POST',
      '/alerts',
      batch.map(([, alert]) => alert),
    );
    if (answer.ok) {
      counts.sent += batch.length;
      options.onAccepted?.(batch.map(([, alert]) => alert));
      pauseMs = firstPauseMs;
      if (failure !== undefined && !signal.aborted) onRecovery();
      failure = undefined;
      return;
    }
    counts.failed += batch.length;
    if (failure !== answer.why && !signal.aborted) onFailure(answer.why);
    failure = answer.why;
    // A refused batch may have been accepted in part and would be refused again. Firing alerts are sent again within
    // a minute.
    if (!answer.retryable) return;
    putBack(batch);
    await sleep(pauseMs, signal);
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
  };

  let pumping: Promise<void> | undefined;
  const pump = async () => {
    while (queue.size > 0 && !(signal.aborted && failure !== undefined)) await sendBatch();
    pumping = undefined;
  };

  return {
    /** Queues alerts by key; a queued alert with the same key is replaced. */
    enqueue: (alerts: ReadonlyMap<string, PostableAlert>): void => {
      if (signal.aborted) return;
      for (const [key, alert] of alerts) queue.set(key, alert);
      trim();
      if (queue.size > 0) pumping ??= pump();
    },
    /** Takes alerts out of the queue: another instance sends them now. */
    forget: (keys: Iterable<string>): void => {
      for (const key of keys) {
        queue.delete(key);
        forgotten.add(key);
      }
    },
    /** Waits at most `withinMs` for queued alerts and the running request, then gives up. */
    stop: async (withinMs: number): Promise<void> => {
      stopping.abort();
      if (pumping !== undefined) await settleWithin(withinMs, pumping);
      client.close();
      await pumping;
    },
  };
}
