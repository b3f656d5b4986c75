import { isRecord } from '../../lib/values.ts';
import type { PoolStatus, PoolVotes } from '../../model/chain.ts';
import { type AddressReader, memberOf, ZERO_ADDRESS } from './chain-values.ts';

/** One entry of the pool. Who is missing is unclear if the node's own signature cannot be recognised. */
interface PoolEntry {
  readonly key: string;
  readonly round: string;
  /** Whether the asked node itself signed. */
  readonly isOwn: boolean;
  readonly isClear: boolean;
  readonly signers: readonly string[];
  /** Who is missing by the node, which may list itself though it signed. */
  readonly listed: readonly string[];
}

/** With fewer vote rounds, a node that is well may be missing in all of them. */
const MIN_VOTE_ROUNDS = 4;

/** While no blocks come, a pool keeps votes for minutes. Only this many of its newest rounds count, or as many as there are masternodes. */
const RECENT_VOTE_ROUNDS = 6;

/**
 * Reads one of the pool's maps, by `round:…`. The node enters its own message without a signer: then the zero address
 * signed, and the node's own address is missing (XDC-Subnet consensus/XDPoS/engines/engine_v2/timeout.go).
 */
function toEntries(
  value: unknown,
  own: string | undefined,
  addresses: AddressReader,
): readonly PoolEntry[] | undefined {
  // Null is left out by some clients.
  if (value === null || value === undefined) return [];
  if (!isRecord(value)) return undefined;
  const entries: PoolEntry[] = [];
  for (const [key, entry] of Object.entries(value)) {
    const signers = isRecord(entry) ? addresses.readSigners(memberOf(entry, 'CurrentSigners')) : undefined;
    const listed = isRecord(entry) ? addresses.readSigners(memberOf(entry, 'MissingSigners')) : undefined;
    if (signers === undefined || listed === undefined || !/^\d{1,15}:/.test(key)) return undefined;
    const isNameless = signers.includes(ZERO_ADDRESS);
    entries.push({
      key,
      round: key.slice(0, key.indexOf(':')),
      isOwn: isNameless || (own !== undefined && signers.includes(own)),
      isClear: own !== undefined || !isNameless,
      signers,
      listed,
    });
  }
  return entries;
}

const countRounds = (entries: readonly PoolEntry[]): number => new Set(entries.map(({ round }) => round)).size;

/** The addresses that are missing in each entry, if these are of enough rounds; `own` is that of the asked node. */
function missingInAll(entries: readonly PoolEntry[], own: string | undefined): readonly string[] {
  const clear = entries.filter(({ isClear }) => isClear);
  if (countRounds(clear) < MIN_VOTE_ROUNDS) return [];
  let missing = [...new Set(clear[0]?.listed)].filter((address) => address !== ZERO_ADDRESS);
  for (const { listed, signers, isOwn } of clear) {
    // In a subnet that is well nobody is left after two entries.
    if (missing.length === 0) break;
    const [isListed, isSigner] = [new Set(listed), new Set(signers)];
    missing = missing.filter(
      (address) => isListed.has(address) && !isSigner.has(address) && !(isOwn && address === own),
    );
  }
  return missing;
}

/** The entries of the newest rounds: who signed only older ones has stopped. */
function keepRecent(entries: readonly PoolEntry[]): readonly PoolEntry[] {
  const masternodes = Math.max(0, ...entries.map(({ signers, listed }) => signers.length + listed.length));
  const rounds = [...new Set(entries.map(({ round }) => round))].sort((one, other) => Number(other) - Number(one));
  const recent = new Set(rounds.slice(0, Math.max(RECENT_VOTE_ROUNDS, masternodes)));
  return entries.filter(({ round }) => recent.has(round));
}

/** More than a pool holds between two times at which its node removes the old ones, each minute. */
const MOST_BLOCKS = 128;

/**
 * Who has signed which block. The zero address is the node's own vote, or in some versions any that was not checked yet, so it says
 * nothing of who signed.
 */
const toVotes = (entries: readonly PoolEntry[]): PoolVotes =>
  entries.slice(0, MOST_BLOCKS).map(({ key, round, signers }) => ({
    key,
    round,
    signers: signers.includes(ZERO_ADDRESS) ? signers.filter((one) => one !== ZERO_ADDRESS) : signers,
  }));

/** The newest round that the asked node itself signed; 0 without one. */
const findOwnRound = (entries: readonly PoolEntry[]): number =>
  entries.reduce((newest, { isOwn, round }) => (isOwn ? Math.max(newest, Number(round)) : newest), 0);

/** Reads `getLatestPoolStatus`; `own` is the address of the node that was asked. */
export function toPoolStatus(
  value: unknown,
  own: string | undefined,
  addresses: AddressReader,
): PoolStatus | undefined {
  if (!isRecord(value)) return undefined;
  const allVotes = toEntries(memberOf(value, 'Vote'), own, addresses);
  const timeouts = toEntries(memberOf(value, 'Timeout'), own, addresses);
  if (allVotes === undefined || timeouts === undefined) return undefined;
  const votes = keepRecent(allVotes);
  return {
    voteRounds: countRounds(votes),
    neverSigned: missingInAll(votes, own),
    timeouts: countRounds(timeouts),
    timeoutRound: findOwnRound(timeouts),
    votes: toVotes(allVotes),
  };
}
