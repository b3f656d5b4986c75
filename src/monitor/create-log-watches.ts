import { isDeepStrictEqual } from 'node:util';
import type { PositionStore } from '../model/log.ts';
import { type CheckSettings, type Target, targetKey } from '../model/target.ts';
import { seenThrough } from '../rules/seen-through.ts';
import type { DockerLink } from './create-docker-link.ts';
import { createLogWatch, type LogWatch } from './create-log-watch.ts';

/** The followers of all logs; they outlive a reload of the inventory that leaves their sources and patterns unchanged. */
export interface LogWatches {
  /** The watch of a target, begun when there is none. */
  use(target: Target, settings: CheckSettings['logs']): LogWatch;
  /** Ends those of all other targets. */
  keep(targets: readonly Target[]): void;
  stop(): Promise<void>;
}

/** No watch yet; `onNews` is told the target as the inventory of now has it. */
export function createLogWatches(
  docker: DockerLink,
  positions: PositionStore,
  now: () => number,
  onNews: (target: Target, urgent: boolean) => void,
): LogWatches {
  const watches = new Map<string, { target: Target; readonly watch: LogWatch }>();
  /** A target that comes back must not read on before its last position is saved. */
  const stopping = new Set<Promise<void>>();

  const end = (key: string) => {
    const entry = watches.get(key);
    watches.delete(key);
    if (entry === undefined) return;
    const stopped = entry.watch.stop().finally(() => stopping.delete(stopped));
    stopping.add(stopped);
  };

  return {
    use: (target, settings) => {
      const key = targetKey(target);
      const known = watches.get(key);
      if (known !== undefined && isDeepStrictEqual(seenThrough.logs(known.target), seenThrough.logs(target))) {
        known.target = target;
        return known.watch;
      }
      end(key);
      const watch = createLogWatch({
        target,
        settings,
        docker,
        positions,
        now,
        ready: Promise.all(stopping),
        onNews: (urgent) => onNews(watches.get(key)?.target ?? target, urgent),
      });
      watches.set(key, { target, watch });
      return watch;
    },
    keep: (targets) => {
      const keys = new Set(targets.map(targetKey));
      for (const key of [...watches.keys()]) if (!keys.has(key)) end(key);
    },
    stop: async () => {
      for (const key of [...watches.keys()]) end(key);
      await Promise.all(stopping);
    },
  };
}
