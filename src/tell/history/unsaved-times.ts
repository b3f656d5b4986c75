import { type Span, UPTIME_PARTS, type Uptime, type UptimeRow } from '../../model/history.ts';
import { targetKey } from '../../model/target.ts';

/** Uptimes that wait to be added to those in the database. */
export type UnsavedTimes = ReturnType<typeof createUnsavedTimes>;

type Row = { -readonly [Member in keyof UptimeRow]: UptimeRow[Member] };
type Subject = Pick<UptimeRow, 'subnet' | 'component' | 'name'>;

/** Creates an empty collection. It holds at most `limit` hours and days of targets, and drops the oldest of what is more, hours before days. */
export function createUnsavedTimes(limit: number) {
  /** By the start of the span, and by the key of the target, the oldest first. */
  const rows: Readonly<Record<Span, Map<number, Map<string, Row>>>> = { hour: new Map(), day: new Map() };
  let size = 0;
  let dropped = 0;

  const take = (count: number): readonly UptimeRow[] => {
    const taken: UptimeRow[] = [];
    for (const starts of [rows.hour, rows.day])
      for (const [start, ofStart] of starts) {
        for (const [key, row] of ofStart.entries().take(count - taken.length)) {
          ofStart.delete(key);
          taken.push(row);
        }
        if (ofStart.size === 0) starts.delete(start);
      }
    size -= taken.length;
    return taken;
  };
  const cut = () => {
    if (size > limit) dropped += take(size - limit).length;
  };
  const rowOf = (key: string, { subnet, component, name }: Subject, span: Span, start: number): Row => {
    const ofStart = rows[span].get(start) ?? new Map<string, Row>();
    const known = ofStart.get(key);
    if (known !== undefined) return known;
    const row: Row = { subnet, component, name, span, start, ok: 0, fail: 0, unseen: 0, planned: 0 };
    rows[span].set(start, ofStart.set(key, row));
    size += 1;
    return row;
  };
  return {
    /** Adds milliseconds to an hour or day of a target. `key` is that of the target: to make it costs more than all else here. */
    add: (key: string, target: Subject, span: Span, start: number, part: keyof Uptime, ms: number): void => {
      const rounded = Math.round(ms);
      if (rounded === 0) return;
      rowOf(key, target, span, start)[part] += rounded;
      cut();
    },
    /** Removes at most `count`, the oldest first, each of another target, hour or day. */
    take,
    /** Adds what was taken and could not be stored. */
    putBack: (earlier: readonly UptimeRow[]): void => {
      for (const row of [...earlier, ...take(size)]) {
        const known = rowOf(targetKey(row), row, row.span, row.start);
        for (const part of UPTIME_PARTS) known[part] += row[part];
      }
      cut();
    },
    size: (): number => size,
    /** How many hours and days of targets were dropped. */
    dropped: (): number => dropped,
  };
}
