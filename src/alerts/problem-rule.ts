import { problemCatalog, problemsOfAlert } from '../model/problem-catalog.ts';
import type { AlertLabel, AlertRule } from './alert-rule.ts';
import { TARGET } from './promql.ts';

/** Problems of a whole subnet that page for its nodes too: one message a cause. */
const SUBNET_WIDE = ['subnet_halted', 'quorum_at_risk', 'monitor_offline'] as const;

const standing = (problems: readonly string[]): string => `subnet_problem{problem=~"${problems.join('|')}"} == 1`;

/** Adds the component `node` to each subnet that pages as a whole. */
const COVERED = `label_replace(max by (subnet) (${standing(SUBNET_WIDE)}), "component", "node", "", "")`;

/** Bridges a failed scrape, and the time in which a restarted subnetd has not judged yet. */
const KEEP_FIRING = '3m';

/** The texts of an alert; subnetd decides when it fires. */
export interface ProblemTexts<Name extends string> {
  readonly name: Name;
  /** Whether it is about the whole subnet and not about one target. */
  readonly ofSubnet?: true;
  readonly summary: string;
  readonly description: string;
  readonly dashboard: AlertRule['dashboard'];
}

/** A rule that fires while subnetd reports one of the problems that the catalog gives to the alert. */
export function reportProblems<const Name extends string>(
  texts: ProblemTexts<Name>,
): AlertRule & { readonly name: Name } {
  const { ofSubnet, ...rest } = texts;
  const problems = problemsOfAlert(texts.name);
  const [first] = problems;
  if (first === undefined) throw new Error(`no problem is reported by ${texts.name}`);
  const { severity } = problemCatalog[first];
  const labels: readonly AlertLabel[] = ofSubnet ? ['subnet'] : TARGET;
  const seen = `max by (${labels.join(', ')}) (${standing(problems)})`;
  return {
    ...rest,
    severity,
    for: '0s',
    keepFiringFor: KEEP_FIRING,
    expr: ofSubnet || severity === 'info' ? seen : `${seen}\nunless on (subnet, component) ${COVERED}`,
    labels,
  };
}

/** Whether a problem of a whole subnet pages for those of its nodes. */
export const coversNodes = (problem: string): boolean => SUBNET_WIDE.some((one) => one === problem);
