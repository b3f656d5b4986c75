import type { WatchedMs } from '../lib/clock.ts';

/** A vote for a block in a round. */
export interface SignedVote {
  readonly round: number;
  /** Of the block that it is for. Some clients give only its hash. */
  readonly number?: number;
  /** The gap block that it names; its signature covers that too. */
  readonly gap?: number;
  readonly hash: string;
  /** 65 bytes as `0x…`, of which the last is the recovery id. Only logs have it: pools name signers. */
  readonly signature?: string;
}

/** Two votes of one signer, its address, that exclude each other. */
export interface VotePair<Vote extends SignedVote = SignedVote> {
  readonly signer: string;
  readonly votes: readonly [Vote, Vote];
}

/** A vote, and the node in whose pool it was, or whose log has it. */
export interface CastVote extends SignedVote {
  readonly seenBy: string;
}

/** Two votes of one key of which an honest signer gives at most one: for two blocks of one round, or as a node has proved. */
export interface FoundVotes extends VotePair<CastVote> {
  readonly source: 'pool' | 'log';
  /** When it was found. */
  readonly at: WatchedMs;
}

export interface DoubleVote extends FoundVotes {
  /** The nodes of the inventory that had the key then. Two with one key are a cause of their own. */
  readonly nodes: readonly string[];
}

/** The double votes of a subnet since subnetd watches it. */
export interface DoubleVotes {
  readonly total: number;
  /** The oldest first. */
  readonly recent: readonly DoubleVote[];
}

/** As many are kept: one who goes on signs two blocks in each round. */
const MOST_DOUBLE_VOTES = 32;

/** Whether it is of one round; otherwise it is what a node has proved by the rounds of its locks. */
export const isOfOneRound = ({ votes: [one, other] }: VotePair): boolean => one.round === other.round;

/** What a pair is known by: each signer counts once for a round. */
export const pairKey = ({ signer, votes }: VotePair): string => [signer, ...votes.map(({ round }) => round)].join('/');

/**
 * Adds what pools or logs have shown. What a log has signatures of takes the place of what was seen in pools. The same object if nothing is new.
 */
export function addDoubleVotes(
  known: DoubleVotes | undefined,
  found: readonly FoundVotes[],
  /** The nodes that have a key. */
  ownersOf: (signer: string) => readonly string[],
): DoubleVotes | undefined {
  let all = known;
  for (const one of found) {
    const { total = 0, recent = [] } = all ?? {};
    const same = recent.find((each) => pairKey(each) === pairKey(one));
    if (same?.source === 'log' || (same !== undefined && one.source === 'pool')) continue;
    const next = { ...one, nodes: ownersOf(one.signer), at: same?.at ?? one.at };
    all = {
      total: total + Number(same === undefined),
      recent: [...recent.filter((each) => each !== same), next].slice(-MOST_DOUBLE_VOTES),
    };
  }
  return all;
}
