import type { ChainObservation } from '../model/chain.ts';
import type { Observation } from '../model/prober.ts';

/** Nodes that are asked within a minute say this many different things at most, as long as they agree. */
const REMEMBERED = 8;

type Compare<T> = (one: T, other: T) => boolean;

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
 * Lets the nodes of a subnet share the lists that most of them give alike: who is a masternode, and who missed rounds. Thousands
 * of nodes with lists of their own would fill the memory, and each list would have to be compared.
 */
export function createSharing(): (chain: ChainObservation) => ChainObservation {
  const addresses = createShare<readonly string[]>(isSameList((one, other) => one === other));
  const rounds = createShare<readonly { readonly round: number; readonly miner: string }[]>(
    isSameList((one, other) => one.round === other.round && one.miner === other.miner),
  );
  const counts = createShare(isSameCount);
  return (chain) => {
    const { masternodes, missedRounds, pool } = chain;
    return {
      ...chain,
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
      ...(pool && { pool: { ...pool, neverSigned: addresses(pool.neverSigned) } }),
    };
  };
}

/** An observation of a node with shared lists; any other as it is. */
export function shareChain(observation: Observation, share: ReturnType<typeof createSharing>): Observation {
  if (observation.kind !== 'node' || observation.seen.chain === undefined) return observation;
  return { ...observation, seen: { ...observation.seen, chain: share(observation.seen.chain) } };
}
