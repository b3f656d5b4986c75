import { collect, findMajority } from '../../lib/values.ts';
import {
  type ChainObservation,
  type ConsensusSettings,
  isCredible,
  type Masternodes,
  type MissedRounds,
  type NextEpoch,
  settingsAt,
} from '../../model/chain.ts';
import type { Client } from '../../model/client.ts';
import { findContainer } from '../../model/restart-cause.ts';
import type { TargetState } from '../../model/snapshot.ts';
import { clientOf } from '../clients/clients.ts';
import { differs } from '../rules/fold-node.ts';

/** The masternodes at a block, and the rounds of its epoch that were missed until then, both read from one node. */
export interface Counted {
  readonly masternodes: Masternodes;
  readonly missedRounds: MissedRounds;
}

/** What the nodes of a subnet say about its chain together. */
export interface ChainView {
  /** That of most of the nodes that gave theirs; undefined while none has a majority. */
  readonly chain?: Pick<ChainObservation, 'chainId' | 'genesis'>;
  /** Those of the newest round that is known. */
  readonly consensus?: ConsensusSettings;
  /** By rounds as soon as a node of a client says so. */
  readonly epochsBy: Client['epochsBy'];
  /** The number of the epoch of the round 0, where epochs go by rounds. */
  readonly firstEpoch?: number;
  /** The members by the node with the newest block. */
  readonly masternodes?: Masternodes;
  /** By the node with the newest block of those that also give the missed rounds; read at a watched time. */
  readonly counted?: Counted & { readonly at: number };
  /** The newest choice of masternodes for a next epoch. */
  readonly nextEpoch?: NextEpoch;
  /** The nodes that are on another chain by what they say. */
  readonly foreign: ReadonlySet<TargetState>;
}

/** Whether a node has said nothing of its chain since its container was started: its data may be others by now. */
export const isOfRunBefore = ({ facts: { container, node } }: TargetState): boolean =>
  (node?.chain?.at ?? Number.POSITIVE_INFINITY) < (findContainer(container)?.startedAt ?? 0);

/** `forked`: the nodes that follow another chain than most, and count what happens there. `reference`: the height that half have reached. */
export function viewChain(
  states: readonly TargetState[],
  forked: readonly string[] = [],
  reference?: number,
): ChainView {
  // What was said in the run before is asked again: where all were made anew, it would outvote those that have answered since.
  const told = states.filter((state) => !isOfRunBefore(state));
  const chains = collect(told.length === 0 ? states : told, ({ facts }) => {
    const own = facts.node?.chain?.observation;
    return own?.chainId === undefined || own.genesis === undefined ? undefined : own;
  });
  const chain = findMajority(chains, ({ chainId, genesis }) => `${chainId} ${genesis}`);
  const foreign = new Set<TargetState>();
  let consensus: ConsensusSettings | undefined;
  let newest: Masternodes | undefined;
  let counted: ChainView['counted'];
  let nextEpoch: NextEpoch | undefined;
  let epochsBy: Client['epochsBy'] = 'block';
  let firstEpoch: number | undefined;
  for (const state of states) {
    const { target, facts: known } = state;
    const facts = known.node?.chain;
    if (facts === undefined || target.component !== 'node') continue;
    const { observation, epoch } = facts;
    // It says that it is on another chain than most nodes.
    if (differs(observation.genesis, chain?.genesis) || differs(observation.chainId, chain?.chainId)) {
      if (!isOfRunBefore(state)) foreign.add(state);
      continue;
    }
    consensus ??= observation.consensus;
    if (forked.includes(target.name) || !isCredible(epoch.masternodes?.number ?? 0, reference)) continue;
    if (epoch.nextEpoch && (epoch.nextEpoch.block ?? 0) >= (nextEpoch?.block ?? 0)) nextEpoch = epoch.nextEpoch;
    const { masternodes, missedRounds } = epoch;
    const isByRound = clientOf({ target, facts: known }).epochsBy === 'round';
    if (isByRound) epochsBy = 'round';
    if (masternodes === undefined) continue;
    // Another client may count it in another way.
    if (isByRound && masternodes.epoch !== undefined && observation.consensus && observation.consensus.epoch > 0)
      firstEpoch = masternodes.epoch - Math.floor(masternodes.round / observation.consensus.epoch);
    if (masternodes.number >= (newest?.number ?? 0)) newest = masternodes;
    if (missedRounds && masternodes.number >= (counted?.masternodes.number ?? 0))
      counted = { masternodes, missedRounds, at: facts.at };
  }
  const now = consensus && newest ? settingsAt(consensus, newest.round) : consensus;
  return { chain, consensus: now, epochsBy, firstEpoch, masternodes: newest, counted, nextEpoch, foreign };
}
