import type {
  BlockMark,
  ChainObservation,
  ConsensusSettings,
  Masternodes,
  MissedRounds,
  NextEpoch,
  PoolStatus,
} from '../model/chain.ts';
import type { Block, NodeObservation, Peers, Result } from '../model/observation.ts';

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

/** Whether two have the same members with the same values. Lists and objects in them must be shared before. */
function isSameObject<T extends object>(one: T, other: T): boolean {
  for (const key in one) if (one[key] !== other[key] || !Object.hasOwn(other, key)) return false;
  for (const key in other) if (!Object.hasOwn(one, key)) return false;
  return true;
}

function createResultShare<T extends object>(): (result: Result<T>) => Result<T> {
  const values = createShare<T>(isSameObject);
  const results = createShare<Result<T>>(isSameObject);
  return (result) => (result.ok ? results({ ok: true, value: values(result.value) }) : result);
}

/** Lets nodes share what they say alike about their chain. */
function createChainSharing(): (chain: ChainObservation) => ChainObservation {
  const text = createTextShare();
  const addresses = createShare<readonly string[]>(isSameList((one, other) => one === other));
  const rounds = createShare<MissedRounds['rounds']>(isSameList(isSameObject));
  const counts = createShare<MissedRounds['byMiner']>(isSameObject);
  const settings = createShare<ConsensusSettings>(isSameObject);
  const members = createShare<Masternodes>(isSameObject);
  const missed = createShare<MissedRounds>(isSameObject);
  const choices = createShare<NextEpoch>(isSameObject);
  const pools = createShare<PoolStatus>(isSameObject);
  const marks = createShare<BlockMark>(isSameObject);
  const missingParts = createShare<ChainObservation['missing']>(isSameObject);

  const shareMembers = ({ number, round, active, standby, penalised }: Masternodes): Masternodes =>
    members({
      number,
      round,
      active: addresses(active),
      standby: addresses(standby),
      penalised: addresses(penalised),
    });
  const shareMissed = (one: MissedRounds): MissedRounds =>
    missed({ ...one, rounds: rounds(one.rounds), byMiner: counts(one.byMiner) });
  const shareChoice = (one: NextEpoch): NextEpoch =>
    choices({ ...one, candidates: addresses(one.candidates), penalised: addresses(one.penalised) });
  const sharePool = (one: PoolStatus): PoolStatus =>
    pools({ ...one, neverSigned: addresses(one.neverSigned), timeoutMissing: addresses(one.timeoutMissing) });

  return (chain) => {
    const { genesis, address, nodeId, peerIds, consensus, masternodes, missedRounds, nextEpoch, pool, block } = chain;
    return {
      ...chain,
      ...(genesis !== undefined && { genesis: text(genesis) }),
      ...(address !== undefined && { address: text(address) }),
      ...(nodeId !== undefined && { nodeId: text(nodeId) }),
      ...(peerIds && { peerIds: peerIds.map(text) }),
      ...(consensus && { consensus: settings(consensus) }),
      ...(masternodes && { masternodes: shareMembers(masternodes) }),
      ...(missedRounds && { missedRounds: shareMissed(missedRounds) }),
      ...(nextEpoch && { nextEpoch: shareChoice(nextEpoch) }),
      ...(pool && { pool: sharePool(pool) }),
      ...(block && { block: marks(block) }),
      missing: missingParts(chain.missing),
    };
  };
}

/**
 * Lets the nodes of a subnet share what most of them say alike: heights and counts of peers, who is a masternode and who missed
 * rounds. Equal ids, addresses and hashes become one string. Thousands of nodes with copies of their own would fill the memory, and each
 * copy would have to be compared.
 */
export function createSharing(): (seen: NodeObservation) => NodeObservation {
  const shareLatest = createResultShare<Block>();
  const shareCommitted = createResultShare<Block>();
  const sharePeers = createResultShare<Peers>();
  const shareChain = createChainSharing();
  return (seen) => {
    const { latest, committed, peers, chain } = seen;
    return {
      ...seen,
      latest: shareLatest(latest),
      ...(committed && { committed: shareCommitted(committed) }),
      ...(peers && { peers: sharePeers(peers) }),
      ...(chain && { chain: shareChain(chain) }),
    };
  };
}
