import type { Span, Uptime, UptimeRow } from '../model/history.ts';
import { type Target, targetKey } from '../model/target.ts';

/** Uptimes that wait to be added to those in the database. */
export interface UnsavedTimes {
  add(target: Target, span: Span, start: number, part: keyof Uptime, ms: number): void;
  /** Removes the oldest `count`. */
  take(count: number): readonly UptimeRow[];
  /** Adds what was taken and could not be stored. */
  putBack(rows: readonly UptimeRow[]): void;
  readonly size: () => number;
  /** How many hours and days of targets were dropped. */
  readonly dropped: () => number;
}

type Row = { -readonly [Member in keyof UptimeRow]: UptimeRow[Member] };

/** Creates an empty collection of at most `limit` hours and days of targets; for each too many the oldest is dropped. */
export function createUnsavedTimes(limit: number): UnsavedTimes {
  const rows = new Map<string, Row>();
  let dropped = 0;
  const rowOf = (target: Pick<UptimeRow, 'subnet' | 'component' | 'name'>, span: Span, start: number) => {
    const key = `${targetKey(target)} ${span} ${start}`;
    const known = rows.get(key);
    if (known !== undefined) return known;
    const { subnet, component, name } = target;
    const row: Row = { subnet, component, name, span, start, ok: 0, fail: 0, unseen: 0, planned: 0 };
    rows.set(key, row);
    const [oldest = key] = rows.keys();
    if (rows.size > limit && rows.delete(oldest)) dropped += 1;
    return row;
  };
  return {
    add: (target, span, start, part, ms) => {
      rowOf(target, span, start)[part] += Math.round(ms);
    },
    take: (count) => {
      const taken = [...rows].slice(0, count);
      for (const [key] of taken) rows.delete(key);
      return taken.map(([, row]) => row);
    },
    putBack: (taken) => {
      for (const { span, start, ...one } of taken) {
        const row = rowOf(one, span, start);
        for (const part of ['ok', 'fail', 'unseen', 'planned'] as const) row[part] += one[part];
      }
    },
    size: () => rows.size,
    dropped: () => dropped,
  };
}
