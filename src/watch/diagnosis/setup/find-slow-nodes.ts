import { formatDuration } from '../../../lib/duration.ts';
import { medianOf } from '../../../lib/numbers.ts';
import type { Suspicion } from '../../../model/problem.ts';
import { commandToSeeLog } from '../../clients/commands-to-type.ts';
import { isStopped, type NodeView, type SubnetView } from '../subnet-view.ts';

/** From this median on a node is slow, whatever the others are. */
const SLOW_MS = 1_000;

/** A node is slow, too, if its median is this many times that of the others, and at least `LEAST_MS`. */
const SLOW_TIMES = 10;
const LEAST_MS = 100;

interface Timed {
  readonly node: NodeView;
  readonly median: number;
  readonly max: number;
  readonly count: number;
}

const NONE: readonly number[] = [];

/** How long each of some requests took. */
const timesOf = ({ setup: { client } }: NodeView): readonly number[] => (client?.ok ? client.value.tookMs : NONE);

/** Nodes that answer JSON-RPC far more slowly than others do. */
export function findSlowNodes({ nodes }: SubnetView): readonly Suspicion[] {
  // Without a request that took that long, no median can be.
  if (!nodes.some((node) => timesOf(node).some((ms) => ms >= LEAST_MS))) return [];
  const timed = nodes.flatMap((node): readonly Timed[] => {
    const tookMs = timesOf(node);
    if (tookMs.length === 0 || isStopped(node)) return [];
    return [{ node, median: medianOf(tookMs) ?? 0, max: Math.max(...tookMs), count: tookMs.length }];
  });
  // Of many nodes the slow ones hardly move the median, and of few the smaller one counts.
  const usual = medianOf(timed.map(({ median }) => median)) ?? 0;
  const isSlow = ({ median }: Timed) => median >= SLOW_MS || (median >= LEAST_MS && median >= SLOW_TIMES * usual);
  return timed.filter(isSlow).map(({ node, median, max, count }) => ({
    problem: 'node_slow',
    component: 'node',
    name: node.name,
    summary: `${node.name} answers slowly`,
    evidence: `of ${count} requests in a row the median took ${formatDuration(median)} and the longest ${formatDuration(max)}; the median of all nodes is ${formatDuration(usual)}`,
    fix: `look at the processor, the disk and the network of its machine, and ${commandToSeeLog(node.target)}`,
    explains: [],
    causes: [],
  }));
}
