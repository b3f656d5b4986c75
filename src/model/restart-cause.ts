import type { ContainerFacts } from './facts.ts';

/** What led to the last restart. `crash`: the program or its container had ended without a request. */
export function findRestartCause(facts: ContainerFacts): 'crash' | 'request' | 'recreation' | undefined {
  const { lastRestartBy, unrequestedExit, run, runBefore } = facts;
  if (lastRestartBy === undefined || lastRestartBy === 'recreation') return lastRestartBy;
  if (lastRestartBy === 'policy') return 'crash';
  // Started by hand, although nobody had stopped it.
  const endedAt = unrequestedExit?.id === run?.id ? unrequestedExit?.at : undefined;
  return endedAt !== undefined && endedAt >= (runBefore?.startedAt ?? 0) ? 'crash' : 'request';
}

/** Was the last restart requested? Undefined before any restart. */
export function isRestartPlanned(facts: ContainerFacts | undefined): boolean | undefined {
  const cause = facts && findRestartCause(facts);
  return cause && cause !== 'crash';
}

/** Two restarts after crashes within this are a loop. */
export const LOOP_MS = 10 * 60_000;

/** Restarts after an end that nobody requested, including the last one. */
export const findCrashes = (facts: ContainerFacts): readonly number[] => [
  ...(facts.earlierCrashes ?? []),
  ...(facts.lastRestartAt !== undefined && findRestartCause(facts) === 'crash' ? [facts.lastRestartAt] : []),
];
