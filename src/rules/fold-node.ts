import type { NodeFacts, Progress } from '../model/facts.ts';
import type { Block, NodeObservation, Result } from '../model/observation.ts';
import { foldChain } from './fold-chain.ts';

function advance(
  previous: Progress | undefined,
  { number, timestamp }: Block,
  at: number,
  stallAfterMs: number,
  seenLastTime: boolean,
): Progress {
  const base = { number, timestamp, lastGoodAt: at };
  if (previous === undefined) return { ...base, advancedAt: at, risen: false, riseDueSince: at };
  const { advancedAt, risen, fall } = previous;
  // A clock that was set back must not hide a stall.
  const riseDueSince = Math.min(previous.riseDueSince, at);
  const kept = { ...base, advancedAt, risen, fall };
  if (number > previous.number) return { ...kept, advancedAt: at, risen: true, riseDueSince: at };
  if (number < previous.number) {
    // A fall gives the node a new base and more time, but only once: repeated falls are no progress.
    const repeated = fall !== undefined && (at - fall.at < stallAfterMs || advancedAt <= fall.at);
    return {
      ...kept,
      riseDueSince: repeated ? riseDueSince : at,
      fall: { from: previous.number, to: number, at, repeated },
    };
  }
  // Unreachable for as long as a stall takes: what it did is unknown, so its time restarts.
  const unseen = !seenLastTime && at - previous.lastGoodAt >= stallAfterMs;
  return { ...kept, riseDueSince: unseen ? at : riseDueSince };
}

const fold = (
  previous: Progress | undefined,
  look: Result<Block> | undefined,
  at: number,
  stallAfterMs: number,
  seenLastTime: boolean,
): Progress | undefined => (look?.ok ? advance(previous, look.value, at, stallAfterMs, seenLastTime) : previous);

/** Adds an observation of a node; `at` in watched time. */
export function foldNode(
  previous: NodeFacts | undefined,
  observation: NodeObservation,
  at: number,
  stallAfterMs: number,
): NodeFacts {
  const last = previous?.observation;
  const latest = fold(previous?.latest, observation.latest, at, stallAfterMs, last?.latest.ok === true);
  const committed = fold(previous?.committed, observation.committed, at, stallAfterMs, last?.committed?.ok === true);
  const chain = foldChain(previous?.chain, observation, at);
  return { observation, latest, committed, ...(chain && { chain }) };
}
