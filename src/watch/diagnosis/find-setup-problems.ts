import type { Suspicion } from '../../model/problem.ts';
import { findContainerSetup } from './setup/find-container-setup.ts';
import { findEngineProblems } from './setup/find-engine-problems.ts';
import { findExposures } from './setup/find-exposures.ts';
import { findNodeDifferences } from './setup/find-node-differences.ts';
import type { SubnetView } from './subnet-view.ts';

/** What is worth a change in how a subnet is set up, before it breaks. */
export function findSetupProblems(view: SubnetView): readonly Suspicion[] {
  const setup = view.facts.setup?.observation;
  if (setup === undefined) return [];
  return [
    ...findNodeDifferences(view),
    ...findExposures(view, setup),
    ...findContainerSetup(view),
    ...findEngineProblems(view, setup),
  ].filter((one) => one !== undefined);
}
