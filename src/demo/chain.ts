import type { Hex } from 'viem';
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

/** Blocks between two elections, and the distance of the snapshot before them, as a generated subnet has them. */
export const EPOCH = 900;
export const GAP = 450;

export const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`;

/** What makes one simulated block differ from the next. */
interface BlockFields {
  readonly number: number;
  /** The hash of the block before it. */
  readonly parentHash: Hex;
  readonly round: number;
  readonly miner: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
}

/** A block of the simulated chain. `hash` is the keccak256 of `encoded`, which replaces a real header. */
export interface ChainBlock extends BlockFields {
  readonly hash: Hex;
  readonly encoded: Uint8Array;
}

const encode = ({ number, parentHash, round, miner, timestamp }: BlockFields): Uint8Array =>
  Buffer.from(JSON.stringify([number, parentHash, round, miner, timestamp]));

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
  /** Lets blocks come differently from now on. */
  change(ms: number, how: Pick<Era, 'producing' | 'absent'>): void;
}

/** What of a block cannot be computed from its number alone. */
interface Seal {
  readonly hash: Hex;
  readonly round: number;
}

/**
 * A chain that is at `START_HEIGHT` at `nowMs`. It does nothing by itself: its height follows from the clock, and
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

  const fieldsOf = (number: number): BlockFields => {
    const parent = seals[number - 1];
    const parentRound = parent?.round ?? 0;
    const round = seals[number]?.round ?? (number === 0 ? 0 : nextRound(number, Math.max(parentRound, LOST_ROUNDS)));
    return {
      number,
      round,
      parentHash: parent?.hash ?? ZERO_HASH,
      miner: proposer(round),
      timestamp: Math.floor(timeOf(timeline, number) / 1000),
    };
  };

  const sealUpTo = (number: number): void => {
    for (let next = seals.length; next <= number; next++) {
      const fields = fieldsOf(next);
      seals.push({ hash: keccak256(encode(fields)), round: fields.round });
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
      return { ...fields, hash, encoded: encode(fields) };
    },
    hashOf,
    change: (ms, how) => {
      timeline = changeTimeline(timeline, ms, how);
    },
  };
};
