import { createVoteBook } from '../../src/watch/monitor/create-vote-book.ts';
import { createAddressReader, ZERO_ADDRESS } from '../../src/watch/probes/chain-values.ts';
import { toPoolStatus } from '../../src/watch/probes/pool-status.ts';
import { createRandom } from './random.ts';

const PERIOD_MS = 2_000;
const TIMEOUT_MS = 10_000;
const MINUTE_MS = 60_000;
/** A node removes what is more than ten rounds old, once a minute. */
const KEPT_ROUNDS = 10;

const hex = (value: number, digits: number) => `0x${value.toString(16).padStart(digits, '0')}`;

/** The pool of one node: by key, who signed. A round that is `held` stays until it is read. */
interface Pool {
  readonly votes: Map<string, Set<string>>;
  held: number | undefined;
}

/** How double votes get into pools. `read`: into one or two that are read before they forget them. `sent`: to all, some come too late. */
export type Planting = 'read' | 'sent';

/** What a run of rounds has shown. */
export interface VoteRun {
  readonly rounds: number;
  readonly reads: number;
  readonly planted: number;
  /** Of those that were planted, each once. */
  readonly found: number;
  /** Everything else that was found. */
  readonly wrong: number;
}

/**
 * Runs rounds of a subnet, reads the pool of each node once a minute as subnetd does, and counts the double votes that are found.
 * Rounds run out without a block, so that two of them have one height; leaders propose two blocks, of which each honest node votes for
 * one; a pool has the first votes that are enough, in another order for each node, and the node's own one without its address; some
 * nodes are behind; and the chain begins again now and then.
 */
export function runVoteRounds(options: {
  readonly masternodes: number;
  readonly rounds: number;
  readonly seed: number;
  readonly planted?: number;
  readonly planting?: Planting;
}): VoteRun {
  const { masternodes, rounds, seed, planted = 0, planting = 'read' } = options;
  const random = createRandom(seed);
  const pick = (below: number) => Math.floor(random() * below);
  const addresses = Array.from({ length: masternodes }, (_, index) => hex(0xabc000 + index, 40));
  const enough = Math.ceil(masternodes * 0.667);
  const pools = addresses.map((): Pool => ({ votes: new Map(), held: undefined }));
  const phases = addresses.map(() => random() * MINUTE_MS);
  const cleanings = addresses.map(() => random() * MINUTE_MS);
  const book = createVoteBook();
  const expected = new Set<string>();
  const found = new Set<string>();
  let [wrong, reads, number, round, at, begun] = [0, 0, 0, 0, 0, 0];
  const plantAt = new Set<number>();
  while (plantAt.size < planted) plantAt.add(100 + pick(rounds - 200));

  const read = (index: number) => {
    const pool = pools[index] as Pool;
    const vote = Object.fromEntries(
      [...pool.votes].map(([key, signers]) => [
        key,
        { CurrentNumber: signers.size, CurrentSigners: [...signers], MissingSigners: [] },
      ]),
    );
    pool.held = undefined;
    reads += 1;
    const status = toPoolStatus({ vote, timeout: {} }, addresses[index], createAddressReader());
    for (const one of book.add({ node: `n${index}`, genesis: '0xg', votes: status?.votes ?? [] }, at)) {
      const key = `${begun} ${one.votes[0].round} ${one.signer}`;
      if (expected.has(key)) found.add(key);
      else wrong += 1;
    }
  };
  const clean = ({ votes, held }: Pool) => {
    for (const key of votes.keys()) {
      const of = Number(key.slice(0, key.indexOf(':')));
      if (of < round - KEPT_ROUNDS && of !== held) votes.delete(key);
    }
  };
  /** What is due each minute since the time before. */
  const isDue = (phase: number, before: number) =>
    Math.floor((at - phase) / MINUTE_MS) > Math.floor((before - phase) / MINUTE_MS);
  const add = ({ votes }: Pool, hash: string, signers: readonly string[]) => {
    const key = `${round}:0:${number}:${hash}`;
    const all = votes.get(key) ?? new Set();
    for (const one of signers) all.add(one);
    votes.set(key, all);
  };

  for (let step = 0; step < rounds; step += 1) {
    round += 1;
    const fails = random() < 0.03;
    const hash = hex(1 + step, 64);
    const twin = hex(2 ** 40 + step, 64);
    const forks = random() < 0.01;
    const order = [...addresses].sort(() => random() - 0.5);
    // Of two blocks that a leader proposes, each honest node votes for the first that it gets.
    const others = forks ? new Set(order.slice(0, pick(masternodes - enough + 1))) : new Set<string>();
    const voters = order.filter((one) => !others.has(one));
    for (const [index, pool] of pools.entries()) {
      if (random() < 0.02) continue;
      const shift = pick(voters.length);
      const first = [...voters.slice(shift), ...voters.slice(0, shift)].slice(0, fails ? pick(enough) : enough);
      const own = addresses[index];
      add(pool, hash, random() < 0.1 ? first.map((one) => (one === own ? ZERO_ADDRESS : one)) : first);
      if (others.size > 0) add(pool, twin, [...others]);
    }
    if (plantAt.has(step)) {
      const signer = voters[pick(voters.length)] as string;
      expected.add(`${begun} ${round} ${signer}`);
      const other = hex(2 ** 41 + step, 64);
      if (planting === 'sent') for (const pool of pools) if (random() < 0.9) add(pool, other, [signer]);
      if (planting === 'read') {
        const [one, two] = [pools[pick(masternodes)], pools[pick(masternodes)]] as [Pool, Pool];
        add(one, hash, [signer]);
        add(two, other, [signer]);
        one.held = round;
        two.held = round;
      }
    }
    const before = at;
    at += fails ? TIMEOUT_MS : PERIOD_MS;
    if (!fails) number += 1;
    for (const [index, pool] of pools.entries()) {
      if (isDue(phases[index] as number, before)) read(index);
      if (isDue(cleanings[index] as number, before)) clean(pool);
    }
    // All nodes begin again with the same genesis block; that takes a while.
    if (random() < 0.000_02 && ![...plantAt].some((one) => Math.abs(one - step) < 100)) {
      for (const pool of pools) pool.votes.clear();
      [round, number, begun, at] = [0, 0, begun + 1, at + MINUTE_MS];
    }
  }
  return { rounds, reads, planted, found: found.size, wrong };
}
