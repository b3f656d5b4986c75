import { isRecord } from '../../lib/values.ts';
import type {
  BlockMark,
  ChainObservation,
  ChainPart,
  Masternodes,
  MissedRounds,
  MissingReason,
  NextEpoch,
} from '../../model/chain.ts';
import type { AskedHeights } from '../../model/client.ts';
import type { Fault } from '../../model/observation.ts';
import {
  type AddressReader,
  createAddressReader,
  isWholeId,
  memberOf,
  readEnodeId,
  readHash,
  readId,
  toCount,
  toNumber,
} from './chain-values.ts';
import type { CallResult } from './json-rpc.ts';
import { toPoolStatus } from './pool-status.ts';
import { readConsensus } from './read-consensus.ts';

/** The calls of the question about the chain. A part is read from the call of its name. */
export type ChainCall = ChainPart;
export type ChainAnswers = Readonly<Partial<Record<ChainCall, CallResult>>>;

/** A part, or why it is missing; a part that is `truncated` is both. */
interface Part<T> {
  readonly value?: T | undefined;
  readonly reason?: MissingReason;
}

/** More are kept for nobody: the counts by miner are of all. */
const MAX_ROUNDS = 200;

const missing = (reason: MissingReason): Part<never> => ({ reason });

function toMissingReason(fault: Fault): MissingReason {
  switch (fault.kind) {
    case 'rpc-error':
      if (fault.known === 'v1-block') return 'not-yet';
      if (fault.known === 'rate-limit' || fault.known === 'unauthorised') return 'error';
      return fault.known === 'other' ? 'error' : fault.known;
    case 'status':
    case 'redirect':
      return 'error';
    case 'too-large':
      return 'too-large';
    case 'not-http':
    case 'not-json':
    case 'encoding':
    case 'envelope':
      return 'malformed';
    default:
      return 'no-answer';
  }
}

/** Reads a part from its answer. What the reader does not recognise is malformed. */
function toPart<T>(result: CallResult | undefined, read: (value: unknown) => Part<T> | undefined): Part<T> {
  if (result === undefined) return missing('not-served');
  return result.ok ? (read(result.value) ?? missing('malformed')) : missing(toMissingReason(result.fault));
}

const readPart =
  <T>(read: (value: unknown) => T | undefined) =>
  (value: unknown): Part<T> | undefined => {
    const known = read(value);
    return known === undefined ? undefined : { value: known };
  };

/** The chain id in `networkInformation`, whose `NetworkId` is that (XDC-Subnet consensus/XDPoS/api.go). */
const readNetworkId = (result: CallResult | undefined): number | undefined =>
  (result?.ok && isRecord(result.value) && toCount(memberOf(result.value, 'NetworkId'))) || undefined;

/** Before the block of EIP-155, `eth_chainId` is 0 (XDC-Subnet eth/api.go). */
const readChainId =
  (networkId: number | undefined) =>
  (value: unknown): Part<number> | undefined => {
    const id = toCount(value);
    if (id !== 0) return id === undefined ? undefined : { value: id };
    return networkId === undefined ? missing('not-yet') : { value: networkId };
  };

/** A fresh node answers its genesis with an error text, for it has no commit, but with the right hash. */
function readGenesis(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined;
  const number = memberOf(value, 'Number');
  return number === null || toCount(number) === 0 ? readHash(memberOf(value, 'Hash')) : undefined;
}

const readMark =
  (asked: number | undefined) =>
  (value: unknown): Part<BlockMark> | undefined => {
    if (!isRecord(value) || asked === undefined) return undefined;
    const error = memberOf(value, 'Error');
    if (error !== undefined && error !== null && error !== '') return missing('error');
    const hash = readHash(memberOf(value, 'Hash'));
    const number = toCount(memberOf(value, 'Number'));
    return hash !== undefined && number === asked ? { value: { number: asked, hash } } : undefined;
  };

