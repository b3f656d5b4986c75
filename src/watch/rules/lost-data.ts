import { LINE_TOLERANCE_MS } from '../../lib/clock.ts';
import type { Facts, NodeFacts, PatternFacts } from '../../model/facts.ts';

/** A node that is killed loses the state that it keeps in memory: up to some 257 blocks, and a young chain all of them. */
export const MOST_BY_KILL = 300;

/** Whether a node whose height fell began with an empty data folder: by its log, or because no kill costs so many blocks. */
export function hasLostData({ node, logs, container }: Facts): boolean {
  const fall = node?.latest?.fall;
  if (fall !== undefined && fall.from - fall.to > MOST_BY_KILL) return true;
  const { genesis_written, loaded_genesis } = logs?.patterns ?? {};
  const startedAt = container?.run?.startedAt ?? logs?.node?.startedAt;
  const isOfStart = (line: PatternFacts | undefined) =>
    line !== undefined && startedAt !== undefined && line.at >= startedAt - LINE_TOLERANCE_MS;
  return isOfStart(genesis_written) || isOfStart(loaded_genesis);
}

/** The chain is asked about within a minute. */
const SAID_WITHIN_MS = 90_000;

/** When the height of a node last fell; undefined where that was the begin of another chain, which is no loss. */
export function fellAt({ latest, chain }: Pick<NodeFacts, 'latest' | 'chain'>): number | undefined {
  const { fall } = latest ?? {};
  const isOther = fall !== undefined && Math.abs((chain?.replaced?.at ?? Number.NaN) - fall.at) < SAID_WITHIN_MS;
  return isOther ? undefined : fall?.at;
}
