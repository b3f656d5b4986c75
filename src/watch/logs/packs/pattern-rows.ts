import type { LogPattern, Meaning } from '../../../model/log.ts';

/** XDPoSChain prints commas from 100,000 on (log/format.go); a number is read to its end or not at all. */
export const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d+)(?!,?\d)`;

/** Patterns by their names. */
export type PatternRows = Readonly<Record<string, Omit<LogPattern, 'name'>>>;

type More = Omit<LogPattern, 'name' | 'means' | 'literal' | 'what'>;

const rowThat = (means: Meaning) => (literal: string, what: string, more?: More) => ({ means, literal, what, ...more });

export const progress = rowThat('progress');
export const error = rowThat('error');
export const fatal = rowThat('fatal');
export const state = rowThat('state');
export const note = rowThat('note');

/** The rows as a pack, in their order. */
export const toPack = (rows: PatternRows): readonly LogPattern[] =>
  Object.entries(rows).map(([name, row]) => ({ name, ...row }));
