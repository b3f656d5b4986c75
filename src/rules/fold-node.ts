import type { NodeFacts, Progress } from '../model/facts.ts';
import type { Block, NodeObservation, Result } from '../model/observation.ts';

function advance(
  previous: Progress | undefined,
  { number, timestamp }: Block,
  at: number,
  stallAfterMs: number,
  seenLastTime: boolean,
): Progress {
  const base = { number, timestamp, lastGoodAt: at };
  if (previous === undefined) return { ...base, advancedAt: at, risen: false, standingSince: at };
  const { advancedAt, risen, fall } = previous;
  // A clock that was set back must not hide a stall.
  const standingSince = Math.min(previous.standingSince, at);
  const kept = { ...base, advancedAt, risen, fall };
  if (number > previous.number) return { ...kept, advancedAt: at, risen: true, standingSince: at };
  if (number < previous.number) {
    // A fall gives the node a new base and new time, but only once: one that falls and falls does not advance.
    const repeated = fall !== undefined && (at - fall.at < stallAfterMs || advancedAt <= fall.at);
    return {
      ...kept,
      standingSince: repeated ? standingSince : at,
      fall: { from: previous.number, to: number, at, repeated },
    };
  }
  // It was unreachable for as long as a stall takes. What it did is unknown, so its time starts again.
  const unseen = !seenLastTime && at - previous.lastGoodAt >= stallAfterMs;
  return { ...kept, standingSince: unseen ? at : standingSince };
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
  return { observation, latest, committed };
}
