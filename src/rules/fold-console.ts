import type { ConsoleObservation } from '../model/observation.ts';

/** What is known of the frontend's page by visits of a browser. */
export interface ConsoleFacts {
  readonly observation: ConsoleObservation;
  /** Errors of all visits since subnetd started; a page that did not open is one. */
  readonly errors: number;
}

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
