import { type BlockMark, type ChainObservation, isSameConsensus, type MissedRounds } from '../model/chain.ts';
import type { Observation } from '../model/prober.ts';

/** Nodes that are asked within a minute say this many different things at most, as long as they agree. */
const REMEMBERED = 8;

type Compare<T> = (one: T, other: T) => boolean;

/** More texts than the nodes of a subnet have ids, addresses and hashes. Made-up ones are forgotten with all others. */
const MOST_TEXTS = 65_536;

/** Gives the string of an equal text that was given before, else the text itself. */
function createTextShare(): (text: string) => string {
  const known = new Map<string, string>();
  return (text) => {
    const same = known.get(text);
    if (same !== undefined) return same;
    if (known.size >= MOST_TEXTS) known.clear();
    known.set(text, text);
    return text;
  };
}

/** Gives a value that was given before and is equal, else the value itself. */
function createShare<T>(isSame: Compare<T>): (value: T) => T {
  const known: T[] = [];
  return (value) => {
    const same = known.find((one) => isSame(one, value));
    if (same !== undefined) return same;
    known.unshift(value);
    known.length = Math.min(known.length, REMEMBERED);
    return value;
  };
}

const isSameList =
  <T>(isSame: Compare<T>): Compare<readonly T[]> =>
  (one, other) =>
    one.length === other.length && one.every((entry, index) => isSame(entry, other[index] as T));

const isSameCount: Compare<Readonly<Record<string, number>>> = (one, other) => {
  for (const key in one) if (one[key] !== other[key]) return false;
  return Object.keys(one).length === Object.keys(other).length;
};

/**
 * Lets the nodes of a subnet share what most of them say alike: who is a masternode, who missed rounds, and the ids, addresses
 * and hashes. Thousands of nodes with copies of their own would fill the memory, and each copy would have to be compared.
 */
export function createSharing(): (chain: ChainObservation) => ChainObservation {
  const text = createTextShare();
  const addresses = createShare<readonly string[]>(isSameList((one, other) => one === other));
  const rounds = createShare<MissedRounds['rounds']>(
    isSameList((one, other) => one.round === other.round && one.miner === other.miner),
  );
  const counts = createShare(isSameCount);
  const settings = createShare(isSameConsensus);
  const marks = createShare<BlockMark>((one, other) => one.number === other.number && one.hash === other.hash);
  return (chain) => {
    const { genesis, address, nodeId, peerIds, consensus, masternodes, missedRounds, nextEpoch, pool, block } = chain;
    return {
      ...chain,
      ...(genesis !== undefined && { genesis: text(genesis) }),
      ...(address !== undefined && { address: text(address) }),
      ...(nodeId !== undefined && { nodeId: text(nodeId) }),
      ...(peerIds && { peerIds: peerIds.map(text) }),
      ...(consensus && { consensus: settings(consensus) }),
      ...(masternodes && {
        masternodes: {
          ...masternodes,
          active: addresses(masternodes.active),
          standby: addresses(masternodes.standby),
          penalised: addresses(masternodes.penalised),
        },
      }),
      ...(missedRounds && {
        missedRounds: {
          ...missedRounds,
          rounds: rounds(missedRounds.rounds),
          byMiner: counts(missedRounds.byMiner),
        },
      }),
      ...(nextEpoch && {
        nextEpoch: {
          ...nextEpoch,
          candidates: addresses(nextEpoch.candidates),
          penalised: addresses(nextEpoch.penalised),
        },
      }),
      ...(pool && { pool: { ...pool, neverSigned: addresses(pool.neverSigned) } }),
      ...(block && { block: marks(block) }),
    };
  };
}

/** An observation of a node with shared lists; any other as it is. */
export function shareChain(observation: Observation, share: ReturnType<typeof createSharing>): Observation {
  if (observation.kind !== 'node' || observation.seen.chain === undefined) return observation;
  return { ...observation, seen: { ...observation.seen, chain: share(observation.seen.chain) } };
}
