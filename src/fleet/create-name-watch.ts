import type { WallMs } from '../lib/clock.ts';

/** Notices that another process writes the row of this instance: two were given the same name. */
export interface NameWatch {
  /** Takes when the row was last written, as read from it. True once: when another process wrote it, two times in a row. */
  take(writtenAt: WallMs | undefined): boolean;
  /** To be called before each write, with what it writes. */
  willWrite(writtenAt: WallMs): void;
}

/** One foreign row proves nothing: a database that was restored has an older row of this instance. */
const PROOF_ROWS = 2;

/** Starts without a write: until then the row is that of an earlier run. */
export function createNameWatch(): NameWatch {
  /** When this process wrote, the last two times: a write that failed may have arrived. */
  let own: readonly WallMs[] = [];
  let foreign = 0;
  let isReported = false;
  return {
    take: (writtenAt) => {
      const isForeign = own.length > 0 && writtenAt !== undefined && !own.includes(writtenAt);
      foreign = isForeign ? foreign + 1 : 0;
      if (isReported || foreign < PROOF_ROWS) return false;
      isReported = true;
      return true;
    },
    willWrite: (writtenAt) => {
      own = [...own.slice(-1), writtenAt];
    },
  };
}
