import { highest } from '../../lib/numbers.ts';
import { shorten } from '../../lib/words.ts';
import type { Suspicion } from '../../model/problem.ts';
import { MOST_BY_KILL } from '../rules/lost-data.ts';
import type { NodeView, SubnetView } from './subnet-view.ts';
import { suspect } from './suspect.ts';

/** For so long it is said. */
const SAID_MS = 10 * 60_000;

/** How the chain of these nodes differs from that of before: in its genesis block or its id. */
function describeOther(known: readonly NodeView[], { chain: { chain }, now }: SubnetView): string | undefined {
  const before = known[0]?.chainFacts?.replaced;
  const isNew = ({ isForeign, chainFacts }: NodeView) =>
    !isForeign && now - (chainFacts?.replaced?.at ?? Number.NEGATIVE_INFINITY) < SAID_MS;
  if (chain === undefined || before === undefined || !known.every(isNew)) return undefined;
  const changes = [
    ...(before.genesis === undefined || before.genesis === chain.genesis
      ? []
      : [`the genesis block ${shorten(chain.genesis ?? '')} instead of ${shorten(before.genesis)}`]),
    ...(before.chainId === undefined || before.chainId === chain.chainId
      ? []
      : [`the chain id ${chain.chainId} instead of ${before.chainId}`]),
  ];
  return `${known.length === 1 ? 'its only node that answers has' : `all ${known.length} nodes that answer have`} ${changes.join(' and ')}`;
}

/** That two thirds of the nodes begin the same chain again: one fell by more than a kill costs, and none is near that height. */
function describeBegun(known: readonly NodeView[], { nodes, now }: SubnetView): string | undefined {
  const heights = known.flatMap(({ height }) => (height === undefined ? [] : [height]));
  const fall = heights.find((one) => one.fall !== undefined && one.fall.from - one.fall.to > MOST_BY_KILL)?.fall;
  if (fall === undefined || now - fall.at >= SAID_MS || heights.length * 3 <= nodes.length * 2) return undefined;
  const isWithout = heights.every(
    ({ number, lastGoodAt }) => number < fall.from - MOST_BY_KILL && lastGoodAt >= fall.at,
  );
  if (!isWithout) return undefined;
  const who = heights.length === 1 ? 'its only node that answers' : `all ${heights.length} nodes that answer`;
  return `${who} began again from the first block: the chain is at block ${highest(heights.map(({ number }) => number))}, and was at ${fall.from}, with the same genesis block`;
}

/** Every node that answers is on another chain than before, or at the begin of the same: the network was replaced by a new one. */
export function findReplacedChain(view: SubnetView): Suspicion | undefined {
  const { nodes } = view;
  const known = nodes.filter(({ answers, chainFacts }) => answers === true && chainFacts !== undefined);
  const evidence = describeOther(known, view) ?? describeBegun(known, view);
  if (evidence === undefined) return undefined;
  return suspect('chain_replaced', {
    summary: 'the network was replaced by a new one',
    evidence,
    fix: 'if that was done on purpose, deploy the checkpoint contract for the new chain and name it in the inventory; if not, find out who removed the data of the nodes, and restore it',
    causes: nodes.map(({ name }) => ({ problem: 'head_regression', component: 'node', name }) as const),
  });
}
