import type { Logger } from 'pino';
import { loadOnce } from '../../lib/promises.ts';
import type { Heartbeat } from '../../model/channel.ts';
import type { Delivery } from './channels/delivery.ts';

/** Requests that an outside service misses when the probes stop. */
export type Heartbeats = ReturnType<typeof startHeartbeats>;

/** What heartbeats need. */
export interface HeartbeatsDeps {
  readonly log: Pick<Logger, 'warn' | 'info'>;
  /** Monotonic. */
  readonly now?: () => number;
  readonly onBug: (error: unknown) => void;
}

/** A heartbeat that failed is tried again after this, if its own interval is not shorter. */
const RETRY_MS = 10_000;

interface Beat extends Heartbeat {
  /** When the next request is due; never while one is being sent. */
  dueAt: number;
  failure?: string | undefined;
}

/** Starts without a heartbeat. What sends one is loaded with the first. */
export function startHeartbeats({ log, now = () => performance.now(), onBug }: HeartbeatsDeps) {
  const sender = loadOnce(async () => (await import('./send-heartbeat.ts')).createHeartbeatSender());
  const aborter = new AbortController();
  let beats: readonly Beat[] = [];

  const run = async (beat: Beat, index: number) => {
    const next = now() + beat.everyMs;
    beat.dueAt = Number.POSITIVE_INFINITY;
    let sent: Delivery = { ok: false, why: '' };
    try {
      sent = await (await sender.get()).send(beat.urlFile, index, aborter.signal);
    } finally {
      beat.dueAt = sent.ok ? next : now() + Math.min(RETRY_MS, beat.everyMs);
    }
    if (aborter.signal.aborted) return;
    const failure = sent.ok ? undefined : sent.why;
    if (failure !== undefined && failure !== beat.failure)
      log.warn({ why: failure }, 'a heartbeat cannot be sent; subnetd tries again');
    if (failure === undefined && beat.failure !== undefined)
      log.info({ heartbeat: index + 1 }, 'the heartbeat is sent again');
    beat.failure = failure;
  };

  return {
    /** Replaces the heartbeats. One that stays the same goes on. */
    set: (heartbeats: readonly Heartbeat[]): void => {
      beats = heartbeats.map(
        (one) =>
          beats.find(({ urlFile, everyMs }) => urlFile === one.urlFile && everyMs === one.everyMs) ?? {
            ...one,
            dueAt: 0,
          },
      );
    },
    /** Sends what is due. To be called often, and only while the probes run on schedule. */
    running: (): void => {
      for (const [index, beat] of beats.entries()) if (now() >= beat.dueAt) run(beat, index).catch(onBug);
    },
    stop: async (): Promise<void> => {
      aborter.abort();
      (await sender.started())?.close();
    },
  };
}
