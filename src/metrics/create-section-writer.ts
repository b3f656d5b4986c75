import { copyUnpooled } from '../model/copy-unpooled.ts';
import type { Changes, Comparison } from './create-comparison.ts';
import type { Bytes } from './gzip-pieces.ts';
import type { PartOf, View } from './parts.ts';
import { type Section, startOf } from './section.ts';
import { MAX_NUMBER_BYTES, writeNumber } from './write-number.ts';

/** What of a section may have changed. */
interface Renewal<Unit> {
  readonly part: PartOf<Unit>;
  readonly units: readonly Unit[];
  /** The places of those units that were compared, in ascending order. */
  readonly places: readonly number[];
  readonly view: View;
}

/** Renews sections. */
export interface SectionWriter {
  /** The section with the values that its units have now: the same one, if none is different. */
  renew<Unit>(before: Section, comparison: Comparison, renewal: Renewal<Unit>): Section;
}

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const FIRST_BYTES = 1 << 16;

/** A row of a unit is looked for among so many. One that is further away is written from its labels. */
const LOOKAHEAD = 16;

/** Where the value of a row begins: behind the last space of its line. */
function valueStartOf({ bytes, ends }: Section, row: number): number {
  let at = (ends[row] as number) - 1;
  while (bytes[at - 1] !== SPACE) at -= 1;
  return at;
}

/** Text that is put together in memory that is used again. */
function createText() {
  let bytes = Buffer.allocUnsafeSlow(FIRST_BYTES);
  let length = 0;
  const makeRoom = (needed: number) => {
    if (length + needed <= bytes.length) return;
    const larger = Buffer.allocUnsafeSlow(2 * bytes.length + needed);
    bytes.copy(larger, 0, 0, length);
    bytes = larger;
  };
  return {
    length: () => length,
    copy: (from: Bytes, start: number, end: number) => {
      makeRoom(end - start);
      from.copy(bytes, length, start, end);
      length += end - start;
    },
    write: (text: string) => {
      makeRoom(3 * text.length);
      length += bytes.write(text, length);
    },
    /** Writes a value and the end of its line. */
    writeValue: (value: number) => {
      makeRoom(MAX_NUMBER_BYTES + 1);
      length = writeNumber(bytes, length, value);
      bytes[length] = LINE_FEED;
      length += 1;
    },
    take: (): Bytes => {
      const taken = copyUnpooled(bytes.subarray(0, length));
      length = 0;
      return taken;
    },
  };
}

type Text = ReturnType<typeof createText>;

/** The same samples, some with other values. */
function withValues(before: Section, { count, rows, values: newValues }: Changes, text: Text): Section {
  const values = before.values.slice();
  const ends = before.ends.slice();
  let [copied, shifted] = [0, 0];
  for (let index = 0; index < count; index += 1) {
    const row = rows[index] as number;
    const value = newValues[index] as number;
    const shift = text.length() - copied;
    for (; shifted < row; shifted += 1) ends[shifted] = (before.ends[shifted] as number) + shift;
    text.copy(before.bytes, copied, valueStartOf(before, row));
    text.writeValue(value);
    values[row] = value;
    copied = before.ends[row] as number;
  }
  const shift = text.length() - copied;
  for (; shifted < ends.length; shifted += 1) ends[shifted] = (before.ends[shifted] as number) + shift;
  text.copy(before.bytes, copied, before.bytes.length);
  return { ...before, bytes: text.take(), packed: undefined, values, ends };
}

/** The samples that the units have now. */
function withUnits<Unit>(before: Section, { part, units, places, view }: Renewal<Unit>, text: Text): Section {
  const starts = new Uint32Array(units.length + 1);
  const keys: string[] = [];
  const values: number[] = [];
  const ends: number[] = [];
  /** The rows of the section before that are taken or left out, and the units whose start is known. */
  let [taken, unit] = [0, 0];
  let current = 0;

  /** Takes rows as they are. */
  const take = (from: number, to: number) => {
    const shift = text.length() - startOf(before, from);
    text.copy(before.bytes, startOf(before, from), startOf(before, to));
    for (let row = from; row < to; row += 1) {
      keys.push(before.keys[row] as string);
      values.push(before.values[row] as number);
      ends.push((before.ends[row] as number) + shift);
    }
  };
  const takeUntil = (place: number) => {
    const shift = keys.length - taken;
    for (; unit <= place; unit += 1) starts[unit] = (before.starts[unit] as number) + shift;
    take(taken, before.starts[place] as number);
    taken = before.starts[place] as number;
  };
  const add = (key: string, value: number | undefined) => {
    if (value === undefined) return;
    const last = Math.min(taken + LOOKAHEAD, before.starts[current + 1] as number);
    let known = taken;
    while (known < last && before.keys[known] !== key) known += 1;
    if (known < last) text.copy(before.bytes, startOf(before, known), valueStartOf(before, known));
    else text.write(`${part.family.name}{${part.labelsOf(units[current] as Unit, key)}} `);
    text.writeValue(value);
    keys.push(key);
    values.push(value);
    ends.push(text.length());
    if (known < last) taken = known + 1;
  };

  for (const place of places) {
    takeUntil(place);
    current = place;
    part.read(units[place] as Unit, { add }, view);
    taken = before.starts[place + 1] as number;
  }
  takeUntil(units.length);
  return {
    bytes: text.take(),
    packed: undefined,
    starts,
    keys,
    values: Float64Array.from(values),
    ends: Uint32Array.from(ends),
  };
}

/** Creates a writer of sections, with the memory in which their text is put together. */
export function createSectionWriter(): SectionWriter {
  const text = createText();
  return {
    renew: (before, comparison, renewal) => {
      if (!comparison.isLike()) return withUnits(before, renewal, text);
      const changes = comparison.changes();
      return changes.count === 0 ? before : withValues(before, changes, text);
    },
  };
}
