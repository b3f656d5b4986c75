import { medianOf } from '../../lib/numbers.ts';
import type { PoolVotes } from '../../model/chain.ts';
import type { LoggedImport } from '../../model/facts.ts';
import {
  addTo,
  type BlockLag,
  fade,
  type KeptTurns,
  type LagFacts,
  type Tally,
  type TurnTally,
} from '../../model/lag.ts';
import type { Epoch } from '../../model/snapshot.ts';

const MINUTE = 60_000;

/** Turns are counted no more often: what is missed within a minute is one event. */
const COUNT_EVERY_MS = MINUTE;

/** Nobody knows who was out in a longer time without a count. */
const COUNT_WITHIN_MS = 5 * MINUTE;

/** A node that was out takes so long until it takes part again. What it misses until then is known as something else. */
const BACK_MS = 2 * MINUTE;

/** Half of what counts is of so many turns: 40 minutes with four masternodes and a block each 2 s, 18 hours with 108. */
const HALF_TURNS = 300;

/** The same of rounds, which several pools show. */
const HALF_ROUNDS = 1_000;

/** The share of the masternodes without which a round has no quorum, so that it is not over. */
const QUORUM = 0.66;

/** As many blocks are open at a time: a node that is later than the next ones has not seen it. */
const OPEN_BLOCKS = 4;

/** Fewer nodes are not compared. */
const LEAST_NODES = 3;

/** The newest blocks of each node: a quarter of all, of the last quarter of an hour. */
const BLOCKS = 128;

/** Fewer show nothing. */
const LEAST_BLOCKS = 24;

/** A node whose log is silent for as long begins anew. */
const FORGET_MS = 2 * MINUTE;

/** What a node has shown of its newest blocks, in a ring. */
interface Ring {
  readonly delays: Float32Array;
  /** NaN where it did not say. */
  readonly imports: Float32Array;
  count: number;
  at: number;
}

const NO_TURNS: TurnTally = { of: 0, hits: 0, times: 0, clean: 0 };
const NO_ROUNDS: Tally = { of: 0, hits: 0 };

const toRound = (value: number): number => Math.round(value * 100) / 100;

function readRing({ delays, imports, count }: Ring): BlockLag {
  const sorted = delays.slice(0, Math.min(count, BLOCKS)).sort();
  const at = (share: number) => Math.round(sorted[Math.ceil(sorted.length * share) - 1] ?? 0);
  const took = medianOf([...imports.slice(0, sorted.length)].filter((one) => !Number.isNaN(one)));
  return {
    ...{ blocks: sorted.length, delayMs: at(0.5), delayP95Ms: at(0.95) },
    ...(took !== undefined && { importMs: toRound(took) }),
  };
}

/**
 * Remembers how the masternodes of a subnet keep up with each other, from what is read anyway: how many of its turns each missed while
 * its node took part, which rounds reached their quorum without its vote, and when the log of each node has shown a block.
 */
