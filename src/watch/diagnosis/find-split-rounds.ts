import { joinAnd, toShellWord } from '../../lib/words.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';

/** Nodes send each other a new round at once: one that is asked this much later must know it. */
const SPREAD_MS = 5_000;

/** A masternode that waits for a block in vain. */
interface Waiting {
  readonly node: NodeView;
  readonly round: number;
  /** When it first and last said so, in watched time. */
  readonly from: number;
  readonly at: number;
}

/** The masternodes that were asked since then, and since their container started. */
function findWaiting({ nodes, masters }: SubnetView, since: number): readonly Waiting[] {
  return nodes.flatMap((node): readonly Waiting[] => {
    const { chainFacts, container, isOut } = node;
    const { address, pool } = chainFacts?.observation ?? {};
    const startedAt = 'container' in container ? (container.container.startedAt ?? since) : since;
    const earliest = Math.max(since, startedAt);
    if (chainFacts === undefined || !pool?.timeoutRound || isOut || chainFacts.at < earliest) return [];
    const { at, waitsSince = at } = chainFacts;
    return address !== undefined && masters.get(address) === node
      ? [{ node, round: pool.timeoutRound, from: Math.max(waitsSince, earliest), at }]
      : [];
  });
}

/** Whether a node that was asked later is in a lower round: then they do not receive each other's rounds. */
const isSplit = (waiting: readonly Waiting[]): boolean =>
  waiting.some((low) => waiting.some((high) => high.round > low.round && high.from + SPREAD_MS <= low.at));

/** The command, as far as the inventory says where they run. */
function describeRestart(nodes: readonly NodeView[]): string {
  const names = joinAnd(nodes.map(({ name }) => name));
  const containers = nodes.flatMap(({ container }) => ('container' in container ? [container.container.name] : []));
  return containers.length < nodes.length
    ? `restart ${names}`
    : `restart ${names} with \`docker restart ${containers.map(toShellWord).join(' ')}\``;
}

/**
 * Masternodes that wait in different rounds since the subnet halted at `since`, too few in each to leave it. A node keeps its round
 * in memory, so one that was killed comes back in a lower round, and may never receive the higher one (seen with XDC-Subnet v0.3.2).
 * A node of the higher round that is restarted comes back in the lower one too, and then enough are in the same.
 */
export function findSplitRounds(
  view: SubnetView,
  since: number,
): { readonly seen: string; readonly fix: string } | undefined {
  const required = view.quorum?.required ?? 0;
  const waiting = findWaiting(view, since);
  const groups = [...Map.groupBy(waiting, ({ round }) => round)].toSorted(([one], [other]) => other - one);
  const lowest = groups.at(-1)?.[1] ?? [];
  if (groups.length < 2 || groups.some(([, ones]) => ones.length >= required) || !isSplit(waiting)) return undefined;
  const described = groups.map(
    ([round, ones]) =>
      `${joinAnd(ones.map(({ node }) => node.name))} ${ones.length === 1 ? 'waits' : 'wait'} in round ${round}`,
  );
  const higher = groups.slice(0, -1).flatMap(([, ones]) => ones.map(({ node }) => node));
  const restarted = higher.slice(0, required - lowest.length);
  return {
    seen: described.join(', '),
    fix: `${describeRestart(restarted)}: ${restarted.length === 1 ? 'it comes' : 'they come'} back in the lower round, and ${required} must wait in the same one; if no block comes within a minute, restart the others one after another`,
  };
}
