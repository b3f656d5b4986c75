import type { AlertLabels } from '../model/incident.ts';
import type { SubnetState, TargetState } from '../model/snapshot.ts';
import { type Component, engineOf, type Target } from '../model/target.ts';
import type { CheckName } from '../model/verdict.ts';
import type { Seen } from './alert-input.ts';

/** One thing that an alert is of, with the value of its text; of what cannot be judged now it is not known. */
export type AlertInstance =
  | { readonly of: AlertLabels; readonly isKnown: true; readonly value: number }
  | { readonly of: AlertLabels; readonly isKnown: false };

/** Everything of which one alert is so, and, unless nobody asks for that, of which it cannot be told now. */
export type Condition = (seen: Seen, withUnknown?: boolean) => readonly AlertInstance[];

/** The value of the alert's text when it is so, `false` when it is not, undefined when it cannot be told. */
export type ConditionResult = number | false | undefined;

/** Of thousands of targets most are well, or not known at first: nothing is made for those. */
function add(to: AlertInstance[], judged: ConditionResult, withUnknown: boolean, toLabels: () => AlertLabels): void {
  if (judged === undefined && withUnknown) to.push({ of: toLabels(), isKnown: false });
  if (typeof judged === 'number') to.push({ of: toLabels(), isKnown: true, value: judged });
}

/** Makes a condition of subnetd itself. */
export const perInstance =
  (judge: (seen: Seen) => ConditionResult): Condition =>
  (seen, withUnknown = true) => {
    const sightings: AlertInstance[] = [];
    add(sightings, judge(seen), withUnknown, () => ({ instance: seen.instance }));
    return sightings;
  };

/** Makes a condition of each subnet as a whole. */
export const perSubnet =
  (judge: (state: SubnetState, seen: Seen) => ConditionResult): Condition =>
  (seen, withUnknown = true) => {
    const sightings: AlertInstance[] = [];
    for (const state of seen.snapshot)
      add(sightings, judge(state, seen), withUnknown, () => ({ subnet: state.subnet.name }));
    return sightings;
  };

/** How many containers of a subnet are on each Docker Engine. */
function countContainers({ targets }: SubnetState): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const {
    target: { container },
  } of targets) {
    if (container === undefined) continue;
    const engine = engineOf(container);
    counts.set(engine, (counts.get(engine) ?? 0) + 1);
  }
  return counts;
}

/** Makes a condition of each Docker Engine that has containers of a subnet. */
export const perEngine =
  (judge: (engine: string, containers: number, seen: Seen) => ConditionResult): Condition =>
  (seen, withUnknown = true) => {
    const sightings: AlertInstance[] = [];
    for (const state of seen.snapshot)
      for (const [engine, containers] of countContainers(state))
        add(sightings, judge(engine, containers, seen), withUnknown, () => ({ subnet: state.subnet.name, engine }));
    return sightings;
  };

const toLabels = ({ subnet, component, name }: Target): AlertLabels => ({ subnet, component, name });

/** Makes a condition of each target, or of each of one component. */
export const perTarget =
  (
    component: Component | 'any',
    judge: (state: TargetState, seen: Seen, subnet: SubnetState) => ConditionResult,
  ): Condition =>
  (seen, withUnknown = true) => {
    const sightings: AlertInstance[] = [];
    for (const subnet of seen.snapshot)
      for (const state of subnet.targets)
        if (component === 'any' || state.target.component === component)
          add(sightings, judge(state, seen, subnet), withUnknown, () => toLabels(state.target));
    return sightings;
  };

/** Does one of these checks fail? As in Prometheus, those that cannot be judged do not count while another can. */
export function fails({ checks }: TargetState, ...names: readonly CheckName[]): boolean | undefined {
  let outcome: boolean | undefined = false;
  let isKnown = false;
  for (const { check, verdict } of checks) {
    if (!names.includes(check) || verdict === 'skipped') continue;
    if (verdict === 'fail') return true;
    isKnown ||= verdict !== 'unknown';
    outcome = isKnown ? false : undefined;
  }
  return outcome;
}

/** As a check that fails is in Prometheus: the value is that of the check, 0. */
export const failing = (state: TargetState, ...names: readonly CheckName[]): ConditionResult => {
  const is = fails(state, ...names);
  return is === true ? 0 : is;
};
