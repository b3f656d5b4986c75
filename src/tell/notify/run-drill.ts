import { sleep } from '../../lib/promises.ts';
import type { Client } from './create-client.ts';
import { createSender } from './create-sender.ts';
import type { PostableAlert } from './to-alert.ts';

/** The result of a drill at one Alertmanager; `receivers` are the names in its configuration. */
export type Drilled =
  | {
      readonly ok: true;
      readonly address: string;
      readonly receivers: readonly string[];
      readonly suppressed: boolean;
      readonly afterMs: number;
    }
  | { readonly ok: false; readonly why: string };

/** The inputs of a drill. */
export interface DrillOptions {
  /** Closed at the end. */
  readonly clients: readonly Client[];
  /** A label that distinguishes this drill's alert from every other. */
  readonly id: string;
  readonly now: () => number;
  /** How long the alert fires once it shows. */
  readonly holdMs: number;
  readonly onShown: (drilled: Drilled & { readonly ok: true }) => void;
  readonly signal: AbortSignal;
}

const SHOWS_WITHIN_MS = 15_000;
const POLL_MS = 100;

interface Shown {
  readonly receivers: readonly { readonly name: string }[];
  readonly status: { readonly state: string };
}

async function drillOne(client: Client, options: DrillOptions): Promise<Drilled> {
  const { id, now, holdMs, onShown, signal } = options;
  const { address } = client;
  const started = now();
  let failure: string | undefined;
  const counts = { sent: 0, failed: 0, dropped: 0 };
  const onFailure = (why: string) => {
    failure = why;
  };
  const sender = createSender({ client, counts, onFailure, onRecovery: () => {} });
  const send = (endsAt: number) => {
    const alert: PostableAlert = {
      labels: { alertname: 'SubnetdDrill', severity: 'info', drill: id },
      annotations: {
        summary: 'This is a drill; nothing is wrong.',
        description: 'Somebody ran "subnetd drill" to test alerting. No action needed.',
      },
      startsAt: new Date(started).toISOString(),
      endsAt: new Date(endsAt).toISOString(),
    };
    sender.enqueue(new Map([[id, alert]]));
  };
  /** Polls until the alert shows, or no longer shows; undefined if that takes too long. */
  const waitFor = async (wanted: boolean): Promise<readonly Shown[] | undefined> => {
    const deadline = performance.now() + SHOWS_WITHIN_MS;
    const path = `/alerts?filter=${encodeURIComponent(`drill="${id}"`)}`;
    while (failure === undefined && performance.now() < deadline) {
      const answer = await client.call('GET', path);
      if (!answer.ok) {
        failure ??= answer.why;
        return undefined;
      }
      const shown = Array.isArray(answer.body) ? (answer.body as readonly Shown[]) : [];
      if (shown.length > 0 === wanted) return shown;
      await sleep(POLL_MS);
    }
    return undefined;
  };
  const failed = (what: string): Drilled => ({
    ok: false,
    why: failure ?? `${address} ${what} within ${SHOWS_WITHIN_MS / 1000}s; look at its log`,
  });
  try {
    // The alert ends by itself if this program is killed.
    send(started + holdMs + SHOWS_WITHIN_MS + 60_000);
    const [shown] = (await waitFor(true)) ?? [];
    if (shown === undefined) return failed('took the alert but does not show it');
    const drilled = {
      ok: true,
      address,
      receivers: shown.receivers.map(({ name }) => name),
      suppressed: shown.status.state === 'suppressed',
      afterMs: now() - started,
    } as const;
    onShown(drilled);
    await sleep(holdMs, signal);
    send(now());
    return (await waitFor(false)) === undefined ? failed('still shows the alert after its end') : drilled;
  } finally {
    await sender.stop(SHOWS_WITHIN_MS);
  }
}

/** Sends one synthetic alert to every Alertmanager, waits until each shows it, and ends it. */
export const runDrill = (options: DrillOptions): Promise<readonly Drilled[]> =>
  Promise.all(options.clients.map((client) => drillOne(client, options)));
