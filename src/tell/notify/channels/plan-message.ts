import { isAboutOthers, TOLD_AFTER_MS } from '../../../model/problem.ts';
import { SEVERITIES } from '../../../model/severity.ts';
import { type AlertLabels, alertKey, causeOf, type TrackedAlert } from '../../alerts/tracked-alert.ts';
import type { AlertEnd, NotifiedAlert, NotifiedGroup } from '../notified-alert.ts';

/** How long a change waits for others, so that all are one message, and the pause after a message. */
export const TIMES = {
  /** Of an alert that pages. What it reports is confirmed already. A little less than the five seconds after which all is judged again. */
  criticalWaitMs: 4_500,
  /** Longer than a round of checks, so that all that one fault brings is one message. */
  waitMs: TOLD_AFTER_MS,
  /** A new alert that pages does not wait for it. A warning or a new cause does not after a message that told of ends or notes only. */
  pauseMs: 60_000,
  /** The same for a warning about the whole subnet, or about a target that people were not told of: it most likely has another cause. */
  otherPauseMs: 20_000,
  /** A cause that comes and goes is not sent. What was told to be clearing and is back waits as what is new does. */
  causeWaitMs: 25_000,
  /** Before a cause that people were told of is sent again, or one more than `MOST_CAUSES`. */
  causePauseMs: 5 * 60_000,
} as const;

/** As many new causes of one alert do not wait for that pause: the fix that people were told is wrong by then. */
const MOST_CAUSES = 4;

/** How long an alert fires before anybody is told of it. */
export const waitOf = ({ severity }: AlertLabels): number =>
  severity === 'critical' ? TIMES.criticalWaitMs : TIMES.waitMs;

/** A firing alert of a group, in wall time. */
export interface FiringAlert extends TrackedAlert {
  readonly firedAt: number;
  /** Nobody is notified of it now: by the severities of the channel, an inhibiting alert, or planned work. */
  readonly isWithheld: boolean;
  /** Who has acknowledged it. */
  readonly acknowledgedBy?: string | undefined;
}

/** The alerts of a message, the worst first. */
export interface PlannedMessage {
  /** `change`: an alert fires, has ended or has another cause; `reminder`: those that fire still do; `acknowledgement`: somebody is on one. */
  readonly kind: 'change' | 'reminder' | 'acknowledgement';
  readonly begun: readonly NotifiedAlert[];
  readonly ended: readonly NotifiedAlert[];
  readonly ongoing: readonly NotifiedAlert[];
  /** Those of `ongoing` whose cause is another than the channel was notified of, by key. */
  readonly renewed?: ReadonlySet<string>;
}

const RANKS: readonly string[] = SEVERITIES;
const rankOf = ({ labels }: NotifiedAlert): number => RANKS.indexOf(labels.severity ?? '');

const worstFirst = (alerts: readonly NotifiedAlert[]): readonly NotifiedAlert[] =>
  alerts.toSorted((one, other) => rankOf(one) - rankOf(other) || one.startsAt - other.startsAt);

/** A firing alert as it is noted once a channel was notified of it. */
const toNotified = ({ labels, annotations, details, firedAt, seenAt, acknowledgedBy }: FiringAlert): NotifiedAlert => ({
  labels,
  annotations,
  ...(details && { details }),
  startsAt: firedAt,
  seenAt,
  ...(acknowledgedBy !== undefined && { acknowledgedBy }),
});

/** An alert that has ended, as it was seen last: it was over then, though that was sure some time later. It may be seen for the last time before it fires. */
function toEnded({ endedAs, ...told }: NotifiedAlert): NotifiedAlert {
  if (endedAs === undefined) return told;
  const { details, seenAt } = endedAs;
  const { endsAt = seenAt } = told;
  const { overAt = details.isRestored && !details.isClearing ? endsAt : seenAt } = endedAs;
  return { ...told, details, seenAt, endsAt: Math.max(told.startsAt, Math.min(endsAt, overAt)) };
}

const isSameTarget = ({ labels: one }: NotifiedAlert, { labels: other }: FiringAlert): boolean =>
  other.name !== undefined && one.component === other.component && one.name === other.name;

