import { sleep } from '../../../lib/promises.ts';
import { alertKey } from '../../alerts/tracked-alert.ts';
import type { NotifiedAlert } from '../notified-alert.ts';
import type { Deliver, Delivery } from './delivery.ts';
import { afterMessage } from './plan-message.ts';
import { toMessage } from './to-message.ts';

/** The inputs of a drill of one channel. */
export interface ChannelDrill {
  readonly channel: string;
  readonly deliver: Deliver;
  readonly instance: string;
  /** Wall time. */
  readonly now: () => number;
  /** How long the test alert fires. */
  readonly holdMs: number;
  /** Ends the wait, not the drill. */
  readonly signal: AbortSignal;
  /** What became of each of the two messages, and how long it took. */
  readonly onSent: (phase: 'firing' | 'resolved', delivery: Delivery, ms: number) => void;
}

/** Sends a test alert and its end, as every alert is sent. Resolves to whether everybody was reached both times. */
export async function runChannelDrill(drill: ChannelDrill): Promise<boolean> {
  const { channel, deliver, instance, now, holdMs, signal, onSent } = drill;
  const startsAt = now();
  const alert: NotifiedAlert = {
    labels: { alertname: 'SubnetdDrill', severity: 'info' },
    annotations: {},
    details: {
      summary: 'this is a drill; nothing is wrong',
      evidence: 'somebody ran "subnetd drill" to test this channel',
      fix: '',
    },
    startsAt,
    seenAt: startsAt,
  };
  const place = { channel, group: '', instance };
  const begun = { kind: 'change', begun: [alert], ended: [], ongoing: [] } as const;
  const first = { ...toMessage(begun, undefined, { ...place, now: startsAt }), kind: 'drill' } as const;
  const send = async (message: typeof first) => {
    const before = now();
    const delivery = await deliver(message, new AbortController().signal);
    onSent(message.status, delivery, now() - before);
    return delivery.ok && delivery.warning === undefined;
  };
  if (!(await send(first))) return false;
  await sleep(holdMs, signal);
  const endsAt = now();
  const before = afterMessage(begun, undefined, { ...place, thread: first.id, now: startsAt });
  const known = before.alerts[alertKey(alert.labels)] ?? alert;
  const ended = { kind: 'change', begun: [], ended: [{ ...known, endsAt }], ongoing: [] } as const;
  return send({ ...toMessage(ended, before, { ...place, now: endsAt }), kind: 'drill' });
}
