import type { Hex } from 'viem';
import { bytesToHex } from 'viem/utils';
import { quorum } from './effects.ts';
import { encodeExtra, encodeHeader, type HeaderFields, ZERO_HASH } from './header.ts';
import { keccak256 } from './keccak.ts';
import { changeTimeline, type Era, eraOf, heightAt, startTimeline, timeOf } from './timeline.ts';

/** The demo's chain id, which is its network id too. */
export const CHAIN_ID = 28_656;

/** `latest` is this far above `committed` when all is well: three rounds in a row commit the first of them. */
export const COMMIT_DISTANCE = 3;

/** The height at which a demo begins: old enough for two elections. */
export const START_HEIGHT = 2_500;

/** Rounds that ran out before the first block, as the nodes of a subnet never start at the same moment. */
const LOST_ROUNDS = 17;

/** A block of the simulated chain. `hash` is the keccak256 of `rlp`, and `parentHash` is the parent's `hash`. */
export interface ChainBlock {
  readonly number: number;
  readonly hash: Hex;
  readonly parentHash: Hex;
  readonly round: number;
  readonly miner: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
  readonly extra: Hex;
  readonly rlp: Uint8Array;
}

/** The one chain that all nodes of the simulated subnet follow. Times are Unix milliseconds. */
export interface Chain {
  readonly masternodes: readonly Hex[];
  /** The newest number at a time, now or past. */
  heightAt(ms: number): number;
  /** When a block was made. */
  timeOf(number: number): number;
  /** A block from 0 up to the height. */
  block(number: number): ChainBlock;
  /** The hash alone, which costs less. */
  hashOf(number: number): Hex;
  /** The number of the block with this hash, looked for up to `highest`; undefined when there is none. */
  numberOf(hash: string, highest: number): number | undefined;
  /** Lets blocks come differently from now on. */
  change(ms: number, how: Pick<Era, 'producing' | 'absent'>): void;
}

/** What of a block cannot be computed from its number alone. */
interface Seal {
  readonly hash: Hex;
  readonly round: number;
}

/**
 * A chain that stands at `START_HEIGHT` at `nowMs`. It does nothing by itself: its height follows from the clock, and
 * hashes are made and kept when somebody asks.
 */
export const createChain = (masternodes: readonly Hex[], nowMs: number): Chain => {
  let timeline = startTimeline(nowMs, START_HEIGHT);
  const seals: Seal[] = [];

  const proposer = (round: number): Hex => masternodes[round % masternodes.length] ?? ZERO_HASH;
  const nextRound = (number: number, after: number): number => {
    const { absent } = eraOf(timeline, number);
    let round = after + 1;
    for (let tries = 1; tries < masternodes.length && absent.includes(round % masternodes.length); tries++) round++;
    return round;
  };

  const fieldsOf = (number: number): HeaderFields => {
    const parent = seals[number - 1];
    const parentRound = parent?.round ?? 0;
    const round = seals[number]?.round ?? (number === 0 ? 0 : nextRound(number, Math.max(parentRound, LOST_ROUNDS)));
    const { absent } = eraOf(timeline, number);
    const present = masternodes.filter((_, index) => !absent.includes(index));
    return {
      number,
      round,
      parentHash: parent?.hash ?? ZERO_HASH,
      parentRound,
      miner: proposer(round),
      timestamp: Math.floor(timeOf(timeline, number) / 1000),
      masternodes,
      signers: number < 2 ? [] : present.slice(0, quorum(masternodes.length)),
    };
  };

  const sealUpTo = (number: number): void => {
    for (let next = seals.length; next <= number; next++) {
      const fields = fieldsOf(next);
      seals.push({ hash: keccak256(encodeHeader(fields)), round: fields.round });
    }
  };

  const hashOf = (number: number): Hex => {
    sealUpTo(number);
    return seals[number]?.hash ?? ZERO_HASH;
  };

  return {
    masternodes,
    heightAt: (ms) => heightAt(timeline, ms),
    timeOf: (number) => timeOf(timeline, number),
    block: (number) => {
      const hash = hashOf(number);
      const fields = fieldsOf(number);
      const { round, parentHash, miner, timestamp } = fields;
      return {
        number,
        hash,
        parentHash,
        round,
        miner,
        timestamp,
        extra: bytesToHex(encodeExtra(fields)),
        rlp: encodeHeader(fields),
      };
    },
    hashOf,
    numberOf: (hash, highest) => {
      sealUpTo(highest);
      const found = seals.findIndex((seal) => seal.hash === hash);
      return found === -1 || found > highest ? undefined : found;
    },
    change: (ms, how) => {
      timeline = changeTimeline(timeline, ms, how);
    },
  };
};
