import type { WatchedMs } from '../lib/clock.ts';

/** What the stats server says at `/information/…`. What it did not give is absent: it asks the parent chain for most of it. */
export interface StatsReading {
  /** The newest block that a node sent it; absent before the first. */
  readonly newest?: number;
  /** The block of the checkpoint contract that it counts as committed. */
  readonly checkpoint?: number;
  /** `isUp`: what it makes of the backlog, the committed blocks that the contract does not have. */
  readonly relayer?: { readonly isUp: boolean; readonly backlog: number };
}

/** The stats server over many probes. */
export interface StatsFacts {
  readonly reading: StatsReading;
  /** While it is further below the nodes than `maxLag`: since when, and by how many blocks it was at the last reading. */
  readonly behind?: { readonly since: WatchedMs; readonly blocks: number };
}
