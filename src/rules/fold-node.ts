import type { Block, Look, NodeObservation } from '../model/observation.ts';

/** A height as it is followed over many looks; times in Unix milliseconds. */
export interface Progress {
  readonly number: number;
  /** The block's own time in Unix seconds, where the node told it. */
  readonly timestamp?: number;
  /** When the height was last seen to rise; at first, when it was first seen. */
  readonly advancedAt: number;
  /** It was seen to rise. */
  readonly risen: boolean;
  /** Since when it has to rise: the last rise, a first reading, or a re-based fall. */
  readonly standingSince: number;
  readonly lastGoodAt: number;
  /** The last time that the height was lower than before. */
  readonly fall?: Fall;
}

/** A height that went down, as after an unclean stop or on a new chain. */
export interface Fall {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  /** It had fallen shortly before, or had not risen since. */
  readonly repeated: boolean;
}

/** What is known of a node by its JSON-RPC. */
export interface NodeFacts {
  readonly observation: NodeObservation;
  readonly latest?: Progress;
  readonly committed?: Progress;
}

function advance(
  previous: Progress | undefined,
  { number, timestamp }: Block,
  at: number,
  stallAfterMs: number,
  seenLastTime: boolean,
): Progress {
  const base = { number, ...(timestamp !== undefined && { timestamp }), lastGoodAt: at };
  if (previous === undefined) return { ...base, advancedAt: at, risen: false, standingSince: at };
  const { advancedAt, risen, fall } = previous;
  // A clock set back must not keep a stall from being seen.
  const standingSince = Math.min(previous.standingSince, at);
  const kept = { ...base, advancedAt, risen, ...(fall && { fall }) };
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
  // Out of sight for as long as a stall takes: what it did meanwhile is not known, so its time begins anew.
  const unseen = !seenLastTime && at - previous.lastGoodAt >= stallAfterMs;
  return { ...kept, standingSince: unseen ? at : standingSince };
}

const fold = (
  previous: Progress | undefined,
  look: Look<Block> | undefined,
  at: number,
  stallAfterMs: number,
  seenLastTime: boolean,
): Progress | undefined => (look?.ok ? advance(previous, look.value, at, stallAfterMs, seenLastTime) : previous);

/** One more look at a node; `at` in Unix milliseconds. */
export function foldNode(
  previous: NodeFacts | undefined,
  observation: NodeObservation,
  at: number,
  stallAfterMs: number,
): NodeFacts {
  const last = previous?.observation;
  const latest = fold(previous?.latest, observation.latest, at, stallAfterMs, last?.latest.ok === true);
  const committed = fold(previous?.committed, observation.committed, at, stallAfterMs, last?.committed?.ok === true);
  return { observation, ...(latest && { latest }), ...(committed && { committed }) };
}
