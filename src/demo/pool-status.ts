import type { Hex } from 'viem';
import { type Chain, ZERO_ADDRESS } from './chain.ts';
import { quorum } from './effects.ts';
import { GAP } from './elections.ts';
import { keccak256 } from './node-identity.ts';
import type { NodeView } from './simulated-subnet.ts';
import { EPOCH } from './timeline.ts';

/** The block that began the epoch of a block. A subnet goes by numbers, not by rounds (XDC-Subnet engine_v2/epochSwitch.go). */
const epochStartOf = (number: number): number => number - (number % EPOCH);

/** The block at whose state the masternodes of the epoch of a block were chosen, as votes name it. */
export const gapNumberOf = (number: number): number => Math.max(epochStartOf(number) - GAP, 0);

/** The epoch of a round, where epochs go by rounds. */
export const epochOfRound = (round: number): number => Math.floor(round / EPOCH);

/** The same block where epochs go by rounds, as in XDPoSChain: the first one in a round of the epoch (engines/engine_v2/epochSwitch.go). */
export const epochStartByRound = (chain: Chain, number: number): number => {
  const epoch = epochOfRound(chain.block(number).round);
  let [low, high] = [1, number];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (epochOfRound(chain.block(middle).round) < epoch) low = middle + 1;
    else high = middle;
  }
  return low;
};

/** Rounds of the epoch up to a block that brought none, newest first; null when there is none (Go's nil slice). */
export const missedRoundsUpTo = (chain: Chain, number: number, epochStart = epochStartOf(number)) => {
  const missed = [];
  for (let current = number; current > epochStart; current--) {
    const block = chain.block(current);
    const parent = chain.block(current - 1);
    for (let round = parent.round + 1; round < block.round; round++)
      missed.push({
        Round: round,
        Miner: chain.proposerOf(round, current),
        CurrentBlockHash: block.hash,
        CurrentBlockNum: current,
        ParentBlockHash: parent.hash,
        ParentBlockNum: current - 1,
      });
  }
  return {
    EpochRound: chain.block(epochStart).round,
    EpochBlockNumber: epochStart,
    MissedRounds: missed.length === 0 ? null : missed,
  };
};

/** Rounds that the pool remembers, as recorded. */
const KEPT = 11;

const toEntry = (signers: readonly Hex[], masternodes: readonly Hex[]) => ({
  CurrentNumber: signers.length,
  CurrentSigners: signers,
  MissingSigners: masternodes.filter((address) => !signers.includes(address)),
});

/** The first votes of a round that are enough, from other masternodes in each round: nobody waits for the rest. */
const firstVotes = (voters: readonly Hex[], round: number, enough: number): readonly Hex[] =>
  voters.map((_, index) => voters[(round + index) % voters.length] ?? ZERO_ADDRESS).slice(0, enough);

/** How a client names what is in its pool. */
export interface PoolNames {
  /** The gap block that a vote for a block names. */
  readonly gapOf: (number: number) => number;
  /** The node's own address in timeouts. */
  readonly own: Hex;
}

/** A double voter signs twice in one of so many rounds, so each pool has some. */
const TWICE_EVERY = 5;

/** Another block of the same round. */
const twinOf = (hash: Hex): Hex => keccak256(Buffer.from(`twin of ${hash}`));

/** Votes and timeouts that a node has received. */
export const poolOf = ({ chain, head, identity, timeout, doubleVoters }: NodeView, { gapOf, own }: PoolNames) => {
  const numbers = Array.from({ length: Math.min(KEPT, head) }, (_, index) => head - Math.min(KEPT, head) + 1 + index);
  const vote = numbers.flatMap((number) => {
    const { round, hash } = chain.block(number);
    const { masternodes, voters } = chain.officeAt(number);
    const signers =
      number === head && timeout !== undefined ? timeout.heard : firstVotes(voters, round, quorum(masternodes.length));
    const keyOf = (of: Hex) => `${round}:${gapOf(number)}:${number}:${of}`;
    const twice = round % TWICE_EVERY === 0 ? doubleVoters.filter((one) => voters.includes(one)) : [];
    const once = [...new Set([...twice, ...signers])].slice(0, Math.max(signers.length, twice.length));
    return [
      [keyOf(hash), toEntry(once, masternodes)] as const,
      ...(twice.length === 0 ? [] : [[keyOf(twinOf(hash)), toEntry(twice, masternodes)] as const]),
    ];
  });
  const signers = timeout?.heard.map((address) => (address === identity.address ? own : address)) ?? [];
  // The genesis needs no votes, so the first round is the one after it.
  const round = Math.max(chain.block(head).round, 1);
  return {
    timeout:
      signers.length === 0 ? {} : { [`${round}:${gapOf(head)}`]: toEntry(signers, chain.officeAt(head).masternodes) },
    vote: Object.fromEntries(vote.filter(([, { CurrentNumber }]) => CurrentNumber > 0)),
  };
};

/** The pool of XDC-Subnet (consensus/XDPoS/api.go). A node knows its own timeout by the zero address only. */
export const poolStatusOf = (view: NodeView) => poolOf(view, { gapOf: gapNumberOf, own: ZERO_ADDRESS });
