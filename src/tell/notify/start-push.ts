import { isDeepStrictEqual } from 'node:util';
import type { Logger } from 'pino';
import type { Clock, WatchedMs } from '../../lib/clock.ts';
import type { InternalErrors } from '../../lib/internal-errors.ts';
import { loadOnce } from '../../lib/promises.ts';
import type { Alertmanagers, Channel } from '../../model/channel.ts';
import type { AlertIncidents } from '../alerts/alert-incidents.ts';
import type { AlertInput } from '../alerts/alert-input.ts';
import type { MailDefaults } from './channels/email.ts';
import type { Push, PushOptions } from './create-push.ts';
import type { AlertCounts } from './create-sender.ts';
import type { NotifiedStore } from './notified-alert.ts';

/** The most late rounds that are remembered, of all subnets together. */
export const MAX_LATE_ROUNDS = 1_000;

/** Remembers the rounds that started late. Starts without one. */
export function createLateRounds(now: () => WatchedMs) {
  /** The newest last. */
  const late: { readonly subnet: string; readonly at: WatchedMs }[] = [];
  return {
    add: (subnet: string): void => {
      late.push({ subnet, at: now() });
      if (late.length > MAX_LATE_ROUNDS) late.shift();
    },
    /** The number of late rounds of a subnet since then. */
    count: (subnet: string, since: WatchedMs): number =>
      late.filter((round) => round.subnet === subnet && round.at >= since).length,
  };
}

/** Who is notified of alerts. */
export interface Receivers {
  readonly alertmanager: Alertmanagers;
  readonly channels?: readonly Channel[];
}

const NOBODY: Receivers = { alertmanager: { urls: [] }, channels: [] };

const hasReceivers = ({ alertmanager, channels = [] }: Receivers): boolean =>
  alertmanager.urls.length + channels.length > 0;

/** The push as part of the daemon. */
export interface PushLink {
  setReceivers(receivers: Receivers): void;
  roundLate(subnet: string): void;
  /** A problem has opened, and waits for no more than the others of its message. */
  judgeSoon(): void;
  readonly counts: Readonly<AlertCounts>;
  /** Whether the inventory names an Alertmanager or a channel. */
  readonly isOn: () => boolean;
  /** Whether the alerts of a subnet have been judged with what other instances have stored of them, if alerts are sent. */
  readonly isJudged: (subnet: string) => boolean;
  stop(): Promise<void>;
}

/** The dependencies of the push. */
export interface PushDeps extends Pick<PushOptions, 'part' | 'isSettled' | 'store'> {
  /** The input of the alert conditions, without what the push adds itself. */
  readonly readAlertInput: () => Omit<AlertInput, 'now' | 'instance' | 'lateRounds' | 'notSent' | 'internalErrors'>;
  readonly instance: string;
  /** What channels were notified of. */
  readonly notified: () => Promise<NotifiedStore>;
  readonly publicUrl?: string;
  readonly grafanaUrl?: string;
  /** The mail server for channels that name none. */
  readonly mail?: MailDefaults | undefined;
  readonly onAccepted?: PushOptions['onAccepted'];
  readonly incidents: AlertIncidents;
  readonly log: Logger;
  readonly internalErrors: InternalErrors;
  readonly clock: Clock;
}

/** How long failed attempts to send alerts are remembered. SubnetdAlertsNotSent needs half of it. */
const FAILED_WINDOW_MS = 10 * 60_000;

/** How long internal errors are remembered: as long as SubnetdInternalError needs them. */
const ERRORS_WINDOW_MS = 10 * 60_000;

/** Starts off. Nothing of the push is loaded before an inventory names an Alertmanager or a channel. */
export function startPush({
  readAlertInput,
  part,
  isSettled,
  store,
  notified,
  instance,
  publicUrl,
  grafanaUrl,
  mail,
  onAccepted,
  incidents,
  log,
  internalErrors,
  clock,
}: PushDeps): PushLink {
  const counts: AlertCounts = { sent: 0, failed: 0, dropped: 0 };
  const links = { publicUrl, grafanaUrl };
  const lateRounds = createLateRounds(clock.now);
  const load = async (): Promise<Push> => {
    const [{ createPush }, { createJudge }, { createIncreaseWindow }, { startChannels }] = await Promise.all([
      import('./create-push.ts'),
      import('../alerts/create-judge.ts'),
      import('../alerts/subnetd-conditions.ts'),
      import('./channels/start-channels.ts'),
    ]);
    const judge = createJudge(links);
    const failed = createIncreaseWindow(FAILED_WINDOW_MS);
    const broke = createIncreaseWindow(ERRORS_WINDOW_MS);
    return createPush({
      clock,
      judge: (now, trackedAlerts) => {
        failed.record(now, counts.failed + counts.dropped);
        broke.record(now, internalErrors.total());
        const counted = { lateRounds: lateRounds.count, notSent: failed.since, internalErrors: broke.since };
        return judge({ ...readAlertInput(), now, instance, ...counted }, trackedAlerts);
      },
      part,
      isSettled,
      store,
      channels: startChannels({
        clock,
        instance,
        counts,
        mail,
        log,
        part,
        store: notified,
        incidents,
        onAccepted: (labels, phase, to) => onAccepted?.(labels, phase, { to, isChannel: true }),
        onBug: internalErrors.of('channel'),
      }),
      counts,
      generatorUrl: publicUrl,
      ...(onAccepted && { onAccepted }),
      onTransition: ({ to, alert: { labels } }) =>
        log.info({ alert: labels }, to === 'held' ? 'an alert is held back by planned work' : `an alert is ${to}`),
      onFailure: (why) => log.warn({ why }, 'alerts cannot be sent to an Alertmanager; subnetd tries again'),
      onRecovery: (alertmanager) => log.info({ alertmanager }, 'alerts are sent to the Alertmanager again'),
      onBug: internalErrors.of('alerts'),
    });
  };
  /** What the inventory names. */
  let current = NOBODY;
  /** What the push was given. */
  let given = NOBODY;
  let push = loadOnce(load);
  let running: Push | undefined;
  /** Changes run one after the other. */
  let changing = Promise.resolve();
  const change = async (receivers: Receivers) => {
    const before = given;
    if (!hasReceivers(receivers)) {
      given = NOBODY;
      running = undefined;
      await (await push.started())?.stop();
      push = loadOnce(load);
      return;
    }
    const loaded = await push.get();
    running = loaded;
    if (!isDeepStrictEqual(before.alertmanager, receivers.alertmanager))
      loaded.setAlertmanagers(receivers.alertmanager);
    if (!isDeepStrictEqual(before.channels, receivers.channels)) loaded.setChannels(receivers.channels ?? []);
    given = receivers;
  };
  return {
    counts,
    isOn: () => hasReceivers(current),
    isJudged: (subnet) => (hasReceivers(current) ? running?.isJudged(subnet) === true : true),
    roundLate: lateRounds.add,
    judgeSoon: () => running?.judgeSoon(),
    setReceivers: ({ alertmanager, channels = [] }) => {
      const next = { alertmanager, channels };
      if (isDeepStrictEqual(next, current)) return;
      current = next;
      changing = changing
        .then(() => change(next))
        .catch((error: unknown) => {
          // The next reload tries again, even with the same inventory.
          if (current === next) current = given;
          internalErrors.report(error, 'alerts');
        });
    },
    stop: async () => {
      await changing;
      await (await push.started())?.stop();
    },
  };
}
