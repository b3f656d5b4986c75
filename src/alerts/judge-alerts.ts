import { durationMs } from '../model/duration.ts';
import type { AlertAnnotations, AlertLabels, Finding } from '../model/incident.ts';
import type { AlertRule } from './alert-rule.ts';
import { alertRules } from './alert-rules.ts';
import { conditions } from './conditions.ts';
import { renderTemplate } from './render-template.ts';
import type { Seen } from './seen.ts';
import { type LinkBases, toLinks } from './to-links.ts';

/** A value in the query of a URL, as Go's `urlquery` writes it. */
const toQuery = (value: string): string =>
  encodeURIComponent(value)
    .replaceAll('%20', '+')
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** The texts of an alert as Prometheus renders them; links only to what has an address. */
function annotate(rule: AlertRule, labels: AlertLabels, value: number, bases: Partial<LinkBases>): AlertAnnotations {
  const links = toLinks(rule, { publicUrl: '', grafanaUrl: '', ...bases }, (label) => toQuery(labels[label] ?? ''));
  return {
    summary: renderTemplate(rule.summary, labels, value),
    description: renderTemplate(rule.description, labels, value),
    ...(bases.publicUrl !== undefined && { runbook_url: links.runbook_url }),
    ...(bases.grafanaUrl !== undefined && { dashboard_url: links.dashboard_url }),
  };
}

/** What is found of every alert that subnetd can tell itself. */
export function judgeAlerts(seen: Seen, bases: Partial<LinkBases>): readonly Finding[] {
  return alertRules.flatMap((rule): readonly Finding[] => {
    if (rule.name === 'SubnetdDown') return [];
    const { name: alertname, severity, for: holds, keepFiringFor = '0s' } = rule;
    return conditions[rule.name](seen).map((sighting): Finding => {
      const labels = { alertname, severity, ...sighting.of };
      if (!sighting.isKnown) return { state: 'unknown', labels };
      const annotations = annotate(rule, sighting.of, sighting.value, bases);
      const [forMs, keepFiringForMs] = [durationMs(holds), durationMs(keepFiringFor)];
      return { state: 'firing', labels, annotations, forMs, keepFiringForMs };
    });
  });
}
