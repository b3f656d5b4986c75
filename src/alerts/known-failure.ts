import type { TargetState } from '../model/snapshot.ts';
import type { ConditionResult } from './condition.ts';

/** Was everything observed in which a known failure could show? Before that, its absence means nothing. */
function isObserved({ target, facts }: TargetState): boolean {
  const hasLog = target.container !== undefined || target.logFiles.length > 0;
  return (target.container === undefined || facts.container?.looked === true) && (!hasLog || facts.logs !== undefined);
}

/** Does the target show the known failure? `false` for targets that cannot have it. */
export function showsFailure(state: TargetState, failure: string): ConditionResult {
  const shows = state.failures[failure];
  if (shows === undefined) return false;
  if (shows) return 1;
  return isObserved(state) ? false : undefined;
}
