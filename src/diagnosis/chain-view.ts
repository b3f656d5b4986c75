import type { ChainObservation, ConsensusSettings, Masternodes } from '../model/chain.ts';
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

const observationOf = ({ facts: { node } }: TargetState): ChainObservation | undefined => node?.chain?.observation;

const isSame = (one: Chain, other: Chain | undefined): boolean =>
  one.chainId === other?.chainId && one.genesis === other?.genesis;

/** What more than half of those who gave a value gave. Only the one that outlasts all others can be it (Boyer and Moore). */
function findMajority(chains: readonly Chain[]): Chain | undefined {
  let last: Chain | undefined;
  let lead = 0;
  for (const chain of chains) {
    if (lead === 0) last = chain;
    lead += isSame(chain, last) ? 1 : -1;
  }
  const count = chains.filter((chain) => isSame(chain, last)).length;
  return last !== undefined && count * 2 > chains.length ? { chainId: last.chainId, genesis: last.genesis } : undefined;
}

const differs = (one: number | string | undefined, other: number | string | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other;

/** Whether a node says that it is on another chain than most nodes. */
export function isForeign(state: TargetState, chain: Chain | undefined): boolean {
  const own = observationOf(state);
  if (own === undefined || chain === undefined) return false;
  return differs(own.genesis, chain.genesis) || differs(own.chainId, chain.chainId);
}

/** Brings together what the nodes say about their chain. */
export function viewChain(nodes: readonly TargetState[]): ChainView {
  const chain = findMajority(
    nodes.flatMap((state) => {
      const own = observationOf(state);
      return own?.chainId === undefined || own.genesis === undefined ? [] : own;
    }),
  );
  let consensus: ConsensusSettings | undefined;
  let newest: Masternodes | undefined;
  const nameOf = new Map<string, string>();
  for (const state of nodes) {
    const own = observationOf(state);
    if (own === undefined || isForeign(state, chain)) continue;
    consensus ??= own.consensus;
    if (own.masternodes && own.masternodes.number >= (newest?.number ?? 0)) newest = own.masternodes;
    if (own.address !== undefined) nameOf.set(own.address, state.target.name);
  }
  return { chain, consensus, masternodes: newest, nameOf };
}