export function createLagBook() {
  const turns = new Map<string, TurnTally>();
  const votes = new Map<string, Tally>();
  /** When an address was last seen not to take part. */
  const outAt = new Map<string, number>();
  const rings = new Map<string, Ring>();
  /** The times at which the logs of nodes have shown a block, by its number. */
  const open = new Map<number, Map<string, LoggedImport>>();
  let counted: { readonly epoch: Epoch; readonly at: number } | undefined;
  let readAt = Number.NEGATIVE_INFINITY;

  const wasOut = (address: string, since: number): boolean => (outAt.get(address) ?? Number.NEGATIVE_INFINITY) > since;

  const countTurns = (epoch: Epoch, last: NonNullable<typeof counted>) => {
    const isSame = epoch.number === last.epoch.number;
    if (!isSame && epoch.number !== (last.epoch.number ?? Number.NaN) + 1) return;
    const before = new Map(isSame ? last.epoch.masternodes.map((one) => [one.address, one]) : []);
    for (const { address, blocksMade, missedRounds } of epoch.masternodes) {
      const known = isSame ? before.get(address) : { blocksMade: 0, missedRounds: 0 };
      if (blocksMade === undefined || missedRounds === undefined || wasOut(address, last.at - BACK_MS)) continue;
      if (known?.blocksMade === undefined || known.missedRounds === undefined) continue;
      const [made, missed] = [blocksMade - known.blocksMade, missedRounds - known.missedRounds];
      if (made < 0 || missed < 0 || made + missed === 0) continue;
      const tally = turns.get(address) ?? NO_TURNS;
      turns.set(address, {
        ...addTo(tally, made + missed, missed, HALF_TURNS),
        times: tally.times * fade(made + missed, HALF_TURNS) + Number(missed > 0),
        clean: missed > 0 ? 0 : tally.clean + made,
      });
    }
  };

  const closeBlock = (number: number, block: ReadonlyMap<string, LoggedImport>) => {
    open.delete(number);
    if (block.size < LEAST_NODES) return;
    const usual = medianOf([...block.values()].map(({ at }) => at)) ?? 0;
    for (const [node, { at, tookMs = Number.NaN }] of block) {
      let ring = rings.get(node);
      if (ring === undefined) {
        ring = { delays: new Float32Array(BLOCKS), imports: new Float32Array(BLOCKS), count: 0, at };
        rings.set(node, ring);
      }
      ring.delays[ring.count % BLOCKS] = at - usual;
      ring.imports[ring.count % BLOCKS] = tookMs;
      ring.count++;
      ring.at = at;
    }
  };

  return {
    /** Adds what a diagnosis has found of the epoch at a watched time. */
    addEpoch: (epoch: Epoch | undefined, now: number) => {
      if (epoch?.number === undefined) return;
      for (const { address, vote } of epoch.masternodes) if (vote !== 'votes') outAt.set(address, now);
      // A chain that was made anew has none of the turns and rounds of the one before.
      if (epoch.block * 2 < (counted?.epoch.block ?? 0)) {
        for (const kept of [turns, votes]) kept.clear();
        counted = undefined;
        readAt = Number.NEGATIVE_INFINITY;
      }
      const last = counted;
      if (last !== undefined && now - last.at < COUNT_EVERY_MS) return;
      // What another node says of an older block counts nothing twice.
      if (last !== undefined && epoch.block <= last.epoch.block && now - last.at < COUNT_WITHIN_MS) return;
      if (last !== undefined && now - last.at <= COUNT_WITHIN_MS) countTurns(epoch, last);
      counted = { epoch, at: now };
      const known = new Set(epoch.masternodes.map(({ address }) => address));
      for (const kept of [turns, votes, outAt])
        for (const address of kept.keys()) if (!known.has(address)) kept.delete(address);
    },
    /** Adds the pool of the node that signs by `own`, whose vote it does not show in each version. */
    addPool: (read: PoolVotes, active: readonly string[], own: string | undefined, now: number) => {
      const over = read.filter(({ signers }) => signers.length >= QUORUM * active.length);
      if (over.length === 0) return;
      const signed = new Map<string, number>();
      for (const { signers } of over) for (const one of signers) signed.set(one, (signed.get(one) ?? 0) + 1);
      for (const address of active) {
        if (address === own || wasOut(address, now - BACK_MS)) continue;
        const late = Math.max(0, over.length - (signed.get(address) ?? 0));
        votes.set(address, addTo(votes.get(address) ?? NO_ROUNDS, over.length, late, HALF_ROUNDS));
      }
    },
    /** Adds a block that the log of a node has shown. `aheadMs`: how far its clock is ahead of ours; unknown, it is not compared. */
    addImport: (node: string, { number, at, tookMs }: LoggedImport, aheadMs: number | undefined) => {
      if (aheadMs === undefined) return;
      const block = open.get(number) ?? new Map<string, LoggedImport>();
      open.set(number, block);
      block.set(node, { number, at: at - aheadMs, tookMs });
      const [oldest] = open;
      if (oldest !== undefined && open.size > OPEN_BLOCKS) closeBlock(...oldest);
    },
    /** All that it shows; undefined within a minute of the last time. */
    read: (now: number): LagFacts | undefined => {
      if (now - readAt < COUNT_EVERY_MS) return undefined;
      readAt = now;
      for (const [node, { at }] of rings) if (now - at > FORGET_MS) rings.delete(node);
      const shown = [...rings].filter(([, { count }]) => count >= LEAST_BLOCKS);
      const blocks = new Map(shown.map(([node, ring]) => [node, readRing(ring)]));
      return { turns: new Map(turns), votes: new Map(votes), blocks };
    },
    /** What survives a restart. */
    keep: (): KeptTurns | undefined =>
      turns.size === 0
        ? undefined
        : Object.fromEntries(
            [...turns].map(([address, { of, hits, times, clean }]) => [address, [of, hits, times, clean].map(toRound)]),
          ),
    /** Takes what an earlier process has kept, where nothing is known yet. */
    restore: (kept: KeptTurns) => {
      for (const [address, [of = 0, hits = 0, times = 0, clean = 0]] of Object.entries(kept))
        if (!turns.has(address)) turns.set(address, { of, hits, times, clean });
      readAt = Number.NEGATIVE_INFINITY;
    },
  };
}
