import { mostMasternodes, settingsAt } from '../../model/chain.ts';
import type { Candidate, ElectionReading, PartBefore, Sent } from '../../model/next-set.ts';
import type { SubnetObservation } from '../../model/subnet-facts.ts';
import type { Subnet } from '../../model/target.ts';
import { toGethChainCalls, toHex } from '../clients/geth-calls.ts';
import { callValidator, GET_CANDIDATES, readCandidates } from './candidates.ts';
import { readMasternodes, readMissedRounds } from './chain-results.ts';
import { createAddressReader, memberOf, toCount } from './chain-values.ts';
import { type Ask, createNodeAsker } from './find-on-subnet.ts';
import type { Call } from './json-rpc.ts';
import { readConsensus } from './read-consensus.ts';

/** While somebody has missed a round or is penalised, and where nothing could be read. */
const EVERY_MS = 60_000;

/** Otherwise so many times an epoch, but not more rarely than that. */
const READINGS = 8;
const RARELY_MS = 5 * 60_000;

/** No chain has more masternodes than 108. More are not worth their cost. */
const MOST_ACTIVE = 500;

/** After the first rounds, which are the busiest. */
const FIRST_AFTER_MS = 15_000;

/** The selector of `getCandidateCap(address)` (XDC-Subnet contracts/validator). */
const GET_STAKE = '0x58e7525f';

const readStake = (result: unknown): bigint | undefined =>
  typeof result === 'string' && /^0x[\da-f]{64}$/i.test(result) ? BigInt(result) : undefined;

/** Stakes decide only who is left out when there are too many, so most subnets are never asked for them. */
async function readStakes(ask: Ask, addresses: readonly string[], max: number): Promise<readonly Candidate[]> {
  if (addresses.length <= max || addresses.length > MOST_ACTIVE) return addresses.map((address) => ({ address }));
  const stakes = await ask(
    addresses.map((address) => callValidator(`${GET_STAKE}${address.slice(2).padStart(64, '0')}`)),
  );
  return addresses.map((address, index) => ({ address, stake: readStake(stakes[index]) }));
}

/** Reads the part of the epoch before `first` that counts for the next choice: from its gap block on. */
async function readBefore(ask: Ask, consensus: string, first: number, gap: number): Promise<PartBefore | undefined> {
  const calls = toGethChainCalls(consensus, { mark: first - gap });
  const atLast = (call: Call): Call => ({ ...call, params: [toHex(first - 1)] });
  const [list, rounds, block] = await ask([atLast(calls.masternodes), atLast(calls.missedRounds), calls.block]);
  const addresses = createAddressReader();
  const masternodes = readMasternodes(addresses)(list)?.value;
  const missedRounds = readMissedRounds(addresses, Number.POSITIVE_INFINITY)(rounds)?.value;
  const fromRound = block !== null && typeof block === 'object' ? toCount(memberOf({ ...block }, 'Round')) : undefined;
  if (masternodes === undefined || missedRounds === undefined || fromRound === undefined) return undefined;
  const counted = missedRounds.rounds.filter(({ round }) => round >= fromRound).map(({ miner }) => miner);
  const missed = new Map([...Map.groupBy(counted, (miner) => miner)].map(([miner, all]) => [miner, all.length]));
  return { active: masternodes.active, fromRound, toRound: masternodes.round, missed };
}

/** What is remembered from one reading to the next. */
interface Memory {
  /** The first block of the epoch before which `before` was read. */
  first?: number;
  before?: PartBefore | undefined;
  candidates: readonly Candidate[];
  block?: number;
  readonly counts: Map<string, { readonly block: number; readonly count: number }>;
  readonly sent: Map<string, Sent>;
}

/** Counts the transactions of these addresses at a block. */
async function countSent(
  ask: Ask,
  { counts, sent }: Memory,
  addresses: readonly string[],
  block: number,
): Promise<void> {
  const calls = addresses.map((address) => ({ method: 'eth_getTransactionCount', params: [address, 'latest'] }));
  const results = calls.length === 0 ? [] : await ask(calls);
  for (const [index, address] of addresses.entries()) {
    const [last, count] = [counts.get(address), toCount(results[index])];
    if (count === undefined) continue;
    counts.set(address, { block, count });
    if (last === undefined) continue;
    const after = count > last.count ? last.block : sent.get(address)?.after;
    sent.set(address, { since: last.block, ...(after !== undefined && { after }) });
  }
}

/**
 * Reads what decides who has turns in the next epoch; undefined from a node that does not say it, or has come no further than at the
 * reading before, by whatever node.
 */
export function createElectionReader(consensus: string): (ask: Ask) => Promise<ElectionReading | undefined> {
  const memory: Memory = { candidates: [], counts: new Map(), sent: new Map() };
  const calls = toGethChainCalls(consensus);
  const asked = [calls.masternodes, calls.missedRounds, calls.consensus, GET_CANDIDATES];
  return async (ask) => {
    const [list, rounds, info, contract] = await ask(asked);
    const addresses = createAddressReader();
    const masternodes = readMasternodes(addresses)(list)?.value;
    const missed = readMissedRounds(addresses)(rounds)?.value?.byMiner ?? {};
    const settings = readConsensus(info);
    if (masternodes === undefined || settings === undefined) return undefined;
    const { number: block, round, active, penalised, standby } = masternodes;
    if (block <= (memory.block ?? -1) || active.length > MOST_ACTIVE) return undefined;
    memory.block = block;
    const { epoch, gap, minePeriodMs } = settings;
    const first = block - (block % epoch);
    const isNew = first !== memory.first;
    if (isNew) {
      memory.before = first > 0 ? await readBefore(ask, consensus, first, gap) : undefined;
      if (first === 0 || memory.before !== undefined) memory.first = first;
    }
    // Without the contract nobody is known to join or to resign.
    const named = readCandidates(contract) ?? [...active, ...penalised, ...standby];
    if (isNew || named.join() !== memory.candidates.map(({ address }) => address).join())
      memory.candidates = await readStakes(ask, named, mostMasternodes(settingsAt(settings, round)));
    // Of all others nobody needs to know whether they sign.
    const atRisk = new Set([...penalised, ...Object.keys(missed), ...(memory.before?.missed.keys() ?? [])]);
    await countSent(ask, memory, [...atRisk], block);
    const { before, candidates, sent } = memory;
    const againMs = Math.min(Math.max((epoch * minePeriodMs) / READINGS, EVERY_MS), RARELY_MS);
    return {
      ...{ block, candidates, sent: new Map(sent), againMs: atRisk.size > 0 ? EVERY_MS : againMs },
      ...(before && { before }),
    };
  };
}

/** Asks the first nodes of a subnet, one after another, about once a minute. */
export function createNextSetSource(subnet: Subnet, keepsAlive: () => boolean) {
  const { askEach, close } = createNodeAsker(subnet, keepsAlive);
  const read = createElectionReader(subnet.consensus);
  return {
    everyMs: EVERY_MS,
    firstAfterMs: FIRST_AFTER_MS,
    probe: async (signal: AbortSignal): Promise<SubnetObservation<'election'>> => {
      const seen = await askEach(read, signal);
      return { kind: 'election', seen, ...(seen && { againMs: seen.againMs }) };
    },
    close,
  };
}
