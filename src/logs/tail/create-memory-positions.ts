import type { LogPosition, PositionStore } from '../../model/log.ts';

/** Positions that end with the process: the store of last resort, and of tests. */
export function createMemoryPositions(): PositionStore {
  const positions = new Map<string, () => LogPosition>();
  return {
    load: async (source) => positions.get(source)?.(),
    keep: (source, read) => void positions.set(source, read),
  };
}
