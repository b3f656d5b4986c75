import type { WatchedMs } from '../../lib/clock.ts';

/** Remembers the rounds that started late. */
export interface LateRounds {
  add(subnet: string): void;
  /** The number of late rounds of a subnet since then. */
  count(subnet: string, since: WatchedMs): number;
}

/** The most late rounds that are remembered, of all subnets together. */
export const MAX_LATE_ROUNDS = 1_000;

/** Starts without a late round. */
export function createLateRounds(now: () => WatchedMs): LateRounds {
  /** The newest last. */
  const late: { readonly subnet: string; readonly at: WatchedMs }[] = [];
  return {
    add: (subnet) => {
      late.push({ subnet, at: now() });
      if (late.length > MAX_LATE_ROUNDS) late.shift();
    },
    count: (subnet, since) => late.filter((round) => round.subnet === subnet && round.at >= since).length,
  };
}
