import type { Problem } from '../model/problem.ts';
import { type ProblemSeverity, SEVERITIES } from '../model/severity.ts';
import type { Snapshot, SubnetState, TargetState } from '../model/snapshot.ts';
import { type Component, engineOf } from '../model/target.ts';
import { joinUnexamined, listExaminations, type Unexamined } from './list-examinations.ts';

/** Something that is worth a change, with what was seen and what to do. */
export interface DoctorFinding {
  /** The name of a problem, or `docker_unreachable`, `chainspec_differs`, `disk_low`, `memory_low`, or `check_failed` for a check that fails without a known cause. */
  readonly finding: string;
  readonly severity: ProblemSeverity;
  readonly subnet: string;
  readonly component?: Component;
  readonly name?: string;
  readonly summary: string;
  readonly evidence: string;
  readonly fix: string;
}

/** What `subnetd doctor` found: the findings with the worst first. */
export interface DoctorReport {
  readonly findings: readonly DoctorFinding[];
  readonly unexamined: readonly Unexamined[];
  /** How many things were examined: checks that were judged, and parts of the set-up that were read. */
  readonly examined: number;
}

const toFinding = (
  subnet: string,
  { problem, severity, component, name, summary, evidence, fix }: Problem,
): DoctorFinding => ({
  finding: problem,
  severity,
  subnet,
  ...(component !== undefined && { component }),
  ...(name !== undefined && { name }),
  summary,
  evidence,
  fix,
});

/** The checks that fail and that no problem explains. */
function findUnexplained({ subnet, targets, problems }: SubnetState): readonly DoctorFinding[] {
  const keyOf = (component: string, name: string, check: string) => `${component} ${name} ${check}`;
  const explained = new Set(
    problems.flatMap(({ explains }) => explains.map((each) => keyOf(each.component, each.name, each.check))),
  );
  return targets.flatMap(({ target: { component, name }, checks }) =>
    checks.flatMap((check): readonly DoctorFinding[] =>
      check.verdict === 'fail' && !explained.has(keyOf(component, name, check.check))
        ? [
            {
              finding: 'check_failed',
              severity: 'warning',
              subnet: subnet.name,
              component,
              name,
              summary: `the check ${check.check} of ${name} fails`,
              evidence: check.seen,
              fix: check.fix,
            },
          ]
        : [],
    ),
  );
}

const isUnreachable = ({ facts }: TargetState): boolean => facts.container?.observation?.kind === 'docker-unreachable';

/** The engines that do not answer, once each, as the check of their first container says it. */
function findUnreachable({ subnet, targets }: SubnetState): readonly DoctorFinding[] {
  const byEngine = Map.groupBy(targets.filter(isUnreachable), ({ target }) =>
    target.container === undefined ? '' : engineOf(target.container),
  );
  return [...byEngine].flatMap(([engine, own]): readonly DoctorFinding[] => {
    const check = own[0]?.checks.find((one) => one.check === 'container');
    if (check === undefined) return [];
    const containers = own.length === 1 ? 'one container' : `${own.length} containers`;
    return [
      {
        finding: 'docker_unreachable',
        severity: 'warning',
        subnet: subnet.name,
        summary: `the Docker Engine ${engine} cannot be asked, so nothing is known of ${containers}`,
        evidence: check.seen,
        fix: check.fix ?? '',
      },
    ];
  });
}

/** What is worth a change in what was seen of all subnets, and what was not seen. */
export function listFindings(snapshot: Snapshot): DoctorReport {
  const findings = snapshot.flatMap((state) => [
    ...state.problems.map((problem) => toFinding(state.subnet.name, problem)),
    ...findUnreachable(state),
    ...findUnexplained(state),
  ]);
  const examinations = snapshot.map((state) => [state.subnet.name, listExaminations(state)] as const);
  return {
    findings: SEVERITIES.flatMap((severity) => findings.filter((one) => one.severity === severity)),
    unexamined: examinations.flatMap(([subnet, own]) => joinUnexamined(subnet, own)),
    examined: examinations.flatMap(([, own]) => own.filter(({ because }) => because === undefined)).length,
  };
}
