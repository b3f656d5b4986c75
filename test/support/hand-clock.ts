import { type Clock, createClock } from '../../src/lib/clock.ts';

/** A clock whose sources a test moves by hand. */
export interface HandClock {
  readonly clock: Clock;
  readonly wall: () => number;
  /** Time passes while the process runs, and asks for it each second. */
  run(ms: number): void;
  /** Time passes while the process does not run, and nobody asks. */
  suspend(ms: number): void;
  /** The wall clock is set. */
  set(byMs: number): void;
}

/** Begins on a day in November 2026. */
export const HAND_CLOCK_START = Date.UTC(2026, 10, 21);

/** Makes one; nothing moves it but its functions. */
export function createHandClock(): HandClock {
  let monotonic = 1_234.5;
  let wall = HAND_CLOCK_START;
  const clock = createClock({ monotonic: () => monotonic, wall: () => wall });
  const suspend = (ms: number) => {
    monotonic += ms;
    wall += ms;
  };
  return {
    clock,
    wall: () => wall,
    run: (ms) => {
      for (let left = ms; left > 0; left -= 1_000) {
        suspend(Math.min(left, 1_000));
        clock.now();
      }
    },
    suspend,
    set: (byMs) => {
      wall += byMs;
      clock.now();
    },
  };
}
