import type { Known } from '../model/facts.ts';
import { findHeardNodes } from './find-heard-nodes.ts';

/**
 * How many nodes of the subnet its bootnode had heard within `windowMs` before `lookedAt` (Unix milliseconds); undefined
 * without a bootnode whose log can be read.
 */
export function countHeardNodes(subnet: readonly Known[], lookedAt: number, windowMs: number): number | undefined {
  const logs = subnet.find(({ target }) => target.component === 'bootnode')?.facts.logs;
  if (logs === undefined || !Object.values(logs.sources).some(({ up }) => up)) return undefined;
  return findHeardNodes(subnet, logs.heard ?? new Map()).nodes.filter(
    ({ heardAt }) => heardAt !== undefined && lookedAt - heardAt < windowMs,
  ).length;
}
