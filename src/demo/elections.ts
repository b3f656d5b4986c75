import type { Hex } from 'viem';
import { EPOCH } from './timeline.ts';

/** The distance of the snapshot before an election, as a generated subnet has it. */
export const GAP = 450;

/** How many masternodes there may be (XDC-Subnet common/constants.go, `MaxMasternodes`). */
const MOST = 108;

/** Which blocks are signed by a transaction, and how far back such a signature counts (the same file). */
export const SIGN_EVERY = 15;
const SIGN_RANGE = 150;

/** The candidates in the contract; `stakes` in their order, equal without them. */
export interface Contract {
  readonly candidates: readonly Hex[];
  readonly stakes?: readonly bigint[] | undefined;
  readonly most?: number | undefined;
}

/** Who was chosen at a gap block. */
export interface Choice {
  /** By stake, the penalised ones included. */
  readonly candidates: readonly Hex[];
  readonly penalised: readonly Hex[];
  /** Candidates for whom there is no room. */
  readonly standby: readonly Hex[];
}

/** What an election reads of the chain. */
export interface Blocks {
  minerOf(number: number): Hex;
  masternodesAt(number: number): readonly Hex[];
  /** Those who run, whether they have turns or not. */
  presentAt(number: number): readonly Hex[];
}

export const isGap = (number: number): boolean => number % EPOCH === EPOCH - GAP;

/** Walks back over the blocks before a gap block, as eth/hooks/engine_v2_hooks.go does. `before`: the penalised of the last choice. */
const findPenalised = (gap: number, blocks: Blocks, before: readonly Hex[]): readonly Hex[] => {
  const stop = gap <= EPOCH ? 1 : gap - EPOCH;
  const penalties: Hex[] = [];
  let miners = new Set<Hex>();
  for (let number = gap - 1; number >= stop; number--) {
    miners.add(blocks.minerOf(number));
    if (number % EPOCH !== 0 && number !== stop) continue;
    penalties.push(...blocks.masternodesAt(number).filter((address) => !miners.has(address)));
    miners = new Set();
  }
  penalties.push(...before);
  const comebacks = new Set<Hex>();
  // A signature is in a block after the one that it signs.
  for (let number = Math.max(gap - SIGN_RANGE + 1, stop); number < gap - 1; number++)
    if (number % SIGN_EVERY === 0) for (const address of blocks.presentAt(number)) comebacks.add(address);
  return [...new Set(penalties)].filter((address) => !comebacks.has(address)).toSorted();
};

/** The choice at a gap block, of a contract with candidates. */
export const choose = (gap: number, contract: Contract, blocks: Blocks, before: readonly Hex[]): Choice => {
  const { candidates, stakes = [], most = MOST } = contract;
  const stakeOf = new Map(candidates.map((address, place) => [address, stakes[place] ?? 0n]));
  const sorted = candidates.toSorted((one, other) => Number((stakeOf.get(other) ?? 0n) - (stakeOf.get(one) ?? 0n)));
  const penalised = findPenalised(gap, blocks, before);
  const rest = sorted.filter((address) => !penalised.includes(address));
  return { candidates: sorted, penalised, standby: rest.slice(most) };
};
