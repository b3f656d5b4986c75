import type { Channel } from '../../../model/channel.ts';
import type { AlertIncidents } from '../../alerts/alert-incidents.ts';
import { type AlertLabels, alertKey } from '../../alerts/tracked-alert.ts';
import type { AlertCounts } from '../create-sender.ts';
import type { AlertEnd, NotifiedGroup } from '../notified-alert.ts';
import { type Deliver, formatChannel } from './delivery.ts';
import { afterMessage, type FiringAlert, noteEnds, type PlannedMessage, planMessage, TIMES } from './plan-message.ts';
import { MAX_RETRY_AFTER_MS } from './post.ts';
import { toMessage } from './to-message.ts';

/** The alerts of one moment, by group and key; all times are wall time. */
export interface AlertGroups {
  readonly firing: ReadonlyMap<string, ReadonlyMap<string, FiringAlert>>;
  /** When an alert that does not fire has ended, or the time now, and what was known of it last. */
  readonly endOf: (key: string) => AlertEnd;
  /** Whether this instance notifies people of a group, and knows what was sent of it before. */
  readonly isOwn: (group: string) => boolean;
}

/** One channel over time. */
export type ChannelLife = ReturnType<typeof createChannel>;

/** What a channel needs; it adds to `counts`. */
export interface ChannelDeps {
  readonly channel: Channel;
  readonly deliver: Deliver;
  readonly instance: string;
  /** Wall time. */
  readonly now: () => number;
  readonly counts: AlertCounts;
  readonly firstPauseMs?: number;
  readonly incidents: AlertIncidents;
  /** Sending starts to fail, or fails for another reason. */
  readonly onFailure: (why: string) => void;
  readonly onWarning: (warning: string) => void;
  readonly onRecovery: (channel: string) => void;
  /** Nobody will be notified of this any more. */
  readonly onDropped: (channel: string, labels: AlertLabels) => void;
  readonly onAccepted: (labels: AlertLabels, phase: 'firing' | 'resolved', to: string) => void;
  /** A bug in the channel itself. */
  readonly onBug: (error: unknown) => void;
  /** What the channel was notified of has changed. */
  readonly onChange: () => void;
}

const FIRST_PAUSE_MS = 5_000;
/** Shorter than the window of SubnetdAlertsNotSent, so that it fires as long as sending fails. */
const MAX_PAUSE_MS = 120_000;
/** The end of an alert is given up after this long: nobody needs it any more. */
const GIVE_UP_MS = 24 * 3_600_000;

