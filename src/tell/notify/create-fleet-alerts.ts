import type { Clock, WatchedMs } from '../../lib/clock.ts';
import { isDatabaseFailure } from '../../lib/database-failure.ts';
import { valueWithin } from '../../lib/promises.ts';
import { type FleetPart, forgetUnwatched } from '../../model/fleet.ts';
import {
  type AlertFinding,
  alertKey,
  mayNotify,
  type TrackedAlert,
  type TrackedAlertStore,
  type TrackedAlerts,
} from '../alerts/tracked-alert.ts';
import { createStateSaver } from './create-state-saver.ts';
import { convertTrackedAlerts, isSameState, markUnconfirmed } from './tracked-alerts.ts';

/** Which alerts this instance decides on, and what was stored of them by an earlier run or by other instances of its fleet. */
export interface FleetAlerts {
  /**
   * To be called before each judgement. Reads the alerts of the instance that decides, unless this one does. Never rejects, and
   * takes some seconds at most.
   */
  follow(): Promise<void>;
  /** Whether what is known of alerts about subnets is of now. */
  isCurrent(): boolean;
  /** The alerts without those about subnets that another instance watches instead of this one. */
  keepOwn(trackedAlerts: TrackedAlerts): TrackedAlerts;
  /**
   * The findings by which alerts are judged: of a subnet that is not settled no alert is found to be over. While another instance
   * decides, only the texts of its alerts are found.
   */
  admit(findings: readonly AlertFinding[], trackedAlerts: TrackedAlerts): readonly AlertFinding[];
  /** Whether the alerts of a subnet, or without a name those of this instance, have been judged with what is stored of them. */
  isJudged(subnet: string): boolean;
  saveSoon(): void;
  stop(): Promise<void>;
}

/** What it needs. */
export interface FleetAlertsDeps {
  readonly part: FleetPart;
  /** Whether the diagnosis of a subnet knows the problems that are stored of it, or the database has not answered for too long. */
  readonly isSettled: (subnet: string) => boolean;
  readonly clock: Clock;
  /** Rejects while the database is down. */
  readonly store: () => Promise<TrackedAlertStore>;
  /** The current alerts, in watched time. */
  readonly trackedAlerts: () => TrackedAlerts;
  /** Takes stored alerts, in watched time. */
  readonly onRead: (stored: readonly TrackedAlert[]) => void;
  /** Takes all alerts about subnets that the instance which decides has, in watched time. */
  readonly onFollowed: (stored: TrackedAlerts) => void;
  readonly onBug: (error: unknown) => void;
}

/** When nobody is known to decide for this long, this instance does. */
const FIRST_WITHIN_MS = 30_000;

/** A read that takes longer has no current alerts, as when the process was stopped meanwhile. */
const FOLLOW_WITHIN_MS = 3_000;

/**
 * How long another instance must have decided before this one sends what that one has stored. It first stores what it knows itself,
 * and for 15 s the row of an instance that is gone looks as if it decided.
 */
const FOLLOW_AFTER_MS = 20_000;

