import type { PageFacts } from '../model/facts.ts';
import type { PageObservation } from '../model/observation.ts';

function countErrors(observation: PageObservation): number {
  if (observation.kind === 'no-browser') return 0;
  if (observation.kind === 'no-page') return 1;
  return observation.consoleErrors + observation.exceptions + observation.failedRequests;
}

/** Adds a visit. */
export const foldPage = (previous: PageFacts | undefined, observation: PageObservation): PageFacts => ({
  observation,
  errors: (previous?.errors ?? 0) + countErrors(observation),
});
