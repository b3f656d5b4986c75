import type { TargetState } from '../model/snapshot.ts';
import type { ConditionResult } from './condition.ts';

/** Has everything been looked at in which a known failure could show? Before that, its absence says nothing. */
function isLookedAt({ target, facts }: TargetState): boolean {
  const hasLog = target.container !== undefined || target.logFiles.length > 0;
  return (target.container === undefined || facts.container?.looked === true) && (!hasLog || facts.logs !== undefined);
}

/** Does the target show the known failure? Not of targets that cannot. */
export function showsFailure(state: TargetState, failure: string): ConditionResult {
  const shows = state.failures[failure];
  if (shows === undefined) return false;
  if (shows) return 1;
  return isLookedAt(state) ? false : undefined;
}
