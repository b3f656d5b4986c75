import type { WallMs, WatchedMs } from '../model/clock.ts';
import type { Facts, Known } from '../model/facts.ts';
import type { CheckSettings, Target } from '../model/target.ts';
import type { SubnetSummary } from './subnet-summary.ts';

/** Everything a rule may use: one target, its whole subnet, and the time. */
export interface View<T extends Target = Target> {
  readonly target: T;
  readonly facts: Facts;
  /** Every target of the subnet, the judged one too. */
  readonly subnet: readonly Known[];
  /** What all of them together come to; a rule that is judged for each node of a subnet reads this. */
  readonly summary: SubnetSummary;
  readonly settings: CheckSettings;
  /** The consensus engine's prefix of RPC methods. */
  readonly consensus: string;
  readonly now: WatchedMs;
  /** For reasons that print a time. */
  readonly toWall: (at: WatchedMs) => WallMs;
}
