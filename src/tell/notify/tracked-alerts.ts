import { dropAges } from '../../lib/duration.ts';
import { isAboutOthers } from '../../model/problem.ts';
import {
  type AlertDetails,
  type AlertFinding,
  alertKey,
  causeOf,
  mayNotify,
  type TrackedAlert,
  type TrackedAlerts,
} from '../alerts/tracked-alert.ts';

/** A change that a person wants to know; `held`: it fires, but planned work holds it back. */
export interface Transition {
  readonly to: 'firing' | 'held' | 'resolved';
  readonly alert: TrackedAlert;
}

/** The alerts after one judgement of all alerts, and what changed. */
export interface Folded {
  readonly trackedAlerts: TrackedAlerts;
  readonly transitions: readonly Transition[];
}

/** A pending alert that was not judged for longer than this starts again: what happened in between is unknown. */
const UNSEEN_MS = 5 * 60_000;

/** How long a resolved alert is sent again, as Prometheus does. */
export const RESOLVED_FOR_MS = 15 * 60_000;

const isOver = ({ phase, resolvedAt }: TrackedAlert, now: number): boolean =>
  phase === 'resolved' && now - (resolvedAt ?? 0) >= RESOLVED_FOR_MS;

/** Nothing renews its words any more: neither the ages in its evidence, nor, while it clears, what is to do. */
const withoutAges = ({ details, ...alert }: TrackedAlert): TrackedAlert => ({
  ...alert,
  ...(details && {
    details: { ...details, evidence: dropAges(details.evidence), ...(details.isClearing && { fix: '' }) },
  }),
});

const resolve = (
  { clearSince: _, planned: __, isUnconfirmed: ___, isSuspected: ____, foundAs, ...alert }: TrackedAlert,
  now: number,
): TrackedAlert => ({
  ...withoutAges({ ...alert, ...foundAs }),
  phase: 'resolved',
  resolvedAt: now,
});

/** Whether what is found is about others than an alert, or about more or fewer and began after that was over. What comes and goes is one alert. */
const isAnother = (before: TrackedAlert | undefined, { details, since = 0 }: Pick<AlertFinding, 'details' | 'since'>) =>
  isAboutOthers(before?.details, details) ||
  (before?.phase === 'firing' && before.details?.about !== details?.about && since > (before.overAt ?? Infinity));

/** Since when an alert has the cause of these details. What clears has none, and what is back begins anew, as its fix is another. */
const causeAtOf = (before: TrackedAlert | undefined, details: AlertDetails | undefined, now: number) =>
  before === undefined || details?.isClearing || causeOf(before.details) === causeOf(details) ? before?.causeAt : now;

function activate(before: TrackedAlert | undefined, finding: AlertFinding & { readonly state: 'active' }, now: number) {
  const { labels, annotations, details, forMs, keepFiringForMs, planned, readAt = now } = finding;
  const isOther = isAnother(before, finding);
  const isNew =
    before === undefined ||
    isOther ||
    before.phase === 'resolved' ||
    (before.phase === 'pending' && now - before.seenAt > forMs + UNSEEN_MS);
  // A clock that was set back must not delay an alert.
  const activeAt = isNew ? now : Math.min(before.activeAt, now);
  const firedAt = isNew ? undefined : before.firedAt;
  const more = { ...(details && { details }), ...(planned && { planned }) };
  const seenAt = Math.min(readAt, now);
  const causeAt = causeAtOf(before, details, now);
  const otherSeenAt = isOther ? (before?.overAt ?? before?.seenAt) : isNew ? undefined : before.otherSeenAt;
  const base = {
    labels,
    annotations,
    ...more,
    keepFiringForMs,
    activeAt,
    seenAt,
    ...(causeAt !== undefined && { causeAt }),
    ...(otherSeenAt !== undefined && { otherSeenAt }),
    ...(details?.isClearing && { overAt: seenAt }),
  };
  if (firedAt === undefined && now - activeAt < forMs) return { ...base, phase: 'pending' } as const;
  // Planned work that begins later does not hold it back: whoever was notified that it fires is notified of its end.
  const wasNotified = before?.phase === 'firing' && before.isHeld !== true;
  const held = planned?.mutes === true && !wasNotified ? ({ isHeld: true } as const) : {};
  return { ...base, ...held, phase: 'firing', firedAt: firedAt ?? now } as const;
}

/** An alert that cannot be judged now, with what is known of it. */
function renew(
  { isCovered: _, isSuspected: __, ...before }: TrackedAlert,
  finding: Extract<AlertFinding, { readonly state: 'unknown' }>,
  now: number,
): TrackedAlert {
  const { details, isCovered, isOver } = finding;
  if (before.phase === 'resolved') return { ...before, isDoubted: true };
  if (before.phase === 'pending') return before;
  const isSuspected = finding.isSuspected && { isSuspected: true as const };
  // What is suspected of others is not what it fires for.
  if (details === undefined || isAnother(before, finding))
    return {
      ...{ ...withoutAges(before), ...isSuspected, ...(isCovered && { isCovered }) },
      ...(isOver && { overAt: before.overAt ?? now }),
    };
  const causeAt = causeAtOf(before, details, now);
  const seenAt = Math.min(finding.readAt ?? now, now);
  const foundAs = isSuspected && (before.foundAs ?? { details: before.details, seenAt: before.seenAt });
  return { ...before, ...isSuspected, foundAs, details, causeAt, seenAt, overAt: details.isClearing && seenAt };
}

