import type { WatchedMs } from '../lib/clock.ts';
import { type ConsensusSettings, settingsAt } from './chain.ts';
import type { Advised, Client } from './client.ts';
import type { KnownTarget } from './facts.ts';
import type { Headline } from './headline.ts';
import type { Lag } from './lag.ts';
import type { Fate } from './next-set.ts';
import type { PlannedWork } from './planned-work.ts';
import type { Problem, ProblemRef } from './problem.ts';
import type { ProblemName } from './problem-catalog.ts';
import type { SubnetFacts } from './subnet-facts.ts';
import type { Subnet } from './target.ts';
import type { Upgrade } from './upgrade.ts';
import type { CheckName, CheckState } from './verdict.ts';

/** A known failure that a target shows, with its texts. */
export interface ShownFailure {
  readonly name: ProblemName;
  /** What is wrong, as the end of "because …". */
  readonly summary: (target: string, state: TargetState) => string;
  /** Where it leaves the program running: the checks that it explains, and the problems that it brings. One that ends it explains all. */
  readonly leavesRunning?: { readonly explains: readonly CheckName[]; readonly brings: readonly ProblemName[] };
  readonly symptom: string;
  readonly cause: string;
  /** The fix, as the imperative that ends a sentence. */
  readonly fix: string;
  /** The fix in the words of the client that the node runs; `shows` says whether its log has shown a pattern. */
  readonly advise?: (client: Client, node: Advised, shows: (pattern: string) => boolean) => string;
  /** The patterns whose lines show it. */
  readonly signs?: readonly string[];
}

/** The state of a check, with the problem that explains it. */
export type ExplainedCheckState = CheckState & {
  readonly because?: ProblemRef;
  /** What that problem is, as the end of "because …", when it is not a problem of the check itself. */
  readonly cause?: string;
};

/** One target with its facts and the state of each of its checks. */
export interface TargetState extends KnownTarget {
  readonly checks: readonly ExplainedCheckState[];
  /** Each known failure that the target can show. */
  readonly failures: readonly ShownFailure[];
  /** Those of them that it has shown, and has not run for ten minutes since, unless they are known to be over. */
  readonly shownFailures: readonly ShownFailure[];
  /** The others that it has shown: what has happened since shows that they are over. */
  readonly endedFailures?: readonly ShownFailure[];
  /** The worst problem that is open and is about it, or names it as a cause. */
  readonly problem?: Pick<Problem, 'problem' | 'severity' | 'summary' | 'fix' | 'since'>;
  /** The first critical problem about it, or that names it, which is not confirmed yet. */
  readonly suspected?: Pick<Problem, 'problem' | 'summary' | 'since'>;
  /** For a bootnode with a readable log: the nodes that it heard within its window. */
  readonly heardNodes?: readonly string[];
}

/** Votes of masternodes: how many there are, one at least, how many a block needs, and how many can be given. */
export interface Quorum {
  readonly total: number;
  readonly required: number;
  readonly voting: number;
  /** How many of those that can vote have just started, and must show it first. Absent when none has. */
  readonly starting?: number;
  /** How many of those that can vote may not do so: their last turn brought no block, or nobody may have their key. Absent when none. */
  readonly doubtful?: number | undefined;
  /** How many see each other at most, in a halt in which that is fewer than a block needs. */
  readonly together?: number | undefined;
}

/** How many more nodes can fail. One that has just started is not counted on. */
export const countReserve = ({ voting, required, starting = 0 }: Quorum): number => voting - starting - required;

/** Too few can vote for the next block, by what was seen last. The halt itself is confirmed after a while. */
export const isQuorumLost = (quorum: Quorum | undefined): quorum is Quorum =>
  quorum !== undefined && quorum.voting < quorum.required;

/** Whether a vote that a subnet could spare is missing. */
export const lacksSpare = (quorum: Quorum | undefined): quorum is Quorum =>
  quorum !== undefined && quorum.required < quorum.total && countReserve(quorum) <= 0;

/** What a masternode does for the next block; `silent`: its node is out, stands still or catches up, or nobody has a vote of it. */
export const VOTES = ['votes', 'silent', 'penalised', 'standby', 'unknown'] as const;
export type Vote = (typeof VOTES)[number];

/** Whether a masternode has turns in the current epoch. */
export const hasTurns = ({ vote = 'standby' }: { readonly vote?: Vote }): boolean =>
  vote !== 'penalised' && vote !== 'standby';

