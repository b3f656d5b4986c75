import type { WallMs, WatchedMs } from '../../lib/clock.ts';
import type { Facts, KnownTarget } from '../../model/facts.ts';
import type { CheckSettings, Target } from '../../model/target.ts';

/** Everything a rule may use: one target, its whole subnet, and the time. */
export interface View<T extends Target = Target> {
  readonly target: T;
  readonly facts: Facts;
  /** All targets of the subnet, including the judged one. */
  readonly subnet: readonly KnownTarget[];
  /** The height that at least half of the nodes had reached a moment ago; no single claim counts. */
  readonly reference?: number;
  readonly settings: CheckSettings;
  /** The consensus engine's prefix of RPC methods. */
  readonly consensus: string;
  readonly now: WatchedMs;
  /** For reasons that print a time. */
  readonly toWall: (at: WatchedMs) => WallMs;
}
