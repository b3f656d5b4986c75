import type { BlockMark, ChainObservation, EpochObservation } from '../../model/chain.ts';
import type { ChainFacts } from '../../model/facts.ts';
import type { NodeObservation } from '../../model/observation.ts';

const MAX_MARKS = 4;

/** What it says of its health is not an answer about its chain. */
const isEmpty = ({ missing, health, ...parts }: ChainObservation): boolean => Object.keys(parts).length === 0;

const UNKNOWN: EpochObservation = { masternodes: undefined, missedRounds: undefined, nextEpoch: undefined };

/** What an answer says about the epoch; undefined when it was not asked for. The pool is asked for with it, and answered or missing. */
const readEpoch = ({
  pool,
  missing,
  masternodes,
  missedRounds,
  nextEpoch,
}: ChainObservation): EpochObservation | undefined =>
  pool === undefined && missing.pool === undefined ? undefined : { masternodes, missedRounds, nextEpoch };

const differs = <T>(now: T | undefined, before: T | undefined): boolean =>
  now !== undefined && before !== undefined && now !== before;

/** The marks with a new one, which replaces what was said of its height before. */
function addMark(marks: readonly BlockMark[], mark: BlockMark | undefined): readonly BlockMark[] {
  if (mark === undefined) return marks;
  const others = marks.filter(({ number }) => number !== mark.number);
  return [...others, mark].sort((a, b) => a.number - b.number).slice(-MAX_MARKS);
}

/**
 * Adds what an observation says about the chain; `at` in watched time. An answer without any part does not replace an
 * older one. Marks above the node's height, or of another genesis, belong to a chain that it has left.
 */
export function foldChain(
  previous: ChainFacts | undefined,
  { chain, latest }: NodeObservation,
  at: number,
): ChainFacts | undefined {
  const height = latest.ok ? latest.value.number : Number.POSITIVE_INFINITY;
  const marks = previous?.marks ?? [];
  const isKept = ({ number }: BlockMark) => number <= height;
  const kept = marks.every(isKept) ? marks : marks.filter(isKept);
  const before = previous && kept !== marks ? { ...previous, marks: kept } : previous;
  if (chain === undefined || (before !== undefined && isEmpty(chain))) return before;
  const { chainId, genesis } = before?.observation ?? {};
  const isOther = differs(chain.genesis, genesis) || differs(chain.chainId, chainId);
  const signedBy = before?.observation.address;
  const keyBefore =
    signedBy !== undefined && differs(chain.address, signedBy) ? { address: signedBy, at } : before?.keyBefore;
  const replaced = isOther ? { chainId, genesis, at } : before?.replaced;
  const round = chain.pool?.timeoutRound ?? 0;
  const waitsSince = round === before?.observation.pool?.timeoutRound ? before.waitsSince : at;
  const epoch = readEpoch(chain) ?? (isOther ? undefined : before?.epoch) ?? UNKNOWN;
  return {
    observation: chain,
    at,
    epoch,
    ...(replaced && { replaced }),
    ...(keyBefore && { keyBefore }),
    ...(round > 0 && { waitsSince }),
    marks: addMark(isOther ? [] : kept, chain.block),
  };
}
