import type { ProblemSeverity } from '../../model/severity.ts';

/** How urgent an alert is: `critical` pages, `warning` is a ticket, `info` is context, `none` notifies nobody. */
export type Severity = ProblemSeverity | 'none';

/** A label of an alert, besides `alertname` and `severity`. */
export type AlertLabel = 'subnet' | 'component' | 'name' | 'instance' | 'engine' | 'shard';

/** The uid of a Grafana dashboard. */
export type Dashboard = 'subnetd-fleet' | 'subnetd-node' | 'subnetd-services' | 'subnetd-self';

/** An alert, as Prometheus evaluates it and the push notifies of it. */
export interface AlertRule {
  /** CamelCase; the label `alertname`, and the name of its page in docs/alerts. */
  readonly name: string;
  readonly severity: Severity;
  /** How long the condition must hold, as a Prometheus duration. */
  readonly for: string;
  /**
   * How long the alert keeps firing after its condition has ended. It bridges the time in which a restarted subnetd has
   * not judged yet. An alert that inhibits others must also outlast them.
   */
  readonly keepFiringFor?: string;
  /** PromQL; the result has exactly `labels`. */
  readonly expr: string;
  readonly labels: readonly AlertLabel[];
  /**
   * One sentence, the same for all alerts of a subnet. Templates use only `$labels`, `$value` and humanize functions.
   */
  readonly summary: string;
  /** What was seen and what to do, with the value where it helps. */
  readonly description: string;
  readonly dashboard: Dashboard;
}
