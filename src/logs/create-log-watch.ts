import { followLog, type LogFollower } from '../docker/follow-log.ts';
import type { DockerLinks } from '../docker/links.ts';
import type { Clock } from '../model/clock.ts';
import { QUARTER_MS } from '../model/duration.ts';
import type { LogFacts, LogState } from '../model/facts.ts';
import type { LogFault, LogHit, LogPattern, LogSource, LogSourceState, PositionStore } from '../model/log.ts';
import { type CheckSettings, type Component, positionKey, type Target } from '../model/target.ts';
import { createLostReport } from './create-lost-report.ts';
import { createClockSkew } from './match/create-clock-skew.ts';
import { createLogReader } from './match/create-log-reader.ts';
import { createPatternCounters, LINES_LOST } from './match/pattern-counters.ts';
import { packs } from './packs.ts';
import type { OpenFiles } from './tail/create-open-files.ts';
import { followFiles } from './tail/follow-files.ts';

/** Follows the log of one target. */
export interface LogWatch {
  /** The current facts. */
  facts(): LogFacts;
  /** Its container may have started. */
  wake(): void;
  /** Its container or engine has changed in another way. */
  recheck(): void;
  stop(): Promise<void>;
}

/** Adds what a line says to the state of its program. */
export type FoldLogHit = (component: Component, state: LogState, hit: LogHit) => LogState;

/** Dependencies and settings of a watch. */
export interface LogWatchOptions {
  readonly target: Target;
  readonly settings: CheckSettings['logs'];
  readonly docker: DockerLinks;
  readonly positions: PositionStore;
  readonly clock: Clock;
  readonly fold: FoldLogHit;
  /** Reading starts after this resolves. */
  readonly ready: Promise<unknown>;
  /** Limits the log files that all watches together have open. */
  readonly openFiles: OpenFiles;
  /** Docker dropped lines before they were read, `times` since the last call. Called at most every ten minutes. */
  readonly onLost?: (after: string, times: number) => void;
  /** The facts changed; `urgent` if a check may fail now. Called at most once per few milliseconds. */
  readonly onNews: (urgent: boolean) => void;
}

/** How far back a file is searched for the start of its program, and for a stats server's history. */
const LOOK_BACK_BYTES = 64 * 1024 * 1024;

/** An old line counts only if it is about a state, not if it is about a fault or a success. */
const countsWhenOld = ({ pattern, means }: Pick<LogHit, 'pattern' | 'means'>): boolean =>
  means === 'state' || pattern === 'history_data';

const DEBOUNCE_MS = 5;

/** The longest time that the component's checks look back. */
function windowMs({ component }: Target, settings: CheckSettings['logs']): number {
  const { bootnodeWindowMs, blockDataWithinMs, errorWindowMs, submissionsWithinMs } = settings;
  const own = { bootnode: bootnodeWindowMs, stats: blockDataWithinMs, relayer: submissionsWithinMs ?? 45 * 60_000 };
  return Math.max(errorWindowMs, own[component as keyof typeof own] ?? 0);
}

/** Lines are live if the source was read to its end less than this long ago; otherwise they may have waited. */
const LIVE_WITHIN_MS = 3_000;

const withSkew = (clockAheadMs: number | undefined) => (clockAheadMs === undefined ? {} : { clockAheadMs });