/** Whether `ms` have passed since then. A time in the future counts as over: the clock was set back. */
const isOver = (at: number, ms: number, now: number): boolean => now - at >= ms || at > now;

/** The message that is due for a group, or undefined. `firing` has every firing alert of the group by its key. */
export function planMessage(
  firing: ReadonlyMap<string, FiringAlert>,
  before: NotifiedGroup | undefined,
  repeatMs: number | undefined,
  now: number,
): PlannedMessage | undefined {
  const known = Object.entries(before?.alerts ?? {});
  const isTold = ({ details, labels }: FiringAlert) => {
    const told = before?.alerts[alertKey(labels)];
    return told !== undefined && told.endsAt === undefined && !isAboutOthers(told.details, details);
  };
  // What seems to be over before anybody was notified of it is no news. It may have been withheld for long.
  const isNews = (alert: FiringAlert) => !alert.isWithheld && alert.details?.isClearing !== true && !isTold(alert);
  const begun = [...firing.values()].filter(isNews);
  const over = known.flatMap(([key, alert]) => (firing.has(key) ? [] : [alert]));
  // The end of one that has begun anew comes with the new one.
  const replaced = known.flatMap(([key, alert]) => {
    const current = firing.get(key);
    return current && begun.includes(current) && alert.endsAt !== undefined ? [toEnded(alert)] : [];
  });
  const ongoing = known.flatMap(([key, alert]) => {
    const current = firing.get(key);
    return current === undefined || current.isWithheld || begun.includes(current) || alert.endsAt !== undefined
      ? []
      : [{ ...toNotified(current), startsAt: alert.startsAt }];
  });
  // Nobody is reminded of an alert that planned work covers, or that somebody is on.
  const isReminded = known.some(([key]) => {
    const current = firing.get(key);
    return current !== undefined && !current.isWithheld && current.planned === undefined && !current.acknowledgedBy;
  });
  // What clears, or was only seen before subnetd was started, says nothing of its cause, and a note can wait for its end. Its words may
  // have changed more than once.
  const renewed = new Set(
    ongoing.flatMap(({ labels, details }) => {
      const key = alertKey(labels);
      const isSeen = !details?.isClearing && !details?.isRestored;
      const told = before?.alerts[key];
      const isOther = isSeen && (told?.wasClearing || causeOf(told?.details) !== causeOf(details));
      return isOther && firing.get(key)?.planned === undefined && labels.severity !== 'info' ? [key] : [];
    }),
  );
  const message = (kind: PlannedMessage['kind']): PlannedMessage => ({
    kind,
    begun: worstFirst(begun.map(toNotified)),
    ended: worstFirst([...over.map(toEnded), ...replaced]),
    ongoing: worstFirst(ongoing),
    renewed,
  });

  const isRested = (at = now - TIMES.pauseMs, ms: number = TIMES.pauseMs) => isOver(at, ms, now);
  const mayBegin = (alert: FiringAlert) => {
    const { severity } = alert.labels;
    if (!isOver(alert.firedAt, waitOf(alert.labels), now)) return false;
    if (severity === 'critical') return true;
    if (severity === 'info') return isRested(before?.sentAt);
    const isOfTold = known.some(([, told]) => told.endsAt === undefined && isSameTarget(told, alert));
    return isRested(before?.begunAt, isOfTold ? TIMES.pauseMs : TIMES.otherPauseMs);
  };
  const isDue =
    begun.some(mayBegin) ||
    (isRested(before?.sentAt) && over.some(({ endsAt = 0 }) => isOver(endsAt, TIMES.waitMs, now)));
  if (isDue) return message('change');
  if (begun.length + over.length > 0) return undefined;
  const isAcknowledged = ongoing.some(
    ({ labels, acknowledgedBy }) =>
      acknowledgedBy !== undefined && before?.alerts[alertKey(labels)]?.acknowledgedBy !== acknowledgedBy,
  );
  if (isAcknowledged) return message('acknowledgement');
  const isRenewed = ongoing.some(({ labels, details }) => {
    const key = alertKey(labels);
    const { renewedAt = now - TIMES.causePauseMs, toldCauses = [], wasClearing } = before?.alerts[key] ?? {};
    const waitMs = wasClearing ? waitOf(labels) : TIMES.causeWaitMs;
    if (!renewed.has(key) || !isOver(firing.get(key)?.causeAt ?? now, waitMs, now)) return false;
    const isNewCause = toldCauses.length < MOST_CAUSES && !toldCauses.includes(causeOf(details));
    return isNewCause || isOver(renewedAt, TIMES.causePauseMs, now);
  });
  if (isRenewed && isRested(before?.begunAt)) return message('change');
  if (!isReminded || before === undefined || repeatMs === undefined) return undefined;
  // Nobody needs one because the clock was set back.
  return Math.abs(now - before.sentAt) >= repeatMs ? message('reminder') : undefined;
}

