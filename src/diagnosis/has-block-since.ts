import { START_MS } from '../model/restart-cause.ts';
import type { TargetState } from '../model/snapshot.ts';

/** Whether one of these nodes has shown a new block since then. */
export const hasBlockSince = (nodes: readonly TargetState[], since: number): boolean =>
  nodes.some(({ facts: { node, logs } }) => {
    const { advancedAt = Number.NEGATIVE_INFINITY, startedAt = Number.NEGATIVE_INFINITY } = logs?.node ?? {};
    // The first height after a start is the last one before it.
    const isNewInLog = advancedAt > since && advancedAt - startedAt >= START_MS;
    return isNewInLog || (node?.latest?.risen === true && node.latest.advancedAt > since);
  });
