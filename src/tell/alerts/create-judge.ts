import { durationMs } from '../../lib/duration.ts';
import { findPlanned } from '../../model/planned-work.ts';
import type { ProblemPlan } from '../../model/problem.ts';
import { problemsOfAlert } from '../../model/problem-catalog.ts';
import { conditionOf } from './alert-conditions.ts';
import type { AlertInput } from './alert-input.ts';
import type { AlertRule } from './alert-rule.ts';
import { alertRules } from './alert-rules.ts';
import { parseTemplate } from './parse-template.ts';
import { type LinkBases, toLinks } from './to-links.ts';
import type { AlertAnnotations, AlertFinding, AlertLabels, TrackedAlerts } from './tracked-alert.ts';

/** Judges all alerts that subnetd can judge itself, given the alerts so far. */
export type Judge = (input: AlertInput, trackedAlerts: TrackedAlerts) => readonly AlertFinding[];

/** The texts of a rule as Prometheus renders them. Links need the base address of their target. */
function toTexts(rule: AlertRule, bases: Partial<LinkBases>) {
  const templates = {
    summary: rule.summary,
    description: rule.description,
    ...toLinks(rule, bases, (label) => `{{ $labels.${label} | urlquery }}`),
  };
  const parsed = Object.entries(templates).map(([name, text]) => [name, parseTemplate(text)] as const);
  return (labels: AlertLabels, value: number): AlertAnnotations =>
    Object.fromEntries(parsed.map(([name, render]) => [name, render(labels, value)]));
}

/** The planned work that covers an alert which is not about a problem, by its labels, as a silence would. */
function findOwnPlan({ snapshot }: AlertInput, { subnet, ...subject }: AlertLabels): ProblemPlan | undefined {
  const state = subnet === undefined ? undefined : snapshot.find((one) => one.subnet.name === subnet);
  const planned = findPlanned(state?.plannedWork ?? [], subject);
  return planned && { ...planned, mutes: true };
}

/** Creates the judge of all alerts. */
export function createJudge(bases: Partial<LinkBases>): Judge {
  const judges = alertRules.flatMap((rule) => {
    const condition = conditionOf(rule);
    if (condition === undefined) return [];
    const { name: alertname, severity, for: holds, keepFiringFor = '0s' } = rule;
    // A problem waits by itself before it is over, so its alert need not. Prometheus has to bridge scrapes, too.
    const isOfProblem = problemsOfAlert(rule.name).length > 0;
    const [forMs, keepFiringForMs] = [durationMs(holds), isOfProblem ? 0 : durationMs(keepFiringFor)];
    const annotate = toTexts(rule, bases);
    const judge = (input: AlertInput, isKnown: boolean): readonly AlertFinding[] =>
      // Unknown instances matter only for alerts that are open or have ended a short time ago.
      condition(input, isKnown).map(({ labels: own, result, details: known, ...mark }): AlertFinding => {
        const labels = { alertname, severity, ...own };
        if (result === 'unknown') return { state: 'unknown', labels, details: known, ...mark };
        const { details, value, readAt, since } = result;
        const planned = isOfProblem ? result.planned : findOwnPlan(input, own);
        const texts = {
          annotations: annotate(own, value),
          ...(details && { details }),
          ...(readAt !== undefined && { readAt }),
          ...(since !== undefined && { since }),
        };
        return { state: 'active', labels, ...texts, forMs, keepFiringForMs, planned };
      });
    return [{ alertname, judge }];
  });
  return (input, trackedAlerts) => {
    const known = new Set([...trackedAlerts.values()].map(({ labels }) => labels.alertname));
    return judges.flatMap(({ alertname, judge }) => judge(input, known.has(alertname)));
  };
}
