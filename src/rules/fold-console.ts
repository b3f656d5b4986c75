import type { ConsoleFacts } from '../model/facts.ts';
import type { ConsoleObservation } from '../model/observation.ts';

function countErrors(observation: ConsoleObservation): number {
  if (observation.kind === 'no-browser') return 0;
  if (observation.kind === 'no-page') return 1;
  return observation.consoleErrors + observation.exceptions + observation.failedRequests;
}

/** One more visit. */
export const foldConsole = (previous: ConsoleFacts | undefined, observation: ConsoleObservation): ConsoleFacts => ({
  observation,
  errors: (previous?.errors ?? 0) + countErrors(observation),
});
