import type { AlertLabels } from '../model/incident.ts';
import type { Component, Target } from '../model/target.ts';
import type { CheckName } from '../model/verdict.ts';
import type { SubnetState, TargetState } from '../monitor/board.ts';
import type { Seen } from './seen.ts';

/** One thing that an alert is of, with the value of its text; of what cannot be judged now it is not known. */
export type Sighting =
  | { readonly of: AlertLabels; readonly isKnown: true; readonly value: number }
  | { readonly of: AlertLabels; readonly isKnown: false };

/** Everything of which one alert is so, or of which it cannot be told now. */
export type Condition = (seen: Seen) => readonly Sighting[];

/** The value of the alert's text when it is so, `false` when it is not, undefined when it cannot be told. */
export type Judged = number | false | undefined;

const toSightings = (of: AlertLabels, judged: Judged): readonly Sighting[] => {
  if (judged === false) return [];
  return judged === undefined ? [{ of, isKnown: false }] : [{ of, isKnown: true, value: judged }];
};

/** Makes a condition of subnetd itself. */
export const perInstance =
  (judge: (seen: Seen) => Judged): Condition =>
  (seen) =>
    toSightings({ instance: seen.instance }, judge(seen));

/** Makes a condition of each subnet as a whole. */
export const perSubnet =
  (judge: (state: SubnetState, seen: Seen) => Judged): Condition =>
  (seen) =>
    seen.snapshot.flatMap((state) => toSightings({ subnet: state.subnet.name }, judge(state, seen)));

const toLabels = ({ subnet, component, name }: Target): AlertLabels => ({ subnet, component, name });

/** Makes a condition of each target, or of each of one component. */
export const perTarget =
  (component: Component | 'any', judge: (state: TargetState, seen: Seen, subnet: SubnetState) => Judged): Condition =>
  (seen) =>
    seen.snapshot.flatMap((subnet) =>
      subnet.targets.flatMap((state) =>
        component === 'any' || state.target.component === component
          ? toSightings(toLabels(state.target), judge(state, seen, subnet))
          : [],
      ),
    );

/** Does one of these checks fail? As in Prometheus, those that cannot be judged do not count while another can. */
export function fails({ checks }: TargetState, ...names: readonly CheckName[]): boolean | undefined {
  const verdicts = checks.filter(({ check }) => names.includes(check)).map(({ verdict }) => verdict);
  if (verdicts.includes('fail')) return true;
  if (verdicts.includes('pass') || verdicts.includes('degraded')) return false;
  return verdicts.includes('unknown') ? undefined : false;
}

/** As a check that fails is in Prometheus: the value is that of the check, 0. */
export const failing = (state: TargetState, ...names: readonly CheckName[]): Judged => {
  const is = fails(state, ...names);
  return is === true ? 0 : is;
};
