import type { Suspicion } from '../../model/problem.ts';
import type { SetupObservation } from '../../model/setup.ts';
import { findEngineProblems } from './setup/find-engine-problems.ts';
import {
  findDockerExposures,
  findMonitorExposures,
  findQueueExposures,
  findRpcExposures,
} from './setup/find-exposures.ts';
import { findLogSetup } from './setup/find-log-setup.ts';
import { findNodeDifferences } from './setup/find-node-differences.ts';
import { findPublishedPorts } from './setup/find-published-ports.ts';
import { findSlowNodes } from './setup/find-slow-nodes.ts';
import type { SubnetView } from './subnet-view.ts';

/** Finds what is worth a change in one part of how a subnet is set up. */
type Finder = (view: SubnetView, setup: SetupObservation) => readonly Suspicion[];

const finders: readonly Finder[] = [
  findNodeDifferences,
  findRpcExposures,
  findDockerExposures,
  findQueueExposures,
  findMonitorExposures,
  findPublishedPorts,
  findLogSetup,
  findEngineProblems,
  findSlowNodes,
];

/** What is worth a change in how a subnet is set up, before it breaks. */
export function findSetupProblems(view: SubnetView): readonly Suspicion[] {
  const setup = view.facts.setup?.observation;
  return setup === undefined ? [] : finders.flatMap((find) => find(view, setup));
}
