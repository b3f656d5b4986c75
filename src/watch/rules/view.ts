import type { Moment } from '../../lib/duration.ts';
import type { Facts, KnownTarget } from '../../model/facts.ts';
import type { CheckSettings, Target } from '../../model/target.ts';

/** Everything a rule may use: one target, its whole subnet, and the time. */
export interface View<T extends Target = Target> extends Moment {
  readonly target: T;
  readonly facts: Facts;
  /** All targets of the subnet, including the judged one. */
  readonly subnet: readonly KnownTarget[];
  /** The height that at least half of the nodes had reached a moment ago; no single claim counts. */
  readonly reference?: number;
  readonly settings: CheckSettings;
  /** The consensus engine's prefix of RPC methods. */
  readonly consensus: string;
}

/** A height that a program printed, with commas or without; undefined for one that no number can hold. */
export function readHeight(text: string | undefined): number | undefined {
  const height = Number(text?.replaceAll(',', ''));
  return Number.isSafeInteger(height) ? height : undefined;
}

/** What to do about a node whose container was started less than a minute ago. */
export const JUST_STARTED = 'wait up to a minute: it has just started';
