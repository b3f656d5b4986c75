import { durationMs } from '../model/duration.ts';
import type { AlertLabels, Finding, Incidents } from '../model/incident.ts';
import type { AlertInput } from './alert-input.ts';
import type { AlertRule } from './alert-rule.ts';
import { alertRules } from './alert-rules.ts';
import { conditions } from './conditions.ts';
import { parseTemplate } from './parse-template.ts';
import { type LinkBases, toLinks } from './to-links.ts';

/** Judges all alerts that subnetd can judge itself, given the incidents so far. */
export type Judge = (input: AlertInput, incidents: Incidents) => readonly Finding[];

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
    const judge = (input: AlertInput, isOpen: boolean): readonly Finding[] =>
      // Unknown instances matter only for alerts that are open.
      condition(input, isOpen).map(({ labels: own, result }): Finding => {
        const labels = { alertname, severity, ...own };
        if (result === 'unknown') return { state: 'unknown', labels };
        return { state: 'active', labels, annotations: annotate(own, result.value), forMs, keepFiringForMs };
      });
    return [{ alertname, judge }];
  });
  return (input, incidents) => {
    const open = [...incidents.values()].filter(({ phase }) => phase !== 'resolved');
    const openNames = new Set(open.map(({ labels }) => labels.alertname));
    return judges.flatMap(({ alertname, judge }) => judge(input, openNames.has(alertname)));
  };
}
