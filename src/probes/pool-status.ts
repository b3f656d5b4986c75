import type { PoolStatus } from '../model/chain.ts';
import { isRecord } from '../model/record.ts';
import { type AddressReader, ZERO_ADDRESS } from './chain-values.ts';

/** One entry of the pool. Who is missing is unknown if the node's own signature cannot be recognised. */
interface PoolEntry {
  readonly round: string;
  /** Whether the asked node itself signed. */
  readonly isOwn: boolean;
  readonly missing: ReadonlySet<string> | undefined;
}

/** With fewer vote rounds, a node that is well may be missing in all of them. */
const MIN_VOTE_ROUNDS = 4;

/**
 * Reads one of the pool's maps, by `round:…`. The node enters its own message without a signer: then the zero address
 * signed, and the node's own address is missing (XDC-Subnet consensus/XDPoS/engines/engine_v2/timeout.go).
 */
function toEntries(
  value: unknown,
  own: string | undefined,
  addresses: AddressReader,
): readonly PoolEntry[] | undefined {
  if (value === null) return [];
  if (!isRecord(value)) return undefined;
  const entries: PoolEntry[] = [];
  for (const [key, entry] of Object.entries(value)) {
    const round = /^(\d+):/.exec(key)?.[1];
    const signers = isRecord(entry) ? addresses.readSigners(entry.CurrentSigners) : undefined;
    const listed = isRecord(entry) ? addresses.readSigners(entry.MissingSigners) : undefined;
    if (round === undefined || signers === undefined || listed === undefined) return undefined;
    const isUnclear = own === undefined && signers.has(ZERO_ADDRESS);
    const didSign = (address: string) =>
      address === ZERO_ADDRESS || signers.has(address) || (address === own && signers.has(ZERO_ADDRESS));
    entries.push({
      round,
      isOwn: signers.has(ZERO_ADDRESS) || (own !== undefined && signers.has(own)),
      missing: isUnclear ? undefined : new Set([...listed].filter((address) => !didSign(address))),
    });
  }
  return entries;
}

const countRounds = (entries: readonly PoolEntry[]): number => new Set(entries.map(({ round }) => round)).size;

/** The addresses that are missing in each entry, of at least so many rounds. */
function missingInAll(entries: readonly PoolEntry[], minRounds: number): readonly string[] {
  const clear = entries.filter(({ missing }) => missing !== undefined);
  if (countRounds(clear) < minRounds) return [];
  const [first, ...others] = clear.map(({ missing }) => missing ?? new Set<string>());
  return [...(first ?? [])].filter((address) => others.every((missing) => missing.has(address)));
}

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
  const votes = toEntries(value.vote, own, addresses);
  const timeouts = toEntries(value.timeout, own, addresses);
  if (votes === undefined || timeouts === undefined) return undefined;
  return {
    voteRounds: countRounds(votes),
    neverSigned: missingInAll(votes, MIN_VOTE_ROUNDS),
    timeouts: countRounds(timeouts),
    timeoutMissing: missingInAll(timeouts, 1),
    timeoutRound: findOwnRound(timeouts),
  };
}
