import type { Incident, IncidentNotification } from '../model/incident.ts';
import type { AlertLabels } from '../model/tracked-alert.ts';
import type { Followed } from './follow-incidents.ts';

/** As many notifications of an incident are kept, the first ones. */
const MOST = 20;
/** A resolved alert is sent this long after its problem has gone. */
const RESOLVED_WITHIN_MS = 30 * 60_000;

const isAbout = ({ alert, subnet, component, name }: Incident, labels: AlertLabels): boolean =>
  labels.alertname === alert && labels.subnet === subnet && labels.component === component && labels.name === name;

/** Alerts are sent again every minute; only the first of each phase is news. */
function add(incident: Incident, one: IncidentNotification): Incident {
  const last = incident.notified.findLast(({ to }) => to === one.to);
  const isKnown = last === undefined ? one.phase === 'resolved' : last.phase === one.phase;
  return isKnown || incident.notified.length >= MOST
    ? incident
    : { ...incident, notified: [...incident.notified, one] };
}

/** The incidents after an Alertmanager or a channel has accepted an alert; times are watched time. */
export function recordNotification(followed: Followed, labels: AlertLabels, one: IncidentNotification): Followed {
  const note = (incidents: ReadonlyMap<string, Incident>, isMeant: (incident: Incident) => boolean) => {
    const meant = [...incidents].filter(([, incident]) => isAbout(incident, labels) && isMeant(incident));
    return meant.length === 0
      ? incidents
      : new Map([...incidents, ...meant.map(([key, incident]) => [key, add(incident, one)] as const)]);
  };
  if (one.phase === 'firing') return { ...followed, open: note(followed.open, () => true) };
  const isRecent = ({ endedAt = 0 }: Incident) => one.at - endedAt < RESOLVED_WITHIN_MS;
  return { ...followed, ended: note(followed.ended, isRecent) };
}
