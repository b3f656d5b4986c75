import type { AlertLabels } from '../model/incident.ts';
import type { SubnetState, TargetState } from '../model/snapshot.ts';
import { type Component, engineOf, type Target } from '../model/target.ts';
import type { CheckName } from '../model/verdict.ts';
import type { AlertInput } from './alert-input.ts';

/** An alert's labels with the value for its text. `isKnown` is false when it cannot be judged now. */
export type AlertInstance =
  | { readonly labels: AlertLabels; readonly isKnown: true; readonly value: number }
  | { readonly labels: AlertLabels; readonly isKnown: false };

/** The instances for which an alert fires, and with `withUnknown` also those that cannot be judged now. */
export type Condition = (input: AlertInput, withUnknown?: boolean) => readonly AlertInstance[];

/** The value for the alert's text if it fires, `false` if not, undefined when that cannot be judged. */
export type ConditionResult = number | false | undefined;

/** Takes a function for the labels: most of thousands of targets are healthy or unknown and need none. */
function add(
  instances: AlertInstance[],
  result: ConditionResult,
  withUnknown: boolean,
  toLabels: () => AlertLabels,
): void {
  if (result === undefined && withUnknown) instances.push({ labels: toLabels(), isKnown: false });
  if (typeof result === 'number') instances.push({ labels: toLabels(), isKnown: true, value: result });
}

/** Creates a condition of subnetd itself. */
export const perInstance =
  (judge: (input: AlertInput) => ConditionResult): Condition =>
  (input, withUnknown = true) => {
    const instances: AlertInstance[] = [];
    add(instances, judge(input), withUnknown, () => ({ instance: input.instance }));
    return instances;
  };

/** Creates a condition of each subnet as a whole. */
export const perSubnet =
  (judge: (state: SubnetState, input: AlertInput) => ConditionResult): Condition =>
  (input, withUnknown = true) => {
    const instances: AlertInstance[] = [];
    for (const state of input.snapshot)
      add(instances, judge(state, input), withUnknown, () => ({ subnet: state.subnet.name }));
    return instances;
  };

/** The number of containers of a subnet on each Docker Engine. */
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

/** Creates a condition of each Docker Engine that has containers of a subnet. */
export const perEngine =
  (judge: (engine: string, containers: number, input: AlertInput) => ConditionResult): Condition =>
  (input, withUnknown = true) => {
    const instances: AlertInstance[] = [];
    for (const state of input.snapshot)
      for (const [engine, containers] of countContainers(state))
        add(instances, judge(engine, containers, input), withUnknown, () => ({ subnet: state.subnet.name, engine }));
    return instances;
  };

const toLabels = ({ subnet, component, name }: Target): AlertLabels => ({ subnet, component, name });

/** Creates a condition of each target, or of each target of one component. */
export const perTarget =
  (
    component: Component | 'any',
    judge: (state: TargetState, input: AlertInput, subnet: SubnetState) => ConditionResult,
  ): Condition =>
  (input, withUnknown = true) => {
    const instances: AlertInstance[] = [];
    for (const subnet of input.snapshot)
      for (const state of subnet.targets)
        if (component === 'any' || state.target.component === component)
          add(instances, judge(state, input, subnet), withUnknown, () => toLabels(state.target));
    return instances;
  };

/** Does one of these checks fail? As in Prometheus, checks that cannot be judged count only if all are. */
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

/** A failing check as Prometheus sees it: the value is the check's, 0. */
export const failing = (state: TargetState, ...names: readonly CheckName[]): ConditionResult => {
  const is = fails(state, ...names);
  return is === true ? 0 : is;
};
