import type { Facts, PageFacts } from '../../model/facts.ts';
import type { PageObservation } from '../../model/observation.ts';
import type { Observation, Observations, ProbeKind } from '../../model/prober.ts';
import type { CheckSettings } from '../../model/target.ts';
import { foldContainer } from './fold-container.ts';
import { foldNode } from './fold-node.ts';
import { foldService } from './fold-service.ts';

function countErrors(observation: PageObservation): number {
  if (observation.kind === 'no-browser') return 0;
  if (observation.kind === 'no-page') return 1;
  return observation.consoleErrors + observation.exceptions + observation.failedRequests;
}

/** Adds a visit of the frontend's page. */
export const foldPage = (previous: PageFacts | undefined, observation: PageObservation): PageFacts => ({
  observation,
  errors: (previous?.errors ?? 0) + countErrors(observation),
});

/** The time, by the watched clock in milliseconds, and the settings of the subnet. */
interface Context {
  readonly at: number;
  readonly settings: CheckSettings;
  /** The height that at least half of the nodes of the subnet have reached. */
  readonly reference?: number | undefined;
}

/** How each kind of observation is folded into the facts of its target. */
const folds: {
  readonly [Kind in ProbeKind]: (facts: Facts, seen: Observations[Kind], context: Context) => Facts;
} = {
  node: (facts, seen, { at, settings, reference }) => ({
    ...facts,
    node: foldNode(facts.node, seen, at, settings.rpc.stallAfterMs, reference),
  }),
  container: (facts, seen, { at }) => ({ ...facts, container: foldContainer(facts.container, seen, at) }),
  service: (facts, seen, context) => ({
    ...facts,
    service: foldService(facts.service, seen, context, context.settings.rpc.maxLag),
  }),
  page: (facts, seen) => ({ ...facts, page: foldPage(facts.page, seen) }),
  // Followers have already folded each line.
  logs: (facts, seen) => ({ ...facts, logs: seen }),
};

/** Folds an observation into the facts of its target. */
export const fold = <Kind extends ProbeKind>(facts: Facts, one: Observation<Kind>, context: Context): Facts =>
  folds[one.kind](facts, one.seen, context);
