import { PAGES_FOR, type ProblemKind, problemCatalog, problemsOfAlert } from '../../model/problem-catalog.ts';
import type { AlertLabel, AlertRule } from './alert-rule.ts';

/** The job that scrapes subnetd in config/prometheus/prometheus.yml. */
export const SCRAPE_JOB = 'subnetd';

/** A failed scrape ends every series for a while. For this long the last sample counts as the current one. */
const GAP = '2m';

/** The labels of a target. */
export const TARGET = ['subnet', 'component', 'name'] as const;

/** The last sample of each series. */
export const last = (selector: string): string => `last_over_time(${selector}[${GAP}])`;

/** The containers on an engine that does not answer, per subnetd. */
export const ON_LOST_ENGINE = `${last('subnet_container_engine_info')}
  and on (instance, job, engine) ${last('subnetd_docker_up')} == 0`;

/** The targets that planned work covers. */
export const PLANNED_TARGET = last('subnet_planned_work');

/** The subnets that planned work covers as a whole. */
export const PLANNED_SUBNET = last('subnet_planned_work{component="",name=""}');

/** The confirmed problems, without those that nobody is notified of because of planned work. */
const standing = (problems: readonly string[]): string =>
  `subnet_problem{problem=~"${problems.join('|')}"} == 1 unless on (subnet, component, name, problem) subnet_problem_planned`;

/** The subnets and components for which something graver pages. */
const COVERED = Object.entries(PAGES_FOR)
  .map(
    ([component, problems]) =>
      `label_replace(max by (subnet) (${standing(problems)}), "component", "${component}", "", "")`,
  )
  .join('\nor ');

/** Bridges a failed scrape, and the time in which a restarted subnetd has not judged yet. */
const KEEP_FIRING = '3m';

/** What alerts have in common, or one of them has otherwise. */
interface Common {
  /** Whether it is about the whole subnet and not about one target. */
  readonly ofSubnet?: true;
  readonly dashboard: AlertRule['dashboard'];
  /** Where a restarted subnetd needs longer than usual. */
  readonly keepFiringFor?: string;
}

/** The texts of an alert; subnetd decides when it fires. */
type ProblemTexts = Pick<AlertRule, 'summary' | 'description'> & Partial<Common>;

/** Rules by name, each of which fires while subnetd reports one of the problems that the catalog gives to the alert. */
export const reportProblems = <const Name extends string>(
  common: Common,
  rules: Readonly<Record<Name, ProblemTexts>>,
): readonly (AlertRule & { readonly name: Name })[] =>
  (Object.entries(rules) as [Name, ProblemTexts][]).map(([name, texts]) => {
    const { ofSubnet, ...rest } = { ...common, ...texts };
    const problems = problemsOfAlert(name);
    const [first] = problems;
    if (first === undefined) throw new Error(`no problem is reported by ${name}`);
    const { severity, isAboutNodes }: ProblemKind = problemCatalog[first];
    const labels: readonly AlertLabel[] = ofSubnet ? ['subnet'] : TARGET;
    const seen = `max by (${labels.join(', ')}) (${standing(problems)})`;
    return {
      name,
      keepFiringFor: KEEP_FIRING,
      ...rest,
      severity,
      for: '0s',
      expr:
        severity === 'warning' && !ofSubnet
          ? `${seen}\nunless on (subnet, component) (\n${COVERED}\n)`
          : isAboutNodes
            ? `${seen}\nunless on (subnet) (\n${standing(PAGES_FOR.node ?? [])}\n)`
            : seen,
      labels,
    };
  });
