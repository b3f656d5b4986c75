import { type Chain, EPOCH, GAP } from './chain.ts';

/** The block that began the epoch of a block. A subnet goes by numbers, not by rounds (XDC-Subnet engine_v2/epochSwitch.go). */
export const epochStartOf = (number: number): number => number - (number % EPOCH);

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