/** The next state of an alert without a finding; undefined when it ends here. */
function clear(before: TrackedAlert, now: number): TrackedAlert | undefined {
  if (before.phase === 'pending') return undefined;
  if (before.phase === 'resolved') {
    const { isDoubted: _, ...resolved } = before;
    return resolved;
  }
  const clearSince = Math.min(before.clearSince ?? now, now);
  if (now - clearSince < before.keepFiringForMs) return { ...before, clearSince };
  return before.isHeld ? undefined : resolve(before, now);
}

const stateOf = (alert: TrackedAlert | undefined) => (alert?.isHeld ? 'held' : alert?.phase);

/** Whether two readings of an alert differ at most in what is stored with its next change, such as numbers in its words. */
export const isSameState = (one: TrackedAlert, other: TrackedAlert): boolean =>
  one.phase === other.phase &&
  one.activeAt === other.activeAt &&
  one.causeAt === other.causeAt &&
  one.details?.about === other.details?.about &&
  // When it was last seen is sure from then on.
  one.details?.isClearing === other.details?.isClearing &&
  one.overAt === other.overAt &&
  one.isHeld === other.isHeld &&
  one.isUnconfirmed === other.isUnconfirmed;

/** Applies the findings of one judgement, made at `now`. */
export function foldAlerts(before: TrackedAlerts, findings: readonly AlertFinding[], now: number): Folded {
  const trackedAlerts = new Map<string, TrackedAlert>();
  const transitions: Transition[] = [];
  const seen = new Set<string>();
  const put = (key: string, old: TrackedAlert | undefined, next: TrackedAlert | undefined) => {
    if (next === undefined || isOver(next, now)) return;
    trackedAlerts.set(key, next);
    const to = stateOf(next);
    if (to === stateOf(old) || to === 'pending' || to === undefined) return;
    transitions.push({ to, alert: next });
  };
  for (const finding of findings) {
    const key = alertKey(finding.labels);
    const old = before.get(key);
    seen.add(key);
    if (finding.state === 'active') put(key, old, activate(old, finding, now));
    else if (old !== undefined) put(key, old, renew(old, finding, now));
  }
  for (const [key, old] of before) if (!seen.has(key)) put(key, old, clear(old, now));
  return { trackedAlerts, transitions };
}

/** When each alert was last sent, and in which phase; by key. */
export type Notified = ReadonlyMap<string, { readonly at: number; readonly phase: TrackedAlert['phase'] }>;

/** The alerts to send now: those that changed since they were last sent, and all others every `resendMs`. */
export function findDue(
  trackedAlerts: TrackedAlerts,
  notified: Notified,
  now: number,
  resendMs: number,
): TrackedAlerts {
  return new Map(
    [...trackedAlerts].filter(([key, alert]) => {
      const { phase } = alert;
      if (!mayNotify(alert)) return false;
      const last = notified.get(key);
      // A clock that was set back must not stop an alert from being sent.
      return last === undefined || last.phase !== phase || now - last.at >= resendMs || last.at > now;
    }),
  );
}

/** Adds the alerts saved before a restart. Where both exist, the one that has been active for longer wins. */
export function mergeTrackedAlerts(current: TrackedAlerts, kept: readonly TrackedAlert[]): TrackedAlerts {
  const merged = new Map(current);
  for (const old of kept) {
    const key = alertKey(old.labels);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, old);
    else if (old.phase !== 'resolved' && known.phase !== 'resolved' && old.activeAt < known.activeAt)
      merged.set(key, {
        ...old,
        annotations: known.annotations,
        details: known.details,
        causeAt: known.causeAt,
        seenAt: known.seenAt,
        overAt: known.overAt,
      });
  }
  return merged;
}

/** Stored alerts that come to an instance which has judged without them: one that fires and is not known may be over. */
export const markUnconfirmed = (stored: readonly TrackedAlert[], known: TrackedAlerts): readonly TrackedAlert[] =>
  stored.map((alert) =>
    alert.phase === 'firing' && !known.has(alertKey(alert.labels)) ? { ...alert, isUnconfirmed: true } : alert,
  );

/** The same alerts, with their times converted to another clock. */
export function convertTrackedAlerts(trackedAlerts: TrackedAlerts, convert: (at: number) => number): TrackedAlerts {
  const optional = <Name extends string>(name: Name, at: number | undefined) =>
    (at === undefined ? {} : { [name]: convert(at) }) as { readonly [key in Name]?: number };
  const toOther = (alert: TrackedAlert): TrackedAlert => ({
    ...alert,
    activeAt: convert(alert.activeAt),
    seenAt: convert(alert.seenAt),
    ...optional('firedAt', alert.firedAt),
    ...optional('otherSeenAt', alert.otherSeenAt),
    ...optional('overAt', alert.overAt),
    ...optional('causeAt', alert.causeAt),
    ...optional('clearSince', alert.clearSince),
    ...optional('resolvedAt', alert.resolvedAt),
    ...(alert.foundAs && { foundAs: { ...alert.foundAs, seenAt: convert(alert.foundAs.seenAt) } }),
  });
  return new Map([...trackedAlerts].map(([key, alert]) => [key, toOther(alert)]));
}
