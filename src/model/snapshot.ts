import type { Known } from './facts.ts';
import type { Subnet } from './target.ts';
import type { CheckState } from './verdict.ts';

/** One target with its facts and the state of each of its checks. */
export interface TargetState extends Known {
  readonly checks: readonly CheckState[];
  /** By known failure that the target can have: does it show it? */
  readonly failures: Readonly<Record<string, boolean>>;
  /** For a bootnode with a readable log: the number of nodes that it heard within its window. */
  readonly heardNodes?: number;
}

/** The current state of a subnet. */
export interface SubnetState {
  readonly subnet: Subnet;
  readonly targets: readonly TargetState[];
}

/** Everything known at one moment; immutable. */
export type Snapshot = readonly SubnetState[];
