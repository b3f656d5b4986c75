import { type Chain, EPOCH, GAP } from './chain.ts';

/** The block that began the epoch of a block. A subnet goes by numbers, not by rounds (XDC-Subnet engine_v2/epochSwitch.go). */
export const epochStartOf = (number: number): number => number - (number % EPOCH);

/** The block at whose state the masternodes of the epoch of a block were chosen, as votes name it. */
export const gapNumberOf = (number: number): number => Math.max(epochStartOf(number) - GAP, 0);

/** Rounds of the epoch up to a block that brought none, newest first; null when there is none (Go's nil slice). */
export const missedRoundsUpTo = (chain: Chain, number: number) => {
  const epochStart = epochStartOf(number);
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
