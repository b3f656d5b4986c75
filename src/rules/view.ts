import type { CheckSettings, Target } from '../model/target.ts';
import type { ConsoleFacts } from './fold-console.ts';
import type { ContainerFacts } from './fold-container.ts';
import type { LogFacts } from './fold-logs.ts';
import type { NodeFacts } from './fold-node.ts';
import type { ServiceFacts } from './fold-service.ts';
import type { SubnetSummary } from './subnet-summary.ts';

/** What is known of one target, a part for each round that has looked at it. */
export interface Facts {
  readonly node?: NodeFacts;
  readonly container?: ContainerFacts;
  readonly service?: ServiceFacts;
  readonly console?: ConsoleFacts;
  readonly logs?: LogFacts;
}

/** A target with its facts. */
export interface Known {
  readonly target: Target;
  readonly facts: Facts;
}

/** All that a rule may look at: one target, its whole subnet, and the time. All times in it are watched time. */
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
  readonly now: number;
  /** For reasons that print a time: Unix milliseconds. */
  readonly toWall: (at: number) => number;
}
