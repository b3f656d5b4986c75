import type { ConsensusSettings, Masternodes } from '../model/chain.ts';
import type { ChainFacts } from '../model/facts.ts';
import type { TargetState } from '../model/snapshot.ts';

/** The chain of a subnet: that of most of its nodes. */
export interface Chain {
  readonly chainId?: number;
  readonly genesis?: string;
}

/** What the nodes of a subnet say about its chain together. */
export interface ChainView {
  /** Undefined while no chain has a majority among the nodes that gave theirs. */
  readonly chain?: Chain;
  readonly consensus?: ConsensusSettings;
  /** The members by the node with the newest block. */
  readonly masternodes?: Masternodes;
  /** The names of the nodes by their masternode addresses. */
  readonly nameOf: ReadonlyMap<string, string>;
}

const chainOf = ({ facts: { node } }: TargetState): ChainFacts | undefined => node?.chain;

const keyOf = ({ chainId, genesis }: Chain): string => `${chainId ?? ''} ${genesis ?? ''}`;

/** What more than half of those who gave a value gave. */
function findMajority(chains: readonly Chain[]): Chain | undefined {
  const counts = new Map<string, number>();
  for (const chain of chains) counts.set(keyOf(chain), (counts.get(keyOf(chain)) ?? 0) + 1);
  return chains.find((chain) => (counts.get(keyOf(chain)) ?? 0) * 2 > chains.length);
}

/** Whether a node says that it is on another chain than most nodes. */
export function isForeign(state: TargetState, { chain }: ChainView): boolean {
  const own = chainOf(state)?.observation;
  if (own === undefined || chain === undefined) return false;
  const differs = (name: 'chainId' | 'genesis') =>
    own[name] !== undefined && chain[name] !== undefined && own[name] !== chain[name];
  return differs('genesis') || differs('chainId');
}

/** Brings together what the nodes say about their chain. */
export function viewChain(nodes: readonly TargetState[]): ChainView {
  const known = nodes.flatMap((state) => {
    const facts = chainOf(state);
    return facts === undefined ? [] : [{ state, ...facts.observation }];
  });
  const identified = known.filter(({ chainId, genesis }) => chainId !== undefined && genesis !== undefined);
  const view = { chain: findMajority(identified.map(({ chainId, genesis }) => ({ chainId, genesis }))) };
  const own = known.filter(({ state }) => !isForeign(state, { ...view, nameOf: new Map() }));
  let newest: Masternodes | undefined;
  for (const { masternodes } of own)
    if (masternodes && masternodes.number >= (newest?.number ?? 0)) newest = masternodes;
  return {
    ...view,
    consensus: own.find(({ consensus }) => consensus !== undefined)?.consensus,
    masternodes: newest,
    nameOf: new Map(own.flatMap(({ state, address }) => (address === undefined ? [] : [[address, state.target.name]]))),
  };
}
