import { ascending } from './ascending.ts';

/** The one in the middle; of two in the middle the smaller one. Undefined of nothing. */
export const medianOf = <T extends number | bigint>(values: readonly T[]): T | undefined =>
  values.toSorted(ascending)[Math.ceil(values.length / 2) - 1];
