import type { LogPosition, PositionStore } from '../model/log.ts';

/** Positions that end with the process: the store of last resort, and of tests. */
export function createMemoryPositions(): PositionStore {
  const positions = new Map<string, LogPosition>();
  return {
    load: (source) => positions.get(source),
    save: (source, position) => void positions.set(source, position),
  };
}
