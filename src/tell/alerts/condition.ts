import { otherShards, type ShardView } from '../../model/fleet-view.ts';
import type { ProblemPlan } from '../../model/problem.ts';
import type { SubnetState, TargetState } from '../../model/snapshot.ts';
import { type Component, engineOf, type Target } from '../../model/target.ts';
import type { AlertInput } from './alert-input.ts';
import type { AlertDetails, AlertLabels } from './tracked-alert.ts';

/** The condition holds; `value` is for the alert's text. */
export interface Active {
  readonly value: number;
  /** What is known of this one better than by the text of the rule. */
  readonly details?: AlertDetails;
  /** The planned work that covers it, of a problem. */
  readonly planned?: ProblemPlan | undefined;
  /** When what shows a problem was read, where that may be some time ago. */
  readonly readAt?: number | undefined;
  /** Since when a problem lasts. */
  readonly since?: number | undefined;
}

/** Whether an alert's condition holds for one thing. `unknown`: that cannot be judged now. */
export type ConditionResult = Active | 'clear' | 'unknown';

/** One thing for which an alert's condition holds or cannot be judged now. */
export interface AlertInstance {
  readonly labels: AlertLabels;
  readonly result: Active | 'unknown';
  /** What is known of one that is `unknown` because something graver covers it. */
  readonly details?: AlertDetails;
  /** It follows from something graver, and is not listed beside that. */
  readonly isCovered?: true;
  /** It is no more than suspected. */
  readonly isSuspected?: true;
  /** When what is known of it was read, where that may be some time ago. */
  readonly readAt?: number | undefined;
  /** Since when what is known of it lasts. */
  readonly since?: number | undefined;
  /** What was told is seen to be over, though what brought it is not over for sure. */
  readonly isOver?: true;
}

/** The instances for which the condition holds, and with `withUnknown` also those that cannot be judged now. */
export type Condition = (input: AlertInput, withUnknown?: boolean) => readonly AlertInstance[];

/** The condition holds, with the value that a failed check has in Prometheus. */
export const FAILED: Active = { value: 0 };

/** Does the condition hold? */
const isActive = (result: ConditionResult): result is Active => typeof result === 'object';

/** Adds an instance unless it is clear. The labels come as a function: most of thousands of targets need none. */
function add(
  instances: AlertInstance[],
  result: ConditionResult,
  withUnknown: boolean,
  toLabels: () => AlertLabels,
): void {
  if (isActive(result) || (result === 'unknown' && withUnknown)) instances.push({ labels: toLabels(), result });
}

/** Creates a condition of subnetd itself. */
export const perInstance =
  (judge: (input: AlertInput) => ConditionResult): Condition =>
  (input, withUnknown = true) => {
    const instances: AlertInstance[] = [];
    add(instances, judge(input), withUnknown, () => ({ instance: input.instance }));
    return instances;
  };

/** Creates a condition of each shard but the own one. */
export const perShard =
  (judge: (shard: ShardView) => ConditionResult): Condition =>
  ({ fleet }, withUnknown = true) => {
    const instances: AlertInstance[] = [];
    for (const each of otherShards(fleet))
      add(instances, judge(each), withUnknown, () => ({ shard: String(each.shard.index) }));
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

/** The state of a target of these components. */
export type StateOf<Name extends Component> = TargetState & {
  readonly target: Target & { readonly component: Name };
};

const isStateOf = <Name extends Component>(state: TargetState, component: Name | 'any'): state is StateOf<Name> =>
  component === 'any' || state.target.component === component;

/** Creates a condition of each target, or of each target of one component. */
export const perTarget =
  <Name extends Component>(
    component: Name | 'any',
    judge: (state: StateOf<Name>, input: AlertInput, subnet: SubnetState) => ConditionResult,
  ): Condition =>
  (input, withUnknown = true) => {
    const instances: AlertInstance[] = [];
    for (const subnet of input.snapshot)
      for (const state of subnet.targets)
        if (isStateOf(state, component))
          add(instances, judge(state, input, subnet), withUnknown, () => toLabels(state.target));
    return instances;
  };
