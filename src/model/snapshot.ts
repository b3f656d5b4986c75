import type { Known } from './facts.ts';
import type { Subnet } from './target.ts';
import type { CheckState } from './verdict.ts';

/** One target with its facts and the state of each of its checks. */
export interface TargetState extends Known {
  readonly checks: readonly CheckState[];
  /** By the name of each known failure that the target can show: does it show it? */
  readonly failures: Readonly<Record<string, boolean>>;
  /** Of a bootnode whose log can be read: how many nodes it had heard within its window when its log was last looked at. */
  readonly heardNodes?: number;
}

/** A subnet as it stands. */
export interface SubnetState {
  readonly subnet: Subnet;
  readonly targets: readonly TargetState[];
}

/** Everything that is known at one moment; never changed afterwards. */
export type Snapshot = readonly SubnetState[];
