/** A moment in watched time, in milliseconds. */
export type WatchedMs = number;

/** A moment in wall time: Unix milliseconds. */
export type WallMs = number;

/**
 * Watched time: milliseconds that pass while subnetd runs, whatever is done to the clock of the machine. Durations are
 * differences of it. What leaves the program, or comes from outside, is wall time: Unix milliseconds.
 */
export interface Clock {
  /** Now, in watched time. It never goes back. */
  now(): WatchedMs;
  /** Watched time as wall time. A time before a gap stays what it was; when the wall clock is set, all times move with it. */
  toWall(at: WatchedMs): WallMs;
  /** The exact opposite of `toWall`, as long as the wall clock is not set. */
  fromWall(wallMs: WallMs): WatchedMs;
  /** When the process last went on after a gap, in watched time; before everything when there was none. */
  resumedAt(): WatchedMs;
}

/** What a clock reads, both in milliseconds: one that is never set, and Unix time. */
export interface ClockSources {
  readonly monotonic: () => number;
  readonly wall: () => number;
}

/** Where watched time begins: far from the Unix time of today, so that to mix up the two is noticed. */
export const EPOCH = 1e12;

/** When nobody asked for the time for so long, the process did not run. Whoever holds a clock asks each second. */
export const GAP_MS = 3_000;

/** So much watched time a gap takes. It is not zero, so that the times within it keep their order. */
export const SQUEEZED_MS = 500;

/** The two clocks are read one after the other; only one that differs by more was set. */
const SET_MS = 250;

const MAX_GAPS = 1_000;

/** A stretch in which the process did not run, as SIGSTOP and a paused machine cause. */
interface Gap {
  /** In watched time. */
  readonly from: number;
  readonly to: number;
  readonly realMs: number;
}

/** A clock whose watched time begins now. */
export function createClock({ monotonic, wall }: ClockSources): Clock {
  /** The newest first. */
  const gaps: Gap[] = [];
  let read = monotonic();
  let watched = EPOCH;
  /** By how much the wall clock is ahead of watched time. */
  let ahead = wall() - watched;
  let resumed = Number.NEGATIVE_INFINITY;

  const now = (): number => {
    const at = monotonic();
    const passed = Math.max(at - read, 0);
    read = at;
    if (passed > GAP_MS) {
      resumed = watched + SQUEEZED_MS;
      gaps.unshift({ from: watched, to: resumed, realMs: passed });
      gaps.splice(MAX_GAPS);
      ahead += passed - SQUEEZED_MS;
      watched = resumed;
    } else watched += passed;
    const measured = wall() - watched;
    if (Math.abs(measured - ahead) > SET_MS) ahead = measured;
    return watched;
  };

  return {
    now,
    toWall: (at) => {
      let wallMs = at + ahead;
      for (const { from, to, realMs } of gaps) {
        if (at >= to) break;
        wallMs -= ((realMs - SQUEEZED_MS) * (to - Math.max(at, from))) / SQUEEZED_MS;
      }
      return Math.round(wallMs);
    },
    fromWall: (wallMs) => {
      now();
      let at = wallMs - ahead;
      for (const { to, realMs } of gaps) {
        if (at >= to) break;
        at += Math.min((to - at) / realMs, 1) * (realMs - SQUEEZED_MS);
      }
      return at;
    },
    resumedAt: () => {
      now();
      return resumed;
    },
  };
}

/** The clock of the running process. */
export const createProcessClock = (): Clock => createClock({ monotonic: () => performance.now(), wall: Date.now });
