import type { WatchedMs } from '../lib/clock.ts';

/** `ok`: well; `warn`: it makes blocks, but something is wrong; `bad`: it does not do its job; `off`: nobody knows. */
export type Standing = 'ok' | 'warn' | 'bad' | 'off';

/** The state of a subnet in one sentence, as a person on call wants it first. */
export interface Headline {
  readonly standing: Standing;
  /** What is the matter, with the name of the subnet. */
  readonly sentence: string;
  /** The causes and the way out, or how much reserve there is. */
  readonly detail: string;
  /** Since when; absent while all is well. */
  readonly since?: WatchedMs;
}

/** What is said before the first diagnosis. */
export const NOT_DIAGNOSED: Headline = {
  standing: 'off',
  sentence: 'Nothing has been checked yet',
  detail: 'The first round is still running.',
};
