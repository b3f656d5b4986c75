import { type Finding, type Incident, type Incidents, incidentKey } from '../model/incident.ts';

/** A change that a person wants to know. */
export interface Transition {
  readonly to: 'firing' | 'resolved';
  readonly incident: Incident;
}

/** The incidents after one judgement of all alerts, and what changed. */
export interface Folded {
  readonly incidents: Incidents;
  readonly transitions: readonly Transition[];
}

/** A pending alert that was not judged for longer than this starts again: what happened in between is unknown. */
const UNSEEN_MS = 5 * 60_000;

/** How long a resolved alert is sent again, as Prometheus does. */
export const RESOLVED_FOR_MS = 15 * 60_000;

const isOver = ({ phase, resolvedAt }: Incident, now: number): boolean =>
  phase === 'resolved' && now - (resolvedAt ?? 0) >= RESOLVED_FOR_MS;

const resolve = ({ clearSince: _, ...incident }: Incident, now: number): Incident => ({
  ...incident,
  phase: 'resolved',
  resolvedAt: now,
});

function activate(before: Incident | undefined, finding: Finding & { readonly state: 'active' }, now: number) {
  const { labels, annotations, forMs, keepFiringForMs } = finding;
  const isNew =
    before === undefined ||
    before.phase === 'resolved' ||
    (before.phase === 'pending' && now - before.seenAt > forMs + UNSEEN_MS);
  // A clock that was set back must not delay an alert.
  const activeAt = isNew ? now : Math.min(before.activeAt, now);
  const firedAt = isNew ? undefined : before.firedAt;
  const base = { labels, annotations, keepFiringForMs, activeAt, seenAt: now };
  if (firedAt !== undefined) return { ...base, phase: 'firing', firedAt } as const;
  return now - activeAt >= forMs
    ? ({ ...base, phase: 'firing', firedAt: now } as const)
    : ({ ...base, phase: 'pending' } as const);
}

/** The next state of an incident without a finding; undefined when it ends here. */
function clear(before: Incident, now: number): Incident | undefined {
  if (before.phase === 'pending') return undefined;
  if (before.phase === 'resolved') return before;
  const clearSince = Math.min(before.clearSince ?? now, now);
  return now - clearSince >= before.keepFiringForMs ? resolve(before, now) : { ...before, clearSince };
}

/** Applies the findings of one judgement, made at `now`. */
export function foldIncidents(before: Incidents, findings: readonly Finding[], now: number): Folded {
  const incidents = new Map<string, Incident>();
  const transitions: Transition[] = [];
  const seen = new Set<string>();
  const put = (key: string, old: Incident | undefined, next: Incident | undefined) => {
    if (next === undefined || isOver(next, now)) return;
    incidents.set(key, next);
    if (next.phase === old?.phase || next.phase === 'pending') return;
    transitions.push({ to: next.phase, incident: next });
  };
  for (const finding of findings) {
    const key = incidentKey(finding.labels);
    const old = before.get(key);
    seen.add(key);
    if (finding.state === 'active') put(key, old, activate(old, finding, now));
    else if (old !== undefined) put(key, old, old);
  }
  for (const [key, old] of before) if (!seen.has(key)) put(key, old, clear(old, now));
  return { incidents, transitions };
}

/** When each incident was last sent, and in which phase; by key. */
export type Notified = ReadonlyMap<string, { readonly at: number; readonly phase: Incident['phase'] }>;

/** The incidents to send now: those that changed since they were last sent, and all others every `resendMs`. */
export function findDue(incidents: Incidents, notified: Notified, now: number, resendMs: number): Incidents {
  return new Map(
    [...incidents].filter(([key, { phase }]) => {
      if (phase === 'pending') return false;
      const last = notified.get(key);
      // A clock that was set back must not stop an alert from being sent.
      return last === undefined || last.phase !== phase || now - last.at >= resendMs || last.at > now;
    }),
  );
}

/** Adds the incidents saved before a restart. Where both exist, the one that has been active for longer wins. */
export function mergeIncidents(current: Incidents, kept: readonly Incident[]): Incidents {
  const merged = new Map(current);
  for (const old of kept) {
    const key = incidentKey(old.labels);
    const known = merged.get(key);
    if (known === undefined) merged.set(key, old);
    else if (old.phase !== 'resolved' && known.phase !== 'resolved' && old.activeAt < known.activeAt)
      merged.set(key, { ...old, annotations: known.annotations, seenAt: known.seenAt });
  }
  return merged;
}

/** The same incidents, with their times converted to another clock. */
export function convertIncidents(incidents: Incidents, convert: (at: number) => number): Incidents {
  const optional = <Name extends string>(name: Name, at: number | undefined) =>
    (at === undefined ? {} : { [name]: convert(at) }) as { readonly [key in Name]?: number };
  const toOther = (incident: Incident): Incident => ({
    ...incident,
    activeAt: convert(incident.activeAt),
    seenAt: convert(incident.seenAt),
    ...optional('firedAt', incident.firedAt),
    ...optional('clearSince', incident.clearSince),
    ...optional('resolvedAt', incident.resolvedAt),
  });
  return new Map([...incidents].map(([key, incident]) => [key, toOther(incident)]));
}
