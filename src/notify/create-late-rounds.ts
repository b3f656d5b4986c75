/** Remembers the rounds that started late. */
export interface LateRounds {
  add(subnet: string): void;
  /** The number of late rounds of a subnet since then, in watched time. */
  count(subnet: string, since: number): number;
}

/** The most late rounds that are remembered, of all subnets together. */
export const MAX_LATE_ROUNDS = 1_000;

/** Starts without a late round; `now` gives watched time. */
export function createLateRounds(now: () => number): LateRounds {
  /** The newest last. */
  const late: { readonly subnet: string; readonly at: number }[] = [];
  return {
    add: (subnet) => {
      late.push({ subnet, at: now() });
      if (late.length > MAX_LATE_ROUNDS) late.shift();
    },
    count: (subnet, since) => late.filter((round) => round.subnet === subnet && round.at >= since).length,
  };
}
