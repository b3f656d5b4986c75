import type { TargetState } from '../model/snapshot.ts';
import { fails, perSubnet } from './condition.ts';
import { highestOf, logRoseWithin, movedWithin, nodesOf } from './node-movement.ts';

const MINUTE = 60_000;

/** Whether any node's height check fails or passes. */
function judgeHeights(nodes: readonly TargetState[]) {
  const judged = nodes.map((node) => fails(node, 'latest_block'));
  return { anyFails: judged.includes(true), anyPasses: nodes.some(passesHeight) };
}

const passesHeight = ({ checks }: TargetState): boolean =>
  checks.some(({ check, verdict }) => check === 'latest_block' && (verdict === 'pass' || verdict === 'degraded'));

/** The conditions of `subnetRules`, judged without Prometheus. */
export const subnetConditions = {
  SubnetHalted: perSubnet((subnet, { now }) => {
    const nodes = nodesOf(subnet);
    const { anyFails, anyPasses } = judgeHeights(nodes);
    if (anyPasses) return false;
    if (!anyFails) return undefined;
    const logShowsBlocks = nodes.some(
      (node) => node.facts.node?.observation.answered !== true && logRoseWithin(node, now, MINUTE),
    );
    return logShowsBlocks ? false : nodes.length;
  }),
  SubnetFinalityStalled: perSubnet((subnet, { now }) => {
    const nodes = nodesOf(subnet);
    const latest = highestOf(subnet);
    const committed = nodes.flatMap(({ facts }) => facts.node?.committed ?? []);
    if (latest === undefined || committed.length === 0) return undefined;
    const isStalled = committed.every(
      ({ advancedAt, fall }) => now - Math.max(advancedAt, fall?.at ?? 0) >= 2 * MINUTE,
    );
    const moves = nodes.some(({ facts }) => movedWithin(facts.node?.latest, now, MINUTE));
    return isStalled && moves ? latest - Math.max(...committed.map(({ number }) => number)) : false;
  }),
  SubnetQuorumAtRisk: perSubnet((subnet, { now }) => {
    const nodes = nodesOf(subnet);
    const { anyFails, anyPasses } = judgeHeights(nodes);
    if (!anyPasses) return anyFails ? false : undefined;
    const stalled = nodes.filter(
      (node) =>
        fails(node, 'latest_block') === true &&
        !movedWithin(node.facts.node?.latest, now, 2 * MINUTE) &&
        !logRoseWithin(node, now, 2 * MINUTE),
    ).length;
    // As the chain counts: votes >= nodes × 0.667 in floating point.
    const mayLose = nodes.length - Math.ceil(0.667 * nodes.length);
    return stalled >= 1 && stalled >= mayLose ? stalled : false;
  }),
} as const;