/** Starts without having judged any subnet. */
export function createFleetAlerts(deps: FleetAlertsDeps): FleetAlerts {
  const { part, clock, isSettled, store, trackedAlerts, onRead, onBug } = deps;
  const ofSubnets = (all: TrackedAlerts) => new Map([...all].filter(([, { labels }]) => labels.subnet !== undefined));
  const toKeyed = (stored: readonly TrackedAlert[]): TrackedAlerts =>
    new Map(stored.map((alert) => [alertKey(alert.labels), alert]));
  const fromWall = (stored: TrackedAlerts) => convertTrackedAlerts(stored, clock.fromWall);
  const startedAt = clock.now();
  const judged = new Set<string>();
  const isWanted = (subnet: string) => judged.has(subnet) || isSettled(subnet) || !part.isShadowed(subnet);
  const saver = createStateSaver<TrackedAlert>({
    part,
    now: clock.now,
    store,
    isWanted,
    isSame: isSameState,
    current: () => convertTrackedAlerts(trackedAlerts(), clock.toWall),
    keyOf: ({ labels }) => alertKey(labels),
    subnetOf: ({ labels }) => labels.subnet ?? '',
    onRead: (stored) => {
      // By then, alerts that an earlier run has left may be over.
      const isLate = ({ labels: { subnet } }: TrackedAlert) =>
        subnet === undefined ? clock.now() - startedAt >= FIRST_WITHIN_MS : judged.has(subnet);
      const read = [...fromWall(toKeyed(stored)).values()];
      onRead([...read.filter((one) => !isLate(one)), ...markUnconfirmed(read.filter(isLate), trackedAlerts())]);
    },
    onBug,
  });

  let mode: 'judge' | 'follow' | 'wait' = 'judge';
  /** Since when it is not known who decides, or what was decided. */
  let waitingSince: WatchedMs | undefined;
  /** Since when another instance is seen to decide that this one does not follow yet. */
  let decidedSince: WatchedMs | undefined;

  /** The alerts that were last read of the instance that decides. */
  let lastRead:
    | {
        readonly from: TrackedAlertStore;
        readonly version: string | undefined;
        readonly alerts: TrackedAlerts;
      }
    | undefined;

  /** Asks first whether any has changed: to read thousands of alerts takes as much CPU as fifty such questions. */
  const readChanged = async (): Promise<TrackedAlerts> => {
    const from = await store();
    const version = await from.version();
    if (version === undefined || lastRead?.from !== from || lastRead.version !== version)
      lastRead = { from, version, alerts: toKeyed(await from.load()) };
    return lastRead.alerts;
  };

  const readDecided = async (): Promise<TrackedAlerts | undefined> => {
    try {
      return await valueWithin(FOLLOW_WITHIN_MS, readChanged(), undefined);
    } catch (error) {
      if (!isDatabaseFailure(error)) onBug(error);
      return undefined;
    }
  };

  /** Whether this instance, which may have judged by itself, can take over what another one decides. */
  const mayFollow = (): boolean => {
    if (mode === 'follow' || judged.size === 0) return true;
    decidedSince ??= clock.now();
    return clock.now() - decidedSince >= FOLLOW_AFTER_MS;
  };

  const follow = async (): Promise<void> => {
    const decider = part.decider();
    const stored = decider === 'other' ? await readDecided() : undefined;
    if (stored === undefined) lastRead = undefined;
    const decided = stored !== undefined && mayFollow() ? stored : undefined;
    if (stored === undefined || decided !== undefined) decidedSince = undefined;
    if (decider === 'self' || stored !== undefined) waitingSince = undefined;
    if (decided !== undefined) {
      mode = 'follow';
      const isOwn = ({ labels: { subnet } }: TrackedAlert) => subnet !== undefined && part.isWatched(subnet);
      deps.onFollowed(fromWall(new Map([...decided].filter(([, alert]) => isOwn(alert)))));
      for (const subnet of part.subnets()) judged.add(subnet);
      return;
    }
    if (decider !== 'self') waitingSince ??= clock.now();
    mode = waitingSince !== undefined && clock.now() - waitingSince < FIRST_WITHIN_MS ? 'wait' : 'judge';
  };

  /** An instance that follows another one takes only newer texts from its own findings, and no state. */
  const admitTexts = (findings: readonly AlertFinding[], all: TrackedAlerts): readonly AlertFinding[] => {
    const texts = findings.filter(({ labels, state }) => {
      const alert = all.get(alertKey(labels));
      return labels.subnet === undefined || (state === 'active' && alert?.phase === 'firing' && mayNotify(alert));
    });
    const found = new Set(texts.map(({ labels }) => alertKey(labels)));
    const others = [...ofSubnets(all)].flatMap(([key, { labels }]): readonly AlertFinding[] =>
      found.has(key) ? [] : [{ state: 'unknown', labels }],
    );
    return [...texts, ...others];
  };

  const mayJudge = (subnet: string): boolean => {
    if (judged.has(subnet)) return true;
    return isWanted(subnet) && saver.isKnown(subnet);
  };

  return {
    follow,
    isCurrent: () => mode !== 'wait',
    keepOwn: (all) => {
      forgetUnwatched(part, judged);
      return new Map([...all].filter(([, { labels }]) => labels.subnet === undefined || part.isWatched(labels.subnet)));
    },
    admit: (findings, all) => {
      if (mode !== 'judge') return admitTexts(findings, all);
      const watched = new Set(part.subnets());
      for (const subnet of watched) {
        if (mayJudge(subnet)) judged.add(subnet);
      }
      const admitted = findings.filter(({ labels: { subnet } }) => subnet === undefined || judged.has(subnet));
      const found = new Set(admitted.map(({ labels }) => alertKey(labels)));
      // Alerts of a subnet that has left the inventory are not held: nothing will be found of it any more.
      const isHeld = ({ labels: { subnet = '' }, phase }: TrackedAlert) =>
        phase !== 'resolved' && watched.has(subnet) && !(judged.has(subnet) && isSettled(subnet));
      const held = [...all].flatMap(([key, alert]): readonly AlertFinding[] =>
        isHeld(alert) && !found.has(key) ? [{ state: 'unknown', labels: alert.labels }] : [],
      );
      return [...admitted, ...held];
    },
    // A subnet that has left the inventory has nothing to be judged.
    isJudged: (subnet) =>
      subnet === '' ? saver.isKnown(subnet) : judged.has(subnet) || !part.subnets().includes(subnet),
    saveSoon: () => void saver.save(),
    stop: saver.save,
  };
}
