import type { NodeLogFacts } from '../model/facts.ts';
import { START_MS } from '../model/restart-cause.ts';

/**
 * Whether a node was started after `since`, by its log, and has run for a minute since. Then what ended an earlier start
 * is over.
 */
export function hasStartedWell(
  node: Pick<NodeLogFacts, 'startedAt' | 'stoppedAt'> | undefined,
  since: number,
  now: number,
): boolean {
  const { startedAt, stoppedAt = 0 } = node ?? {};
  return startedAt !== undefined && startedAt > since && stoppedAt <= startedAt && now - startedAt >= START_MS;
}
