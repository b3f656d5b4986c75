import { isDeepStrictEqual } from 'node:util';
import type { LogFacts } from '../../model/facts.ts';
import { inputsOf } from '../../model/prober.ts';
import { type CheckSettings, engineOf, type Target, targetKey } from '../../model/target.ts';
import { createClockComparison } from './compare-clocks.ts';
import type { LogFollower } from './container/follow-log.ts';
import { createLogCollector, type FoldLogHit, type LogCollector } from './create-log-collector.ts';
import { createOpenFiles, MAX_OPEN_FILES } from './file/open-files.ts';
import { type ContainerLogOptions, watchContainerLog } from './watch-container-log.ts';
import { watchFiles } from './watch-files.ts';

/** Follows the log of one target. */
export interface LogWatch extends Pick<LogCollector, 'lines'> {
  /** The current facts. */
  facts(): LogFacts;
  /** Its container may have started. */
  wake(): void;
  /** Its container or engine has changed in another way. */
  recheck(): void;
  stop(): Promise<void>;
}

/** The watches of an inventory that is not active yet. */
export interface LogWatchPlan {
  /**
   * The watch of a target: the running one if the target is unchanged, otherwise a new one, which does not read before
   * `commit`.
   */
  watchOf(target: Target, settings: CheckSettings['logs']): LogWatch;
  /**
   * Starts the new watches. Running ones continue for these targets, whether they were asked for or are the same objects as before,
   * and stop for all others.
   */
  commit(targets: readonly Target[]): void;
  /** Stops the new watches before they have started. */
  abandon(): void;
}

/** Would both be watched in the same way? */
const isSame = (known: Target, target: Target): boolean =>
  known === target || isDeepStrictEqual(inputsOf.logs(known), inputsOf.logs(target));

/** What the watches need. */
export interface LogWatchesOptions extends Pick<ContainerLogOptions, 'docker' | 'positions' | 'clock'> {
  readonly fold: FoldLogHit;
  /** The facts of a target of the current inventory changed; `urgent` if a check may fail now. */
  readonly onNews: (target: Target, urgent: boolean) => void;
  /** How many log files may be open at once. */
  readonly maxOpenFiles?: number;
  /** Docker dropped lines of a target before they were read, `times` since the last call. Called at most every ten minutes. */
  readonly onLost?: (target: Target, after: string, times: number) => void;
}

/** The watches of all logs. They survive a reload that leaves their sources and patterns unchanged. Creates no watch yet. */
export function createLogWatches(options: LogWatchesOptions) {
  const { fold, onNews, onLost, maxOpenFiles, ...shared } = options;
  const openFiles = createOpenFiles(maxOpenFiles ?? MAX_OPEN_FILES);
  type Entry = { readonly target: Target; readonly watch: LogWatch };
  let watches = new Map<string, Entry>();
  /** A target that returns must not continue before its last position is saved. */
  const stopping = new Set<Promise<void>>();

  const end = ({ watch }: Entry) => {
    const stopped = watch.stop().finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  };

  /** Follows all log sources that the inventory names for a target, once the watches before it have ended. */
  const createWatch = (target: Target, settings: CheckSettings['logs'], ready: Promise<unknown>): LogWatch => {
    const { component, logFiles, container } = target;
    const { clock } = shared;
    const begun = clock.now();
    const collector = createLogCollector({
      ...{ target, fold, begun },
      onNews: (urgent) => onNews(watches.get(targetKey(target))?.target ?? target, urgent),
    });
    const clocks = component === 'node' ? createClockComparison(clock) : undefined;
    const source = { ...shared, target, collector, clocks, begun };
    const sources = [
      ...(logFiles.length > 0 ? [watchFiles({ ...source, openFiles })] : []),
      ...(container
        ? [watchContainerLog({ ...source, container, settings, onLost: (...lost) => onLost?.(target, ...lost) })]
        : []),
    ];
    let stopped = false;
    let followers: readonly LogFollower[] = [];
    void ready.then(() => {
      if (!stopped) followers = sources.map(({ follow }) => follow());
    });
    return {
      facts: () => {
        const clockAheadMs = clocks?.read();
        const ofSources: Partial<LogFacts> = Object.assign({}, ...sources.map(({ facts }) => facts()));
        return { ...collector.read(), ...(clockAheadMs !== undefined && { clockAheadMs }), ...ofSources };
      },
      lines: collector.lines,
      wake: () => {
        for (const { wake } of followers) wake();
      },
      recheck: () => {
        for (const { recheck } of followers) recheck();
      },
      stop: async () => {
        stopped = true;
        collector.stop();
        await Promise.all(followers.map(({ stop }) => stop()));
      },
    };
  };

  const prepare = (): LogWatchPlan => {
    const planned = new Map<string, Entry>();
    const { promise: ready, resolve: begin } = Promise.withResolvers<unknown>();
    return {
      watchOf: (target, settings) => {
        const key = targetKey(target);
        const known = watches.get(key);
        const isKept = known !== undefined && isSame(known.target, target);
        const watch = isKept ? known.watch : createWatch(target, settings, ready);
        planned.set(key, { target, watch });
        return watch;
      },
      commit: (targets) => {
        const present = new Set(targets);
        for (const [key, entry] of watches) if (!planned.has(key) && present.has(entry.target)) planned.set(key, entry);
        const before = watches;
        watches = planned;
        for (const [key, entry] of before) if (planned.get(key)?.watch !== entry.watch) end(entry);
        begin(Promise.all(stopping));
      },
      abandon: () => {
        for (const [key, entry] of planned) if (watches.get(key)?.watch !== entry.watch) end(entry);
      },
    };
  };

  return {
    /** Prepares the watches of a new inventory; the running ones continue until it is committed. */
    prepare,
    /** The last lines of the target's log that matched a pattern; empty when none is followed. */
    linesOf: (target: Target, secrets: readonly string[]): ReturnType<LogWatch['lines']> =>
      watches.get(targetKey(target))?.watch.lines(secrets) ?? [],
    /** Docker reports an event of the target's container. */
    onContainerEvent: (target: Target, action: string): void => {
      const watch = watches.get(targetKey(target))?.watch;
      // Another container may be the target's now. What ends one ends its log by itself.
      if (action === 'start' || action === 'rename') watch?.wake();
      else watch?.recheck();
    },
    /** The stream of events of this Docker Engine opens or is lost. */
    onEngineState: (engine: string): void => {
      for (const { target, watch } of watches.values())
        if (target.container && engineOf(target.container) === engine) watch.recheck();
    },
    stop: async (): Promise<void> => {
      for (const entry of watches.values()) end(entry);
      watches = new Map();
      await Promise.all(stopping);
    },
  };
}