/** Creates a channel that was notified of nothing. */
export function createChannel(deps: ChannelDeps) {
  const { channel, deliver, instance, now, counts, incidents, firstPauseMs = FIRST_PAUSE_MS } = deps;
  const { name, severities, repeatMs, afterMs = 0 } = channel;
  const label = formatChannel(channel);
  const groups = new Map<string, NotifiedGroup>();
  let alerts: AlertGroups = { firing: new Map(), endOf: () => ({ endsAt: 0 }), isOwn: () => false };
  let failure: string | undefined;
  /** Nothing is sent until then, or nothing of one group; wall time. */
  let restsUntil = 0;
  const groupRestsUntil = new Map<string, number>();
  let pauseMs = firstPauseMs;
  /** Alerts of messages that failed, which the channel was never notified of. */
  const missed = new Map<string, AlertLabels>();
  const aborter = new AbortController();
  let stopped = false;

  const firingOf = (group: string): ReadonlyMap<string, FiringAlert> =>
    new Map(
      [...(alerts.firing.get(group) ?? [])].map(([key, alert]) => {
        const acknowledgedBy = incidents.acknowledgedBy(alert.labels);
        const told = groups.get(group)?.alerts[key];
        const isKnown = told !== undefined && told.endsAt === undefined;
        const isEarly = afterMs > 0 && (acknowledgedBy !== undefined || now() - alert.firedAt < afterMs);
        const isOther = !severities.some((severity) => severity === alert.labels.severity);
        return [
          key,
          { ...alert, acknowledgedBy, isWithheld: alert.isWithheld || isOther || (isEarly && !isKnown) },
        ] as const;
      }),
    );
  const set = (group: string, next: NotifiedGroup | undefined) => {
    if (next === undefined) groups.delete(group);
    else groups.set(group, next);
    deps.onChange();
  };
  const drop = (labels: AlertLabels) => {
    counts.dropped += 1;
    deps.onDropped(label, labels);
  };

  /** Notes which alerts have ended, and gives up those whose end could not be sent for a day. */
  const tidy = (time: number) => {
    for (const [group, before] of groups) {
      if (!alerts.isOwn(group)) continue;
      const noted = noteEnds(before, alerts.firing.get(group) ?? new Map(), alerts.endOf);
      const old = Object.entries(noted.alerts).filter(([, { endsAt = time }]) => time - endsAt >= GIVE_UP_MS);
      for (const [, { labels }] of old) drop(labels);
      const gone = new Set(old.map(([key]) => key));
      const left = Object.entries(noted.alerts).filter(([key]) => !gone.has(key));
      const isIdle = left.length === 0 && (time - noted.sentAt >= TIMES.pauseMs || noted.sentAt > time);
      if (isIdle) set(group, undefined);
      else if (noted !== before || old.length > 0) set(group, { ...noted, alerts: Object.fromEntries(left) });
    }
    for (const [key, labels] of missed) {
      if (alerts.firing.get(labels.subnet ?? '')?.has(key)) continue;
      missed.delete(key);
      drop(labels);
    }
  };

  const accept = (group: string, planned: PlannedMessage, thread: string, size: number) => {
    counts.sent += size;
    set(group, afterMessage(planned, groups.get(group), { channel: name, group, thread, now: now() }));
    for (const { labels } of planned.begun) missed.delete(alertKey(labels));
    for (const { labels } of planned.ended) deps.onAccepted(labels, 'resolved', name);
    for (const { labels } of [...planned.begun, ...planned.ongoing]) deps.onAccepted(labels, 'firing', name);
    pauseMs = firstPauseMs;
    if (failure !== undefined) deps.onRecovery(label);
    failure = undefined;
  };

  /** Sends the message of a group if one is due; resolves to whether others can be sent after it. */
  const sendGroup = async (group: string): Promise<boolean> => {
    const before = groups.get(group);
    const planned = planMessage(firingOf(group), before, repeatMs, now());
    if (planned === undefined) return true;
    const message = toMessage(planned, before, { channel: name, group, instance, now: now(), incidents });
    const size = message.alerts.length;
    const delivery = await deliver(message, aborter.signal);
    if (delivery.ok) {
      accept(group, planned, message.thread, size);
      if (delivery.warning !== undefined) deps.onWarning(delivery.warning);
      return true;
    }
    if (stopped) return false;
    counts.failed += size;
    for (const { labels } of planned.begun) missed.set(alertKey(labels), labels);
    if (failure !== delivery.why) deps.onFailure(delivery.why);
    failure = delivery.why;
    if (delivery.isOfMessage) {
      groupRestsUntil.set(group, now() + MAX_PAUSE_MS);
      return true;
    }
    restsUntil = now() + (delivery.retryAfterMs ?? pauseMs);
    pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS);
    return false;
  };

  const isResting = (until: number, longestMs: number) => {
    const left = until - now();
    // A clock that was set back must not stop messages.
    return left > 0 && left <= longestMs;
  };
  const sendAll = async () => {
    if (isResting(restsUntil, MAX_RETRY_AFTER_MS)) return;
    for (const group of new Set([...alerts.firing.keys(), ...groups.keys()])) {
      if (stopped) return;
      if (!alerts.isOwn(group)) continue;
      if (isResting(groupRestsUntil.get(group) ?? 0, MAX_PAUSE_MS)) continue;
      groupRestsUntil.delete(group);
      if (!(await sendGroup(group))) return;
    }
  };

  let sending: Promise<void> | undefined;
  return {
    channel,
    groups: (): readonly NotifiedGroup[] => [...groups.values()],
    /** Forgets these groups, as another instance notifies people of them. Nobody is notified of that. */
    forget: (isForgotten: (group: string) => boolean): void => {
      for (const group of groups.keys()) if (isForgotten(group)) groups.delete(group);
      for (const [key, { subnet = '' }] of missed) if (isForgotten(subnet)) missed.delete(key);
    },
    /** Adds what an earlier run has noted; what this run has noted is newer. */
    restore: (saved: readonly NotifiedGroup[]): void => {
      for (const one of saved) {
        if (one.channel !== name) continue;
        const current = groups.get(one.group);
        groups.set(one.group, current ? { ...current, alerts: { ...one.alerts, ...current.alerts } } : one);
      }
    },
    /** Notes what fires now, and sends what is due unless a message is being sent. Resolves when none is. */
    update: (next: AlertGroups): Promise<void> => {
      alerts = next;
      tidy(now());
      if (stopped) return Promise.resolve();
      sending ??= sendAll()
        .catch(deps.onBug)
        .finally(() => {
          sending = undefined;
        });
      return sending;
    },
    /** Waits at most `withinMs` for the message that is being sent, then aborts it. */
    stop: async (withinMs: number): Promise<void> => {
      stopped = true;
      const timer = setTimeout(() => aborter.abort(), withinMs);
      await sending;
      clearTimeout(timer);
    },
  };
}
