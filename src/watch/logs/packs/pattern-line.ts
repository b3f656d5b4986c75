import type { LogPattern, Meaning } from '../../../model/log.ts';

/** XDPoSChain prints commas from 100,000 on (log/format.go); a number is read to its end or not at all. */
export const NUMBER = String.raw`(\d{1,3}(?:,\d{3})+|\d+)(?!,?\d)`;

type More = Pick<LogPattern, 'fix' | 'match' | 'level' | 'containerOnly' | 'anywhere' | 'mark'>;

/** A pattern in one row of a pack. */
export const line = (name: string, means: Meaning, literal: string, what: string, more?: More): LogPattern => ({
  name,
  means,
  literal,
  what,
  ...more,
});
