import type { WatchedMs } from '../lib/clock.ts';

/** A question and what came back, in a few words each. */
export interface AskedAndAnswered {
  /** A JSON-RPC method with its parameters, or a request. */
  readonly asked: string;
  readonly answered: string;
  readonly isFault: boolean;
}

/** What one probe of a target asked last, and what it was answered. Holds no user info, path or query of a URL. */
export interface Exchange {
  /** `chain` is what a node is asked once a minute beside its probe. */
  readonly kind: 'node' | 'chain' | 'service' | 'page' | 'container';
  /** Where it went. */
  readonly to: string;
  /** When the answer was there, or given up on. */
  readonly at: WatchedMs;
  /** The whole probe, the question about the chain included; absent for that question. */
  readonly tookMs?: number;
  /** The HTTP status, when there was one. */
  readonly status?: number;
  readonly calls: readonly AskedAndAnswered[];
}
