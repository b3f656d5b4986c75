import type { LogFacts } from '../../model/facts.ts';
import type { LogFollower } from '../docker/follow-log.ts';
import { createClockComparison } from './compare-clocks.ts';
import { createLogCollector, type LogCollector, type LogCollectorOptions } from './create-log-collector.ts';
import type { OpenFiles } from './tail/open-files.ts';
import { type ContainerLogOptions, watchContainerLog } from './watch-container-log.ts';
import { watchFiles } from './watch-files.ts';

/** Follows the log of one target. */
export interface LogWatch {
  /** The current facts. */
  facts(): LogFacts;
  /** Latest lines that matched a pattern, without these secrets and any other. */
  readonly lines: LogCollector['lines'];
  /** Its container may have started. */
  wake(): void;
  /** Its container or engine has changed in another way. */
  recheck(): void;
  stop(): Promise<void>;
}

/** Dependencies and settings of a watch. */
export interface LogWatchOptions
  extends Pick<ContainerLogOptions, 'target' | 'settings' | 'docker' | 'positions' | 'clock' | 'onLost'>,
    Pick<LogCollectorOptions, 'fold' | 'onNews'> {
  /** Reading starts after this resolves. */
  readonly ready: Promise<unknown>;
  /** Limits the log files that all watches together have open. */
  readonly openFiles: OpenFiles;
}

/** Starts to follow all log sources that the inventory names for a target. */
export function createLogWatch({ ready, openFiles, fold, onNews, ...shared }: LogWatchOptions): LogWatch {
  const { target, clock } = shared;
  const { component, logFiles, container } = target;
  const begun = clock.now();
  const collector = createLogCollector({ target, fold, begun, onNews });
  const clocks = component === 'node' ? createClockComparison(clock) : undefined;
  const source = { ...shared, collector, clocks, begun };
  const files = watchFiles({ ...source, openFiles });
  const containerLog = container && watchContainerLog({ ...source, container });

  let stopped = false;
  let stopFiles: readonly (() => Promise<void>)[] = [];
  let follower: LogFollower | undefined;
  void ready.then(() => {
    if (stopped) return;
    stopFiles = files.follow.map((follow) => follow());
    follower = containerLog?.follow();
  });

  return {
    facts: () => {
      const clockAheadMs = clocks?.read();
      return {
        ...collector.read(),
        ...(clockAheadMs !== undefined && { clockAheadMs }),
        ...(logFiles.length > 0 && { fileBytes: files.bytes() }),
        created: containerLog?.created(),
      };
    },
    lines: collector.lines,
    wake: () => follower?.wake(),
    recheck: () => follower?.recheck(),
    stop: async () => {
      stopped = true;
      collector.stop();
      await Promise.all([...stopFiles, ...(follower ? [follower.stop] : [])].map((stop) => stop()));
    },
  };
}
