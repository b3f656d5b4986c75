import type { LogPosition, PositionStore } from '../../../model/log.ts';

/** Positions that live as long as the process: the fallback when there is no database, and for tests. */
export function createMemoryPositions(): PositionStore {
  const positions = new Map<string, () => LogPosition>();
  return {
    load: async (source) => positions.get(source)?.(),
    keep: (source, read) => void positions.set(source, read),
  };
}
