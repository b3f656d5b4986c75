import type { LogState, LowHeights, NodeLogFacts, StatsLogFacts } from '../../model/facts.ts';
import { isSampled } from '../../model/lag.ts';
import type { LogHit } from '../../model/log.ts';
import { START_MS } from '../../model/restart-cause.ts';
import type { Component } from '../../model/target.ts';
import { readVoteProof } from '../logs/read-vote-proof.ts';
import { foldRelayerLog } from './fold-relayer-log.ts';
import { readHeight } from './view.ts';

/** More addresses than any subnet has nodes. Limits the memory (6 MB) if a sender keeps changing its address. */
export const MAX_HEARD = 65_536;

/** Lines of one moment differ by some blocks: commits are behind imports, votes are ahead, and some nodes are slower. */
const FAR_BELOW = 16;

/** A low number is a block that a peer sent; this many rising ones, with none near the old height, are a chain. */
const RISING_LINES = 5;

/** Adds a height to those far below the known one; undefined once one is near that, `chain` once they are a chain. */
function addLowHeight(below: LowHeights | undefined, known: number, height: number): LowHeights | 'chain' | undefined {
  if (height > known - FAR_BELOW) return undefined;
  if (below === undefined || height <= below.height - FAR_BELOW) return { height, lines: 1 };
  if (height <= below.height) return below;
  const lines = below.lines + 1;
  return lines < RISING_LINES ? { height, lines } : 'chain';
}

/** A wiped node starts at height 0 again, and its log may have no line about its start. */
function foldLowHeight(facts: NodeLogFacts, known: number, height: number, at: number): NodeLogFacts {
  const below = addLowHeight(facts.below, known, height);
  // A line older than the known height was read late, for example from a rotated copy.
  if (below === facts.below || (below !== undefined && at < (facts.advancedAt ?? 0))) return facts;
  if (below !== 'chain') return { ...facts, below };
  return { ...facts, below: undefined, height, advancedAt: at, fall: { from: known, to: height, at } };
}

/** What a start leaves of earlier runs: when the last good one began, and the first one after it that brought no block, and the height. */
function keepAtStart(facts: NodeLogFacts): Pick<NodeLogFacts, 'wellFrom' | 'failedFrom' | 'heightBefore'> {
  const { startedAt = Number.NaN, advancedAt = 0, wellFrom, failedFrom = startedAt } = facts;
  return {
    wellFrom: advancedAt - startedAt >= START_MS ? startedAt : wellFrom,
    failedFrom: advancedAt <= startedAt ? failedFrom : undefined,
    heightBefore: facts.height ?? facts.heightBefore,
  };
}

/** What a node forgets at its start, and what the lines about it say; undefined for a line about something else. */
function foldStart(facts: NodeLogFacts, { pattern, value, at }: LogHit): NodeLogFacts | undefined {
  const { startedAt = Number.NaN, stoppedAt = 0 } = facts;
  switch (pattern) {
    case 'log_level':
    case 'log_level_found':
    case 'started':
    case 'nethermind_started':
      return { level: value === undefined ? facts.level : Number(value), startedAt: at, ...keepAtStart(facts) };
    case 'node_started':
    case 'engine_started':
    case 'repaired_head':
      // The program's own lines, seconds after those of its script; where no script has started it, or at level 2, the only ones. Of these a
      // torn line of the run before may spoil the first.
      return at - startedAt < START_MS && stoppedAt <= startedAt
        ? facts
        : { ...facts, startedAt: at, ...keepAtStart(facts) };
    case 'stopped':
    case 'nethermind_stopped':
      return { ...facts, stoppedAt: at };
    default:
      return undefined;
  }
}

/** A certificate may prove a double vote of each masternode. */
const MOST_PROOFS = 32;

/** How long an import took: `elapsed=1.204ms` or `elapsed=1m2.5s`, in JSON `"elapsed":"1.204ms"`. */
const ELAPSED = /\belapsed"?[=:]"?(?:(\d+)m)?([\d.]+)(n|m|[^\d\s"]{0,2})s/;
const MS_OF_UNIT: Readonly<Record<string, number>> = { '': 1_000, m: 1, n: 1e-6 };

/** Adds a block that came from another node, if its arrival is compared with that at other nodes. */
function withImport(facts: NodeLogFacts, { pattern, at, counted }: LogHit, number: number, line = ''): NodeLogFacts {
  if (pattern !== 'imported_segment' || !counted || !isSampled(number)) return facts;
  const [found, minutes = 0, count, unit = ''] = ELAPSED.exec(line) ?? [];
  // What is no unit of these is a microsecond, whose sign has two encodings.
  const tookMs = Number(minutes) * 60_000 + Number(count) * (MS_OF_UNIT[unit] ?? 1e-3);
  return { ...facts, imported: { number, at, tookMs: found === undefined ? undefined : tookMs } };
}

function foldNode(before: NodeLogFacts = {}, hit: LogHit, line?: string): NodeLogFacts {
  const started = foldStart(before, hit);
  if (started !== undefined) return started;
  const { pattern, means, value, at } = hit;
  if (pattern === 'vote_proof' && value !== undefined && hit.counted) {
    const proven = readVoteProof(value).map((pair) => ({ ...pair, at }));
    return { ...before, proofs: [...(before.proofs ?? []), ...proven].slice(-MOST_PROOFS) };
  }
  const isHead = pattern === 'loaded_head' || pattern === 'loaded_tree';
  const height = readHeight(value);
  if (height === undefined || (means !== 'progress' && !isHead)) return before;
  // A head below the height of before is a new base.
  if (isHead) return { ...before, height, advancedAt: height < (before.height ?? 0) ? at : (before.advancedAt ?? at) };
  const facts = withImport(before, hit, height, line);
  const known = facts.height ?? -1;
  if (height <= known) return foldLowHeight(facts, known, height, at);
  return { ...facts, below: undefined, height, advancedAt: at };
}

/** Blocks come from all nodes, later from slow ones, and again and again from those that are stalled. */
function foldBlock(known: StatsLogFacts['block'], number: number, at: number): NonNullable<StatsLogFacts['block']> {
  if (known === undefined || number > known.number) return { number, at, risenAt: at };
  // A line older than that rise was read late, as above.
  const below = at < known.risenAt ? known.below : addLowHeight(known.below, known.number, number);
  return below === 'chain' ? { number, at, risenAt: at } : { ...known, at, below };
}

/** In place: copying the map for each line would be slow with many nodes. */
function recordHeard(heard: Map<string, number> = new Map(), { value = '', at }: LogHit): Map<string, number> {
  heard.delete(value);
  heard.set(value, at);
  if (heard.size <= MAX_HEARD) return heard;
  // Several at once, because iterating to the oldest passes deleted entries.
  for (const oldest of heard.keys().take(MAX_HEARD / 8)) heard.delete(oldest);
  return heard;
}

/** Adds a match to the facts from a component's log, with its line in Latin-1. */
export function foldLogHit(component: Component, state: LogState, hit: LogHit, line?: string): LogState {
  switch (component) {
    case 'node':
      return { ...state, node: foldNode(state.node, hit, line) };
    case 'bootnode':
      return hit.pattern === 'received' ? { ...state, heard: recordHeard(state.heard, hit) } : state;
    case 'relayer':
      return { ...state, relayer: foldRelayerLog(state.relayer, hit) };
    case 'stats': {
      const number = hit.pattern === 'block_data' ? readHeight(hit.value) : undefined;
      return number === undefined
        ? state
        : { ...state, stats: { block: foldBlock(state.stats?.block, number, hit.at) } };
    }
    case 'frontend':
      return state;
  }
}
