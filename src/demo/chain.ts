import type { Hex } from 'viem';
import { type Choice, type Contract, choose, GAP, isGap, SIGN_EVERY } from './elections.ts';
import { keccak256 } from './node-identity.ts';
import {
  changeTimeline,
  EPOCH,
  eraAfter,
  eraOf,
  heightAt,
  type Pace,
  placeOf,
  startTimeline,
  type Turnout,
  turnOf,
} from './timeline.ts';

/** The demo's chain id, which is its network id too. */
export const CHAIN_ID = 28_656;

/** `latest` is this far above `committed` when all is well, as recorded: three rounds in a row commit the first of them. */
export const COMMIT_DISTANCE = 2;

/** The height at which a demo begins: old enough for two elections. */
export const START_HEIGHT = 2_500;

/** The same where XDPoSChain runs, which writes a height with a comma from 100,000 on. */
export const LONG_START_HEIGHT = 99_970;

/** Rounds that ran out before the first block, as the nodes of a subnet never start at the same moment. */
export const LOST_ROUNDS = 17;

/** Same for a chain that is more than a day old, in the same place of its epoch. */
export const DAY_OLD_START_HEIGHT = START_HEIGHT + 48 * 900;

export const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`;
export const ZERO_ADDRESS: Hex = `0x${'00'.repeat(20)}`;

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

/** Who makes blocks. */
export interface Office {
  readonly masternodes: readonly Hex[];
  /** Those who propose and vote. */
  readonly voters: readonly Hex[];
  /** Those who would be masternodes, had they not missed their rounds. */
  readonly penalised: readonly Hex[];
  /** Candidates for whom there is no room. */
  readonly standby: readonly Hex[];
}

/** A chain as its nodes read it. Times are Unix milliseconds. */
export interface Chain {
  /** How long a round may last before it times out. */
  readonly roundTimeoutMs: number;
  /** The newest number at a time, now or past. */
  heightAt(ms: number): number;
  /** When a block was made. */
  timeOf(number: number): number;
  /** A block from 0 up to the height. */
  block(number: number): ChainBlock;
  /** The hash alone, which costs less. */
  hashOf(number: number): Hex;
  /** Who votes for a block. */
  officeAt(number: number): Office;
  /** What the chain chose at the last gap block up to a number; undefined before the first one that it saw. */
  choiceAt(number: number): Choice | undefined;
  /** How many transactions a masternode has sent up to a block. */
  sentUpTo(address: Hex, number: number): number;
  readonly contract: Contract;
  /** Whether blocks come, by the newest change. */
  isProducing(): boolean;
  /** Whose turn a round was, of those between a block and its parent. */
  proposerOf(round: number, number: number): Hex;
}

/** The chain that all nodes of a healthy subnet follow. */
export interface MainChain extends Chain {
  /** Lets blocks come differently from now on. Who has resigned keeps its turns until the next election. */
  change(ms: number, how: Turnout, resigned?: readonly Hex[]): void;
}

/** The wait for a masternode that makes no block, in milliseconds, as a generated subnet has it. */
const ROUND_TIMEOUT_MS = 10_000;

/**
 * A chain that is at a height at `nowMs`. It does nothing by itself: its height follows from the clock, and
 * hashes are made and kept when somebody asks.
 */
export const createChain = (
  masternodes: readonly Hex[],
  nowMs: number,
  roundTimeoutMs: number = ROUND_TIMEOUT_MS,
  height: number = START_HEIGHT,
  { elects = true, ...terms }: Omit<Contract, 'candidates'> & { readonly elects?: boolean } = {},
): MainChain => {
  const contractWithout = (resigned: readonly Hex[]): Contract => {
    const stays = (_: unknown, place: number) => !resigned.includes(masternodes[place] ?? ZERO_ADDRESS);
    return { ...terms, candidates: masternodes.filter(stays), stakes: terms.stakes?.filter(stays) };
  };
  let contract = contractWithout([]);
  const pace: Pace = { masternodes: masternodes.length, roundTimeoutMs };
  let timeline = startTimeline(nowMs, height, LOST_ROUNDS, pace);
  let how: Turnout = { producing: true, absent: [], penalised: [] };
  const choices = new Map<number, Choice>();
  let elected: Choice | undefined;
  let settled = height;
  /** Older blocks than these name no block before them, as hashing a hundred thousand would take most of a second. */
  const oldest = Math.max(0, height - START_HEIGHT);
  const hashes: Hex[] = [];

  const addressesOf = (places: readonly number[]): readonly Hex[] =>
    places.map((place) => masternodes[place] ?? ZERO_ADDRESS);
  const proposerOf = (round: number, number: number): Hex =>
    masternodes[turnOf(eraOf(timeline, number), round)] ?? ZERO_ADDRESS;

  const fieldsOf = (number: number): BlockFields => {
    const { round, ms } = placeOf(timeline, number);
    return {
      number,
      round,
      parentHash: hashes[number - 1 - oldest] ?? ZERO_HASH,
      miner: number === 0 ? ZERO_ADDRESS : proposerOf(round, number),
      timestamp: Math.floor(ms / 1000),
    };
  };

  const hashOf = (number: number): Hex => {
    for (let next = oldest + hashes.length; next <= number; next++) hashes.push(keccak256(encode(fieldsOf(next))));
    return hashes[number - oldest] ?? keccak256(encode(fieldsOf(number)));
  };

  const places = masternodes.map((_, place) => place);
  const blocks = {
    minerOf: (number: number) => proposerOf(placeOf(timeline, number).round, number),
    masternodesAt: (number: number) => addressesOf(eraAfter(timeline, number).inOffice),
    presentAt: (number: number) => {
      const { absent } = eraAfter(timeline, number);
      return addressesOf(places.filter((place) => !absent.includes(place)));
    },
  };
  const toPlaces = (addresses: readonly Hex[] = []) => addresses.map((address) => masternodes.indexOf(address));
  const turnFrom = (ms: number): void => {
    const penalised = [...new Set([...how.penalised, ...toPlaces(elected?.penalised)])].sort((a, b) => a - b);
    const gone = masternodes.filter((address) => elected?.candidates.includes(address) === false);
    const out = { penalised, standby: toPlaces(elected?.standby), gone: toPlaces(gone) };
    timeline = changeTimeline(timeline, ms, { ...how, ...out });
  };
  /** Holds the elections up to a time. The masternodes of an epoch make its first block. */
  const settle = (ms: number): void => {
    while (elects) {
      const next = settled - (settled % GAP) + GAP;
      if (heightAt(timeline, ms) < (isGap(next) ? next : next - 1)) return;
      if (isGap(next)) {
        const before = choices.get(next - EPOCH)?.penalised ?? addressesOf(how.penalised);
        choices.set(next, choose(next, contract, blocks, before));
      } else {
        elected = choices.get(next - GAP) ?? elected;
        turnFrom(placeOf(timeline, next - 1).ms);
      }
      settled = next;
    }
  };

  return {
    roundTimeoutMs,
    get contract() {
      return contract;
    },
    choiceAt: (number) => choices.get(number - ((number + EPOCH - GAP) % EPOCH)),
    // One for each block that it has signed, in the block after that.
    sentUpTo: (address, number) => {
      const { eras } = timeline;
      const isPresent = ({ absent }: Pick<Turnout, 'absent'>) => !absent.includes(masternodes.indexOf(address));
      const until = (end: number) => Math.floor((Math.min(end, number) - 1) / SIGN_EVERY);
      return eras.reduce((sum, era, index) => {
        const end = eras[index + 1]?.fromNumber ?? number;
        return sum + (isPresent(era) ? Math.max(0, until(end) - until(era.fromNumber)) : 0);
      }, 0);
    },
    heightAt: (ms) => {
      settle(ms);
      return heightAt(timeline, ms);
    },
    timeOf: (number) => placeOf(timeline, number).ms,
    block: (number) => {
      const hash = hashOf(number);
      const fields = fieldsOf(number);
      return { ...fields, hash, encoded: encode(fields) };
    },
    hashOf,
    officeAt: (number) => {
      // The last block of an epoch has the votes of its own masternodes.
      const era = (number + 1) % EPOCH === 0 ? eraOf(timeline, number) : eraAfter(timeline, number);
      return {
        masternodes: addressesOf(era.inOffice),
        voters: addressesOf(era.inOffice.filter((place) => !era.absent.includes(place))),
        penalised: addressesOf(era.penalised),
        standby: addressesOf(era.standby ?? []),
      };
    },
    proposerOf,
    change: (ms, next, resigned = []) => {
      settle(ms);
      how = next;
      contract = contractWithout(resigned);
      turnFrom(ms);
    },
    isProducing: () => timeline.eras.at(-1)?.producing === true,
  };
};

/** How a node's height follows the chain. Times are Unix milliseconds. */
export type HeadRule =
  | { readonly kind: 'still'; readonly number: number }
  | {
      readonly kind: 'following';
      /** Blocks that it stays below the chain. */
      readonly lag: number;
      /** Where and when it began to follow; minus infinity for one that always has. */
      readonly fromNumber: number;
      readonly fromMs: number;
    };

/** A node that has missed blocks fetches this many a second from its peers. */
const SYNC_BLOCKS_PER_SECOND = 10;

/** A node's height. It never falls by itself: a node that begins to lag waits until the chain is far enough ahead. */
export const headAt = (rule: HeadRule, chain: Chain, ms: number): number => {
  if (rule.kind === 'still') return rule.number;
  const fetched = rule.fromNumber + Math.floor(((ms - rule.fromMs) / 1000) * SYNC_BLOCKS_PER_SECOND);
  return Math.min(fetched, Math.max(rule.fromNumber, chain.heightAt(ms) - rule.lag));
};
