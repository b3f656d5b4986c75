import { type ConsensusSettings, EPOCH_PARTS } from '../../model/chain.ts';
import type { AskedHeights, Client } from '../../model/client.ts';
import type { Target } from '../../model/target.ts';
import { xdcSubnet } from '../clients/xdc-subnet.ts';
import type { ChainAnswers, ChainCall } from './chain-results.ts';
import {
  askCalls,
  type BatchMemory,
  type Call,
  type CallResult,
  isMethodMissing,
  parseAnswer,
  toBody,
} from './json-rpc.ts';
import type { Exchange, ReadResponse, TransportResponse } from './transport.ts';

export const EVERY_MS = 60_000;

/** A node whose height falls again and again is not asked more often. */
const SOONEST_MS = 10_000;

/** A node whose height stands for longer is asked as often as that, as what its pool holds shows why. */
const STANDS_MS = 20_000;

/** When a node is asked about its chain. Times are watched time in milliseconds. */
export interface ChainTiming {
  /** Shifts the begin of each minute. */
  readonly phaseMs: number;
  /** In one of so many minutes the node is asked for all, in the others not for the epoch. */
  readonly turns: number;
  askedAt: number;
  /** The last height before that question. */
  askedAtHeight: number | undefined;
  /** Something has happened since then that makes the question due. */
  isChanged: boolean;
  /** Whether the last probe was answered; undefined before the first one. */
  answered: boolean | undefined;
  /** The last height that is known, and when it became another. */
  height: number | undefined;
  movedAt: number;
}

/** A share of a minute by a name, so that nodes that are first asked together are asked apart later. */
export const toPhaseMs = (name: string): number =>
  [...name].reduce((hash, letter) => (hash * 31 + letter.charCodeAt(0)) % EVERY_MS, 0);

/** About as many nodes of a subnet are asked for the epoch each minute. All say the same, and their answers are long. */
const WITNESSES = 8;

/** The turns of the nodes among these targets of a subnet. */
export const toTurns = (targets: readonly Pick<Target, 'component'>[]): number =>
  Math.max(1, Math.floor(targets.filter(({ component }) => component === 'node').length / WITNESSES));

/** Of a node that was not asked yet. */
export const createChainTiming = (phaseMs: number, turns = 1): ChainTiming => ({
  phaseMs,
  turns,
  askedAt: Number.NEGATIVE_INFINITY,
  askedAtHeight: undefined,
  isChanged: false,
  answered: undefined,
  height: undefined,
  movedAt: Number.POSITIVE_INFINITY,
});

/** Whether this height is of another epoch than the one before, or of another than the one whose masternodes were named last. */
function isOfNewEpoch(
  before: number | undefined,
  height: number | undefined,
  { settings, nextEpochBy }: Pick<ChainMemory, 'settings' | 'nextEpochBy'>,
): boolean {
  if (before === undefined || height === undefined || settings === undefined) return false;
  const { epoch } = settings;
  return nextEpochBy === undefined ? Math.floor(height / epoch) !== Math.floor(before / epoch) : height >= nextEpochBy;
}

/**
 * Adds the outcome of a probe. A fall, a lost height and the end of a silence make the question due, and so does a new epoch, which
 * has other masternodes: for some nodes of a large subnet.
 */
export function recordOutcome(
  timing: ChainTiming,
  now: number,
  answered: boolean,
  height?: number,
  memory: Pick<ChainMemory, 'settings' | 'nextEpochBy'> = {},
): void {
  const before = timing.height;
  const fell = answered && before !== undefined && (height === undefined || height < before);
  const asksFirst = timing.phaseMs % timing.turns === 0 && isOfNewEpoch(before, height, memory);
  if (answered && height !== before) timing.movedAt = now;
  if (fell || asksFirst || (answered && timing.answered === false)) timing.isChanged = true;
  timing.answered = answered;
  if (answered) timing.height = height;
}

/** The minute of a node, from the begin of watched time. */
const toMinute = (at: number, phaseMs: number): number => Math.floor((at + phaseMs) / EVERY_MS);

