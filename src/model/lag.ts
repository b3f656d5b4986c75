/** How often something happened, of how many times it could have. Older times count less, so neither is a whole number. */
export interface Tally {
  readonly of: number;
  readonly hits: number;
}

/** The latest turns of a masternode; a hit is one that brought no block. */
export interface TurnTally extends Tally {
  /** In how many readings, a minute or more apart, turns were missed: what is missed in one row is one event. */
  readonly times: number;
  /** Its turns since the last one that was missed. */
  readonly clean: number;
}

/** How the log of a node has shown new blocks lately, a quarter of all; times in milliseconds. */
export interface BlockLag {
  readonly blocks: number;
  /** How much later than to half of the nodes a block came: the median, and what 95 % were below. Negative before them. */
  readonly delayMs: number;
  readonly delayP95Ms: number;
  /** How long it took to import one, by its own words: the median; absent where it does not say. */
  readonly importMs?: number;
}

/** Who keeps up with the others, in what is read anyway. */
export interface LagFacts {
  /** By the addresses of masternodes. */
  readonly turns: ReadonlyMap<string, TurnTally>;
  /** By the addresses of masternodes: the rounds in the pools of others; a hit is one that reached its quorum without its vote. */
  readonly votes: ReadonlyMap<string, Tally>;
  /** By the names of nodes. */
  readonly blocks: ReadonlyMap<string, BlockLag>;
}

/** The turns of masternodes by their addresses, as they survive a restart: `[of, hits, times, clean]`. */
export type KeptTurns = Readonly<Record<string, readonly number[]>>;

/** How a masternode keeps up, for people. Shares are from 0 to 1; what is not known yet is absent. */
export interface Lag extends Partial<Omit<BlockLag, 'blocks'>> {
  /** The share of its latest turns that brought no block. */
  readonly missedShare?: number;
  /** The least that this share is, allowing for chance: the lower end of the Wilson interval. */
  readonly missedAtLeast?: number;
  /** The share of the rounds that reached their quorum without its vote. */
  readonly votesLateShare?: number;
}

/** What is left of an older count after so many newer ones. */
export const fade = (newer: number, halfAfter: number): number => 0.5 ** (newer / halfAfter);

/** Older ones count half for each so many newer ones. */
export function addTo(tally: Tally, of: number, hits: number, halfAfter: number): Tally {
  const left = fade(of, halfAfter);
  return { of: tally.of * left + of, hits: tally.hits * left + hits };
}

/** Three standard deviations: of a thousand honest guesses one is too high. */
const Z = 3;

/** The least share that a tally shows, as the lower end of the Wilson interval: one hit of few shows next to nothing. */
export function leastShare({ of, hits }: Tally): number {
  if (of <= 0) return 0;
  const share = Math.min(hits / of, 1);
  const centre = share + Z ** 2 / (2 * of);
  const margin = Z * Math.sqrt((share * (1 - share)) / of + Z ** 2 / (4 * of ** 2));
  return Math.max(0, (centre - margin) / (1 + Z ** 2 / of));
}

/** Of a quarter of all blocks the arrival is compared, in no order, so that it is not always the same proposer who is left out. */
export const isSampled = (number: number): boolean => Math.imul(number, 0x9e3779b1) >>> 30 === 0;
