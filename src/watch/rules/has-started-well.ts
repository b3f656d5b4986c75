import type { NodeLogFacts } from '../../model/facts.ts';
import { START_MS } from '../../model/restart-cause.ts';

/**
 * Whether a node was started after `since`, by its log, and has run for a minute then. So what ended an earlier start is over, also
 * when the node has been started again since.
 */
export function hasStartedWell(
  node: Pick<NodeLogFacts, 'startedAt' | 'stoppedAt' | 'wellFrom'> | undefined,
  since: number,
  now: number,
): boolean {
  const { startedAt, stoppedAt = 0, wellFrom = since } = node ?? {};
  if (wellFrom > since) return true;
  return startedAt !== undefined && startedAt > since && stoppedAt <= startedAt && now - startedAt >= START_MS;
}
