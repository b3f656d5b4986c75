import { copyUnpooled } from '../../lib/bytes.ts';
import type { Changes, Comparison } from './create-comparison.ts';
import type { Bytes } from './gzip-pieces.ts';
import type { PartOf, View } from './parts.ts';
import type { Section } from './section.ts';
import { MAX_NUMBER_BYTES, writeNumber } from './write-number.ts';

/** The units of a section, and how their samples are read. */
interface Source<Unit> {
  readonly part: PartOf<Unit>;
  readonly units: readonly Unit[];
  readonly view: View;
}

/** Renews sections. */
export interface SectionWriter {
  /**
   * The section with the values that its units have now. They are written into the same one, unless there are other samples. What is
   * changed in place leaves nothing to the collector: a page of 200,000 samples would be 16 MB for each scrape.
   */
  renew<Unit>(section: Section, comparison: Comparison, source: Source<Unit>): Section;
}

const SPACE = 0x20;
const LINE_FEED = 0x0a;
const FIRST_BYTES = 1 << 16;

/** The share by which the memory of a text is larger once it did not suffice. Of a thousand numbers some grow and others shrink. */
const SPARE = 1 / 64;

/** Where the value of a row begins: behind the last space of its line. */
function valueStartOf({ piece, ends }: Section, row: number): number {
  let at = (ends[row] as number) - 1;
  while (piece.bytes[at - 1] !== SPACE) at -= 1;
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
    /** Writes over other text, or takes new memory when that has too little. */
    takeInto: ({ buffer }: Bytes): Bytes => {
      const isEnough = length <= buffer.byteLength;
      const memory = isEnough ? Buffer.from(buffer) : Buffer.allocUnsafeSlow(length + Math.ceil(length * SPARE));
      bytes.copy(memory, 0, 0, length);
      const taken = memory.subarray(0, length);
      length = 0;
      return taken;
    },
  };
}

type Text = ReturnType<typeof createText>;

/** Writes the text again. The values of these rows take more or fewer digits than before. */
function moveRows(section: Section, moved: readonly number[], text: Text): Bytes {
  const { ends, values } = section;
  const { bytes } = section.piece;
  let [copied, shifted] = [0, 0];
  const shiftEnds = (before: number) => {
    const shift = text.length() - copied;
    for (; shifted < before; shifted += 1) ends[shifted] = (ends[shifted] as number) + shift;
  };
  for (const row of moved) {
    shiftEnds(row);
    text.copy(bytes, copied, valueStartOf(section, row));
    text.writeValue(values[row] as number);
    copied = ends[row] as number;
  }
  shiftEnds(ends.length);
  text.copy(bytes, copied, bytes.length);
  return text.takeInto(bytes);
}

/** Writes other values. Most take as many digits as before, and are written where those stood. */
function changeValues(section: Section, { count, rows, values: newValues }: Changes, digits: Buffer, text: Text): void {
  const { ends, values } = section;
  const { bytes } = section.piece;
  const moved: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const row = rows[index] as number;
    const value = newValues[index] as number;
    values[row] = value;
    const start = valueStartOf(section, row);
    const length = writeNumber(digits, 0, value);
    if (start + length + 1 !== ends[row]) moved.push(row);
    else for (let place = 0; place < length; place += 1) bytes[start + place] = digits[place] as number;
  }
  section.piece = { bytes: moved.length === 0 ? bytes : moveRows(section, moved, text), packed: undefined };
}

/** The samples that the units have now, written from nothing. */
function writeAll<Unit>({ part, units, view }: Source<Unit>, text: Text): Section {
  const starts = new Uint32Array(units.length + 1);
  const keys: string[] = [];
  const values: number[] = [];
  const ends: number[] = [];
  for (const [place, unit] of units.entries()) {
    const add = (key: string, value: number | undefined) => {
      if (value === undefined) return;
      text.write(`${part.family.name}{${part.labelsOf(unit, key)}} `);
      text.writeValue(value);
      keys.push(key);
      values.push(value);
      ends.push(text.length());
    };
    part.read(unit, { add }, view);
    starts[place + 1] = keys.length;
  }
  const piece = { bytes: text.take(), packed: undefined };
  return { piece, starts, keys, values: Float64Array.from(values), ends: Uint32Array.from(ends) };
}

/** Creates a writer of sections, with the memory in which their text is put together. */
export function createSectionWriter(): SectionWriter {
  const text = createText();
  const digits = Buffer.alloc(MAX_NUMBER_BYTES);
  return {
    renew: (section, comparison, source) => {
      if (!comparison.isLike()) return writeAll(source, text);
      const changes = comparison.changes();
      if (changes.count > 0) changeValues(section, changes, digits, text);
      return section;
    },
  };
}
