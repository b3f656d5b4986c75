import type { Clock } from '../../lib/clock.ts';
import type { Alertmanagers, Channel } from '../../model/channel.ts';
import type { AlertFinding, AlertLabels, TrackedAlert, TrackedAlerts } from '../alerts/tracked-alert.ts';
import type { Channels } from './channels/create-channels.ts';
import { createClient } from './create-client.ts';
import { createFleetAlerts, type FleetAlertsDeps } from './create-fleet-alerts.ts';
import { type AlertCounts, createSender, type Sender } from './create-sender.ts';
import { type PostableAlert, toAlert } from './to-alert.ts';
import { findDue, foldAlerts, mergeTrackedAlerts, type Notified, type Transition } from './tracked-alerts.ts';

/** Judges all alerts at a fixed interval, and when a problem opens, and sends them to every Alertmanager, and through every channel. */
export type Push = ReturnType<typeof createPush>;

/** Takes that an Alertmanager, or a channel, has accepted an alert. */
export type OnAccepted = (
  labels: AlertLabels,
  phase: 'firing' | 'resolved',
  by: { readonly to: string; readonly isChannel?: true },
) => void;

/** Dependencies and settings of the push. */
export interface PushOptions {
  readonly clock: Clock;
  /** The findings of all alerts at `now`, given the alerts before, resolved ones too. */
  readonly judge: (now: number, trackedAlerts: TrackedAlerts) => readonly AlertFinding[];
  readonly part: FleetAlertsDeps['part'];
  readonly isSettled: FleetAlertsDeps['isSettled'];
  /** Rejects while the database is down: firing alerts are then kept in memory only. */
  readonly store: FleetAlertsDeps['store'];
  /** Without any, nothing is sent through channels. */
  readonly channels?: Channels;
  readonly counts: AlertCounts;
  readonly generatorUrl?: string;
  readonly judgeEveryMs?: number;
  readonly resendMs?: number;
  readonly onTransition: (transition: Transition) => void;
  readonly onFailure: (why: string) => void;
  /** An Alertmanager has accepted an alert, each time; `to` is its address as it may be shown. */
  readonly onAccepted?: OnAccepted;
  readonly onRecovery: (address: string) => void;
  /** A bug in the push itself. */
  readonly onBug: (error: unknown) => void;
}

const JUDGE_EVERY_MS = 5_000;
/** How long what has opened waits to be judged, so that much that opens one by one costs two judgements a second at most. */
const JUDGE_SOON_MS = 500;
const RESEND_MS = 60_000;

/** An alert survives two lost resends, as with Prometheus. */
const LEASE_RESENDS = 4;

/** How long queued alerts may still be sent while stopping. */
const DRAIN_MS = 2_000;

const withoutSubnets = (trackedAlerts: TrackedAlerts): TrackedAlerts =>
  new Map([...trackedAlerts].filter(([, { labels }]) => labels.subnet === undefined));

/** Starts without an Alertmanager. */
export function createPush(options: PushOptions) {
  const { clock, judge, counts, generatorUrl, judgeEveryMs = JUDGE_EVERY_MS, resendMs = RESEND_MS } = options;
  const { now, toWall } = clock;
  let senders: readonly Sender[] = [];
  let trackedAlerts: TrackedAlerts = new Map();
  let notified: Notified = new Map();

  const notify = (time: number) => {
    // Alertmanager ends an alert that is not sent again by its wall clock, whether or not this process ran.
    const at = toWall(time);
    const current = fleet.isCurrent() ? trackedAlerts : withoutSubnets(trackedAlerts);
    const due = findDue(current, notified, at, resendMs);
    const stillThere = [...notified].filter(([key]) => trackedAlerts.has(key));
    notified = new Map([...stillThere, ...[...due].map(([key, { phase }]) => [key, { at, phase }] as const)]);
    const alerts = new Map(
      [...due].map(([key, alert]) => [key, toAlert(alert, time, LEASE_RESENDS * resendMs, toWall, generatorUrl)]),
    );
    for (const sender of senders) sender.enqueue(alerts);
    options.channels?.update(trackedAlerts, fleet.isJudged).catch(options.onBug);
  };

  const add = (saved: readonly TrackedAlert[]) => {
    trackedAlerts = mergeTrackedAlerts(trackedAlerts, saved);
  };
  const fleet = createFleetAlerts({
    ...options,
    trackedAlerts: () => trackedAlerts,
    onRead: add,
    onFollowed: (decided) => {
      trackedAlerts = new Map([...withoutSubnets(trackedAlerts), ...decided]);
    },
  });

  /** Forgets the alerts about subnets that another instance watches now. Nobody is notified of that. */
  const dropMoved = () => {
    const left = fleet.keepOwn(trackedAlerts);
    const moved = [...trackedAlerts.keys()].filter((key) => !left.has(key));
    trackedAlerts = left;
    for (const sender of senders) sender.forget(moved);
  };

  const judgeNow = () => {
    const time = now();
    try {
      dropMoved();
      const findings = judge(time, trackedAlerts);
      const folded = foldAlerts(trackedAlerts, fleet.admit(findings, trackedAlerts), time);
      trackedAlerts = folded.trackedAlerts;
      folded.transitions.forEach(options.onTransition);
    } catch (error) {
      options.onBug(error);
    }
    notify(time);
    fleet.saveSoon();
  };
  let isStopped = false;
  let isFollowing = false;
  const followAndJudge = async () => {
    if (isFollowing) return;
    isFollowing = true;
    await fleet.follow();
    isFollowing = false;
    if (!isStopped) judgeNow();
  };
  const timer = setInterval(followAndJudge, judgeEveryMs);
  let soon: NodeJS.Timeout | undefined;
  void followAndJudge();

  return {
    /** Replaces the Alertmanagers that alerts are sent to. */
    setAlertmanagers: ({ urls, ...login }: Alertmanagers): void => {
      const before = senders;
      senders = urls.map((url) => {
        const client = createClient(url, login);
        const onRecovery = () => options.onRecovery(client.address);
        const onAccepted = (alerts: readonly PostableAlert[]) => {
          const at = toWall(now());
          for (const { labels, endsAt } of alerts)
            options.onAccepted?.(labels, Date.parse(endsAt) > at ? 'firing' : 'resolved', { to: client.address });
        };
        return createSender({ client, counts, onFailure: options.onFailure, onAccepted, onRecovery });
      });
      for (const sender of before) void sender.stop(0);
      notified = new Map();
      notify(now());
    },
    /** Replaces the channels. */
    setChannels: (channels: readonly Channel[]): void => {
      options.channels?.set(channels);
      notify(now());
    },
    /** Judges all alerts within a moment, and at the interval from then on. */
    judgeSoon: (): void => {
      if (isStopped) return;
      soon ??= setTimeout(() => {
        soon = undefined;
        timer.refresh();
        void followAndJudge();
      }, JUDGE_SOON_MS);
    },
    /** Whether the alerts of a subnet have been judged, with what other instances have stored of them. */
    isJudged: fleet.isJudged,
    stop: async (): Promise<void> => {
      clearInterval(timer);
      clearTimeout(soon);
      isStopped = true;
      await Promise.all([...senders.map((sender) => sender.stop(DRAIN_MS)), options.channels?.stop(DRAIN_MS)]);
      await fleet.stop();
    },
  };
}
