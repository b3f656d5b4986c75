import { durationMs } from '../model/duration.ts';
import type { AlertLabels, Finding, Incidents } from '../model/incident.ts';
import type { Seen } from './alert-input.ts';
import type { AlertRule } from './alert-rule.ts';
import { alertRules } from './alert-rules.ts';
import { conditions } from './conditions.ts';
import { parseTemplate } from './parse-template.ts';
import { type LinkBases, toLinks } from './to-links.ts';

/** What is found of every alert that subnetd can tell itself, beside those that are open. */
export type Judge = (seen: Seen, open: Incidents) => readonly Finding[];

/** The texts of a rule as Prometheus renders them; links only to what has an address. */
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

/** Makes the judge of all alerts. */
export function createJudge(bases: Partial<LinkBases>): Judge {
  const judges = alertRules.flatMap((rule) => {
    // No program can say of itself that it is down.
    if (rule.name === 'SubnetdDown') return [];
    const { name: alertname, severity, for: holds, keepFiringFor = '0s' } = rule;
    const [forMs, keepFiringForMs] = [durationMs(holds), durationMs(keepFiringFor)];
    const [condition, annotate] = [conditions[rule.name], toTexts(rule, bases)];
    const judge = (seen: Seen, isOpen: boolean): readonly Finding[] =>
      // Where none is open, not to know changes nothing.
      condition(seen, isOpen).map((sighting): Finding => {
        const labels = { alertname, severity, ...sighting.of };
        if (!sighting.isKnown) return { state: 'unknown', labels };
        return { state: 'firing', labels, annotations: annotate(sighting.of, sighting.value), forMs, keepFiringForMs };
      });
    return [{ alertname, judge }];
  });
  return (seen, open) => {
    const openNames = new Set([...open.values()].map(({ labels }) => labels.alertname));
    return judges.flatMap(({ alertname, judge }) => judge(seen, openNames.has(alertname)));
  };
}
