/** The lengths of time that pages show, each in equal steps that begin in UTC. */
export const RANGES = {
  '1h': { stepMs: 60_000, steps: 60, word: '1 h', words: 'last hour' },
  '24h': { stepMs: 30 * 60_000, steps: 48, word: '24 h', words: 'last 24 hours' },
  '7d': { stepMs: 3 * 3_600_000, steps: 56, word: '7 d', words: 'last 7 days' },
  '30d': { stepMs: 12 * 3_600_000, steps: 60, word: '30 d', words: 'last 30 days' },
} as const;

export type RangeName = keyof typeof RANGES;

export const RANGE_NAMES = Object.keys(RANGES) as readonly RangeName[];

/** The range that an address names; the last hour when it names none. */
export const parseRange = (text: string | undefined): RangeName => RANGE_NAMES.find((name) => name === text) ?? '1h';

/** The parameter of an address for a range; none for the last hour. */
export const rangeQuery = (range: RangeName): Readonly<Record<string, string>> => (range === '1h' ? {} : { range });

/** The first step of a range that ends now, counted since 1970. The minute that is not over yet is not shown. */
export function firstStep(range: RangeName, at: number): number {
  const { stepMs, steps } = RANGES[range];
  return Math.floor(at / stepMs) - steps + (range === '1h' ? 0 : 1);
}
