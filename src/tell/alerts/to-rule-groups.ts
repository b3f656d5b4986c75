import type { AlertRule } from './alert-rule.ts';
import { alertGroups } from './alert-rules.ts';
import { SCRAPE_JOB } from './promql.ts';
import { type RecordingRule, recordingRules } from './recording-rules.ts';
import { type LinkBases, toLinks } from './to-links.ts';

/** An alerting rule with Prometheus's own member names. */
interface AlertingRule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly keep_firing_for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

/** A group of a Prometheus rule file. */
export interface RuleGroup {
  readonly name: string;
  readonly rules: readonly (AlertingRule | RecordingRule)[];
}

/** The base addresses of links, and the job that scrapes subnetd. */
export interface RulePlaces extends Partial<LinkBases> {
  readonly job?: string;
}

/** Converts alerts to Prometheus's format. */
const toRuleGroup = (name: string, rules: readonly AlertRule[], places: RulePlaces): RuleGroup => {
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

/** All groups of rules, by the name of their file in config/prometheus/rules. */
export const toRuleGroups = (places: RulePlaces): Readonly<Record<string, RuleGroup>> => ({
  records: { name: 'subnetd-records', rules: recordingRules },
  ...Object.fromEntries(Object.entries(alertGroups).map(([name, rules]) => [name, toRuleGroup(name, rules, places)])),
});
