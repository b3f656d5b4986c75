import type { Span, Uptime, UptimeRow } from '../../model/history.ts';
import { type Target, targetKey } from '../../model/target.ts';

/** Uptimes that wait to be added to those in the database. */
export type UnsavedTimes = ReturnType<typeof createUnsavedTimes>;

type Row = { -readonly [Member in keyof UptimeRow]: UptimeRow[Member] };

const keyOf = (target: Pick<UptimeRow, 'subnet' | 'component' | 'name'>, span: Span, start: number): string =>
  `${targetKey(target)} ${span} ${start}`;

/** Creates an empty collection. It holds at most `limit` hours and days of targets, and drops the oldest of what is more. */
export function createUnsavedTimes(limit: number) {
  /** The oldest first. */
  let rows = new Map<string, Row>();
  let dropped = 0;
  const cut = () => {
    for (const key of rows.keys()) {
      if (rows.size <= limit) return;
      rows.delete(key);
      dropped += 1;
    }
  };
  return {
    /** Adds milliseconds to an hour or day of a target. */
    add: (target: Target, span: Span, start: number, part: keyof Uptime, ms: number): void => {
      const rounded = Math.round(ms);
      if (rounded === 0) return;
      const key = keyOf(target, span, start);
      const { subnet, component, name } = target;
      const row = rows.get(key) ?? { subnet, component, name, span, start, ok: 0, fail: 0, unseen: 0, planned: 0 };
      row[part] += rounded;
      rows.set(key, row);
      cut();
    },
    /** Removes at most `count`, the oldest first, each of another target, hour or day. */
    take: (count: number): readonly UptimeRow[] => {
      const taken = [...rows.entries().take(count)];
      for (const [key] of taken) rows.delete(key);
      return taken.map(([, row]) => row);
    },
    /** Adds what was taken and could not be stored. */
    putBack: (earlier: readonly UptimeRow[]): void => {
      const newer = rows;
      rows = new Map();
      for (const row of [...earlier, ...newer.values()]) {
        const key = keyOf(row, row.span, row.start);
        const known = rows.get(key);
        if (known === undefined) rows.set(key, { ...row });
        else for (const part of ['ok', 'fail', 'unseen', 'planned'] as const) known[part] += row[part];
      }
      cut();
    },
    size: (): number => rows.size,
    /** How many hours and days of targets were dropped. */
    dropped: (): number => dropped,
  };
}
