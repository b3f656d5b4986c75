import type { TargetState } from '../model/snapshot.ts';
import type { ConditionResult } from './condition.ts';

const SHOWN: ConditionResult = { value: 1 };

/** Was everything observed in which a known failure could show? Before that, its absence means nothing. */
function isObserved({ target, facts }: TargetState): boolean {
  const hasLog = target.container !== undefined || target.logFiles.length > 0;
  return (
    (target.container === undefined || facts.container?.inspected === true) && (!hasLog || facts.logs !== undefined)
  );
}

/** Active if the target shows the known failure; `clear` for targets that cannot have it. */
export function judgeFailure(state: TargetState, failure: string): ConditionResult {
  const shows = state.failures[failure];
  if (shows === undefined) return 'clear';
  if (shows) return SHOWN;
  return isObserved(state) ? 'clear' : 'unknown';
}
