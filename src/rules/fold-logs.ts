import type { LogState, NodeLogFacts, StatsLogFacts } from '../model/facts.ts';
import type { LogHit } from '../model/log.ts';
import type { Component } from '../model/target.ts';
import { foldRelayerLog } from './fold-relayer-log.ts';

/** More addresses than any subnet has nodes. Limits the memory (6 MB) if a sender keeps changing its address. */
export const MAX_HEARD = 65_536;

/** Lines of one moment differ by some blocks: commits are behind imports, and votes are ahead. */
const FAR_BELOW = 16;

/**
 * A single low number is a block that a peer sent. This many rising ones, with none near the old height, are a chain.
 */
const RISING_LINES = 5;

/** A wiped node starts at height 0 again, and its log may have no line about its start. */
function foldLowHeight(facts: NodeLogFacts, known: number, height: number, at: number): NodeLogFacts {
  const { below, ...others } = facts;
  if (height > known - FAR_BELOW) return below === undefined ? facts : others;
  // A line older than the known height was read late, for example from a rotated copy.
  if (at < (facts.advancedAt ?? 0) || height === below?.height) return facts;
  const lines = below !== undefined && height > below.height ? below.lines + 1 : 1;
  if (lines < RISING_LINES) return { ...facts, below: { height, lines } };
  return { ...others, height, advancedAt: at, fall: { from: known, to: height, at } };
}

function foldNode(facts: NodeLogFacts = {}, { pattern, means, value, at }: LogHit): NodeLogFacts {
  if (pattern === 'log_level') return { level: Number(value) };
  if (pattern === 'started') return facts.level === undefined ? {} : { level: facts.level };
  if (value === undefined || (means !== 'progress' && pattern !== 'loaded_head')) return facts;
  const height = Number(value);
  if (pattern === 'loaded_head') return { ...facts, height, ...(facts.advancedAt === undefined && { advancedAt: at }) };
  if (!Number.isSafeInteger(height)) return facts;
  const known = facts.height ?? -1;
  if (height <= known) return foldLowHeight(facts, known, height, at);
  const { below: _, ...others } = facts;
  return { ...others, height, advancedAt: at };
}

function foldStats(facts: StatsLogFacts = {}, { pattern, value, at }: LogHit): StatsLogFacts {
  if (pattern === 'stdout_banner') return { ...facts, isStdout: true };
  if (pattern === 'history_data') return { ...facts, historyAt: at };
  if (pattern === 'started')
    return { ...(facts.block && { block: facts.block }), startedAt: at, ...(facts.isStdout && { isStdout: true }) };
  if (pattern !== 'block_data') return facts;
  const number = Number(value);
  const { block } = facts;
  if (block === undefined || number > block.number) return { ...facts, block: { number, at, risenAt: at } };
  // Blocks come from all nodes, later from slow ones. A number far below all of them is another chain.
  if (number < block.number - 1_000) return { ...facts, block: { number, at, risenAt: at } };
  return { ...facts, block: { ...block, at } };
}

/** In place: copying the map for each line would be slow with many nodes. */
function recordHeard(heard: Map<string, number> = new Map(), { value = '', at }: LogHit): Map<string, number> {
  heard.delete(value);
  heard.set(value, at);
  if (heard.size <= MAX_HEARD) return heard;
  // Several at once, because iterating to the oldest passes deleted entries.
  let extra = MAX_HEARD / 8;
  for (const oldest of heard.keys()) {
    heard.delete(oldest);
    extra -= 1;
    if (extra === 0) break;
  }
  return heard;
}

/** Adds a match to the facts from a component's log; returns the same object if nothing changed. */
export function foldLogHit(component: Component, state: LogState, hit: LogHit): LogState {
  switch (component) {
    case 'node': {
      const node = foldNode(state.node, hit);
      return node === state.node ? state : { ...state, node };
    }
    case 'bootnode':
      return hit.pattern === 'received' ? { ...state, heard: recordHeard(state.heard, hit) } : state;
    case 'relayer':
      return { ...state, relayer: foldRelayerLog(state.relayer, hit) };
    case 'stats':
      return { ...state, stats: foldStats(state.stats, hit) };
    case 'frontend':
      return state;
  }
}
