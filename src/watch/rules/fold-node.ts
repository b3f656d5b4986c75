import type { BlockMark, ChainObservation, EpochObservation } from '../../model/chain.ts';
import type { ChainFacts, NodeFacts, Progress } from '../../model/facts.ts';
import type { Block, NodeObservation, Result } from '../../model/observation.ts';
import { isCredible } from './view.ts';

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

/** How a height moved, up to and with the newest reading. */
type Movement = Pick<Progress, 'advancedAt' | 'risen' | 'riseDueSince' | 'fall'>;

function move(
  previous: Progress | undefined,
  number: number,
  at: number,
  stallAfterMs: number,
  seenLastTime: boolean,
): Movement {
  if (previous === undefined) return { advancedAt: at, risen: false, riseDueSince: at, fall: undefined };
  const { advancedAt, risen, fall } = previous;
  if (number > previous.number) return { advancedAt: at, risen: true, riseDueSince: at, fall };
  // A clock that was set back must not hide a stall.
  const riseDueSince = Math.min(previous.riseDueSince, at);
  if (number < previous.number) {
    // A fall gives the node a new base and more time, but only once: repeated falls are no progress.
    const repeated = fall !== undefined && (at - fall.at < stallAfterMs || advancedAt <= fall.at);
    const last = { from: previous.number, to: number, at, repeated };
    return { advancedAt, risen, riseDueSince: repeated ? riseDueSince : at, fall: last };
  }
  // Unreachable for as long as a stall takes: what it did is unknown, so its time restarts.
  const unseen = !seenLastTime && at - previous.lastGoodAt >= stallAfterMs;
  return { advancedAt, risen, riseDueSince: unseen ? at : riseDueSince, fall };
}

const advance = (
  previous: Progress | undefined,
  { number, timestamp }: Block,
  at: number,
  stallAfterMs: number,
  seenLastTime: boolean,
): Progress => ({ number, timestamp, lastGoodAt: at, ...move(previous, number, at, stallAfterMs, seenLastTime) });

/** What a height is compared with, and judged by. */
interface Limits {
  readonly stallAfterMs: number;
  readonly reference: number | undefined;
}

/** A height that is not credible is not a base for later ones: the return from it is no fall. */
function fold(
  previous: Progress | undefined,
  look: Result<Block> | undefined,
  at: number,
  { stallAfterMs, reference }: Limits,
  seenLastTime: boolean,
): Progress | undefined {
  if (!look?.ok) return previous;
  const credible = previous && !isCredible(previous.number, reference) ? previous.credible : previous;
  if (isCredible(look.value.number, reference)) return advance(credible, look.value, at, stallAfterMs, seenLastTime);
  return { ...advance(previous, look.value, at, stallAfterMs, seenLastTime), ...(credible && { credible }) };
}

/** Adds since when the node is known to be left behind at its height. */
function withPassed(
  previous: Progress | undefined,
  latest: Progress | undefined,
  at: number,
  reference: number | undefined,
): Progress | undefined {
  if (latest === undefined || latest === previous || reference === undefined || latest.number >= reference)
    return latest;
  const isSame = latest.number === previous?.number && latest.riseDueSince <= previous.riseDueSince;
  return { ...latest, passedAt: isSame ? Math.min(previous.passedAt ?? at, at) : at };
}

/** Adds an observation of a node; `at` in watched time, `reference` the height that at least half of the nodes have reached. */
export function foldNode(
  previous: NodeFacts | undefined,
  observation: NodeObservation,
  at: number,
  stallAfterMs: number,
  reference?: number,
): NodeFacts {
  const limits = { stallAfterMs, reference };
  const last = previous?.observation;
  const seen = fold(previous?.latest, observation.latest, at, limits, last?.latest.ok === true);
  const latest = withPassed(previous?.latest, seen, at, reference);
  const committed = fold(previous?.committed, observation.committed, at, limits, last?.committed?.ok === true);
  const chain = foldChain(previous?.chain, observation, at);
  const client = observation.client ?? previous?.client;
  return { observation, client, latest, committed, chain };
}
