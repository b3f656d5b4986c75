/** A simulated block takes this long, as a deployed subnet's default does (XDC-Subnet cmd/puppeth/wizard_genesis.go). */
export const BLOCK_PERIOD_MS = 2_000;

/** A stretch of time in which blocks come, or do not come, in one way. */
export interface Era {
  readonly fromMs: number;
  /** The height when it begins. */
  readonly fromNumber: number;
  /** False while the chain is halted. */
  readonly producing: boolean;
  /** Masternodes, by their place in the set, that propose nothing. */
  readonly absent: readonly number[];
}

/** The chain's life so far, oldest first. Times are Unix milliseconds; the first era begins with block 0. */
export type Timeline = readonly [Era, ...Era[]];

/** A healthy chain that is at `height` at `nowMs`, its blocks on whole seconds. */
export const startTimeline = (nowMs: number, height: number): Timeline => [
  {
    fromMs: Math.floor(nowMs / 1000) * 1000 - height * BLOCK_PERIOD_MS,
    fromNumber: 0,
    producing: true,
    absent: [],
  },
];

/** The number of the newest block at a time, now or in the past. */
export const heightAt = (timeline: Timeline, ms: number): number => {
  const era = timeline.findLast(({ fromMs }) => fromMs <= ms);
  if (era === undefined) return 0;
  return era.fromNumber + (era.producing ? Math.floor((ms - era.fromMs) / BLOCK_PERIOD_MS) : 0);
};

/** The era in which a block was made. */
export const eraOf = (timeline: Timeline, number: number): Era =>
  timeline.findLast(({ fromNumber }) => fromNumber < number) ?? timeline[0];

/** When a block was made. */
export const timeOf = (timeline: Timeline, number: number): number => {
  const era = eraOf(timeline, number);
  return era.fromMs + (number - era.fromNumber) * BLOCK_PERIOD_MS;
};

/** The timeline when blocks come differently from `ms` on; the same one when nothing changes. */
export const changeTimeline = (
  timeline: Timeline,
  ms: number,
  { producing, absent }: Pick<Era, 'producing' | 'absent'>,
): Timeline => {
  const current = timeline.at(-1) ?? timeline[0];
  const same = current.producing === producing && current.absent.join() === absent.join();
  return same ? timeline : [...timeline, { fromMs: ms, fromNumber: heightAt(timeline, ms), producing, absent }];
};
