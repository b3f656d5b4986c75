import type { AlertRule } from './alert-rule.ts';
import { alertGroups } from './alert-rules.ts';
import { SCRAPE_JOB } from './problem-rule.ts';
import { type LinkBases, toLinks } from './to-links.ts';

/** A series that Prometheus computes once for all panels that show it; named level:metric:operation. */
export interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

const HEIGHT = 'max by (subnet, name) (subnet_node_block_number{block="latest"})';

/**
 * Series that three or more panels share. Several subnetd that watch one subnet give one series. Ages are not recorded:
 * by the next evaluation they would be outdated.
 */
export const recordingRules = [
  {
    record: 'subnet_component_name_check:subnet_check_success:min',
    expr: 'min by (subnet, component, name, check) (subnet_check_success)',
  },
  {
    record: 'subnet_name_block:subnet_node_block_number:max',
    expr: 'max by (subnet, name, block) (subnet_node_block_number)',
  },
  {
    record: 'subnet_name:subnet_node_block_number:behind',
    expr: `max by (subnet) (subnet_node_block_number{block="latest"})\n- on (subnet) group_right () ${HEIGHT}`,
  },
  {
    record: 'subnet_component_name:subnet_container_memory_bytes:ratio',
    expr: 'max by (subnet, component, name) (subnet_container_memory_bytes / subnet_container_memory_limit_bytes)',
  },
] as const satisfies readonly RecordingRule[];

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

/** All rules as one object of the Prometheus operator: `PrometheusRule` of monitoring.coreos.com/v1. */
export const toPrometheusRule = (places: RulePlaces) => ({
  apiVersion: 'monitoring.coreos.com/v1',
  kind: 'PrometheusRule',
  metadata: { name: 'subnetd', labels: { 'app.kubernetes.io/name': 'subnetd' } },
  spec: { groups: Object.values(toRuleGroups(places)) },
});
