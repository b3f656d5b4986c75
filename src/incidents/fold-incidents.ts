import { type Finding, type Incident, type Incidents, incidentKey } from '../model/incident.ts';

/** A change that a person would want to know of. */
export interface Transition {
  readonly to: 'firing' | 'resolved';
  readonly incident: Incident;
}

/** What one more look made of the incidents. */
export interface Folded {
  readonly incidents: Incidents;
  readonly transitions: readonly Transition[];
}

/** A pending alert that nobody saw for longer than this begins anew: what happened meanwhile is not known. */
const UNSEEN_MS = 5 * 60_000;

/** How long a resolution is told again, as Prometheus does. */
export const RESOLVED_FOR_MS = 15 * 60_000;

const isOver = ({ phase, resolvedAt }: Incident, now: number): boolean =>
  phase === 'resolved' && now - (resolvedAt ?? 0) >= RESOLVED_FOR_MS;

const resolve = ({ clearSince: _, ...incident }: Incident, now: number): Incident => ({
  ...incident,
  phase: 'resolved',
  resolvedAt: now,
});

function activate(before: Incident | undefined, finding: Finding & { readonly state: 'firing' }, now: number) {
  const { labels, annotations, forMs, keepFiringForMs } = finding;
  const isNew =
    before === undefined ||
    before.phase === 'resolved' ||
    (before.phase === 'pending' && now - before.seenAt > forMs + UNSEEN_MS);
  // A clock set back must not hold an alert up.
  const activeAt = isNew ? now : Math.min(before.activeAt, now);
  const firedAt = isNew ? undefined : before.firedAt;
  const base = { labels, annotations, keepFiringForMs, activeAt, seenAt: now };
  if (firedAt !== undefined) return { ...base, phase: 'firing', firedAt } as const;
  return now - activeAt >= forMs
    ? ({ ...base, phase: 'firing', firedAt: now } as const)
    : ({ ...base, phase: 'pending' } as const);
}

/** What becomes of an incident that has no finding; undefined when nothing is left of it. */
function calm(before: Incident, now: number): Incident | undefined {
  if (before.phase === 'pending') return undefined;
  if (before.phase === 'resolved') return before;
  const clearSince = Math.min(before.clearSince ?? now, now);
  return now - clearSince >= before.keepFiringForMs ? resolve(before, now) : { ...before, clearSince };
}

/** Adds what one look found, at `now`. */
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
    if (finding.state === 'firing') put(key, old, activate(old, finding, now));
    else if (old !== undefined) put(key, old, old);
  }
  for (const [key, old] of before) if (!seen.has(key)) put(key, old, calm(old, now));
  return { incidents, transitions };
}
