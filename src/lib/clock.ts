/** A moment in watched time, in milliseconds. */
export type WatchedMs = number;

/** A moment in wall time: Unix milliseconds. */
export type WallMs = number;

/**
 * Watched time: milliseconds while subnetd runs, independent of changes to the machine's clock. Durations are
 * differences of it. Times from and to the outside are wall time: Unix milliseconds.
 */
export interface Clock {
  /** Now, in watched time. It never goes back. */
  now(): WatchedMs;
  /**
   * Converts watched time to wall time. Times before a gap keep their wall time; when the wall clock is set, all times
   * move with it.
   */
  toWall(at: WatchedMs): WallMs;
  /** The inverse of `toWall`, as long as the wall clock is not set. */
  fromWall(wallMs: WallMs): WatchedMs;
  /** When the process last resumed after a gap, in watched time; -Infinity without a gap. */
  resumedAt(): WatchedMs;
  /** What has last disturbed it. */
  disturbances(): ClockDisturbances;
}

/** The last time that the process did not run, and the last time that the wall clock was set. */
export interface ClockDisturbances {
  /** `realMs`: how long it did not run. */
  readonly gap?: { readonly endedAt: WatchedMs; readonly realMs: number };
  /** Positive when it was set forward. A machine that was suspended shows as that, too. */
  readonly step?: { readonly at: WatchedMs; readonly byMs: number };
}

/** The readings of a clock, in milliseconds: a monotonic one, and Unix time. */
export interface ClockSources {
  readonly monotonic: () => number;
  readonly wall: () => number;
}

/** The start of watched time: far from today's Unix time, so that confusing the two is noticed. */
const WATCHED_START = 1e12;

/** Without a reading for this long, the process did not run: every clock is read each second. */
export const GAP_MS = 3_000;

/** The watched time of a gap. Not zero, so that times within it keep their order. */
export const SQUEEZED_MS = 500;

/** Times by Docker and those of log lines may differ by this. */
export const LINE_TOLERANCE_MS = 5_000;

/** The wall clock was set only if it differs by more: the two clocks are read one after the other. */
const SET_MS = 250;

const MAX_GAPS = 1_000;

/** A time in which the process did not run, as after SIGSTOP or in a paused machine. */
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
  let watched = WATCHED_START;
  /** By how much the wall clock is ahead of watched time. */
  let ahead = wall() - watched;
  let resumed = Number.NEGATIVE_INFINITY;
  let step: ClockDisturbances['step'];

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
    if (Math.abs(measured - ahead) > SET_MS) {
      step = { at: watched, byMs: measured - ahead };
      ahead = measured;
    }
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
    disturbances: () => {
      now();
      const [gap] = gaps;
      return { ...(gap && { gap: { endedAt: gap.to, realMs: gap.realMs } }), ...(step && { step }) };
    },
  };
}

/** The clock of the running process. */
export const createProcessClock = (): Clock => createClock({ monotonic: () => performance.now(), wall: Date.now });
