import type { Incidents } from '../../model/incident.ts';
import type { AlertLabels } from './tracked-alert.ts';

/** What the incidents know of alerts, for the channels. */
export interface AlertIncidents extends Pick<Incidents, 'acknowledge'> {
  /** Who is on everything that an alert is about; undefined while nobody is. */
  acknowledgedBy(labels: AlertLabels): string | undefined;
  /** The first open incident of an alert that nobody is on, and the page on which a person can acknowledge it. */
  incidentOf(labels: AlertLabels): { readonly id: string; readonly link?: string } | undefined;
}
