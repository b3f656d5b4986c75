import type { Problem } from '../model/problem.ts';
import type { ProblemName, ProblemSeverity } from '../model/problem-catalog.ts';
import { type SetupPart, setupOf } from '../model/setup.ts';
import type { Snapshot, SubnetState, TargetState } from '../model/snapshot.ts';
import type { Component } from '../model/target.ts';

/** Something that is worth a change, with what was seen and what to do. */
export interface DoctorFinding {
  /** Absent for a check that fails without a known cause. */
  readonly problem?: ProblemName;
  readonly severity: ProblemSeverity;
  readonly subnet: string;
  readonly component?: Component;
  readonly name?: string;
  readonly summary: string;
  readonly evidence: string;
  readonly fix: string;
}

/** Something of some targets that could not be looked at, and why: the end of "because …". */
export interface Unseen {
  readonly subnet: string;
  readonly what: string;
  readonly names: readonly string[];
  readonly because: string;
}

/** What `subnetd doctor` found: the findings with the worst first. */
export interface DoctorReport {
  readonly findings: readonly DoctorFinding[];
  readonly notLookedAt: readonly Unseen[];
  /** How many things were looked at: checks that were judged, and parts of the set-up that were read. */
  readonly lookedAt: number;
}

const SEVERITIES: readonly ProblemSeverity[] = ['critical', 'warning', 'info'];

const PARTS: Readonly<Record<SetupPart, string>> = {
  client: 'client version',
  exposure: 'exposure of the RPC',
  container: 'how the container was made',
};

const toFinding = (subnet: string, { problem, severity, component, name, summary, evidence, fix }: Problem) => ({
  ...{ problem, severity, subnet },
  ...(component !== undefined && { component }),
  ...(name !== undefined && { name }),
  ...{ summary, evidence, fix },
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
              ...{ severity: 'warning', subnet: subnet.name, component, name },
              summary: `the check ${check.check} of ${name} fails`,
              evidence: check.seen,
              fix: check.fix,
            },
          ]
        : [],
    ),
  );
}

/** One thing of one target: whether it was looked at, or why not. */
interface Look {
  readonly what: string;
  readonly name: string;
  readonly because?: string;
}

const looksAtChecks = ({ target: { name }, checks }: TargetState): readonly Look[] =>
  checks.map(({ check, verdict, seen }) =>
    verdict === 'unknown' || verdict === 'skipped' ? { what: check, name, because: seen } : { what: check, name },
  );

function looksAtSetup({ target }: TargetState, { facts }: SubnetState): readonly Look[] {
  const { name } = target;
  const parts = Object.entries(setupOf(facts?.setup?.observation, target)) as readonly [
    SetupPart,
    { readonly ok: boolean; readonly why?: string },
  ][];
  return parts.map(([part, { why }]) =>
    why === undefined ? { what: PARTS[part], name } : { what: PARTS[part], name, because: why },
  );
}

/** What could not be looked at for the same reason is said once. */
function joinUnseen(subnet: string, looks: readonly Look[]): readonly Unseen[] {
  const byReason = new Map<string, { readonly what: string; readonly because: string; readonly names: string[] }>();
  for (const { what, name, because } of looks) {
    if (because === undefined) continue;
    const key = JSON.stringify([what, because]);
    const known = byReason.get(key);
    if (known === undefined) byReason.set(key, { what, because, names: [name] });
    else known.names.push(name);
  }
  return [...byReason.values()].map((one) => ({ subnet, ...one }));
}

/** What is worth a change in what was seen of all subnets, and what was not seen. */
export function listFindings(snapshot: Snapshot): DoctorReport {
  const findings = snapshot.flatMap((state) => [
    ...state.problems.map((problem) => toFinding(state.subnet.name, problem)),
    ...findUnexplained(state),
  ]);
  const looks = snapshot.map(
    (state) =>
      [
        state.subnet.name,
        state.targets.flatMap((target) => [...looksAtChecks(target), ...looksAtSetup(target, state)]),
      ] as const,
  );
  return {
    findings: SEVERITIES.flatMap((severity) => findings.filter((one) => one.severity === severity)),
    notLookedAt: looks.flatMap(([subnet, own]) => joinUnseen(subnet, own)),
    lookedAt: looks.flatMap(([, own]) => own.filter(({ because }) => because === undefined)).length,
  };
}
