import type { PoolVotes } from '../../src/model/chain.ts';
import type { LagFacts } from '../../src/model/lag.ts';
import { DEFAULT_SETTINGS } from '../../src/model/target.ts';
import { findEpoch, findMembers, turnOf } from '../../src/watch/diagnosis/find-epoch.ts';
import { findLagging } from '../../src/watch/diagnosis/find-lagging.ts';
import { viewSubnet } from '../../src/watch/diagnosis/view-subnet.ts';
import { createLagBook } from '../../src/watch/monitor/create-lag-book.ts';
import { diagnosedNode, NOW, STOPPED } from './diagnosed.ts';
import { judgeTargets } from './judge-targets.ts';
import { createRandom } from './random.ts';

const MINUTE = 60_000;
const PERIOD_MS = 2_000;
const TIMEOUT_MS = 10_000;
const EPOCH = 900;

/** What a run is of. */
export interface LagRun {
  readonly masternodes: number;
  readonly epochs: number;
  readonly seed: number;
  /** The share of its turns that the masternode at a place misses at a time, in milliseconds since the begin. */
  readonly misses: (place: number, ms: number) => number;
  /** Whether its node is down, as subnetd sees it; it misses each turn then. */
  readonly isDown?: (place: number, ms: number) => boolean;
  /** Ends as soon as somebody is named. */
  readonly untilNamed?: boolean;
}

/** Who was named, and after how many of its turns and how long. */
export interface LagResult {
  readonly epochs: number;
  readonly turns: number;
  readonly named: ReadonlyMap<string, { readonly turns: number; readonly ms: number; readonly evidence: string }>;
}

/** Runs the rounds of a simulated subnet, and reads who missed which once a minute as subnetd does. */
export function runLag({ masternodes, epochs, seed, misses, isDown = () => false, untilNamed }: LagRun): LagResult {
  const random = createRandom(seed);
  const names = Array.from({ length: masternodes }, (_, index) => `n${index + 1}`);
  const active = names.map((name) => `0x${name.padStart(40, '0')}`);
  const book = createLagBook();
  const named = new Map<string, { turns: number; ms: number; evidence: string }>();
  const turns = names.map(() => 0);
  let [ms, number, round, readAt] = [0, 0, 0, 0];
  let [epochBlock, epochRound] = [0, 0];
  let missed: { round: number; miner: string }[] = [];
  let lag: LagFacts | undefined;
  const read = () => {
    const byMiner: Record<string, number> = {};
    for (const { miner } of missed) byMiner[miner] = (byMiner[miner] ?? 0) + 1;
    const missedRounds = { epochBlock, epochRound, rounds: missed.slice(-200).reverse(), byMiner };
    const nodes = names.map((name, place) =>
      diagnosedNode(name, names, {
        height: number,
        ...(isDown(place, ms) && { fault: { kind: 'refused', address: 'x' } as const, container: STOPPED }),
        chain: {
          address: active[place] as string,
          masternodes: { number, round, active, standby: [], penalised: [] },
          missedRounds,
        },
      }),
    );
    const targets = nodes.map(({ target }) => target);
    const subnet = { name: 'devnet', consensus: 'XDPoS', settings: DEFAULT_SETTINGS, targets };
    const view = viewSubnet(subnet, judgeTargets(nodes, NOW), NOW, lag && { lag });
    book.addEpoch(findEpoch(view, findMembers(view, [], view.quorum), false), ms);
    lag = book.read(ms) ?? lag;
    for (const { name = '', evidence } of findLagging(view))
      if (!named.has(name)) named.set(name, { turns: turns[names.indexOf(name)] ?? 0, ms, evidence });
  };
  while (number < epochs * EPOCH && !(untilNamed && named.size > 0)) {
    round++;
    const place = turnOf(round, { epoch: EPOCH, masternodes });
    turns[place] = (turns[place] ?? 0) + 1;
    if (isDown(place, ms) || random() < misses(place, ms)) {
      ms += TIMEOUT_MS;
      missed.push({ round, miner: active[place] as string });
    } else {
      ms += PERIOD_MS;
      number++;
      if (number % EPOCH === 0) [epochBlock, epochRound, missed] = [number, round, []];
    }
    if (ms - readAt < MINUTE) continue;
    readAt = ms;
    read();
  }
  return { epochs: number / EPOCH, turns: turns.reduce((sum, one) => sum + one), named };
}

/** The pool of a node: rounds with the votes that were first, of which the ones at `late` are never. */
export function votesOf(active: readonly string[], rounds: number, late: readonly string[]): PoolVotes {
  const quorum = Math.ceil(active.length * 0.667);
  const early = active.filter((address) => !late.includes(address));
  return Array.from({ length: rounds }, (_, index) => ({
    key: `${index}:0:${index}:0x${'0'.repeat(64)}`,
    round: String(index),
    signers: early.map((_, place) => early[(place + index) % early.length] as string).slice(0, quorum),
  }));
}
