/** What an alert is known by in Alertmanager: alertname, severity and what it is of. Never a value, which would make it another. */
export type AlertLabels = Readonly<Record<string, string>>;

/** Texts that go with an alert; the newest replace the ones before. */
export type AlertAnnotations = Readonly<Record<string, string>>;

/**
 * What one look made of one alert of one thing. `unknown`: it cannot be judged now, so nothing changes. What has no finding
 * is well, or is watched no more.
 */
export type Finding =
  | {
      readonly state: 'firing';
      readonly labels: AlertLabels;
      readonly annotations: AlertAnnotations;
      /** How long it must be so before it fires, in milliseconds. */
      readonly forMs: number;
      /** How long it must not be so before it ends, in milliseconds. */
      readonly keepFiringForMs: number;
    }
  | { readonly state: 'unknown'; readonly labels: AlertLabels };

/** An alert that is, or lately was, pending or firing; times are Unix milliseconds. */
export interface Incident {
  readonly labels: AlertLabels;
  readonly annotations: AlertAnnotations;
  readonly keepFiringForMs: number;
  readonly phase: 'pending' | 'firing' | 'resolved';
  /** When it was first found to be so. */
  readonly activeAt: number;
  /** When it was last found to be so. */
  readonly seenAt: number;
  readonly firedAt?: number;
  /** While it fires: since when it has no finding. */
  readonly clearSince?: number;
  readonly resolvedAt?: number;
}

/** The one name of an alert, whatever the order of its labels. */
export const incidentKey = (labels: AlertLabels): string =>
  JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));

/** By key. */
export type Incidents = ReadonlyMap<string, Incident>;

/** Keeps incidents across restarts. Every function rejects when the database fails. */
export interface IncidentStore {
  load(): Promise<readonly Incident[]>;
  save(changed: Incidents, gone: readonly string[]): Promise<void>;
}
