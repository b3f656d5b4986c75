import { MINUTE_MS } from '../lib/duration.ts';
import type { RelayerMode } from './observation.ts';
import type { SubnetState } from './snapshot.ts';
import type { Component } from './target.ts';
import type { CheckName } from './verdict.ts';

/** How long a relayer may go without a submission in each mode, by default (XDC-Relayer src/config.ts). */
export const SUBMITS_WITHIN_MS: Readonly<Record<RelayerMode, number>> = {
  full: 5 * MINUTE_MS,
  lite: 45 * MINUTE_MS,
  reverse_full: 5 * MINUTE_MS,
  zero: MINUTE_MS,
  reverse_zero: MINUTE_MS,
};

/** A packet of XDC-Zero that has waited longer, and does not move, is stuck: its block is proven within the limit of full mode. */
export const PACKETS_WITHIN_MS = 2 * SUBMITS_WITHIN_MS.full;

/** The limit that ends first: that of the inventory, else that of the modes that the log shows, else that of full mode. */
function submissionsWithinMs({ subnet, targets }: SubnetState): number {
  const modes = targets.find(({ target }) => target.component === 'relayer')?.facts.logs?.relayer?.modes ?? [];
  const limits = (modes.length === 0 ? (['full'] as const) : modes).map((mode) => SUBMITS_WITHIN_MS[mode]);
  return subnet.settings.logs.submissionsWithinMs ?? Math.min(...limits);
}

const stallAfterMs = ({ subnet, stallAfterMs: judged }: SubnetState): number =>
  judged ?? subnet.settings.rpc.stallAfterMs;

/** A check that fails after this long without progress, and its components. */
interface TimeLimit {
  readonly check: CheckName;
  readonly of: Component;
  readonly ms: (state: SubnetState) => number;
}

/** The checks of a subnet that wait for progress, and how long they wait. */
export const TIME_LIMITS: readonly TimeLimit[] = [
  { check: 'latest_block', of: 'node', ms: stallAfterMs },
  { check: 'log_block', of: 'node', ms: stallAfterMs },
  { check: 'messages', of: 'bootnode', ms: ({ subnet }) => subnet.settings.logs.bootnodeWindowMs },
  { check: 'submissions', of: 'relayer', ms: submissionsWithinMs },
  { check: 'block_data', of: 'stats', ms: ({ subnet }) => subnet.settings.logs.blockDataWithinMs },
];