/** What is known of a node as a member of its chain. */
export interface Member {
  readonly name: string;
  /** Whether chain id and genesis block are those of most nodes; undefined while that is unknown. */
  readonly isOnChain?: boolean;
  /** Of a masternode; until the chain has named its masternodes, every node counts as one. */
  readonly vote?: Vote;
  /** Its newest turn brought no block, when the rounds were last counted. */
  readonly hasMissedTurn?: boolean;
  /** It gives subnetd no height, and takes part all the same, or what stands before it refuses. */
  readonly isUnseen?: boolean;
  /** It cannot take part, as the diagnosis sees it. */
  readonly isOut?: boolean;
  /** No other node can have it as a peer: it is out, or has just started or come back. */
  readonly isAbsent?: boolean;
}

/** A masternode, penalised or on standby too, as the chain has it in the current epoch. */
export interface Masternode {
  /** By which it votes: lower-case `0x…`. */
  readonly address: string;
  /** Its node in the inventory; absent when none has given this address. */
  readonly name?: string;
  /** The other nodes that run with its key. */
  readonly alsoOf?: readonly string[] | undefined;
  /** Its node by elimination: the only one that has never given an address, and is out or takes its turns, where each other address has its node. */
  readonly presumed?: string;
  readonly vote: Vote;
  /** It is counted as voting, and may not: its newest turn brought no block, or nobody may have its key. */
  readonly isDoubtful?: boolean;
  /** Blocks of the epoch that it made: its turns that brought one. */
  readonly blocksMade?: number;
  /** Its turns of the epoch that brought no block. */
  readonly missedRounds?: number;
  /** The newest rounds for which no node has a vote of it; 0 if one node has one. Only of masternodes that have turns. */
  readonly votesMissing?: number;
  /** The next epoch, if it is penalised or on standby now, and the chain has chosen it again. */
  readonly backInEpoch?: number;
  /** The next epoch, if its turn comes now, and the chain has not chosen it again. */
  readonly leavesInEpoch?: number;
  /** What becomes of it in the next epoch: predicted, or chosen (`Epoch.next`). */
  readonly next?: Fate;
  /** How it keeps up with the others; absent until anything is known of that. */
  readonly lag?: Lag;
}

/** The current epoch of a chain, by the node with the newest block. */
export interface Epoch {
  /** Counted from 0; absent until the chain has given the length of an epoch. */
  readonly number?: number;
  readonly firstBlock?: number;
  /** The block at which the masternodes of the next epoch are chosen. */
  readonly choiceBlock?: number;
  /** The first block of the next epoch. */
  readonly nextFirstBlock?: number;
  /** Epochs go by rounds, so the next one may begin at an earlier block. */
  readonly isNextAtLatest?: true;
  /** Whether it is known who has turns in the next epoch. */
  readonly isNextKnown: boolean;
  /** The votes of the next epoch, if all go on as they do: of those chosen, or predicted. */
  readonly next?: Pick<Quorum, 'total' | 'required' | 'voting' | 'doubtful'> & { readonly isChosen: boolean };
  /** The newest block that is counted, and its round. */
  readonly block: number;
  readonly round: number;
  /** The next change of the consensus settings, if one is to come. */
  readonly upgrade?: Upgrade;
  /** Those whose turn comes first, in the order of their turns. */
  readonly masternodes: readonly Masternode[];
}

/** The current state of a subnet. */
export interface SubnetState {
  readonly subnet: Subnet;
  readonly targets: readonly TargetState[];
  /** What is known of it beside its targets. */
  readonly facts?: SubnetFacts;
  /** What is wrong and why, the worst first. */
  readonly problems: readonly Problem[];
  /** The planned work that is in force. */
  readonly plannedWork?: readonly PlannedWork[];
  readonly quorum?: Quorum;
  readonly members?: readonly Member[];
  /** Undefined until the chain has named its masternodes. */
  readonly epoch?: Epoch;
  /** Its diagnosis breaks: when what is shown of the subnet as a whole was found, if it ever was. Absent while it does not break. */
  readonly brokenDiagnosis?: { readonly foundAt: WatchedMs | undefined };
  /** Its state in one sentence; absent before the first diagnosis. */
  readonly headline?: Headline;
  /** The height that at least half of the nodes have reached. */
  readonly reference?: number;
  /** How long a height may go without rising, as it is judged now. */
  readonly stallAfterMs?: number;
  /** How long no block has come, where that is longer than a turn that times out takes; else 0. */
  readonly quietMs?: number;
}

/** The settings of a chain that hold now, as the first node that knows them says. */
export function consensusOf({ targets, epoch }: Pick<SubnetState, 'targets' | 'epoch'>): ConsensusSettings | undefined {
  const [given] = targets.flatMap(({ facts }) => facts.node?.chain?.observation.consensus ?? []);
  return given && settingsAt(given, epoch?.round ?? 0);
}

/** Everything known at one moment; immutable. */
export type Snapshot = readonly SubnetState[];
