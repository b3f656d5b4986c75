import type { Suspicion } from '../model/problem.ts';
import type { SubnetView } from './subnet-view.ts';

/** For so long it is said. */
const SAID_MS = 10 * 60_000;

const short = (hash: string | undefined): string => `${hash?.slice(0, 10)}…`;

/** Every node that answers is on another chain than before: the network was replaced by a new one. */
export function findReplacedChain({ nodes, chain: { chain }, now }: SubnetView): readonly Suspicion[] {
  const known = nodes.filter(({ answers, chainFacts }) => answers === true && chainFacts !== undefined);
  const [first] = known;
  const before = first?.chainFacts?.replaced;
  const isNew = ({ isForeign, chainFacts }: (typeof known)[number]) =>
    !isForeign && now - (chainFacts?.replaced?.at ?? Number.NEGATIVE_INFINITY) < SAID_MS;
  if (chain === undefined || before === undefined || !known.every(isNew)) return [];
  const changes = [
    ...(before.genesis === undefined || before.genesis === chain.genesis
      ? []
      : [`the genesis block ${short(chain.genesis)} instead of ${short(before.genesis)}`]),
    ...(before.chainId === undefined || before.chainId === chain.chainId
      ? []
      : [`the chain id ${chain.chainId} instead of ${before.chainId}`]),
  ];
  return [
    {
      problem: 'chain_replaced',
      summary: 'the network was replaced by a new one',
      evidence: `${known.length === 1 ? 'its only node that answers has' : `all ${known.length} nodes that answer have`} ${changes.join(' and ')}`,
      fix: 'if that was done on purpose, deploy the checkpoint contract for the new chain and name it in the inventory; if not, find out who removed the data of the nodes, and restore it',
      explains: [],
      causes: nodes.map(({ name }) => ({ problem: 'head_regression', component: 'node', name }) as const),
    },
  ];
}