/** What a channel has been notified of once it has accepted the message. */
export function afterMessage(
  { begun, ended, ongoing, renewed }: PlannedMessage,
  before: NotifiedGroup | undefined,
  { channel, group, thread, now }: Omit<NotifiedGroup, 'alerts' | 'sentAt'> & { readonly now: number },
): NotifiedGroup {
  const over = new Set(ended.map(({ labels }) => alertKey(labels)));
  const told = new Map(ongoing.map((one) => [alertKey(one.labels), one]));
  const left = Object.entries(before?.alerts ?? {}).flatMap(([key, alert]): readonly [string, NotifiedAlert][] => {
    if (over.has(key)) return [];
    const listed = told.get(key);
    const { acknowledgedBy = alert.acknowledgedBy, details, seenAt } = listed ?? {};
    // What only an earlier process has seen may not be over.
    const wasClearing = listed ? (!details?.isRestored && details?.isClearing) || undefined : alert.wasClearing;
    const noted = { ...alert, ...(acknowledgedBy !== undefined && { acknowledgedBy }), wasClearing };
    if (!renewed?.has(key)) return [[key, noted]];
    const isRecent = alert.renewedAt !== undefined && !isOver(alert.renewedAt, TIMES.causePauseMs, now);
    const toldCauses = [...((isRecent && alert.toldCauses) || []), causeOf(alert.details)];
    return [[key, { ...noted, details, ...(seenAt && { seenAt }), renewedAt: now, toldCauses }]];
  });
  const alerts = Object.fromEntries([...left, ...begun.map((alert) => [alertKey(alert.labels), alert] as const)]);
  const isNew = (renewed?.size ?? 0) > 0 || begun.some(({ labels }) => labels.severity !== 'info');
  const begunAt = isNew ? now : before?.begunAt;
  return { channel, group, alerts, sentAt: now, ...(begunAt !== undefined && { begunAt }), thread };
}

/**
 * When an alert that people were told of has ended, though one with its labels fires now: that is about others, has begun anew, or may
 * last, but is not sure to. Undefined where it goes on.
 */
function endedBefore({ startsAt, endsAt }: NotifiedAlert, current: FiringAlert): number | undefined {
  const { firedAt, phase, otherSeenAt } = current;
  const isOther = otherSeenAt !== undefined && firedAt - startsAt >= TIMES.criticalWaitMs;
  if (endsAt === undefined) return isOther ? Math.max(startsAt, otherSeenAt) : undefined;
  return isOther || phase === 'resolved' || firedAt - endsAt >= TIMES.waitMs ? endsAt : undefined;
}

/** Notes when alerts have ended, and removes that from those that soon fire again. The same group if nothing changes. */
export function noteEnds(
  before: NotifiedGroup,
  firing: ReadonlyMap<string, FiringAlert>,
  endOf: (key: string) => AlertEnd,
): NotifiedGroup {
  const note = (key: string, told: NotifiedAlert): NotifiedAlert => {
    const { endsAt, endedAs: _, ...alert } = told;
    const current = firing.get(key);
    if (current === undefined) return endsAt === undefined ? { ...alert, ...endOf(key) } : told;
    const overAt = endedBefore(told, current);
    if (overAt === endsAt) return told;
    return overAt === undefined ? alert : { ...alert, endsAt: overAt };
  };
  const entries = Object.entries(before.alerts);
  const noted = entries.map(([key, told]) => [key, note(key, told)] as const);
  const isSame = noted.every(([key, told]) => told === before.alerts[key]);
  return isSame ? before : { ...before, alerts: Object.fromEntries(noted) };
}