/** Starts to follow all log sources that the inventory names for a target. */
export function createLogWatch(options: LogWatchOptions): LogWatch {
  const { target, settings, docker, positions, clock, fold, ready, openFiles, onNews } = options;
  const { component, logFiles, container, patterns: own } = target;
  const pack = packs[component];
  const counters = createPatternCounters(pack, own);
  const { now } = clock;
  const begun = now();
  const unread = { up: false, since: begun, caughtUp: false, lines: 0 };
  const sources = new Map<LogSource, LogSourceState>(logFiles.length > 0 ? [['file', unread]] : []);
  let state: LogState = {};
  let created: LogFacts['created'];
  let news: NodeJS.Timeout | undefined;
  let urgent = false;
  const bytes = new Map<string, number>();

  const scheduleNews = (isUrgent: boolean) => {
    urgent ||= isUrgent;
    news ??= setTimeout(() => {
      news = undefined;
      const was = urgent;
      urgent = false;
      onNews(was);
    }, DEBOUNCE_MS);
  };
  const add = (hit: LogHit) => {
    counters.add(hit);
    state = fold(component, state, hit);
    scheduleNews(hit.counted && (hit.means === 'error' || hit.means === 'fatal'));
  };

  const counts: Record<LogSource, number> = { container: 0, file: 0 };
  const setState = (source: LogSource, since: number, fault: LogFault | undefined) => {
    const up = fault === undefined;
    sources.set(source, { up, since, caughtUp: up, lines: 0, fault });
    scheduleNews(false);
  };

  let stopped = false;
  const stops: (() => Promise<void>)[] = [];
  const containers: LogFollower[] = [];
  const start = (follow: () => () => Promise<void>) =>
    void ready.then(() => {
      if (!stopped) stops.push(follow());
    });
  const reader = (given: {
    readonly timezone: string;
    readonly pack: readonly LogPattern[];
    readonly own: typeof own;
    /** The latest time at which a line can have been printed. */
    readonly until: () => number;
    /** The earliest such time, if known. */
    readonly since?: () => number | undefined;
    readonly onOwnTime?: (own: number) => void;
    readonly toHit: (hit: Omit<LogHit, 'counted'>) => LogHit | undefined;
  }) => {
    const { until, since, onOwnTime, toHit, ...rest } = given;
    return createLogReader({
      ...rest,
      onOwnTime,
      now: () => clock.toWall(until()),
      toHitTime: (stamp) => {
        const latest = until();
        // The clock of the stamp may be ahead of ours, or behind.
        return Math.min(Math.max(stamp === undefined ? latest : clock.fromWall(stamp), since?.() ?? 0), latest);
      },
      onHit: (bare) => {
        const hit = toHit(bare);
        if (hit !== undefined) add(hit);
      },
    });
  };

  const skew = createClockSkew();
  /**
   * Compares the clocks by a node's line that was printed after `since`. Only a line that was read at once is a
   * measure.
   */
  const compareClocks = (own: number, since: number | undefined, zoneIsKnown: boolean) => {
    const readAt = now();
    if (component !== 'node' || since === undefined || readAt - since > LIVE_WITHIN_MS) return;
    // While the process was suspended, lines waited too.
    if (readAt - clock.resumedAt() < LIVE_WITHIN_MS) return;
    const ahead = own - clock.toWall(readAt);
    skew.observe(zoneIsKnown ? ahead : ahead - Math.round(ahead / QUARTER_MS) * QUARTER_MS, readAt);
  };

  const faults = new Map<string, LogFault | undefined>();
  for (const { path, timezone } of logFiles) {
    /** When the file was last read to its end. */
    let readToEnd: number | undefined;
    const newLines = reader({
      timezone,
      pack,
      own,
      until: now,
      since: () => readToEnd,
      onOwnTime: (own) => compareClocks(own, readToEnd, true),
      toHit: (hit) => ({ ...hit, counted: true }),
    });
    const oldLines = reader({
      timezone,
      pack: pack.filter((one) => one.means === 'state' || one.name === 'history_data'),
      own: [],
      until: () => begun,
      toHit: (hit) => (countsWhenOld(hit) ? { ...hit, counted: false } : undefined),
    });
    start(() =>
      followFiles({
        path,
        source: positionKey(target, path),
        positions,
        lookBackBytes: LOOK_BACK_BYTES,
        openFiles,
        onLine: (text, start, end, isOld) => {
          if (isOld) oldLines.read(text, start, end);
          else {
            counts.file++;
            newLines.read(text, start, end);
          }
        },
        onState: (fault, size) => {
          if (fault === undefined) readToEnd = now();
          const changed = bytes.get(path) !== size || !faults.has(path) || faults.get(path)?.what !== fault?.what;
          bytes.set(path, size);
          faults.set(path, fault);
          const known = [...faults.values()];
          if (changed) setState('file', begun, known.some((one) => one === undefined) ? undefined : known[0]);
        },
      }),
    );
  }

  if (container !== undefined) {
    const besideFiles = logFiles.length > 0;
    // A node's stderr goes to both sources. Lines in both are counted once, in the files.
    const patterns = besideFiles ? pack.filter(({ means, consoleOnly }) => means === 'fatal' || consoleOnly) : pack;
    const uncounted = new Set(besideFiles ? patterns.filter((one) => !one.consoleOnly).map(({ name }) => name) : []);
    const lookBackMs = windowMs(target, settings);
    const reportLost = createLostReport(now, options.onLost ?? (() => {}));
    let isOld = false;
    let isLive = false;
    const readSince = () => (isLive ? now() : undefined);
    const lines = reader({
      timezone: 'UTC',
      pack: patterns,
      own: besideFiles ? [] : own,
      until: now,
      since: readSince,
      // The time zone of a container's lines is unknown.
      ...(!besideFiles && { onOwnTime: (own: number) => compareClocks(own, readSince(), false) }),
      toHit: (hit) => ({ ...hit, counted: !isOld && !uncounted.has(hit.pattern) }),
    });
    start(() => {
      const follower = followLog({
        source: positionKey(target, 'container'),
        positions,
        find: async (signal) => {
          const found = await docker.findLog(container, signal);
          if (component === 'node' && 'id' in found) {
            const { level, p2p } = found;
            created = { level, p2p };
          }
          return found;
        },
        openLog: (...asked) => docker.openLog(container, ...asked),
        hasEvents: () => docker.hasEvents(container),
        startAt: clock.toWall(begun - lookBackMs),
        onLine: (text, start, end, at, old, live) => {
          if (!old) counts.container++;
          isOld = old;
          isLive = live;
          lines.read(text, start, end, at);
        },
        onLost: (after) => {
          add({ pattern: LINES_LOST, means: 'note', at: now(), counted: true });
          reportLost(after);
        },
        onState: (fault) => setState('container', begun - lookBackMs, fault),
      });
      containers.push(follower);
      return follower.stop;
    });
  }

  return {
    facts: () => ({
      ...state,
      ...withSkew(skew.read(now())),
      sources: Object.fromEntries([...sources].map(([name, source]) => [name, { ...source, lines: counts[name] }])),
      patterns: counters.read(),
      ...(logFiles.length > 0 && { fileBytes: [...bytes.values()].reduce((sum, size) => sum + size, 0) }),
      created,
    }),
    wake: () => {
      for (const follower of containers) follower.wake();
    },
    recheck: () => {
      for (const follower of containers) follower.recheck();
    },
    stop: async () => {
      stopped = true;
      clearTimeout(news);
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}
