import { quorum } from './effects.ts';

/** A simulated block takes this long, as a deployed subnet's default does (XDC-Subnet cmd/puppeth/wizard_genesis.go). */
export const BLOCK_PERIOD_MS = 2_000;

/** Blocks between two elections, as a generated subnet has them. */
export const EPOCH = 900;

/** A masternode that lags misses one of so many of its turns. */
const MISSED_OF = 8;

/** Who takes part in making blocks; masternodes by their place in the set. */
export interface Turnout {
  /** False while the chain is halted, whoever votes. */
  readonly producing: boolean;
  /** They neither propose nor vote. */
  readonly absent: readonly number[];
  /** They miss one of eight of their turns, and vote. */
  readonly lagging?: readonly number[];
  /** They have lost their office for missed rounds. */
  readonly penalised: readonly number[];
  /** There is no room for them. */
  readonly standby?: readonly number[];
  /** They were no candidates any more when the masternodes were chosen. */
  readonly gone?: readonly number[];
}

/** Where an era begins. */
interface Begin {
  readonly fromMs: number;
  /** The height when it begins. */
  readonly fromNumber: number;
  /** The round of that block. */
  readonly fromRound: number;
}

/** How the blocks of an era come: after each cycle, turns come in the same order again. */
interface Cycle {
  readonly rounds: number;
  readonly ms: number;
  /** The blocks of one cycle: rounds and time since its beginning. */
  readonly blocks: readonly { readonly round: number; readonly ms: number }[];
}

/** A stretch of time in which blocks come, or do not come, in one way. */
export interface Era extends Turnout, Begin {
  /** The places of the masternodes in office. */
  readonly inOffice: readonly number[];
  readonly cycle: Cycle;
}

/** What makes blocks come as they do. */
export interface Pace {
  /** Masternodes in office and out of it. */
  readonly masternodes: number;
  /** How long the others wait for a masternode that makes no block in its round. */
  readonly roundTimeoutMs: number;
}

/** The chain's life so far, oldest first. Times are Unix milliseconds; the first era begins with block 0. */
export interface Timeline {
  readonly pace: Pace;
  readonly eras: readonly [Era, ...Era[]];
}

/** Whose turn a round is, by place: each epoch begins with the first (XDC-Subnet engine_v2/mining.go). */
export const turnOf = ({ inOffice }: Pick<Era, 'inOffice'>, round: number): number =>
  inOffice[(round % EPOCH) % inOffice.length] ?? 0;

const beginEra = ({ masternodes, roundTimeoutMs }: Pace, begin: Begin, turnout: Turnout): Era => {
  const places = Array.from({ length: masternodes }, (_, place) => place);
  const { penalised, standby = [], gone = [], absent, lagging = [] } = turnout;
  const out = [...penalised, ...standby, ...gone];
  const inOffice = places.filter((place) => !out.includes(place));
  const voters = inOffice.filter((place) => !absent.includes(place)).length;
  const blocks = [];
  let ms = 0;
  const isRegular = EPOCH % inOffice.length === 0;
  const rounds = isRegular ? inOffice.length * (lagging.length > 0 ? MISSED_OF : 1) : EPOCH;
  const isMissed = (round: number): boolean => {
    const place = turnOf({ inOffice }, round);
    return absent.includes(place) || (lagging.includes(place) && Math.floor(round / inOffice.length) % MISSED_OF === 0);
  };
  for (let round = 1; round <= rounds; round++) {
    if (isMissed(begin.fromRound + round)) ms += roundTimeoutMs;
    else {
      ms += BLOCK_PERIOD_MS;
      blocks.push({ round, ms });
    }
  }
  const producing = turnout.producing && voters > 0 && voters >= quorum(inOffice.length);
  return { ...turnout, ...begin, producing, inOffice, cycle: { rounds, ms, blocks } };
};

/** A healthy chain that stands at `height` at `nowMs`, its blocks on whole seconds; `lostRounds` ran out before block 1. */
export const startTimeline = (nowMs: number, height: number, lostRounds: number, pace: Pace): Timeline => {
  const fromMs = Math.floor(nowMs / 1000) * 1000 - height * BLOCK_PERIOD_MS;
  const begin = { fromMs, fromNumber: 0, fromRound: lostRounds };
  return { pace, eras: [beginEra(pace, begin, { producing: true, absent: [], penalised: [] })] };
};

/** The number of the newest block at a time, now or in the past. */
export const heightAt = ({ eras }: Timeline, ms: number): number => {
  const era = eras.findLast(({ fromMs }) => fromMs <= ms);
  if (era === undefined) return 0;
  if (!era.producing) return era.fromNumber;
  const { cycle } = era;
  const cycles = Math.floor((ms - era.fromMs) / cycle.ms);
  const rest = ms - era.fromMs - cycles * cycle.ms;
  const begun = cycle.blocks.filter((block) => block.ms <= rest).length;
  return era.fromNumber + cycles * cycle.blocks.length + begun;
};

/** The era in which a block was made. */
export const eraOf = ({ eras }: Timeline, number: number): Era =>
  eras.findLast(({ fromNumber }) => fromNumber < number) ?? eras[0];

/** The era in which a block is voted for: the votes come after it. */
export const eraAfter = ({ eras }: Timeline, number: number): Era =>
  eras.findLast(({ fromNumber }) => fromNumber <= number) ?? eras[0];

/** When a block was made, and in which round. */
export const placeOf = (timeline: Timeline, number: number): { readonly round: number; readonly ms: number } => {
  const era = eraOf(timeline, number);
  const { fromMs: ms, fromNumber, fromRound, cycle } = era;
  if (number <= fromNumber) return { round: number === 0 ? 0 : fromRound, ms };
  const index = number - fromNumber - 1;
  const cycles = Math.floor(index / cycle.blocks.length);
  const block = cycle.blocks[index % cycle.blocks.length] ?? { round: 0, ms: 0 };
  return { round: fromRound + cycles * cycle.rounds + block.round, ms: ms + cycles * cycle.ms + block.ms };
};

/** The timeline when blocks come differently from `ms` on; the same one when nothing changes. */
export const changeTimeline = (timeline: Timeline, ms: number, turnout: Turnout): Timeline => {
  const { pace, eras } = timeline;
  const current = eras.at(-1) ?? eras[0];
  const fromNumber = heightAt(timeline, ms);
  const fromRound = Math.max(placeOf(timeline, fromNumber).round, eras[0].fromRound);
  const next = beginEra(pace, { fromMs: ms, fromNumber, fromRound }, turnout);
  const same =
    current.producing === next.producing &&
    current.absent.join() === turnout.absent.join() &&
    current.lagging?.join() === turnout.lagging?.join() &&
    current.inOffice.join() === next.inOffice.join();
  return same ? timeline : { pace, eras: [...eras, next] };
};
