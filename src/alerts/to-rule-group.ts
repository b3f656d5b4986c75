import type { AlertRule } from './alert-rule.ts';
import { SCRAPE_JOB } from './promql.ts';
import { type LinkBases, toLinks } from './to-links.ts';

/** A group of a Prometheus rule file, with Prometheus's own member names. */
export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly {
    readonly alert: string;
    readonly expr: string;
    readonly for: string;
    readonly keep_firing_for?: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  }[];
}

/** Where the links lead, and the job that scrapes subnetd. */
export interface RulePlaces extends Partial<LinkBases> {
  readonly job?: string;
}

/** Rules as Prometheus reads them. */
export const toRuleGroup = (name: string, rules: readonly AlertRule[], places: RulePlaces): RuleGroup => {
  const { job = SCRAPE_JOB } = places;
  const withJob = (text: string) =>
    text.replaceAll(`job="${SCRAPE_JOB}"`, `job="${job}"`).replaceAll(`the job ${SCRAPE_JOB}`, `the job ${job}`);
  return {
    name: `subnetd-${name}`,
    rules: rules.map((rule) => ({
      alert: rule.name,
      expr: withJob(rule.expr),
      for: rule.for,
      keep_firing_for: rule.keepFiringFor,
      labels: { severity: rule.severity },
      annotations: {
        summary: rule.summary,
        description: withJob(rule.description),
        ...toLinks(rule, places, (label) => `{{ $labels.${label} | urlquery }}`),
      },
    })),
  };
};
