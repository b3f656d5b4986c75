import { limitRuns } from '../../../lib/promises.ts';
import type { LogFault } from '../../../model/log.ts';
import type { LogContainer } from '../../docker/log-container.ts';
import { type ContainerLogReaderOptions, createContainerLogReader } from './create-container-log-reader.ts';

/** Dependencies and settings of a follower. */
export interface FollowLogOptions extends Omit<ContainerLogReaderOptions, 'onOpened'> {
  /** Finds the container that is the target now. */
  readonly find: (signal: AbortSignal) => Promise<LogContainer | LogFault>;
  readonly onState: (fault: LogFault | undefined) => void;
  /** Do the engine's events arrive, so that a container that starts is reported by `wake`? Without it, they do not. */
  readonly hasEvents?: () => boolean;
}

/** A follower of one container's log. */
export interface LogFollower {
  /** The container may have started, or another replaced it: look for it at once. */
  wake(): void;
  /** Something else of the container or its engine has changed: look again, unless a log is being read. */
  recheck(): void;
  stop(): Promise<void>;
}

/** How often a container is looked for: soon after it was there, rarely when it is missing for long. */
const PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 15_000;
/** While events report what starts; only for what they may have missed. */
const PAUSE_WITH_EVENTS_MS = 5 * 60_000;

const FIND_MS = 10_000;

/**
 * Follows the log of a container until it is stopped: through restarts of the container, its recreation under a new id,
 * and restarts of the engine. Each line is reported once. With a stored position that holds across restarts of subnetd
 * too.
 */
export function followLog(options: FollowLogOptions): LogFollower {
  const { source, positions, find, onState, hasEvents = () => false } = options;
  const ending = new AbortController();
  /** The run of a stopped container whose log was read to its end. */
  let readRun: string | undefined;
  let pauseMs = PAUSE_MS;
  let wake = async () => {};
  let wakes = 0;
  let endPause = () => {};

  /** Stops reading a container that was replaced, even if it still prints. */
  const stopIfReplaced = async (id: string, replaced: AbortController) => {
    const found = await find(AbortSignal.any([ending.signal, replaced.signal, AbortSignal.timeout(FIND_MS)]));
    if ('id' in found && found.id !== id) replaced.abort();
  };

  /** Resolves to whether there was anything to read; `idle` while only the start of a container changes that. */
  const follow = async (read: ReturnType<typeof createContainerLogReader>): Promise<'read' | 'idle' | 'failed'> => {
    const wakesBefore = wakes;
    const found = await find(AbortSignal.any([ending.signal, AbortSignal.timeout(FIND_MS)]));
    if ('what' in found) {
      onState(found);
      return found.what === 'no-container' ? 'idle' : 'failed';
    }
    if (!found.isKept) {
      onState({ what: 'not-kept' });
      return 'failed';
    }
    const run = `${found.id} ${found.startedAt}`;
    // A stopped container has nothing new: its log was read to the end.
    if (!found.running && run === readRun) {
      onState(undefined);
      return 'idle';
    }
    const replaced = new AbortController();
    wake = () => stopIfReplaced(found.id, replaced).catch(() => {});
    if (wakes !== wakesBefore) void wake();
    try {
      await read(found, AbortSignal.any([ending.signal, replaced.signal]));
    } catch (error) {
      if (!replaced.signal.aborted) throw error;
      return 'read';
    } finally {
      wake = async () => {};
    }
    // Last lines may arrive after the stream ends. Only the log of a container that had stopped before is complete.
    readRun = found.running ? undefined : run;
    return 'read';
  };

  const pause = async (ms: number) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    endPause = () => {
      pauseMs = PAUSE_MS;
      resolve();
    };
    const timer = setTimeout(resolve, ms);
    await promise;
    clearTimeout(timer);
    endPause = () => {};
  };
  const followForEver = async () => {
    const stored = await positions.load(source);
    const read = createContainerLogReader({ ...options, onOpened: () => onState(undefined) }, stored);
    while (!ending.signal.aborted) {
      const begunAt = performance.now();
      const wakesBefore = wakes;
      const outcome = await follow(read).catch(() => {
        if (!ending.signal.aborted) onState({ what: 'broken' });
        return 'failed' as const;
      });
      pauseMs = outcome === 'read' ? PAUSE_MS : Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      // A container that stopped may be removed at once, with whatever its stream left out.
      const isRetriedAtOnce =
        outcome === 'read' ? performance.now() - begunAt >= PAUSE_MS : outcome === 'idle' && wakes !== wakesBefore;
      if (ending.signal.aborted || isRetriedAtOnce) continue;
      await pause(outcome === 'idle' && hasEvents() ? PAUSE_WITH_EVENTS_MS : pauseMs);
    }
  };
  const ended = followForEver();
  return {
    // An engine may report thousands of events a second.
    wake: limitRuns(async () => {
      wakes++;
      pauseMs = PAUSE_MS;
      endPause();
      await wake();
    }),
    recheck: limitRuns(async () => endPause()),
    stop: async () => {
      ending.abort();
      endPause();
      await ended;
    },
  };
}
