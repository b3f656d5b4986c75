import type { WallMs, WatchedMs } from '../../lib/clock.ts';
import type { HistoryChange } from '../../model/history.ts';
import type { Inventory } from '../../model/target.ts';

/** What a change is about. */
export type Subject = Pick<HistoryChange, 'subnet' | 'component' | 'name' | 'kind' | 'what'>;

/** What it takes to find changes, beside what was seen before and what is seen now. */
export interface ChangeMoment {
  /** When the snapshot was taken that shows what is seen now. */
  readonly at: WallMs;
  readonly toWall: (at: WatchedMs) => WallMs;
  /** Takes what is known of a subject from before this process watched it. The next call for the same gives nothing. */
  readonly takeBefore: (subject: Subject) => HistoryChange | undefined;
}

/** The longest reason that is kept, in characters. */
const LONGEST = 500;

/** The reason of a change as it is stored. PostgreSQL stores no zero byte. */
export const toReason = (text: string): string => text.replaceAll('\0', '').slice(0, LONGEST);

/** What the history of each subnet shows of a reload of the inventory at a time in Unix milliseconds. */
export const toReloadChanges = ({ subnets }: Inventory, at: number): readonly HistoryChange[] =>
  subnets.map(({ name }) => ({
    at,
    subnet: name,
    kind: 'inventory',
    what: 'inventory',
    was: 'loaded',
    is: 'reloaded',
    reason: 'the inventory was reloaded',
  }));
