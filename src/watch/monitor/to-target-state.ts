import { isDeepStrictEqual } from 'node:util';
import { isSameData } from '../../lib/values.ts';
import type { Facts, KnownTarget } from '../../model/facts.ts';
import { inputsOf, type ProbeKind, roundOf } from '../../model/prober.ts';
import type { TargetState } from '../../model/snapshot.ts';
import type { SubnetFacts, SubnetProbeKind } from '../../model/subnet-facts.ts';
import { type Subnet, subjectKey, type Target } from '../../model/target.ts';
import { type CheckName, type CheckState, skipped, toCheckState, unknown } from '../../model/verdict.ts';
import { SUBNET_PROBE_KINDS, subnetFactsSubject } from '../probes/subnet-probers.ts';
import { checksFor, checkTable } from '../rules/checks.ts';
import { listHeardNodes } from '../rules/judge-messages.ts';
import { judgeFailures } from '../rules/known-failures.ts';

/**
 * Finds the target of a subnet with the same component and name. Most targets of a reload are the same object as before, so the keys
 * are made only when it is first asked.
 */
export function findByName(targets: readonly Target[]): (target: Target) => Target | undefined {
  let known: ReadonlyMap<string, Target> | undefined;
  return (target) => {
    known ??= new Map(targets.map((one) => [subjectKey(one), one]));
    return known.get(subjectKey(target));
  };
}

/**
 * The subnet of the new inventory, with unchanged parts as the same objects as before: the subnet itself, or its targets.
 * The board identifies a target by its object.
 */
export function reuseUnchanged(subnet: Subnet, before: Subnet | undefined): Subnet {
  if (before === undefined) return subnet;
  const find = findByName(before.targets);
  const targets = subnet.targets.map((target, index) => {
    const inPlace = before.targets[index];
    if (isSameData(inPlace, target)) return inPlace ?? target;
    const old = find(target);
    return old !== undefined && isSameData(old, target) ? old : target;
  });
  const next = { ...subnet, targets };
  // Its targets are the same objects by now, so that none is compared twice.
  return isSameData(before, next) ? before : next;
}

const initial = (check: CheckName, target: Target, { settings }: Subnet, now: number): CheckState => {
  const { kindOf, skippedBecause } = checkTable[check];
  const because = skippedBecause(target, settings);
  const judgement =
    because === undefined ? unknown(`${target.name} has not been checked yet`) : skipped(because.seen, because.fix);
  return toCheckState({ check, round: roundOf[kindOf(target)](target), since: now, runs: 0, failures: 0 }, judgement);
};

/** A check's state under new settings: it may now be skipped, or no longer. Its last run and its counters stay. */
function carry(before: CheckState, fresh: CheckState): CheckState {
  if ((before.verdict === 'skipped') === (fresh.verdict === 'skipped')) return before;
  const { lastRun, runs, failures } = before;
  return toCheckState({ ...fresh, runs, failures, lastRun }, fresh);
}

const keepParts = ({ addressBefore, ...facts }: Facts, isKept: (part: ProbeKind) => boolean): Facts => ({
  ...(facts.node && isKept('node') && { node: facts.node }),
  ...(addressBefore !== undefined && isKept('node') && { addressBefore }),
  ...(facts.container && isKept('container') && { container: facts.container }),
  ...(facts.service && isKept('service') && { service: facts.service }),
  ...(facts.page && isKept('page') && { page: facts.page }),
  ...(facts.logs && isKept('logs') && { logs: facts.logs }),
});

/** Whether a verdict, what to do about a check that fails, or a known failure has changed. */
export const hasNewVerdict = (before: TargetState, after: TargetState): boolean =>
  after.checks.some(({ verdict, fix }, index) => {
    const known = before.checks[index];
    return verdict !== known?.verdict || (verdict === 'fail' && fix !== known.fix);
  }) ||
  after.shownFailures.length !== before.shownFailures.length ||
  after.shownFailures.some((failure, index) => failure !== before.shownFailures[index]);

/**
 * Whether Docker has another container for a target, or gives another status or start. The verdict may be the same all the same, as when
 * a failing container was restarted.
 */
export function hasNewContainer(before: Facts, after: Facts): boolean {
  const one = before.container?.observation;
  const other = after.container?.observation;
  if (one === other) return false;
  if (one?.kind !== 'found' || other?.kind !== 'found') return one?.kind !== other?.kind;
  return (['id', 'status', 'startedAt'] as const).some((each) => one.container[each] !== other.container[each]);
}

/** Made as one object with every member, as `toCheckState` does. */
export const toState = (
  { target, facts }: KnownTarget,
  checks: readonly CheckState[],
  { failures, shownFailures, endedFailures }: Pick<TargetState, 'failures' | 'shownFailures' | 'endedFailures'>,
  heardNodes?: TargetState['heardNodes'],
): TargetState => ({ target, facts, checks, failures, shownFailures, endedFailures, heardNodes });

/** Adds to a bootnode's state which nodes of the subnet it has heard; other states are unchanged. */
export function withHeardNodes(
  state: TargetState,
  states: readonly TargetState[],
  { settings: { logs } }: Subnet,
  now: number,
): TargetState {
  if (state.target.component !== 'bootnode') return state;
  return { ...state, heardNodes: listHeardNodes(states, now, logs.bootnodeWindowMs) };
}

/**
 * The state of a target in a new inventory. A kind of facts stays, with its checks, if what its probe reads of the target is
 * unchanged.
 */
export function toTargetState(
  target: Target,
  subnet: Subnet,
  known: TargetState | undefined,
  now: number,
): TargetState {
  const fresh = checksFor(target).map(([check]) => initial(check, target, subnet, now));
  if (known === undefined) return toState({ target, facts: {} }, fresh, judgeFailures(target, {}, now));
  const isSame = (part: ProbeKind) => isDeepStrictEqual(inputsOf[part](known.target), inputsOf[part](target));
  const facts = keepParts(known.facts, isSame);
  const kept = fresh.map((check) => {
    const old = known.checks.find((one) => one.check === check.check);
    return old && isSame(checkTable[check.check].kindOf(target)) ? carry(old, check) : check;
  });
  return toState({ target, facts }, kept, judgeFailures(target, facts, now));
}

/** The facts of a subnet whose probes a new inventory leaves as they are. */
export function keepFacts(
  known: { readonly subnet: Subnet; readonly facts: SubnetFacts } | undefined,
  subnet: Subnet,
): SubnetFacts {
  if (known === undefined) return {};
  const isKept = (kind: SubnetProbeKind) =>
    isDeepStrictEqual(subnetFactsSubject(kind, known.subnet), subnetFactsSubject(kind, subnet));
  const kept = Object.fromEntries(SUBNET_PROBE_KINDS.filter(isKept).map((kind) => [kind, known.facts[kind]]));
  const { doubleVotes, lag } = known.facts;
  return { ...kept, ...(doubleVotes && { doubleVotes }), ...(lag && { lag }) };
}
