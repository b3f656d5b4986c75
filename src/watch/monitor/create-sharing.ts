import type {
  BlockMark,
  ChainObservation,
  ConsensusSettings,
  DatedSettings,
  Masternodes,
  MissedRounds,
  NextEpoch,
  PoolStatus,
} from '../../model/chain.ts';
import type { Block, NodeObservation, Peers, Result } from '../../model/observation.ts';

/** As many different values are remembered. Nodes that agree give fewer within a minute. */
const REMEMBERED = 8;

type Compare<T> = (one: T, other: T) => boolean;

/** More than the ids, addresses and hashes of a large subnet. When nodes make up more than that, all are forgotten. */
const MOST_TEXTS = 65_536;

/** Gives the string that was first given with this content. */
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

/** Gives an equal value that was given before, else the value itself. */
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

/** Whether two objects have the same members. Lists and objects in them are compared by identity, so they must be shared before. */
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

/** The same of what nodes say about their chain. */
function createChainSharing(): (chain: ChainObservation) => ChainObservation {
  const text = createTextShare();
  const addresses = createShare<readonly string[]>(isSameList((one, other) => one === other));
  const rounds = createShare<MissedRounds['rounds']>(isSameList(isSameObject));
  const counts = createShare<MissedRounds['byMiner']>(isSameObject);
  const dated = createShare<readonly DatedSettings[]>(isSameList(isSameObject));
  const settings = createShare<ConsensusSettings>(isSameObject);
  const members = createShare<Masternodes>(isSameObject);
  const missed = createShare<MissedRounds>(isSameObject);
  const choices = createShare<NextEpoch>(isSameObject);
  const pools = createShare<PoolStatus>(isSameObject);
  const marks = createShare<BlockMark>(isSameObject);
  const missingParts = createShare<ChainObservation['missing']>(isSameObject);

  const shareSettings = (one: ConsensusSettings): ConsensusSettings =>
    settings(one.byRound ? { ...one, byRound: dated(one.byRound) } : one);
  const shareMembers = (one: Masternodes): Masternodes =>
    members({
      ...one,
      active: addresses(one.active),
      standby: addresses(one.standby),
      penalised: addresses(one.penalised),
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
      ...(consensus && { consensus: shareSettings(consensus) }),
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
 * Replaces the parts that several nodes of a subnet say alike by one object: heights, counts of peers, masternodes, missed rounds.
 * Equal ids, addresses and hashes become one string. Without it, thousands of copies would fill the memory, and would have to be
 * compared one by one.
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
