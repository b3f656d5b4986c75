import { LINE_TOLERANCE_MS } from './clock.ts';
import type { Facts } from './facts.ts';

/** A node that is killed loses the state that it keeps in memory: up to some 257 blocks, and a young chain all of them. */
const MOST_BY_KILL = 300;

/** Whether a node whose height fell began with an empty data folder: by its log, or because no kill costs so many blocks. */
export function hasLostData({ node, logs, container }: Facts): boolean {
  const fall = node?.latest?.fall;
  if (fall !== undefined && fall.from - fall.to > MOST_BY_KILL) return true;
  const writtenAt = logs?.patterns.genesis_written?.at;
  const startedAt = container?.run?.startedAt;
  return writtenAt !== undefined && startedAt !== undefined && writtenAt >= startedAt - LINE_TOLERANCE_MS;
}
