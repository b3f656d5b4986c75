import { type BlockMark, type ChainObservation, type EpochObservation, isCredible } from '../../model/chain.ts';
import type { ChainFacts, NodeFacts, Progress } from '../../model/facts.ts';
import type { Block, NodeObservation, Result } from '../../model/observation.ts';

const MAX_MARKS = 4;

/** What it says of its health is not an answer about its chain. */
const isEmpty = ({ missing, health, ...parts }: ChainObservation): boolean => Object.keys(parts).length === 0;

const UNKNOWN: EpochObservation = { masternodes: undefined, missedRounds: undefined, nextEpoch: undefined };

/** Whether both are known and not the same. */
export const differs = <T>(now: T | undefined, before: T | undefined): boolean =>
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
export function foldChain(previous: ChainFacts | undefined, { chain, latest }: NodeObservation, at: number) {
  const height = latest.ok ? latest.value.number : Number.POSITIVE_INFINITY;
  const marks = previous?.marks ?? [];
  const isKept = ({ number }: BlockMark) => number <= height;
  const kept = marks.every(isKept) ? marks : marks.filter(isKept);
  const before = previous && kept !== marks ? { ...previous, marks: kept } : previous;
  if (chain === undefined || (before !== undefined && isEmpty(chain))) return before;
  const { chainId, genesis, address, pool, peerIds } = before?.observation ?? {};
  const isOther = differs(chain.genesis, genesis) || differs(chain.chainId, chainId);
  const { masternodes, missedRounds, nextEpoch } = chain;
  // The pool is asked for with the epoch, and answered or missing.
  const isAsked = chain.pool !== undefined || chain.missing.pool !== undefined;
  const epochBefore = (isOther ? undefined : before?.epoch) ?? UNKNOWN;
  const round = chain.pool?.timeoutRound ?? 0;
  const waitsSince = round === pool?.timeoutRound ? before?.waitsSince : at;
  const listsSame = new Set(chain.peerIds).symmetricDifference(new Set(peerIds)).size === 0;
  // A node that is slow still signs as it has said before.
  const isUnsaid = address !== undefined && chain.missing.address === 'no-answer';
  return {
    observation: isUnsaid ? { ...chain, address } : chain,
    at,
    epoch: isAsked ? { masternodes, missedRounds, nextEpoch } : epochBefore,
    replaced: isOther ? { chainId, genesis, at } : before?.replaced,
    keyBefore: address !== undefined && differs(chain.address, address) ? { address, at } : before?.keyBefore,
    listsSince: chain.peerIds && ((listsSame ? before?.listsSince : undefined) ?? at),
    waitsSince: round > 0 ? waitsSince : undefined,
    marks: addMark(isOther ? [] : kept, chain.block),
  };
}

/** When a height was read, in watched time, and what it is judged by: `reference` is what at least half of the nodes have reached. */
interface Limits {
  readonly at: number;
  /** The same in wall time. */
  readonly wallAt?: number | undefined;
  readonly stallAfterMs: number;
  readonly reference?: number | undefined;
}

/** A block comes to a node so long after its own time, at most. */
const COMES_WITHIN_MS = 2_000;

/** How a height moved, up to and with the newest reading. */
function move(previous: Progress | undefined, block: Block, wasRead: boolean, limits: Limits) {
  const { number, timestamp = Number.NaN } = block;
  const { at, wallAt = Number.NaN, stallAfterMs } = limits;
  if (previous === undefined) return { advancedAt: at, risen: false, riseDueSince: at, fall: undefined };
  const { advancedAt, risen, fall, lastGoodAt } = previous;
  // Unreachable for as long as a stall takes: what it did is unknown, so its time restarts.
  const unseen = !wasRead && at - lastGoodAt >= stallAfterMs;
  if (number > previous.number) {
    // It came when it was made, if that is between the last two readings: then clocks differ by no more.
    const madeAt = at - (wallAt - timestamp * 1_000);
    const cameAt = madeAt > lastGoodAt - COMES_WITHIN_MS && madeAt < at ? Math.max(madeAt, lastGoodAt) : at;
    return { advancedAt: cameAt, risen: true, riseDueSince: unseen ? at : cameAt, fall };
  }
  // A clock that was set back must not hide a stall.
  const riseDueSince = Math.min(previous.riseDueSince, at);
  if (number < previous.number) {
    // A fall gives the node a new base and more time, but only once: repeated falls are no progress.
    const repeated = fall !== undefined && (at - fall.at < stallAfterMs || advancedAt <= fall.at);
    // Of another chain, or one that begins again, no block was seen to come yet.
    const isSame = number * 2 >= previous.number;
    const top = isSame && risen ? { timestamp: previous.timestamp, cameAt: advancedAt } : undefined;
    const last = { from: previous.number, to: number, at, repeated, ...top };
    return { advancedAt, risen: risen && isSame, riseDueSince: repeated ? riseDueSince : at, fall: last };
  }
  return { advancedAt, risen, riseDueSince: unseen ? at : riseDueSince, fall };
}

/** A height that is not credible is not a base for later ones: the return from it is no fall. `wasRead`: the last time too. */
function fold(previous: Progress | undefined, look: Result<Block> | undefined, wasRead: boolean, limits: Limits) {
  if (!look?.ok) return previous;
  const { at, reference } = limits;
  const { number, timestamp } = look.value;
  const isLead = !isCredible(number, reference);
  const credible = previous && !isCredible(previous.number, reference) ? previous.credible : previous;
  const { advancedAt, risen, riseDueSince, fall } = move(isLead ? previous : credible, look.value, wasRead, limits);
  // Each member by its name: what is spread into a literal takes more memory, and each node keeps two of these.
  const last = isLead ? credible : undefined;
  return { number, timestamp, lastGoodAt: at, advancedAt, risen, riseDueSince, fall, credible: last };
}

/** Adds since when the node is known to be left behind at its height. */
function withPassed(previous: Progress | undefined, latest: Progress | undefined, { at, reference }: Limits) {
  if (latest === undefined || latest === previous || reference === undefined || latest.number >= reference)
    return latest;
  const isSame = latest.number === previous?.number && latest.riseDueSince <= previous.riseDueSince;
  return { ...latest, passedAt: isSame ? Math.min(previous.passedAt ?? at, at) : at };
}

export function foldNode(previous: NodeFacts | undefined, observation: NodeObservation, limits: Limits): NodeFacts {
  const { at } = limits;
  const follow = (kind: 'latest' | 'committed', given = limits) =>
    fold(previous?.[kind], observation[kind], previous?.observation[kind]?.ok === true, given);
  const latest = withPassed(previous?.latest, follow('latest'), limits);
  // It was made some rounds before.
  const committed = follow('committed', { ...limits, wallAt: undefined });
  const chain = foldChain(previous?.chain, observation, at);
  const client = observation.client ?? previous?.client;
  const { silentSince: since } = previous ?? {};
  const returned = observation.answered && since !== undefined ? { at, silentSince: since } : previous?.returned;
  const silentSince = observation.answered ? undefined : (since ?? at);
  const [had, has] = [previous?.observation.peers, observation.peers].map((one) => (one?.ok ? one.value.count : NaN));
  const foundPeerAt = has !== undefined && has > (had ?? NaN) ? at : previous?.foundPeerAt;
  return { observation, client, latest, committed, chain, silentSince, ...(returned && { returned }), foundPeerAt };
}
