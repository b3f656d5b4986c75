/** The parts of a `ChainObservation` that a node may lack. */
export const CHAIN_PARTS = [
  'chainId',
  'genesis',
  'address',
  'nodeId',
  'peerIds',
  'consensus',
  'masternodes',
  'missedRounds',
  'nextEpoch',
  'pool',
  'block',
  'syncing',
] as const;

export type ChainPart = (typeof CHAIN_PARTS)[number];

/** Why a part is missing. */
export type MissingReason =
  /** The node does not serve the namespace, and the inventory names no IPC socket. */
  | 'not-served'
  | 'method-not-found'
  /** The node has the method, and does not serve its namespace. */
  | 'module-off'
  /** The method's handler crashed inside the node. */
  | 'crashed'
  | 'not-started'
  /** Another error of the node. */
  | 'error'
  /** The answer has another form than the recorded ones. */
  | 'malformed'
  | 'too-large'
  /** The connection failed, or the time ran out. */
  | 'no-answer'
  /** The chain is too young for it, or its height is unknown. */
  | 'not-yet'
  /** The part is there, but only its newest entries. */
  | 'truncated';

/** The consensus settings that hold from a round on; periods in milliseconds. */
export interface RoundSettings {
  readonly minePeriodMs: number;
  readonly timeoutPeriodMs: number;
  /** The share of the masternodes whose votes make a quorum, such as 0.667. */
  readonly certificateThreshold: number;
  /** How many masternodes there may be at most; absent where the chain does not say so. */
  readonly maxMasternodes?: number;
  /** Each timeout in a row takes so many times as long as the one before, up to this power; absent where all are equal. */
  readonly timeoutBase?: number;
  readonly timeoutMaxExponent?: number;
}

/** Settings with the round from which they hold. */
export interface DatedSettings extends RoundSettings {
  readonly round: number;
}

/** The consensus settings of a chain. Those of a round are the ones that hold at that round, if the chain dates them. */
export interface ConsensusSettings extends RoundSettings {
  /** In blocks or in rounds (`Client.epochsBy`). */
  readonly epoch: number;
  /** In blocks. */
  readonly gap: number;
  /** all that the node knows, the oldest first; empty where it does not say from which round they hold. */
  readonly byRound?: readonly DatedSettings[];
}

/** The settings that hold at a round. */
export function settingsAt(settings: ConsensusSettings, round: number): ConsensusSettings {
  const dated = settings.byRound?.findLast((one) => one.round <= round);
  if (dated === undefined) return settings;
  const { epoch, gap, byRound } = settings;
  const { round: _, ...now } = dated;
  return { ...now, epoch, gap, byRound };
}

/** How many masternodes an epoch may have; where the settings do not say it, as many as in XDC-Subnet (common/constants.go). */
export const mostMasternodes = (settings: RoundSettings | undefined): number => settings?.maxMasternodes ?? 108;

/** How long a round waits for its block, after so many that waited in vain. */
export const timeoutMs = (
  { timeoutPeriodMs, timeoutBase = 1, timeoutMaxExponent = 0 }: RoundSettings,
  before: number,
): number => timeoutPeriodMs * timeoutBase ** Math.min(before, timeoutMaxExponent);

/** The members of the epoch of a node's newest block, by their addresses. */
export interface Masternodes {
  readonly number: number;
  readonly round: number;
  /** Counted by rounds, whatever the epochs of the chain go by; not all clients say it. */
  readonly epoch?: number;
  readonly active: readonly string[];
  readonly standby: readonly string[];
  readonly penalised: readonly string[];
}

/** The rounds of the current epoch whose miner made no block. */
export interface MissedRounds {
  /** The first block of the epoch. */
  readonly epochBlock: number;
  /** The round of that block. */
  readonly epochRound: number;
  /** The newest 200, the newest first. */
  readonly rounds: readonly { readonly round: number; readonly miner: string }[];
  /** How many rounds of the epoch each address missed, of all rounds. */
  readonly byMiner: Readonly<Record<string, number>>;
}

/**
 * Who makes the blocks of the next epoch, as the header after the gap block lists them (XDC-Subnet engine_v2/verifyHeader.go). Where
 * headers have no such list, the candidates of now: who of them has a turn is decided when the epoch begins.
 */
export interface NextEpoch {
  /** The height of that header: one above the gap block. */
  readonly block?: number;
  /** In their order; the first of them that are not penalised become masternodes. */
  readonly candidates: readonly string[];
  readonly penalised: readonly string[];
}

/** Who has signed which block of a round, as a pool names them. The key is `round:gap:number:hash`, or of the first and the last. */
export type PoolVotes = readonly {
  readonly key: string;
  readonly round: string;
  readonly signers: readonly string[];
}[];

