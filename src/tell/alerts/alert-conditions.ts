import {
  findPagedFor,
  indexProblems,
  isMuted,
  isStanding,
  isWarningOf,
  mayCover,
  type Problem,
  type ProblemRef,
} from '../../model/problem.ts';
import { problemsOfAlert } from '../../model/problem-catalog.ts';
import { countReserve, lacksSpare, type SubnetState } from '../../model/snapshot.ts';
import type { AlertRule } from './alert-rule.ts';
import type { AlertName } from './alert-rules.ts';
import type { AlertInstance, Condition } from './condition.ts';
import { subnetdConditions } from './subnetd-conditions.ts';
import type { AlertDetails, AlertLabels } from './tracked-alert.ts';

/** The problems of a subnet that raise alerts. A warning does not while another problem pages for its component. */
function findRaising({ problems }: SubnetState): readonly Problem[] {
  const standing = problems.filter(isStanding);
  const pagedFor = findPagedFor(standing);
  return standing.filter((one) => !isWarningOf(one, pagedFor));
}

const toLabels = (subnet: string, { component, name }: Pick<Problem, 'component' | 'name'>): AlertLabels =>
  component === undefined || name === undefined ? { subnet } : { subnet, component, name };

function toDetails(problem: Problem): AlertDetails {
  const { summary, evidence, fix, about, state, restoredAt } = problem;
  return {
    ...{ summary, evidence, fix },
    ...(about !== undefined && { about }),
    ...(state === 'clearing' && { isClearing: true as const }),
    ...(restoredAt !== undefined && { isRestored: true as const }),
  };
}

/** What clears has the words of its last finding, which alerts may not have seen. */
const readAtOf = ({ state, seenAt, readAt = state === 'clearing' ? seenAt : undefined }: Problem) => readAt;

/**
 * What something graver hides: warnings about what is paged for, and problems that follow from others. An open alert about one stays
 * open, with the words of now. So nobody is told of an end of what is still so, nor of a new start when the cover is gone. What is not
 * found by itself while the cover clears is over, so that what comes later is told. What is suspected, or would be hidden by that, may
 * last too. A suspicion that takes the place of an open problem has its words: those of the open one are of before.
 */
function findCovered({ subnet, problems, quorum }: SubnetState, alert: string, now: number): readonly AlertInstance[] {
  const pagedFor = findPagedFor(problems.filter(isStanding));
  const names = problemsOfAlert(alert);
  const there = indexProblems(problems);
  const mayLast = problems.flatMap((one) =>
    one.causes.filter((each) => mayCover(one, now) || there.get(each) !== undefined),
  );
  // Nobody is told of the end of a halt while too few vote for another block.
  const isShort = quorum !== undefined && countReserve(quorum) < 0;
  // Who can vote is only sure once blocks come again.
  const isHalted = problems.some(({ problem, state }) => problem === 'subnet_halted' && state !== 'clearing');
  const isSpare = !isHalted && quorum !== undefined && countReserve(quorum) > (quorum.doubtful ?? 0);
  const atRisk: readonly ProblemRef[] = [
    ...(lacksSpare(quorum) ? [{ problem: 'quorum_at_risk' as const }] : []),
    ...(isShort ? [{ problem: 'subnet_halted' as const }] : []),
  ];
  const isOfAlert = ({ problem }: ProblemRef) => names.includes(problem);
  const toUnknown = (one: ProblemRef) => ({ labels: toLabels(subnet.name, one), result: 'unknown' as const });
  const isSuspected = true as const;
  const hidden = problems.filter((one) => one.alert === alert && (!isStanding(one) || isWarningOf(one, pagedFor)));
  return [
    // The later one of two with the same labels counts.
    ...atRisk.filter(isOfAlert).map((one) => ({ ...toUnknown(one), isSuspected })),
    ...mayLast.filter(isOfAlert).map((one) => ({
      ...{ ...toUnknown(one), isCovered: true as const },
      ...(one.problem === 'quorum_at_risk' && isSpare && { isOver: true as const }),
    })),
    ...hidden.map((one) => ({
      ...{ ...toUnknown(one), details: toDetails(one), readAt: readAtOf(one), since: one.since },
      ...(!isStanding(one) && { isSuspected }),
    })),
  ];
}

/** The condition of an alert that reports problems: one of them is open or clearing. */
const problemCondition =
  (alert: string): Condition =>
  ({ snapshot, now }, withUnknown = true) =>
    snapshot.flatMap((state) => {
      const active = findRaising(state)
        .filter((problem) => problem.alert === alert)
        // Where two results have the same labels, the later one counts: one that is not muted.
        .toSorted((one, other) => Number(isMuted(other)) - Number(isMuted(one)))
        .map((one) => ({
          labels: toLabels(state.subnet.name, one),
          result: { value: 1, details: toDetails(one), planned: one.planned, readAt: readAtOf(one), since: one.since },
        }));
      return withUnknown ? [...findCovered(state, alert, now), ...active] : active;
    });

/** The condition of an alert, the same as its rule in PromQL; undefined for an alert that subnetd cannot judge itself. */
export function conditionOf({ name }: AlertRule & { readonly name: AlertName }): Condition | undefined {
  if (problemsOfAlert(name).length > 0) return problemCondition(name);
  const own: Readonly<Record<string, Condition>> = subnetdConditions;
  return own[name];
}