export function isDue({ phaseMs, turns, askedAt, isChanged, height, movedAt }: ChainTiming, now: number): boolean {
  const isNewMinute = toMinute(now, phaseMs) !== toMinute(askedAt, phaseMs);
  const stands = height !== undefined && now - movedAt >= STANDS_MS && now - askedAt >= SOONEST_MS * turns;
  return Math.abs(now - askedAt) >= SOONEST_MS && (isChanged || isNewMinute || stands);
}

/**
 * Whether a question that is due asks for the epoch too: in the node's turn, after a start or a fall, and while the chain does not
 * move. Then the votes that each node has are what shows the cause.
 */
export function asksForEpoch(
  { phaseMs, turns, askedAt, askedAtHeight, height, isChanged }: ChainTiming,
  now: number,
): boolean {
  if (isChanged || askedAt === Number.NEGATIVE_INFINITY || height === askedAtHeight) return true;
  return (toMinute(now, phaseMs) + phaseMs) % turns === 0;
}

export function recordQuestion(timing: ChainTiming, now: number): void {
  timing.askedAt = now;
  timing.askedAtHeight = timing.height;
  timing.isChanged = false;
}

const MARK_STEP = 32;
const MARK_DEPTH = 16;

/** The height whose hash is asked for; undefined while only the genesis is deep enough. */
export function toMark(height: number | undefined): number | undefined {
  const mark = height === undefined ? 0 : Math.floor((height - MARK_DEPTH) / MARK_STEP) * MARK_STEP;
  return mark > 0 ? mark : undefined;
}

type EpochSettings = Pick<ConsensusSettings, 'epoch' | 'gap'>;

/**
 * The height of the header that lists the masternodes of the next epoch; undefined while the chain has not come far enough
 * for it to stay. An epoch begins at a multiple of its length, and its masternodes are chosen `gap` blocks before.
 */
export function toNextEpochMark(height: number | undefined, settings: EpochSettings | undefined): number | undefined {
  if (height === undefined || settings === undefined) return undefined;
  const { epoch, gap } = settings;
  if (gap <= 0 || gap >= epoch) return undefined;
  const mark = height - (height % epoch) + epoch - gap + 1;
  return height - MARK_DEPTH >= mark ? mark : undefined;
}

/** The calls that `admin` answers, about the peer mesh. */
const MESH_PARTS = ['nodeId', 'peerIds'] as const;

/** The parts in the order of the calls, with those that may have a large answer at the end. */
const ORDER: readonly ChainCall[] = [
  ...(['chainId', 'genesis', 'address', 'syncing', 'consensus', 'masternodes', 'block', 'nextEpoch'] as const),
  ...MESH_PARTS,
  ...(['pool', 'missedRounds'] as const),
];

/** Picks the calls of some parts, in their order; a client may have none for a part. */
function pickCalls(client: Client, consensus: string, parts: readonly ChainCall[], heights: AskedHeights) {
  const calls = client.chainCalls(consensus, heights);
  const picked = new Map<ChainCall, Call>();
  for (const part of parts) {
    const call = calls[part];
    if (call !== undefined) picked.set(part, call);
  }
  return picked;
}

/** What is asked about the peer mesh over the IPC socket, which only clients that are made from geth write. */
export const MESH_CALLS: ReadonlyMap<ChainCall, Call> = pickCalls(xdcSubnet, '', MESH_PARTS, {});

const OF_EPOCH: ReadonlySet<ChainCall> = new Set(EPOCH_PARTS);

/** What is asked of a node beside what every node serves. */
interface Asked extends AskedHeights {
  /** Whether it says who its peers are. */
  readonly servesMesh: boolean;
  readonly isEpochAsked: boolean;
}

