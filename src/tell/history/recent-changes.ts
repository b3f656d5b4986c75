import type { HistoryChange } from '../../model/history.ts';
import { SPAN_MS } from './create-history.ts';

/** At most this many changes of all subnets are kept, the last ones. */
const MOST = 2_000;

/** Keeps the changes of the last hour in memory. Starts with none. */
export function createRecentChanges() {
  let kept: readonly HistoryChange[] = [];
  return {
    /** Adds changes; those from before the start may come later. */
    add: (changes: readonly HistoryChange[]): void => {
      if (changes.length > 0) kept = [...kept, ...changes].sort((one, other) => one.at - other.at).slice(-MOST);
    },
    /** The changes of a subnet in the hour before `at`, in wall time, the oldest first. */
    read: (subnet: string, at: number): readonly HistoryChange[] =>
      kept.filter((one) => one.subnet === subnet && one.at > at - SPAN_MS.hour),
  };
}