/** Reads `getMasternodesByNumber`. Its `Error` is null when all is well, and an empty object when not. */
export const readMasternodes =
  (addresses: AddressReader) =>
  (value: unknown): Part<Masternodes> | undefined => {
    if (!isRecord(value)) return undefined;
    const error = memberOf(value, 'Error');
    if (error !== undefined && error !== null) return missing('error');
    const [number, round] = [toCount(memberOf(value, 'Number')), toCount(memberOf(value, 'Round'))];
    const active = addresses.readList(memberOf(value, 'Masternodes'));
    const epoch = toCount(memberOf(value, 'Epoch'));
    // Empty lists are null in Go, and what is null some clients leave out.
    const standby = addresses.readList(memberOf(value, 'Standbynodes') ?? null);
    const penalised = addresses.readList(memberOf(value, 'Penalty') ?? null);
    if (number === undefined || round === undefined || !active || !standby || !penalised) return undefined;
    // No chain is without masternodes.
    if (active.length === 0) return undefined;
    return { value: { number, round, ...(epoch !== undefined && { epoch }), active, standby, penalised } };
  };

/** Reads `getMissedRoundsInEpochByBlockNum`, whose list is null when no round was missed. `most`: as many rounds are kept. */
export const readMissedRounds =
  (addresses: AddressReader, most = MAX_ROUNDS) =>
  (value: unknown): Part<MissedRounds> | undefined => {
    const list = isRecord(value) ? (memberOf(value, 'MissedRounds') ?? []) : undefined;
    const epochBlock = isRecord(value) ? toCount(memberOf(value, 'EpochBlockNumber')) : undefined;
    const epochRound = isRecord(value) ? toCount(memberOf(value, 'EpochRound')) : undefined;
    if (!Array.isArray(list) || epochBlock === undefined || epochRound === undefined) return undefined;
    const rounds: { readonly round: number; readonly miner: string }[] = [];
    const byMiner: Record<string, number> = {};
    for (const entry of list) {
      const round = isRecord(entry) ? toCount(memberOf(entry, 'Round')) : undefined;
      const miner = isRecord(entry) ? addresses.read(memberOf(entry, 'Miner')) : undefined;
      if (round === undefined || miner === undefined) return undefined;
      rounds.push({ round, miner });
      byMiner[miner] = (byMiner[miner] ?? 0) + 1;
    }
    const newest = rounds.sort((a, b) => b.round - a.round).slice(0, most);
    const known = { value: { epochBlock, epochRound, rounds: newest, byMiner } };
    return newest.length < rounds.length ? { ...known, reason: 'truncated' } : known;
  };

const toHexAddress = (address: string): string => address.replace(/^xdc/i, '0x');

/** Reads `eth_getCandidates`, whose addresses begin with `xdc`, by their stakes. */
function readCandidates(
  candidates: Readonly<Record<string, unknown>>,
  addresses: AddressReader,
): Part<NextEpoch> | undefined {
  const entries = Object.entries(candidates).map(([address, one]) => ({
    address: toHexAddress(address),
    stake: isRecord(one) ? (toNumber(one.capacity) ?? 0) : 0,
    isPenalised: isRecord(one) && one.status === 'SLASHED',
  }));
  entries.sort((one, other) => other.stake - one.stake);
  const listed = addresses.readList(entries.map(({ address }) => address));
  const penalised = addresses.readList(entries.flatMap((one) => (one.isPenalised ? [one.address] : [])));
  if (!listed || !penalised) return undefined;
  return listed.length === 0 ? missing('error') : { value: { candidates: listed, penalised } };
}

/** Reads the header after a gap block, or the candidates. A node that does not have that block answers null. */
const readNextEpoch =
  (asked: number | undefined, addresses: AddressReader) =>
  (value: unknown): Part<NextEpoch> | undefined => {
    if (value === null) return missing('not-yet');
    if (!isRecord(value)) return undefined;
    if (isRecord(value.candidates)) return readCandidates(value.candidates, addresses);
    if (asked === undefined || toCount(value.number) !== asked) return undefined;
    // XDPoSChain has no such list, nor have older versions of Nethermind.
    if (value.nextValidators === undefined) return missing('not-served');
    const candidates = addresses.readList(value.nextValidators);
    const penalised = addresses.readList(value.penalties);
    if (!candidates || !penalised) return undefined;
    // Another consensus leaves them empty.
    return candidates.length === 0 ? missing('error') : { value: { block: asked, candidates, penalised } };
  };

