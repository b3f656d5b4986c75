import type { Suspicion } from '../model/problem.ts';
import type { SetupObservation } from '../model/setup.ts';
import { findClientProblems } from './setup/find-client-problems.ts';
import { findRpcExposures } from './setup/find-rpc-exposures.ts';
import type { SubnetView } from './subnet-view.ts';

/** Finds what is worth a change in one part of how a subnet is set up. */
type Finder = (view: SubnetView, setup: SetupObservation) => readonly Suspicion[];

const finders: readonly Finder[] = [findClientProblems, findRpcExposures];

/** What is worth a change in how a subnet is set up, before it breaks. */
export function findSetupProblems(view: SubnetView): readonly Suspicion[] {
  const setup = view.facts.setup?.observation;
  return setup === undefined ? [] : finders.flatMap((find) => find(view, setup));
}
