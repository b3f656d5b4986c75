import { createProcessClock } from '../../src/lib/clock.ts';
import type { LogCollector } from '../../src/watch/logs/create-log-collector.ts';

/** Notes what comes of a log: the value of each hit with how many seconds ago it was, and the states of its source. */
export function collectHits() {
  const clock = createProcessClock();
  const seen: string[] = [];
  const collector: LogCollector = {
    addHit: ({ value, at }) => seen.push(`${value} ${Math.floor((clock.now() - at) / 1_000)}`),
    setState: (_source, _since, fault) => seen.push(fault?.what ?? 'read'),
    countLine: () => {},
    read: () => ({ sources: {}, patterns: {} }),
    lines: () => [],
    stop: () => {},
  };
  return { clock, seen, collector };
}
