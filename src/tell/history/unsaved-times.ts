import type { Span, Uptime, UptimeRow } from '../../model/history.ts';
import { type Target, targetKey } from '../../model/target.ts';
import { addTime, createTimeCells, hasNoTime, moveRows, readTime, TIME_CELLS } from './columns.ts';

/** Uptimes that wait to be added to those in the database. */
export interface UnsavedTimes {
  /** Takes over the targets, by their places from now on, and the earlier place of each. */
  move(targets: readonly Target[], from: Int32Array): void;
  /** Adds milliseconds to an hour or day of the target at a place. */
  add(place: number, span: Span, start: number, part: keyof Uptime, ms: number): void;
  /** Removes at most `count`, the oldest first, each of another target, hour or day. */
  take(count: number): readonly UptimeRow[];
  /** Adds what was taken and could not be stored. */
  putBack(rows: readonly UptimeRow[]): void;
  readonly size: () => number;
  /** How many hours and days of targets were dropped. */
  readonly dropped: () => number;
}

/** An hour or a day of all targets. */
interface Block {
  readonly span: Span;
  readonly start: number;
  readonly targets: readonly Target[];
  readonly cells: Uint32Array;
  /** For how many targets something waits. */
  rows: number;
}

type Row = { -readonly [Member in keyof UptimeRow]: UptimeRow[Member] };

/** Removes the first `count` rows of a block, but none of a target that is to stay. */
function takeRows(block: Block, count: number, isStaying?: (place: number) => boolean): readonly UptimeRow[] {
  const taken: UptimeRow[] = [];
  for (const [place, { subnet, component, name }] of block.targets.entries()) {
    if (taken.length >= count || block.rows === 0) break;
    const time = isStaying?.(place) ? undefined : readTime(block.cells, place);
    if (time === undefined) continue;
    taken.push({ subnet, component, name, span: block.span, start: block.start, ...time });
    block.cells.fill(0, place * TIME_CELLS, (place + 1) * TIME_CELLS);
    block.rows -= 1;
  }
  return taken;
}

/**
 * Creates an empty collection. Beside the current hour and day of each target it holds at most `limit` hours and days of targets,
 * and drops the oldest of what is more.
 */
export function createUnsavedTimes(limit: number): UnsavedTimes {
  let targets: readonly Target[] = [];
  /** Rows that were taken and put back, and those of targets that are gone. They are few, and older than the blocks. */
  const loose = new Map<string, Row>();
  /** Those of hours and days that are over. */
  let ended: readonly Block[] = [];
  const current = new Map<Span, Block>();
  let dropped = 0;

  const takeLoose = (count: number): readonly UptimeRow[] => {
    const taken = [...loose].slice(0, count);
    for (const [key] of taken) loose.delete(key);
    return taken.map(([, row]) => row);
  };

  /** Of one block alone, as no two rows that are written at once may be of the same hour of a target. */
  const takeFrom = (blocks: Iterable<Block>, count: number): readonly UptimeRow[] => {
    for (const block of blocks) if (block.rows > 0) return takeRows(block, count);
    return [];
  };

  const takeOld = (count: number) => {
    const taken = loose.size > 0 ? takeLoose(count) : takeFrom(ended, count);
    ended = ended.filter(({ rows }) => rows > 0);
    return taken;
  };

  const countOld = () => ended.reduce((sum, { rows }) => sum + rows, loose.size);

  const cut = () => {
    for (let tooMany = countOld() - limit; tooMany > 0; tooMany = countOld() - limit)
      dropped += takeOld(tooMany).length;
  };

  const keepLoose = (rows: readonly UptimeRow[]) => {
    for (const row of rows) {
      const key = `${targetKey(row)} ${row.span} ${row.start}`;
      const known = loose.get(key);
      if (known === undefined) loose.set(key, { ...row });
      else for (const part of ['ok', 'fail', 'unseen', 'planned'] as const) known[part] += row[part];
    }
    cut();
  };

  const blockOf = (span: Span, start: number): Block => {
    const known = current.get(span);
    if (known?.start === start) return known;
    const block: Block = { span, start, targets, cells: createTimeCells(targets.length), rows: 0 };
    current.set(span, block);
    if (known !== undefined && known.rows > 0) {
      ended = [...ended, known];
      cut();
    }
    return block;
  };

  return {
    move: (next, from) => {
      const staying = new Set(from);
      targets = next;
      for (const [span, block] of current) {
        keepLoose(takeRows(block, block.rows, (place) => staying.has(place)));
        const cells = createTimeCells(next.length);
        moveRows(block.cells, cells, from, TIME_CELLS);
        current.set(span, { ...block, targets, cells });
      }
    },
    add: (place, span, start, part, ms) => {
      if (Math.round(ms) === 0) return;
      const block = blockOf(span, start);
      if (hasNoTime(block.cells, place)) block.rows += 1;
      addTime(block.cells, place, part, ms);
    },
    take: (count) => (countOld() > 0 ? takeOld(count) : takeFrom(current.values(), count)),
    putBack: keepLoose,
    size: () => [...current.values()].reduce((sum, { rows }) => sum + rows, countOld()),
    dropped: () => dropped,
  };
}
