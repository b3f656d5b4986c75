import type { NodeFacts, Progress } from '../model/facts.ts';
import type { Target } from '../model/target.ts';

/**
 * What the rules of a node need to know of the others. Summaries can be joined, so that a changed node costs little.
 */
export interface SubnetSummary {
  readonly nodes: number;
  /** The first of the highest nodes, among those whose last probe returned a height. */
  readonly highest?: { readonly name: string; readonly number: number };
  /** The two nodes whose heights rose last, latest first. One of them may be the node that is judged. */
  readonly risen: readonly { readonly name: string; readonly advancedAt: number }[];
  /** The first few nodes that did not answer the last probe. */
  readonly silent: readonly string[];
}

/** A target with the facts that are summarized. */
interface Known {
  readonly target: Target;
  readonly facts: { readonly node?: NodeFacts };
}

/** More than a reason lists. */
const MAX_SILENT = 6;

/** The summary of no node. */
export const emptySummary: SubnetSummary = { nodes: 0, risen: [], silent: [] };

/** A node's height, if its last probe returned one. */
const currentHeight = ({ facts: { node } }: Known): Progress | undefined =>
  node?.observation.latest.ok ? node.latest : undefined;

/** The summary of one target. */
export function summarizeTarget(known: Known): SubnetSummary {
  const { target, facts } = known;
  if (target.component !== 'node') return emptySummary;
  const { name } = target;
  const height = currentHeight(known);
  return {
    nodes: 1,
    ...(height && { highest: { name, number: height.number } }),
    risen: height ? [{ name, advancedAt: height.advancedAt }] : [],
    silent: facts.node?.observation.answered === false ? [name] : [],
  };
}

/** Are two summaries of one target the same? */
export const isSameSummary = (one: SubnetSummary, other: SubnetSummary): boolean =>
  one.nodes === other.nodes &&
  one.highest?.number === other.highest?.number &&
  one.risen[0]?.advancedAt === other.risen[0]?.advancedAt &&
  one.silent.length === other.silent.length;

function joinRisen(first: SubnetSummary['risen'], second: SubnetSummary['risen']): SubnetSummary['risen'] {
  const [a, b] = [first[0], second[0]];
  if (b === undefined) return first;
  if (a === undefined) return second;
  if (b.advancedAt > a.advancedAt) return [b, second[1] && second[1].advancedAt > a.advancedAt ? second[1] : a];
  return [a, first[1] && first[1].advancedAt >= b.advancedAt ? first[1] : b];
}

/** Joins the summaries of two parts of a subnet; the targets of `first` come first. */
export function joinSummaries(first: SubnetSummary, second: SubnetSummary): SubnetSummary {
  if (second.nodes === 0) return first;
  if (first.nodes === 0) return second;
  const [a, b] = [first.highest, second.highest];
  const highest = a === undefined || (b !== undefined && b.number > a.number) ? b : a;
  const risen = joinRisen(first.risen, second.risen);
  const silent =
    second.silent.length === 0 || first.silent.length === MAX_SILENT
      ? first.silent
      : [...first.silent, ...second.silent].slice(0, MAX_SILENT);
  return { nodes: first.nodes + second.nodes, highest, risen, silent };
}