/** The calls of the question. None crashes inside a node without a committed block, as `committed` and unknown heights do. */
export function toChainCalls(
  client: Client,
  consensus: string,
  { servesMesh, isEpochAsked, ...heights }: Asked,
): ReadonlyMap<ChainCall, Call> {
  const isAsked = (part: ChainCall): boolean => {
    if (!isEpochAsked && OF_EPOCH.has(part)) return false;
    if (part === 'block') return heights.mark !== undefined;
    // Candidates are there at any height.
    if (part === 'nextEpoch') return heights.next !== undefined || client.epochsBy === 'round';
    return servesMesh || !MESH_CALLS.has(part);
  };
  return pickCalls(client, consensus, ORDER.filter(isAsked), heights);
}

/** Sends a request, again if the reused connection turns out to be dead. */
type Send = <T>(body: string, read: ReadResponse<T>) => Promise<Exchange<T>>;

/** What is remembered of a node from one question to the next. */
export interface ChainMemory extends BatchMemory {
  /** What the node answered to the methods that it does not serve. It would log a warning for each further call. */
  absent: ReadonlyMap<string, CallResult | undefined>;
  /** As last answered. Only what is needed of them, as each node keeps a copy. */
  settings?: EpochSettings;
  /** Where epochs go by rounds: the block with which the one after the last that was named begins at the latest. */
  nextEpochBy?: number;
}

/** One for all: ten thousand nodes have all methods. */
const NONE_ABSENT: ChainMemory['absent'] = new Map();

export const createChainMemory = (): ChainMemory => ({ singly: false, absent: NONE_ABSENT });

/** A node may have other methods than before. */
export const forgetAbsent = (memory: ChainMemory): void => {
  memory.absent = NONE_ABSENT;
};

type Answers = Partial<Record<ChainCall, CallResult>>;

/** In place of a result that has been read. */
const TAKEN: CallResult = { ok: true, value: undefined };

/**
 * Asks for some parts, and adds what is answered. With `onWhole`, a response to all of them is read by that as soon as it comes: what
 * was parsed of it, which is large, is then kept no longer.
 */
async function ask(
  calls: readonly (readonly [ChainCall, Call])[],
  send: Send,
  memory: BatchMemory,
  answers: Answers,
  onWhole?: (whole: Answers) => void,
): Promise<void> {
  if (calls.length === 0) return;
  const add = (results: readonly CallResult[]) => {
    calls.forEach(([part], index) => {
      answers[part] = results[index] as CallResult;
    });
  };
  const results = await askCalls(calls, memory, async (some) => {
    const read = (response: TransportResponse) => {
      const results = parseAnswer(response, some.length);
      if (onWhole === undefined || some.length < calls.length || !results.some(({ ok }) => ok)) return results;
      add(results);
      onWhole(answers);
      return results.map((one) => (one.ok ? TAKEN : one));
    };
    const exchange = await send(toBody(some.map(([, call]) => call)), read);
    return exchange.ok ? exchange.value : some.map(() => exchange);
  });
  add(results);
}

/** Sends those of the calls that the node has, and reads all answers together. Those that are asked apart come last. */
export async function askChain<T extends object>(
  calls: ReadonlyMap<ChainCall, Call>,
  send: Send,
  memory: ChainMemory,
  read: (answers: ChainAnswers) => T,
  { askedApart }: Pick<Client, 'askedApart'> = xdcSubnet,
): Promise<T> {
  const answers: Answers = {};
  const together: (readonly [ChainCall, Call])[] = [];
  const apart: (readonly [ChainCall, Call])[] = [];
  for (const one of calls) {
    const [part, { method }] = one;
    const absent = memory.absent.get(method);
    if (absent !== undefined) answers[part] = absent;
    else (askedApart.includes(part) ? apart : together).push(one);
  }
  let whole: T | undefined;
  const readWhole = (all: Answers) => {
    whole = read(all);
  };
  await ask(together, send, memory, answers, apart.length === 0 ? readWhole : undefined);
  for (const one of apart) await ask([one], send, memory, answers);
  for (const [part, { method }] of [...together, ...apart])
    if (isMethodMissing(answers[part])) memory.absent = new Map(memory.absent).set(method, answers[part]);
  return whole ?? read(answers);
}