/** The id of a node or a peer, or its enode address. */
const readNodeId = (value: unknown): string | undefined =>
  typeof value === 'string' ? readEnodeId(value) : isRecord(value) ? readId(value.id) : undefined;

/** Reads `admin_peers`, or `parity_netPeers`, whose ids may be of another kind, which say nothing beside those of others. */
function readPeerIds(value: unknown): readonly string[] | undefined {
  const listed = isRecord(value) ? value.peers : undefined;
  const ids = Array.isArray(listed)
    ? listed.map((peer) => (isRecord(peer) && isWholeId(peer.id) ? readId(peer.id) : undefined))
    : Array.isArray(value)
      ? value.map(readNodeId)
      : [undefined];
  return ids.every((id) => id !== undefined) ? ids : undefined;
}

const readSyncing = (value: unknown): boolean | undefined =>
  typeof value === 'boolean' ? value : isRecord(value) ? value.isSyncing !== false : undefined;

type Parts = Partial<{ readonly [Name in ChainPart]: Part<ChainObservation[Name]> }>;

const toMesh = ({ nodeId, peerIds }: ChainAnswers) =>
  ({
    nodeId: toPart(nodeId, readPart(readNodeId)),
    peerIds: toPart(peerIds, readPart(readPeerIds)),
  }) satisfies Parts;

function pick(parts: Readonly<Record<string, Part<unknown>>>, member: 'value' | 'reason'): Record<string, unknown> {
  const picked: Record<string, unknown> = {};
  for (const name in parts) if (parts[name]?.[member] !== undefined) picked[name] = parts[name][member];
  return picked;
}

const toObservation = (parts: Parts): ChainObservation => ({ ...pick(parts, 'value'), missing: pick(parts, 'reason') });

/** Adds what another transport answered about the peer mesh. */
export function addMesh(chain: ChainObservation, answers: ChainAnswers): ChainObservation {
  const { nodeId: _, peerIds: __, ...missing } = chain.missing;
  const mesh = toObservation(toMesh(answers));
  return { ...chain, ...mesh, missing: { ...missing, ...mesh.missing } };
}

/** The parts of the epoch, if the node was asked for it. */
function toEpoch(
  answers: ChainAnswers,
  next: number | undefined,
  own: string | undefined,
  addresses: AddressReader,
): Parts {
  if (answers.pool === undefined) return {};
  return {
    masternodes: toPart(answers.masternodes, readMasternodes(addresses)),
    missedRounds: toPart(answers.missedRounds, readMissedRounds(addresses)),
    // Most of the time there is nothing to ask.
    ...((next !== undefined || answers.nextEpoch !== undefined) && {
      nextEpoch: toPart(answers.nextEpoch, readNextEpoch(next, addresses)),
    }),
    pool: toPart(
      answers.pool,
      readPart((value) => toPoolStatus(value, own, addresses)),
    ),
  };
}

/**
 * Reads what a node answered about its chain. A height is undefined when its block was not asked for. Without an answer about the
 * pool, the epoch was not asked for.
 */
export function toChain(answers: ChainAnswers, { mark, next }: AskedHeights): ChainObservation {
  const addresses = createAddressReader();
  const address = toPart(answers.address, readPart(addresses.read));
  return toObservation({
    chainId: toPart(answers.chainId, readChainId(readNetworkId(answers.consensus))),
    genesis: toPart(answers.genesis, readPart(readGenesis)),
    address,
    ...toMesh(answers),
    consensus: toPart(answers.consensus, readPart(readConsensus)),
    ...toEpoch(answers, next, address.value, addresses),
    block: mark === undefined ? missing('not-yet') : toPart(answers.block, readMark(mark)),
    syncing: toPart(answers.syncing, readPart(readSyncing)),
  });
}
