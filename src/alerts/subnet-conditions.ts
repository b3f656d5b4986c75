import type { TargetState } from '../model/snapshot.ts';
import { isActive, judgeChecks, perSubnet } from './condition.ts';
import { logRoseWithin, movedWithin } from './node-movement.ts';
import { highestOf, nodesOf } from './subnet-nodes.ts';

const MINUTE = 60_000;

const failsHeight = (node: TargetState): boolean => isActive(judgeChecks(node, 'latest_block'));

const passesHeight = ({ checks }: TargetState): boolean =>
  checks.some(({ check, verdict }) => check === 'latest_block' && (verdict === 'pass' || verdict === 'degraded'));

/** Whether any node's height check fails or passes. */
const judgeHeights = (nodes: readonly TargetState[]) => ({
  anyFails: nodes.some(failsHeight),
  anyPasses: nodes.some(passesHeight),
});

/** The conditions of `subnetRules`, judged without Prometheus. */
export const subnetConditions = {
  SubnetHalted: perSubnet((subnet, { now }) => {
    const nodes = nodesOf(subnet);
    const { anyFails, anyPasses } = judgeHeights(nodes);
    if (anyPasses) return 'clear';
    if (!anyFails) return 'unknown';
    const logShowsBlocks = nodes.some(
      (node) => node.facts.node?.observation.answered !== true && logRoseWithin(node, now, MINUTE),
    );
    return logShowsBlocks ? 'clear' : { value: nodes.length };
  }),
  SubnetFinalityStalled: perSubnet((subnet, { now }) => {
    const nodes = nodesOf(subnet);
    const latest = highestOf(subnet);
    const committed = nodes.flatMap(({ facts }) => facts.node?.committed ?? []);
    if (latest === undefined || committed.length === 0) return 'unknown';
    const isStalled = committed.every(
      ({ advancedAt, fall }) => now - Math.max(advancedAt, fall?.at ?? 0) >= 2 * MINUTE,
    );
    const moves = nodes.some(({ facts }) => movedWithin(facts.node?.latest, now, MINUTE));
    if (!isStalled || !moves) return 'clear';
    return { value: latest - Math.max(...committed.map(({ number }) => number)) };
  }),
  SubnetQuorumAtRisk: perSubnet((subnet, { now }) => {
    const nodes = nodesOf(subnet);
    const { anyFails, anyPasses } = judgeHeights(nodes);
    if (!anyPasses) return anyFails ? 'clear' : 'unknown';
    const stalled = nodes.filter(
      (node) =>
        failsHeight(node) &&
        !movedWithin(node.facts.node?.latest, now, 2 * MINUTE) &&
        !logRoseWithin(node, now, 2 * MINUTE),
    ).length;
    // As the chain counts: votes >= nodes × 0.667 in floating point.
    const mayLose = nodes.length - Math.ceil(0.667 * nodes.length);
    return stalled >= 1 && stalled >= mayLose ? { value: stalled } : 'clear';
  }),
} as const;
