import type { ExplainedCheck } from '../model/problem.ts';
import type { Component, Target } from '../model/target.ts';
import type { CheckName } from '../model/verdict.ts';

const CHECKS: Readonly<Record<Component, readonly CheckName[]>> = {
  node: ['latest_block', 'peers', 'log_block', 'container'],
  bootnode: ['messages', 'container'],
  relayer: ['submissions', 'http', 'container'],
  stats: ['block_data', 'history_data', 'http', 'container'],
  frontend: ['logs', 'http', 'console', 'container'],
};

/** Some checks of a target. */
export const explain = ({ component, name }: Target, ...checks: readonly CheckName[]): readonly ExplainedCheck[] =>
  checks.map((check) => ({ component, name, check }));

/** All checks of a target. */
export const explainAll = (target: Target): readonly ExplainedCheck[] => explain(target, ...CHECKS[target.component]);
