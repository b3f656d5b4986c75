/** A candidate of the validator contract. */
export interface Candidate {
  readonly address: string;
  /** In wei; read only where there are more candidates than there may be masternodes. */
  readonly stake?: bigint;
}

/** The blocks of an epoch from its gap block on, which count for the next choice: its masternodes, its rounds and who missed how many. */
export interface PartBefore {
  readonly active: readonly string[];
  readonly fromRound: number;
  readonly toRound: number;
  readonly missed: ReadonlyMap<string, number>;
}

/** The node of a masternode takes no part, or has run for so many ms, too few to have signed; undefined: its transactions show it. */
export type Presence = 'out' | number | undefined;

/** What one node says about the next choice of masternodes, beside what every node is asked for. */
export interface ElectionReading {
  /** The newest block of the node. */
  readonly block: number;
  readonly candidates: readonly Candidate[];
  /** Of the epoch before; absent in the first epoch, where epochs go by rounds, and where the node does not give it. */
  readonly before?: PartBefore;
  /** By address, of those that have missed rounds or are penalised; absent of one whose transactions were not counted twice yet. */
  readonly sent: ReadonlyMap<string, Sent>;
  /** From the start of this reading to that of the next, in milliseconds. */
  readonly againMs: number;
}

/**
 * What the counts of the transactions of an address show. Masternodes and penalised candidates sign each 15th block that they import,
 * by a transaction (XDC-Subnet eth/backend.go, `MergeSignRange`).
 */
export interface Sent {
  /** The block at the last count but one. */
  readonly since: number;
  /** The newest block after which it is known to have sent one; absent while it has sent none. */
  readonly after?: number | undefined;
}

/** What becomes of a masternode in the next epoch; `removed`: it is no candidate any more. */
export type NextState = 'active' | 'penalised' | 'standby' | 'removed';

/** Why a masternode has no turn in the next epoch. */
export type NextReason =
  /** No block of the current epoch so far. */
  | 'no-block'
  /** No block of the part of the last epoch that counts too. */
  | 'no-block-before'
  | 'still-penalised'
  /** Others have more stake. */
  | 'stake'
  | 'no-candidate';

/** What becomes of one masternode, and until when its operator can change it. */
export interface Fate {
  readonly state: NextState;
  readonly reason?: NextReason;
  /** It stays in if it signs this block, so if its node is in sync before it; absent where signing changes nothing any more. */
  readonly signBy?: number;
  /** It stays in if it makes a block up to this round, its last turn before the choice; absent where it has none. */
  readonly makeBy?: number;
}

const REASONS: Readonly<Record<NextReason, string>> = {
  'no-block': 'no block made in this epoch',
  'no-block-before': 'no block made in the last part of the epoch before',
  'still-penalised': 'penalised, and nothing signed lately',
  stake: 'others have more stake',
  'no-candidate': 'no longer a candidate',
};

/** Why a masternode has no turns in the next epoch; empty where it has, and where nobody knows. */
export const describeReason = ({ reason }: Fate): string => (reason === undefined ? '' : REASONS[reason]);

/** The set of the next epoch: predicted until the chain has chosen it. */
export interface NextSet {
  readonly isChosen: boolean;
  /** Those who have turns. */
  readonly active: readonly string[];
  /** Of all masternodes, also penalised and on standby, and of all new candidates. */
  readonly fates: ReadonlyMap<string, Fate>;
}
