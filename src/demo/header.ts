import type { Hex } from 'viem';
import { toRlp } from 'viem/utils';

/** Blocks between two elections, and the distance of the snapshot before them, as a generated subnet has them. */
export const EPOCH = 900;
export const GAP = 450;

/** The roots of empty lists and of an empty state: the demo's blocks hold no transaction. */
export const EMPTY_UNCLES: Hex = '0x1dcc4de8dec75d7aab85b567b6ccd41ad312451b948a7413f0a142fd40d49347';
export const EMPTY_TRIE: Hex = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
export const GAS_LIMIT = 420_000_000;
export const ZERO_HASH: Hex = `0x${'00'.repeat(32)}`;

/** What makes one simulated header differ from the next. */
export interface HeaderFields {
  readonly number: number;
  readonly round: number;
  readonly parentHash: Hex;
  readonly parentRound: number;
  readonly miner: Hex;
  /** Unix seconds. */
  readonly timestamp: number;
  /** The whole set; stands in the header of an epoch's first block only. */
  readonly masternodes: readonly Hex[];
  /** Those whose votes for the parent the header carries. */
  readonly signers: readonly Hex[];
}

const bytes = (hex: Hex): Uint8Array => Buffer.from(hex.slice(2), 'hex');

/** An integer as RLP wants it: big-endian without leading zeros, and 0 as no bytes at all. */
const int = (value: number): Uint8Array => {
  const hex = value === 0 ? '' : value.toString(16);
  return Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
};

/** Has the length of a signature and is none: nobody in the demo holds a key. */
const mark = (over: Uint8Array, by: Uint8Array): Uint8Array => Buffer.concat([over, by, new Uint8Array(13)], 65);

const emptyUncles = bytes(EMPTY_UNCLES);
const emptyTrie = bytes(EMPTY_TRIE);
const emptyBloom = new Uint8Array(256);
const noMixDigest = new Uint8Array(32);
const noNonce = new Uint8Array(8);

/**
 * The consensus part of a header: version byte 2, then the round and the quorum certificate over the parent
 * (XDC-Subnet core/types/consensus_v2.go).
 */
export const encodeExtra = ({ number, round, parentHash, parentRound, signers }: HeaderFields): Uint8Array => {
  const over = bytes(parentHash);
  const parent = Math.max(number - 1, 0);
  const gapNumber = Math.max(parent - (parent % EPOCH) - GAP, 0);
  const votes = signers.map((signer) => mark(over, bytes(signer)));
  const certificate = [[over, int(parentRound), int(parent)], votes, int(gapNumber)];
  return Buffer.concat([new Uint8Array([2]), toRlp([int(round), certificate], 'bytes')]);
};

/** The RLP of a subnet header: 19 members in the order of XDC-Subnet core/types/block.go. */
export const encodeHeader = (fields: HeaderFields): Uint8Array => {
  const { number, miner, timestamp, masternodes } = fields;
  const parentHash = bytes(fields.parentHash);
  const proposer = bytes(miner);
  return toRlp(
    [
      parentHash,
      emptyUncles,
      proposer,
      emptyTrie,
      emptyTrie,
      emptyTrie,
      emptyBloom,
      int(1),
      int(number),
      int(GAS_LIMIT),
      int(0),
      int(timestamp),
      encodeExtra(fields),
      noMixDigest,
      noNonce,
      mark(parentHash, proposer),
      number % EPOCH === 0 ? masternodes.map(bytes) : [],
      [],
      [],
    ],
    'bytes',
  );
};
