import type { LogFacts, LogState } from '../../model/facts.ts';
import type { LogFault, LogHit, LogSource, LogSourceState } from '../../model/log.ts';
import type { Component, Target } from '../../model/target.ts';
import { createPatternCounters } from './match/pattern-counters.ts';
import { createMatchingLines, type MatchingLines } from './matching-lines.ts';
import { packs } from './packs.ts';

/** Adds what a line says to the state of its program. `line` is whole and in Latin-1. */
export type FoldLogHit = (component: Component, state: LogState, hit: LogHit, line?: string) => LogState;

/** Collects what the sources of one target's log bring. */
export interface LogCollector {
  /** `line` is the whole line, in Latin-1; absent when no line says it. */
  addHit(hit: LogHit, line?: string): void;
  /** A source was read to its end, or cannot be read. Every line since `since` is known. */
  setState(source: LogSource, since: number, fault: LogFault | undefined): void;
  countLine(source: LogSource): void;
  /** The facts that come from lines and sources. */
  read(): Pick<LogFacts, 'sources' | 'patterns'> & LogState;
  /** Latest matching lines, without these secrets and any other. */
  readonly lines: MatchingLines['read'];
  /** Reports no more news. */
  stop(): void;
}

/** Dependencies of a collector. */
export interface LogCollectorOptions {
  readonly target: Target;
  readonly fold: FoldLogHit;
  readonly begun: number;
  /** The facts changed; `urgent` if a check may fail now. Called at most once per few milliseconds. */
  readonly onNews: (urgent: boolean) => void;
}

const DEBOUNCE_MS = 5;

/** Calls `onNews` once for all news of a few milliseconds. */
function createNews(onNews: (urgent: boolean) => void) {
  let timer: NodeJS.Timeout | undefined;
  let urgent = false;
  return {
    add: (isUrgent: boolean) => {
      urgent ||= isUrgent;
      timer ??= setTimeout(() => {
        timer = undefined;
        const was = urgent;
        urgent = false;
        onNews(was);
      }, DEBOUNCE_MS);
    },
    stop: () => clearTimeout(timer),
  };
}

/** Starts with files that are not read yet, and without a line. `begun` is the watched time of the start. */
export function createLogCollector({ target, fold, begun, onNews }: LogCollectorOptions): LogCollector {
  const { component, logFiles, patterns } = target;
  const counters = createPatternCounters(packs[component], patterns);
  const unread = { up: false, since: begun, lines: 0 };
  const sources = new Map<LogSource, LogSourceState>(logFiles.length > 0 ? [['file', unread]] : []);
  const lines: Record<LogSource, number> = { container: 0, file: 0 };
  const news = createNews(onNews);
  const kept = createMatchingLines();
  let state: LogState = {};
  return {
    addHit: (hit, line) => {
      counters.add(hit);
      if (line !== undefined) kept.add(hit, line);
      const { node } = state;
      state = fold(component, state, hit, line);
      // An old start, as in a folder that is back, says nothing of what was read since.
      if (hit.counted && state.node?.startedAt === hit.at && node?.startedAt !== hit.at) counters.startAt(hit.at);
      news.add(hit.counted && (hit.means === 'error' || hit.means === 'fatal'));
    },
    setState: (source, since, fault) => {
      const up = fault === undefined;
      sources.set(source, { up, since, lines: 0, fault });
      news.add(false);
    },
    countLine: (source) => {
      lines[source]++;
    },
    read: () => ({
      ...state,
      sources: Object.fromEntries([...sources].map(([name, source]) => [name, { ...source, lines: lines[name] }])),
      patterns: counters.read(),
    }),
    lines: kept.read,
    stop: news.stop,
  };
}
