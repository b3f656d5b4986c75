import { type Chain, EPOCH, GAP } from './chain.ts';

/** The block that began the epoch of a block: the first whose round is in it (XDC-Subnet engine_v2/epochSwitch.go). */
export const epochStartOf = (chain: Chain, number: number): number => {
  const { round } = chain.block(number);
  const begins = round - (round % EPOCH);
  let start = number;
  while (start > 0 && chain.block(start - 1).round >= begins) start--;
  return start;
};

/** The block at whose state the masternodes of an epoch were chosen, as votes name it. */
export const gapNumberOf = (epochStart: number): number => Math.max(epochStart - (epochStart % EPOCH) - GAP, 0);

/** Rounds of the epoch up to a block that brought none, newest first; null when there is none (Go's nil slice). */
export const missedRoundsUpTo = (chain: Chain, number: number) => {
  const epochStart = epochStartOf(chain, number);
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
