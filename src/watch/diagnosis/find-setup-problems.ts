import type { Suspicion } from '../../model/problem.ts';
import type { SetupObservation } from '../../model/setup.ts';
import { findDockerExposures } from './setup/find-docker-exposures.ts';
import { findEngineProblems } from './setup/find-engine-problems.ts';
import { findLogSetup } from './setup/find-log-setup.ts';
import { findMonitorExposures } from './setup/find-monitor-exposures.ts';
import { findNodeDifferences } from './setup/find-node-differences.ts';
import { findPublishedPorts } from './setup/find-published-ports.ts';
import { findQueueExposures } from './setup/find-queue-exposures.ts';
import { findRpcExposures } from './setup/find-rpc-exposures.ts';
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
