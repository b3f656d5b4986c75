import type { Known } from '../model/facts.ts';
import {
  emptySummary,
  isSameSummary,
  joinSummaries,
  type SubnetSummary,
  summarizeTarget,
} from '../rules/subnet-summary.ts';

/** The summary of a subnet's targets, updated as single targets change. */
export interface SummaryTree {
  /** Replaces the target at this index. */
  set(index: number, known: Known): void;
  summary(): SubnetSummary;
}

/** A binary tree in an array: the children of `i` are `2i` and `2i + 1`, so an update costs O(log n). */
export function createSummaryTree(targets: readonly Known[]): SummaryTree {
  const width = 2 ** Math.ceil(Math.log2(Math.max(targets.length, 1)));
  const nodes: SubnetSummary[] = Array(2 * width).fill(emptySummary);
  const at = (index: number): SubnetSummary => nodes[index] ?? emptySummary;
  const join = (index: number) => {
    nodes[index] = joinSummaries(at(2 * index), at(2 * index + 1));
  };
  for (const [index, known] of targets.entries()) nodes[width + index] = summarizeTarget(known);
  for (let index = width - 1; index > 0; index -= 1) join(index);
  return {
    set: (index, known) => {
      const summary = summarizeTarget(known);
      if (isSameSummary(at(width + index), summary)) return;
      nodes[width + index] = summary;
      for (let above = (width + index) >> 1; above > 0; above >>= 1) join(above);
    },
    summary: () => at(1),
  };
}
