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

const toSighting = (of: AlertLabels, judged: Exclude<Judged, false>): Sighting =>
  judged === undefined ? { of, isKnown: false } : { of, isKnown: true, value: judged };

/** Makes a condition of subnetd itself. */
export const perInstance =
  (judge: (seen: Seen) => Judged): Condition =>
  (seen) => {
    const judged = judge(seen);
    return judged === false ? [] : [toSighting({ instance: seen.instance }, judged)];
  };

/** Makes a condition of each subnet as a whole. */
export const perSubnet =
  (judge: (state: SubnetState, seen: Seen) => Judged): Condition =>
  (seen) =>
    seen.snapshot.flatMap((state) => {
      const judged = judge(state, seen);
      return judged === false ? [] : [toSighting({ subnet: state.subnet.name }, judged)];
    });

const toLabels = ({ subnet, component, name }: Target): AlertLabels => ({ subnet, component, name });

/** Makes a condition of each target, or of each of one component. */
export const perTarget =
  (component: Component | 'any', judge: (state: TargetState, seen: Seen, subnet: SubnetState) => Judged): Condition =>
  (seen) => {
    // Of thousands of targets most are well: nothing is made for those.
    const sightings: Sighting[] = [];
    for (const subnet of seen.snapshot)
      for (const state of subnet.targets) {
        if (component !== 'any' && state.target.component !== component) continue;
        const judged = judge(state, seen, subnet);
        if (judged !== false) sightings.push(toSighting(toLabels(state.target), judged));
      }
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
export const failing = (state: TargetState, ...names: readonly CheckName[]): Judged => {
  const is = fails(state, ...names);
  return is === true ? 0 : is;
};
