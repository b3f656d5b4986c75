import type { PoolVotes } from '../../model/chain.ts';
import type { CastVote, FoundVotes, SignedVote } from '../../model/double-vote.ts';

/** All nodes are asked within a minute, so pools that hold the same round are read within this time. */
const KEPT_MS = 90_000;

/** Pools that are read within that time have up to some 60 rounds. A node that makes rounds up fills no memory. */
const MOST_ROUNDS = 64;

/** More than a subnet has masternodes and nodes; each has a character. */
const MOST_NAMES = 0xd000;

/** Who has signed a block of a round, as pools have shown so far. */
interface Candidate {
  readonly key: string;
  /** A character for each signer, and at the same place one for the node whose pool has shown it first: thousands of lists fill the memory. */
  signers: string;
  seenBy: string;
}

interface Round {
  readonly at: number;
  readonly first: Candidate;
  /** The other blocks of that round, if it has any. */
  others: readonly Candidate[];
}

/** `round:gap:number:hash`, or with a client that names no more `round:hash`. */
const VOTE_KEY = /^(\d{1,15}):(?:(\d{1,15}):(\d{1,15}):)?(0x[0-9a-f]{64})$/i;

function toVote(key: string): SignedVote | undefined {
  const [, round, gap, number, hash] = VOTE_KEY.exec(key) ?? [];
  if (round === undefined || hash === undefined) return undefined;
  return {
    round: Number(round),
    ...(gap !== undefined && { gap: Number(gap) }),
    ...(number !== undefined && { number: Number(number) }),
    hash: hash.toLowerCase(),
  };
}

/** The answer of a node about its pool, and the genesis block of its chain if it gave that. */
export interface ReadPool {
  readonly node: string;
  readonly genesis: string | undefined;
  readonly votes: PoolVotes;
}

/**
 * Remembers who has voted for which block in the newest rounds of a subnet, by the pools of its nodes, and finds who signed two
 * blocks of one round, be it in one pool or in two. Rounds of another genesis are other rounds, and a chain that begins again is
 * another one.
 */
export function createVoteBook() {
  const rounds = new Map<string, Round>();
  /** The newest round of each node. */
  const newest = new Map<string, number>();
  const names: string[] = [];
  const places = new Map<string, string>();

  const characterOf = (name: string): string => {
    const known = places.get(name);
    if (known !== undefined) return known;
    if (names.length >= MOST_NAMES) {
      rounds.clear();
      names.length = 0;
      places.clear();
    }
    const character = String.fromCharCode(names.push(name) - 1);
    places.set(name, character);
    return character;
  };
  const nameOf = (characters: string, at: number): string => names[characters.charCodeAt(at)] ?? '';

  const forgetOld = (now: number) => {
    for (const [key, { at }] of rounds) {
      if (now - at < KEPT_MS && rounds.size <= MOST_ROUNDS) break;
      rounds.delete(key);
    }
  };

  /** Adds what a pool shows of a block. */
  const addSigners = (candidate: Candidate, signers: readonly string[], node: string) => {
    for (const signer of signers) {
      const character = characterOf(signer);
      if (candidate.signers.includes(character)) continue;
      candidate.signers += character;
      candidate.seenBy += node;
    }
  };

  /** Who of these signers, whose votes for one block `node` has shown, is known to have signed another one. */
  const findTwice = (
    { first, others }: Round,
    own: Candidate,
    signers: readonly string[],
    node: string,
  ): readonly Pick<FoundVotes, 'signer' | 'votes'>[] => {
    const vote = toVote(own.key);
    return [first, ...others].flatMap((other) => {
      const before = toVote(other.key);
      // Votes for one block that name two gap blocks are for one block.
      if (vote === undefined || before === undefined || before.hash === vote.hash) return [];
      return signers.flatMap((signer) => {
        const at = other.signers.indexOf(characterOf(signer));
        if (at < 0) return [];
        const votes: readonly [CastVote, CastVote] = [
          { ...before, seenBy: nameOf(other.seenBy, at) },
          { ...vote, seenBy: node },
        ];
        return [{ signer, votes }];
      });
    });
  };

  return {
    /** Adds the pool of a node at a watched time. Returns who is now known to have signed two blocks of one round. */
    add: ({ node, genesis = '', votes }: ReadPool, now: number): readonly FoundVotes[] => {
      if (votes.length === 0) return [];
      const last = votes.reduce((most, { round }) => Math.max(most, Number(round)), 0);
      // The chain of this node has begun again, so that its masternodes sign the same rounds once more.
      if (last < (newest.get(node) ?? 0)) {
        rounds.clear();
        newest.clear();
      }
      newest.set(node, last);
      forgetOld(now);
      const seenBy = characterOf(node);
      const found: FoundVotes[] = [];
      for (const { key, round: ofRound, signers } of votes) {
        const id = `${ofRound} ${genesis}`;
        const round = rounds.get(id) ?? { at: now, first: { key, signers: '', seenBy: '' }, others: [] };
        rounds.set(id, round);
        let own = round.first.key === key ? round.first : round.others.find((one) => one.key === key);
        if (own === undefined) {
          own = { key, signers: '', seenBy: '' };
          round.others = [...round.others, own];
        }
        addSigners(own, signers, seenBy);
        if (round.others.length === 0) continue;
        for (const one of findTwice(round, own, signers, node)) found.push({ ...one, source: 'pool', at: now });
      }
      forgetOld(now);
      return found;
    },
  };
}
