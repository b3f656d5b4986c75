import type { Clock } from '../../lib/clock.ts';
import type { LogFacts } from '../../model/facts.ts';
import type { LogFault, LogPattern, PositionStore } from '../../model/log.ts';
import { type Component, positionKey, type Target } from '../../model/target.ts';
import type { ClockComparison } from './compare-clocks.ts';
import type { LogFollower } from './container/follow-log.ts';
import { createHitReader } from './create-hit-reader.ts';
import type { LogCollector } from './create-log-collector.ts';
import { followFiles } from './file/follow-files.ts';
import type { OpenFiles } from './file/open-files.ts';
import { packs } from './packs.ts';

/** What each source of a target's log needs. */
export interface SourceOptions {
  readonly target: Target;
  readonly positions: PositionStore;
  readonly clock: Clock;
  readonly collector: LogCollector;
  /** Of a node, whose lines show its clock. */
  readonly clocks?: ClockComparison;
  /** The watched time at which the watch began. */
  readonly begun: number;
}

/** One source of a target's log, which is not followed yet. */
export interface SourceWatch {
  follow(): LogFollower;
  /** What is known of the source itself, beside its lines. */
  facts(): Pick<LogFacts, 'fileBytes' | 'isBehind' | 'created'>;
}

/** Files are looked at each second. One that was not read to its end for longer is written faster than it is read. */
const BEHIND_MS = 3_000;

/** How far back a file is searched for the start of its program, and for a stats server's history. */
const LOOK_BACK_BYTES = 64 * 1024 * 1024;

/**
 * An old line counts only if it is about a state, not if it is about a fault or a success. The height of a node is one: in a halt
 * no line comes that shows it again.
 */
const createCountsWhenOld =
  (component: Component) =>
  ({ name, means }: Pick<LogPattern, 'name' | 'means'>): boolean =>
    means === 'state' || name === 'history_data' || (component === 'node' && means === 'progress');

/** Prepares to follow the log files that the inventory names for a target. */
export function watchFiles(options: SourceOptions & { readonly openFiles: OpenFiles }): SourceWatch {
  const { target, positions, clock, collector, clocks, begun, openFiles } = options;
  const pack = packs[target.component];
  const bytes = new Map<string, number>();
  const readTo = new Map(target.logFiles.map(({ path }) => [path, begun]));
  const faults = new Map<string, LogFault | undefined>();
  const countsWhenOld = createCountsWhenOld(target.component);

  const followFile = ({ path, timezone }: Target['logFiles'][number]) => {
    /** When the file was last read to its end. */
    let readToEnd: number | undefined;
    let writtenAt = Number.POSITIVE_INFINITY;
    /** A line that was there at first was printed before the file was last written. One with a time may have come while it is read. */
    const untilWritten = (at: number) => Math.min(at, writtenAt);
    const newLines = createHitReader({
      clock,
      timezone,
      pack,
      own: target.patterns,
      until: (hasTime) => (readToEnd === undefined && !hasTime ? untilWritten(clock.now()) : clock.now()),
      since: () => readToEnd,
      ...(clocks && { clockAheadMs: clocks.last }),
      onOwnTime: clocks && ((own) => clocks.observe(own, readToEnd, true)),
      onHit: (hit, line, isOld) => {
        if (!isOld || countsWhenOld({ name: hit.pattern, means: hit.means }))
          collector.addHit({ ...hit, counted: !isOld }, line);
      },
    });
    const oldLines = createHitReader({
      clock,
      timezone,
      pack: pack.filter(countsWhenOld),
      own: [],
      until: () => untilWritten(begun),
      onHit: (hit, line) => collector.addHit({ ...hit, counted: false }, line),
    });
    return followFiles({
      path,
      source: positionKey(target, path),
      positions,
      lookBackBytes: LOOK_BACK_BYTES,
      openFiles,
      onLine: (text, start, end, isOld) => {
        if (isOld) return oldLines.read(text, start, end);
        collector.countLine('file');
        newLines.read(text, start, end);
      },
      onFound: (wallMs) => {
        writtenAt = clock.fromWall(wallMs);
      },
      onState: (fault, size) => {
        if (fault === undefined) {
          readToEnd = clock.now();
          readTo.set(path, readToEnd);
        } else readTo.delete(path);
        const changed = bytes.get(path) !== size || !faults.has(path) || faults.get(path)?.what !== fault?.what;
        bytes.set(path, size);
        faults.set(path, fault);
        const known = [...faults.values()];
        if (changed) collector.setState('file', begun, known.some((one) => one === undefined) ? undefined : known[0]);
      },
    });
  };
  return {
    follow: () => {
      const stops = target.logFiles.map(followFile);
      // Files are looked at each second anyway.
      return {
        wake: () => {},
        recheck: () => {},
        stop: async () => void (await Promise.all(stops.map((stop) => stop()))),
      };
    },
    facts: () => {
      const isBehind = readTo.values().some((at) => clock.now() - at > BEHIND_MS);
      return { fileBytes: [...bytes.values()].reduce((sum, size) => sum + size, 0), ...(isBehind && { isBehind }) };
    },
  };
}
