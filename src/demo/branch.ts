import type { Hex } from 'viem';
import { type Chain, ZERO_ADDRESS, ZERO_HASH } from './chain.ts';
import { keccak256 } from './node-identity.ts';

/**
 * Another chain: like `base` below the number `from`, and of other blocks from there on. From 0 on it has another genesis.
 * It has a block of every number, however high, and computes each by itself.
 */
export const branchOf = (base: Chain, from: number, name: string): Chain => {
  const roundBefore = from === 0 ? -1 : base.block(from - 1).round;
  const encode = (number: number): Uint8Array => Buffer.from(JSON.stringify([name, from, number, base.timeOf(0)]));
  const hashOf = (number: number): Hex => (number < from ? base.hashOf(number) : keccak256(encode(number)));
  return {
    ...base,
    hashOf,
    block: (number) => {
      if (number < from) return base.block(number);
      const round = roundBefore + 1 + number - from;
      return {
        number,
        round,
        parentHash: number === 0 ? ZERO_HASH : hashOf(number - 1),
        miner: number === 0 ? ZERO_ADDRESS : base.proposerOf(round, number),
        timestamp: Math.floor(base.timeOf(number) / 1000),
        hash: hashOf(number),
        encoded: encode(number),
      };
    },
  };
};