/** What a node's pool says about votes and timeouts. The node's own signature, which the pool does not name, counts. */
export interface PoolStatus {
  /** How many of the newest rounds with votes count. The pool stops at the quorum, so a healthy node too is missing in some. */
  readonly voteRounds: number;
  /** Missing in each of these rounds; empty with fewer than 4 of them. */
  readonly neverSigned: readonly string[];
  /** The rounds with timeout messages; 0 while blocks come. */
  readonly timeouts: number;
  /** The newest round in which the node itself waited for a block in vain; 0 without one. */
  readonly timeoutRound: number;
  /** Without those whose signer the pool does not name. They are compared with those of other pools, and not kept with the rest. */
  readonly votes?: PoolVotes;
}

/** The hash of a block at a height that several nodes are asked for. */
export interface BlockMark {
  readonly number: number;
  readonly hash: string;
}

/** What a node says is wrong with it, as the end of a sentence, and what to do. */
export interface HealthFault {
  readonly of: 'blocks' | 'peers' | 'disk';
  readonly seen: string;
  readonly fix: string;
}

/** The parts that are of the whole subnet, not of one node. In a large subnet few nodes are asked for them at a time. */
export const EPOCH_PARTS = ['masternodes', 'missedRounds', 'nextEpoch', 'pool'] as const satisfies readonly ChainPart[];

/**
 * What a node says about its chain, asked about once a minute. A part that it does not give is absent, with the reason in
 * `missing`; one that it was not asked for is absent without a reason. Addresses and hashes are lower-case `0x…`. Recorded from XDC-Subnet v0.3.2.
 */
export interface ChainObservation {
  /** By `eth_chainId`, which is 0 before the block of EIP-155; then by `networkInformation`. */
  readonly chainId?: number;
  /** The hash of the block 0. */
  readonly genesis?: string;
  /** The address by which it votes: `eth_coinbase`. */
  readonly address?: string;
  /** The first 16 hexadecimal digits of its enode id, as its log prints it. */
  readonly nodeId?: string;
  /** Same for each of its peers; only where `admin` is served. */
  readonly peerIds?: readonly string[];
  readonly consensus?: ConsensusSettings;
  readonly masternodes?: Masternodes;
  readonly missedRounds?: MissedRounds;
  /** Only in the second part of an epoch, and from the second question on: the first one brings the length of an epoch. */
  readonly nextEpoch?: NextEpoch;
  readonly pool?: PoolStatus;
  /** The newest block whose height is a multiple of 32, and at least 16 below the newest block. */
  readonly block?: BlockMark;
  readonly syncing?: boolean;
  /** Absent where it is not asked how it is, or does not say. */
  readonly health?: readonly HealthFault[];
  readonly missing: Readonly<Partial<Record<ChainPart, MissingReason>>>;
}

/** What a node said about the epoch, and about the choice of masternodes for the next one. */
export type EpochObservation = {
  readonly [Part in 'masternodes' | 'missedRounds' | 'nextEpoch']: ChainObservation[Part] | undefined;
};

/** The node is asked each minute. */
const HEALTH_COUNTS_MS = 3 * 60_000;

/** What a node has lately said is wrong with it. */
export const healthOf = (
  chain: { readonly at: number; readonly observation: ChainObservation } | undefined,
  now: number,
): readonly HealthFault[] =>
  chain !== undefined && now - chain.at < HEALTH_COUNTS_MS ? (chain.observation.health ?? []) : [];

/** The same as the end of a sentence that begins with something else; empty without any. */
export const describeHealth = (faults: readonly HealthFault[]): string =>
  faults.length === 0 ? '' : `, and its own /health says that ${faults.map(({ seen }) => seen).join(' and that ')}`;

/** A height this far above the others is not a lead: the chain makes about that many blocks in half an hour. */
const NOT_CREDIBLE_BLOCKS = 1_000;

/** Can a node have this height, given the one that at least half of the nodes have reached? */
export const isCredible = (height: number, reference: number | undefined): boolean =>
  reference === undefined || height - reference <= NOT_CREDIBLE_BLOCKS;

/** How long two cycles of turns take at most, where one masternode misses both of its own; 0 while the settings are not known. */
export const twoCyclesMs = (
  masternodes: number,
  { minePeriodMs, timeoutPeriodMs }: Pick<ConsensusSettings, 'minePeriodMs' | 'timeoutPeriodMs'> = {
    minePeriodMs: 0,
    timeoutPeriodMs: 0,
  },
): number => 2 * (masternodes * minePeriodMs + timeoutPeriodMs);
