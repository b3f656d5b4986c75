import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { MINUTE_MS } from '../../lib/duration.ts';
import type { Steps } from '../../model/history.ts';
import { firstStep, RANGE_NAMES, RANGES, type RangeName } from '../../model/time-range.ts';
import { createCells } from './create-cells.ts';

/** How a value joins what a step has already. */
export type Join = (known: number, value: number) => number;

export const most: Join = Math.max;
export const sum: Join = (known, value) => known + value;
export const last: Join = (_, value) => value;

/** A ring of steps of one length for each range, one behind the other. */
const RINGS = RANGE_NAMES.map((range, index) => ({
  range,
  minutes: RANGES[range].stepMs / MINUTE_MS,
  steps: RANGES[range].steps,
  first: RANGE_NAMES.slice(0, index).reduce((before, one) => before + RANGES[one].steps, 0),
}));
type StepRing = (typeof RINGS)[number];

const ALL_STEPS = RINGS.reduce((before, { steps }) => before + steps, 0);

/**
 * What is known of one subject in each minute of the last hour, each half-hour of the last day, and so on: coarser steps for what is
 * older, so that it never grows. A cell that is not a number is not known.
 */
export interface StepCells {
  /** The columns of one step after the other. */
  readonly cells: Float16Array | Float32Array;
  /** How the values of each column join. */
  readonly columns: readonly Join[];
  /** The newest minute, counted since 1970. */
  newest: number;
}

/** Creates cells that know nothing. Half precision has three digits, and whole numbers up to 2,048. */
export function createStepCells(columns: readonly Join[], precision: 'half' | 'single'): StepCells {
  const length = ALL_STEPS * columns.length;
  const cells = precision === 'half' ? createCells(Float16Array, length) : createCells(Float32Array, length);
  return { cells: cells.fill(Number.NaN), columns, newest: 0 };
}

/** Where the values of a step are; undefined when it is too old, or newer than all. */
function findStep({ columns, newest }: StepCells, { minutes, steps, first }: StepRing, step: number) {
  const newestStep = Math.floor(newest / minutes);
  return step > newestStep || step <= newestStep - steps ? undefined : (first + (step % steps)) * columns.length;
}

/** Takes a minute as the newest, unless there is a newer one: steps that are too old are forgotten. */
export function openMinute(own: StepCells, minute: number): void {
  const { cells, columns, newest } = own;
  if (minute <= newest) return;
  own.newest = minute;
  for (const ring of RINGS) {
    const step = Math.floor(minute / ring.minutes);
    const begun = Math.max(Math.floor(newest / ring.minutes) + 1, step - ring.steps + 1);
    for (let later = begun; later <= step; later += 1) {
      const place = findStep(own, ring, later) ?? 0;
      cells.fill(Number.NaN, place, place + columns.length);
    }
  }
}

function joinCell({ cells, columns }: StepCells, place: number, column: number, value: number): void {
  const known = cells[place + column] ?? Number.NaN;
  cells[place + column] = Number.isNaN(known) ? value : (columns[column]?.(known, value) ?? value);
}

/** Adds a value of a minute to the steps that it belongs to, or to that of one range. */
export function addValue(own: StepCells, minute: number, column: number, value: number, only?: RangeName): void {
  for (const ring of RINGS) {
    const place = findStep(own, ring, Math.floor(minute / ring.minutes));
    if (place !== undefined && (only === undefined || only === ring.range)) joinCell(own, place, column, value);
  }
}

/** Whether a value of the step that a minute belongs to is known in a range. */
export function isKnown(own: StepCells, minute: number, column: number, range: RangeName): boolean {
  const ring = RINGS[RANGE_NAMES.indexOf(range)];
  const place = ring && findStep(own, ring, Math.floor(minute / ring.minutes));
  return place !== undefined && !Number.isNaN(own.cells[place + column]);
}

/** A column within a range that ends at a time. */
export function readColumn(own: StepCells | undefined, column: number, range: RangeName, at: number): Steps {
  const values: (number | undefined)[] = Array(RANGES[range].steps).fill(undefined);
  const ring = RINGS[RANGE_NAMES.indexOf(range)];
  if (own === undefined || ring === undefined) return values;
  const first = firstStep(range, at);
  // A page of a large subnet reads a million cells.
  for (let index = 0; index < values.length; index += 1) {
    const place = findStep(own, ring, first + index);
    const value = place === undefined ? Number.NaN : own.cells[place + column];
    if (!Number.isNaN(value)) values[index] = value;
  }
  return values;
}

/** The cells as text, packed, as most are alike: a row of a database then has a third of their size. */
export const packCells = ({ cells: { buffer, byteOffset, byteLength } }: StepCells): string =>
  deflateRawSync(Buffer.from(buffer, byteOffset, byteLength)).toString('base64');

/** Undefined for a text that other cells, or nothing, were packed into. */
function unpackCells({ cells }: StepCells, packed: string): StepCells['cells'] | undefined {
  try {
    const bytes = inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: cells.byteLength });
    if (bytes.length !== cells.byteLength) return undefined;
    const unpacked = cells.slice();
    new Uint8Array(unpacked.buffer).set(bytes);
    return unpacked;
  } catch {
    return undefined;
  }
}

/** Joins cells that were packed when `newest` was their newest minute, as those of before. */
export function joinPacked(own: StepCells, packed: string, newest: number): void {
  const { cells, columns } = own;
  const unpacked = unpackCells(own, packed);
  if (unpacked === undefined) return;
  const before: StepCells = { ...own, cells: unpacked, newest };
  openMinute(before, own.newest);
  openMinute(own, newest);
  for (let place = 0; place < cells.length; place += columns.length)
    for (let column = 0; column < columns.length; column += 1) {
      const value = cells[place + column] ?? Number.NaN;
      cells[place + column] = before.cells[place + column] ?? Number.NaN;
      if (!Number.isNaN(value)) joinCell(own, place, column, value);
    }
}
