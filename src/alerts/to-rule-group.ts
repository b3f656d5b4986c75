import type { AlertRule } from './alert-rule.ts';
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

/** Rules as Prometheus reads them. */
export const toRuleGroup = (name: string, rules: readonly AlertRule[], bases: LinkBases): RuleGroup => ({
  name: `subnetd-${name}`,
  rules: rules.map((rule) => ({
    alert: rule.name,
    expr: rule.expr,
    for: rule.for,
    ...(rule.keepFiringFor !== undefined && { keep_firing_for: rule.keepFiringFor }),
    labels: { severity: rule.severity },
    annotations: {
      summary: rule.summary,
      description: rule.description,
      ...toLinks(rule, bases, (label) => `{{ $labels.${label} | urlquery }}`),
    },
  })),
});
