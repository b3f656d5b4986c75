import type { Chain } from './chain.ts';

/** How a node's height follows the chain. Times are Unix milliseconds. */
export type HeadRule =
  | { readonly kind: 'still'; readonly number: number }
  | {
      readonly kind: 'following';
      /** Blocks that it stays below the chain. */
      readonly lag: number;
      /** Where and when it began to follow; minus infinity for one that always has. */
      readonly fromNumber: number;
      readonly fromMs: number;
    };

/** A node that has missed blocks fetches this many a second from its peers. */
export const SYNC_BLOCKS_PER_SECOND = 10;

/** A node's height. It never falls by itself: a node that begins to lag waits until the chain is far enough ahead. */
export const headAt = (rule: HeadRule, chain: Chain, ms: number): number => {
  if (rule.kind === 'still') return rule.number;
  const fetched = rule.fromNumber + Math.floor(((ms - rule.fromMs) / 1000) * SYNC_BLOCKS_PER_SECOND);
  return Math.min(fetched, Math.max(rule.fromNumber, chain.heightAt(ms) - rule.lag));
};
