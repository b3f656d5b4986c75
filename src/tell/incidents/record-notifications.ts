import type { Incident, IncidentNotification } from '../../model/incident.ts';
import type { AlertLabels } from '../alerts/tracked-alert.ts';
import type { FollowedIncidents } from './follow-incidents.ts';

/** At most this many notifications of an incident are kept, the first ones. */
const MOST_NOTIFICATIONS = 20;
/** A resolved alert is sent this long after its problem has gone. */
const RESOLVED_WITHIN_MS = 30 * 60_000;

/** That an Alertmanager or a channel has accepted an alert; `at` is watched time. */
export interface AcceptedAlert extends IncidentNotification {
  readonly labels: AlertLabels;
}

/** By which labels an incident is found. */
const subjectOf = (alert: string | undefined, { subnet, component, name }: AlertLabels | Incident): string =>
  JSON.stringify([alert, subnet, component, name]);

/** Alerts are sent again every minute; only the first of each phase is news. */
function add(incident: Incident, one: IncidentNotification): Incident {
  const last = incident.notified.findLast(({ to }) => to === one.to);
  const isKnown = last === undefined ? one.phase === 'resolved' : last.phase === one.phase;
  return isKnown || incident.notified.length >= MOST_NOTIFICATIONS
    ? incident
    : { ...incident, notified: [...incident.notified, one] };
}

/** The incidents with the alerts about them that were accepted, where `isNotified` holds. The same value when nothing changed. */
function noteAll(
  incidents: FollowedIncidents['open'],
  accepted: readonly AcceptedAlert[],
  isNotified: (incident: Incident, one: AcceptedAlert) => boolean,
): FollowedIncidents['open'] {
  if (accepted.length === 0) return incidents;
  const bySubject = Map.groupBy(accepted, ({ labels }) => subjectOf(labels.alertname, labels));
  const changed: [string, Incident][] = [];
  for (const [key, before] of incidents) {
    let incident = before;
    for (const one of bySubject.get(subjectOf(before.alert, before)) ?? []) {
      const { labels: _, ...notification } = one;
      if (isNotified(before, one)) incident = add(incident, notification);
    }
    if (incident !== before) changed.push([key, incident]);
  }
  return changed.length === 0 ? incidents : new Map([...incidents, ...changed]);
}

/** The incidents after alerts were accepted, in this order; times are watched time. The same value when nothing changed. */
export function recordNotifications(
  followed: FollowedIncidents,
  accepted: readonly AcceptedAlert[],
): FollowedIncidents {
  const open = noteAll(
    followed.open,
    accepted.filter(({ phase }) => phase === 'firing'),
    () => true,
  );
  const ended = noteAll(followed.ended, accepted, ({ endedAt = 0 }, { phase, at }) =>
    phase === 'firing' ? at <= endedAt : at - endedAt < RESOLVED_WITHIN_MS,
  );
  return open === followed.open && ended === followed.ended ? followed : { ...followed, open, ended };
}
