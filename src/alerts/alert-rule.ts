/** What an alert asks of people: `critical` pages, `warning` is a ticket, `info` is context, `none` wakes nobody. */
export type Severity = 'critical' | 'warning' | 'info' | 'none';

/** A label that a result carries, besides `alertname` and `severity`. */
export type AlertLabel = 'subnet' | 'component' | 'name' | 'instance' | 'engine';

/** The uid of a Grafana dashboard. */
export type Dashboard = 'subnetd-fleet' | 'subnetd-node' | 'subnetd-services' | 'subnetd-self';

/** One alert, as Prometheus evaluates it and a push tells it. */
export interface AlertRule {
  /** CamelCase; the label `alertname`, and the name of its page in docs/alerts. */
  readonly name: string;
  readonly severity: Severity;
  /** How long the condition has to hold, as a Prometheus duration. */
  readonly for: string;
  /**
   * For so long the alert stays after its condition has ended: over the moments in which a subnetd that was started anew has
   * not judged again, and, of an alert that silences others, longer than those take to end after it.
   */
  readonly keepFiringFor?: string;
  /** PromQL; its result carries exactly `labels`. */
  readonly expr: string;
  readonly labels: readonly AlertLabel[];
  /** One sentence, the same for every alert of one subnet. Templates use `$labels`, `$value` and humanize functions only. */
  readonly summary: string;
  /** What was seen and what to do, with the value where it tells something. */
  readonly description: string;
  readonly dashboard: Dashboard;
}
