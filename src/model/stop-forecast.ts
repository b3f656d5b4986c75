/** What would become of a subnet if some of its targets were stopped now. */
export interface StopForecast {
  readonly subnet: string;
  /** The targets that would be stopped, in the order of the inventory. */
  readonly stopped: readonly string[];
  /** Whether blocks would still come; null when nobody knows. */
  readonly makesBlocks: boolean | null;
  /** Whether blocks would still be final: that takes three rounds in a row which bring a block each. Null when nobody knows. */
  readonly commitsBlocks: boolean | null;
  /** Masternodes that would vote, by what is known now: of those that nobody knows about, none votes or all do. */
  readonly voting: { readonly least: number; readonly most: number } | null;
  readonly required: number | null;
  readonly total: number | null;
  /** On average, once the chain has settled; null when nobody knows. */
  readonly blocksPerMinute: number | null;
  /** What would happen, each as the end of a sentence: the chain first, then each service. */
  readonly effects: readonly string[];
}

/** What came of a question what would happen: a forecast for each subnet that has one of the targets, or why there is none. */
export type StopResult =
  | { readonly ok: true; readonly forecasts: readonly StopForecast[] }
  | { readonly ok: false; readonly kind: 'unknown' | 'ambiguous'; readonly error: string };
