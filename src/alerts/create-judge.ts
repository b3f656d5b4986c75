import { durationMs } from '../model/duration.ts';
import type { AlertLabels, Finding, Incidents } from '../model/incident.ts';
import type { AlertInput } from './alert-input.ts';
import type { AlertRule } from './alert-rule.ts';
import { alertRules } from './alert-rules.ts';
import { conditions } from './conditions.ts';
import { parseTemplate } from './parse-template.ts';
import { type LinkBases, toLinks } from './to-links.ts';

/** The findings of all alerts that subnetd can judge itself, and of the open ones. */
export type Judge = (input: AlertInput, open: Incidents) => readonly Finding[];

/** The texts of a rule as Prometheus renders them. Links need the base address of their target. */
function toTexts(rule: AlertRule, bases: Partial<LinkBases>) {
  const templates = {
    summary: rule.summary,
    description: rule.description,
    ...toLinks(rule, bases, (label) => `{{ $labels.${label} | urlquery }}`),
  };
  const parsed = Object.entries(templates).map(([name, text]) => [name, parseTemplate(text)] as const);
  return (labels: AlertLabels, value: number) => {
    const texts: Record<string, string> = {};
    for (const [name, render] of parsed) texts[name] = render(labels, value);
    return texts;
  };
}

/** Creates the judge of all alerts. */
export function createJudge(bases: Partial<LinkBases>): Judge {
  const judges = alertRules.flatMap((rule) => {
    // No program can report that it is down itself.
    if (rule.name === 'SubnetdDown') return [];
    const { name: alertname, severity, for: holds, keepFiringFor = '0s' } = rule;
    const [forMs, keepFiringForMs] = [durationMs(holds), durationMs(keepFiringFor)];
    const [condition, annotate] = [conditions[rule.name], toTexts(rule, bases)];
    const judge = (seen: AlertInput, isOpen: boolean): readonly Finding[] =>
      // Unknown instances matter only for alerts that are open.
      condition(seen, isOpen).map((sighting): Finding => {
        const labels = { alertname, severity, ...sighting.labels };
        if (!sighting.isKnown) return { state: 'unknown', labels };
        return {
          state: 'firing',
          labels,
          annotations: annotate(sighting.labels, sighting.value),
          forMs,
          keepFiringForMs,
        };
      });
    return [{ alertname, judge }];
  });
  return (seen, open) => {
    const openNames = new Set([...open.values()].map(({ labels }) => labels.alertname));
    return judges.flatMap(({ alertname, judge }) => judge(seen, openNames.has(alertname)));
  };
}
