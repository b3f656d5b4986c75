import type { WallMs } from '../model/clock.ts';

/** Notices that another process writes the row of this instance. */
export interface NameWatch {
  /** Takes when the row was last written; true the first time that it was somebody else twice in a row, and never again. */
  take(writtenAt: WallMs | undefined): boolean;
  /** To be called before each write, with what it writes. */
  willWrite(writtenAt: WallMs): void;
}

/** One row of somebody else is no proof: a database that was restored has an older one of this instance. */
const PROOF = 2;

/** Starts without a write: until then the row is that of an earlier run. */
export function createNameWatch(): NameWatch {
  /** The last two: whether a write that failed has arrived is unknown. */
  let own: readonly WallMs[] = [];
  let foreign = 0;
  let isSaid = false;
  return {
    take: (writtenAt) => {
      const isForeign = own.length > 0 && writtenAt !== undefined && !own.includes(writtenAt);
      foreign = isForeign ? foreign + 1 : 0;
      if (isSaid || foreign < PROOF) return false;
      isSaid = true;
      return true;
    },
    willWrite: (writtenAt) => {
      own = [...own.slice(-1), writtenAt];
    },
  };
}
