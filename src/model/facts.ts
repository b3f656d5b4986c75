import type { WatchedMs } from '../lib/clock.ts';
import type { BlockMark, ChainObservation, EpochObservation } from './chain.ts';
import type { VotePair } from './double-vote.ts';
import type { Fill } from './fill.ts';
import type { LogSource, LogSourceState, Meaning } from './log.ts';
import type {
  ContainerObservation,
  NodeObservation,
  PageObservation,
  QueueFacts,
  RelayerMode,
  ServiceObservation,
  StatsFacts,
} from './observation.ts';
import type { ClientInfo, Target } from './target.ts';

/** A block height followed over many probes. */
export interface Progress {
  readonly number: number;
  /** The block's own time in Unix seconds, if the node gave it. */
  readonly timestamp?: number;
  /** When the height last rose, as exactly as the block's own time tells; initially, when it was first seen. */
  readonly advancedAt: WatchedMs;
  /** Whether it was seen to rise, and has not fallen by more than half since. */
  readonly risen: boolean;
  /** Since when a rise is due: the last rise, the first reading, or a fall that set a new base. */
  readonly riseDueSince: WatchedMs;
  readonly lastGoodAt: WatchedMs;
  /** Since when half of the nodes are known to be above it; absent while they are not. A halt of all does not count. */
  readonly passedAt?: WatchedMs;
  /** The last time the height was lower than before. */
  readonly fall?: Fall;
  /** While the height is not credible: the last one that was. */
  readonly credible?: Progress;
}

/** A height that went down, as after an unclean stop or on a new chain. */
export interface Fall {
  readonly from: number;
  readonly to: number;
  readonly at: WatchedMs;
  /** Whether it had fallen shortly before, or had not risen since. */
  readonly repeated: boolean;
  /** The own time of the block from which it fell, and when that had come, where it was seen to come. */
  readonly timestamp?: number | undefined;
  readonly cameAt?: WatchedMs;
}

/** What a node said about its chain the last time that it said anything. */
export interface ChainFacts {
  /** Its last answer. */
  readonly observation: ChainObservation;
  readonly at: WatchedMs;
  /** By the last answer to a question that asked for it. */
  readonly epoch: EpochObservation;
  /** The chain that it was on before, and when it first said that it is on another one. */
  readonly replaced?: {
    readonly chainId: number | undefined;
    readonly genesis: string | undefined;
    readonly at: WatchedMs;
  };
  /** The address by which it signed before its key was replaced, and when it first gave another one. */
  readonly keyBefore?: { readonly address: string; readonly at: WatchedMs };
  /** Since when it has listed the same peers. */
  readonly listsSince?: WatchedMs;
  /** When it first said that it waits in the round in which it still does; absent while blocks come. */
  readonly waitsSince?: WatchedMs;
  /** The last 4 marks of this chain, the newest height last, so that nodes at different heights share one. */
  readonly marks: readonly BlockMark[];
}

/** Facts about a node from its JSON-RPC. */
export interface NodeFacts {
  readonly observation: NodeObservation;
  /** What it last said that it runs. */
  readonly client?: ClientInfo;
  readonly latest?: Progress;
  readonly committed?: Progress;
  readonly chain?: ChainFacts;
  /** Since when no probe was answered; absent while it answers. */
  readonly silentSince?: WatchedMs | undefined;
  /** Its first answer after a probe without one, and since when it had given none before. */
  readonly returned?: { readonly at: WatchedMs; readonly silentSince: WatchedMs };
  /** When it last had more peers than in the probe before. */
  readonly foundPeerAt?: WatchedMs | undefined;
}

/** How a run ended. */
export interface Exit {
  readonly code: number;
  readonly at: WatchedMs;
}

/** One run of a container; `restartCount` is that at its start. */
export interface ContainerRun {
  readonly id: string;
  readonly startedAt: WatchedMs;
  readonly restartCount: number;
}

/** What caused the last start: the restart policy, a request by a person or program, or a new container. */
export type StartedBy = 'policy' | 'request' | 'recreation';

/** What was counted so far. With it, a start or a kill counts once, although inspections and events both show it. */
interface CountedRuns {
  /** Whether an inspection has ever succeeded. Before that, what is found is history. */
  readonly inspected: boolean;
  /** The last inspected run, and the one before it. */
  readonly run?: ContainerRun;
  readonly runBefore?: ContainerRun;
  /** The begin of the last run before this one that lasted for a minute. */
  readonly wellFrom?: WatchedMs;
  /** The last counted `oom` event; a start after it sets `open` to false. */
  readonly countedOomEvent?: { readonly id: string; readonly at: WatchedMs; readonly open: boolean };
  /** The last run that an inspection, not an event, showed as out of memory. */
  readonly countedOomRun?: { readonly id: string; readonly startedAt: WatchedMs; readonly until: WatchedMs };
}

/** Facts about a container; counters start at 0 with the process. */
export interface ContainerFacts extends CountedRuns {
  /** The last inspection; absent while there were only events, or one that contradicts it. */
  readonly observation?: ContainerObservation | undefined;
  /** The last time that nothing listened at the address of its engine: the first and the last inspection that saw so. */
  readonly engineDown?: { readonly from: WatchedMs; readonly to: WatchedMs } | undefined;
  /** Since when each inspection has found this run running; absent while the last one did not. */
  readonly runsSince?: WatchedMs;
  /** Starts after the first one, by the restart policy, by hand, or as a new container of the service. */
  readonly restarts: number;
  readonly lastRestartAt?: WatchedMs;
  readonly lastRestartBy?: StartedBy;
  /** The last two earlier restarts after an exit that nobody had requested. */
  readonly earlierCrashes?: readonly WatchedMs[];
  /** As Docker says, never by an exit code. */
  readonly oomKills: number;
  /** The memory of a run that has a limit. */
  readonly memory?: Fill | undefined;
  readonly lastOomAt?: WatchedMs;
  /** The exit of the last run that ended; kept while the next one runs. */
  readonly lastExit?: Exit;
  /**
   * The last SIGKILL that nobody requested through Docker. It may mean out of memory, even if Docker does not report
   * that.
   */
  readonly unrequestedKill?: { readonly id: string; readonly at: WatchedMs };
  /** The last exit that nobody had requested through Docker. */
  readonly unrequestedExit?: { readonly id: string; readonly at: WatchedMs };
  /** The last time Docker was asked to signal or stop it; `since`: the first one of those that led to one end, as a kill follows a stop. */
  readonly lastStopRequest?: { readonly id: string; readonly at: WatchedMs; readonly since?: WatchedMs };
  /** How long it took from the request to its end when it was last stopped on request. */
  readonly stopTookMs?: number;
}

/** Facts about a service from its HTTP answers. */
export interface ServiceFacts {
  readonly observation: ServiceObservation;
  /** Of a relayer, as they were when they were last read. */
  readonly queues?: readonly QueueFacts[];
  /** Of a stats server that answered the last probe. */
  readonly stats?: StatsFacts;
}

/** Facts about the frontend's page from the visits of a browser. */
export interface PageFacts {
  readonly observation: PageObservation;
  /** Errors of all visits since subnetd started; a page that did not open counts as one. */
  readonly errors: number;
}

/** Facts about one mode from its lines. */
export interface RelayerModeFacts {
  /** The first line of the last cycle. */
  readonly cycleAt?: WatchedMs;
  /** The last line: the first of a cycle, another of a cycle, an attempt, or its end. */
  readonly phase: 'cycle' | 'working' | 'attempt' | 'done' | 'failed';
  readonly phaseAt: WatchedMs;
  /** The last success marker after an attempt, or the heartbeat of a zero mode, which does not submit. */
  readonly submittedAt?: WatchedMs;
  /** Whether an attempt was printed after the last success marker. */
  readonly attempted: boolean;
  /** The first block of the last attempt; while it rises, the relayer is catching up. */
  readonly startBlock?: number;
  readonly advancedAt?: WatchedMs;
  /** The pattern of the last error after the last success marker. The cause has precedence over a cycle's own error line. */
  readonly error?: { readonly pattern: string; readonly at: WatchedMs };
  /** Of a zero mode whose cycles only wait for a block in the checkpoint contract: since when that is at which block. */
  readonly waits?: { readonly since: WatchedMs; readonly wanted: number; readonly block: number } | undefined;
  /** Whether the error belongs to the current cycle, whose own error line is still to come. */
  readonly hasCause?: boolean;
}

/** Facts about the relayer from its log. */
export interface RelayerLogFacts {
  readonly startedAt?: WatchedMs;
  /** As printed at the start, or as the cycles show; empty when it is idle. */
  readonly modes?: readonly RelayerMode[];
  readonly byMode: Readonly<Partial<Record<RelayerMode, RelayerModeFacts>>>;
  readonly died?: { readonly at: WatchedMs; readonly because?: string };
  readonly redisDiedAt?: WatchedMs;
  /** Why redis, which runs, takes no data, by its pattern. */
  readonly redisFault?: string;
  /** When it ended on order, as its container stopped; absent once it runs again. */
  readonly stoppedAt?: WatchedMs;
  readonly forkAt?: WatchedMs;
  /** Success markers since subnetd started. */
  readonly submissions: number;
  /** The newest success marker. */
  readonly submittedAt?: WatchedMs;
  /** Why the last start failed, by its pattern. */
  readonly startError?: string;
}

/** How often a pattern matched, and when it last did. */
export interface PatternFacts {
  readonly means: Meaning;
  readonly count: number;
  /** The last match. */
  readonly at: WatchedMs;
  /** The order of the last match among all matches of the target. */
  readonly order: number;
  /** What it means and what to do: the texts of the pack, never of the line. */
  readonly what: string;
  readonly fix?: string;
  /** Whether it is an operator's own pattern, from the inventory. */
  readonly own: boolean;
}

/** Heights far below the known one since the last line near it: the greatest, and how many lines rose to it. */
export interface LowHeights {
  readonly height: number;
  readonly lines: number;
}

/** A double vote that a line proves. */
export interface ProvenPair extends VotePair {
  readonly at: WatchedMs;
}

/** A block that the log of a node has shown as it came from another node. */
export interface LoggedImport {
  readonly number: number;
  readonly at: WatchedMs;
  /** How long the node says that it took to import it, in milliseconds. */
  readonly tookMs?: number | undefined;
}

/** Facts about a node from its log. */
export interface NodeLogFacts {
  readonly height?: number;
  /** When the line that raised it was printed. */
  readonly advancedAt?: WatchedMs;
  /** The log level the node was started with, 0 to 5. */
  readonly level?: number;
  /** The last start and the last order to stop that its lines tell. */
  readonly startedAt?: WatchedMs;
  readonly stoppedAt?: WatchedMs;
  /** The begin of the last run before that which brought blocks for a minute. */
  readonly wellFrom?: WatchedMs;
  /** When the first of a series of earlier runs without a block began; absent once a run has brought one. */
  readonly failedFrom?: WatchedMs;
  /** The height before the last start. */
  readonly heightBefore?: number;
  readonly below?: LowHeights;
  /** The last fall, from a height of another chain. */
  readonly fall?: { readonly from: number; readonly to: number; readonly at: WatchedMs };
  /** The double votes that its last lines prove. */
  readonly proofs?: readonly ProvenPair[];
  /** The last one of those that are compared (`isSampled`). */
  readonly imported?: LoggedImport;
}

/** Facts about the stats server from its data lines. */
export interface StatsLogFacts {
  /** The highest block, when a node last sent any, and when the height last rose. */
  readonly block?: {
    readonly number: number;
    readonly at: WatchedMs;
    readonly risenAt: WatchedMs;
    readonly below?: LowHeights;
  };
}

/** Facts from the lines of a target's log, by its component. */
export interface LogState {
  readonly node?: NodeLogFacts;
  /** `host:port` of each node the bootnode heard, with the last time, the newest at the end. Changed in place. */
  readonly heard?: Map<string, number>;
  readonly relayer?: RelayerLogFacts;
  readonly stats?: StatsLogFacts;
}

/** What the environment of a container sets, as far as anything is judged by it. */
export interface CreatedSettings {
  /** `LOG_LEVEL` of a node, 0 to 5. */
  readonly level?: number;
  /** Its port for peers with the container's address on its network, as the bootnode sees it. */
  readonly p2p?: string;
  /** The bootnodes of a node, as `ID@host:port`. */
  readonly bootnodes?: readonly string[];
  /** `NETWORK_ID` of a node. */
  readonly networkId?: number;
  /** `CHECKPOINT_CONTRACT` of a relayer, in lower case with `0x`. */
  readonly contract?: string;
  /** Those of `MODE_VARIABLES` that are not set while another one is, as of a relayer. */
  readonly unset?: readonly string[];
  /** `SUBNET_ZERO_WALLET_PK` of a relayer is set, and not used, as it does not begin with 0x. */
  readonly isZeroKeyBare?: boolean;
}

/** All facts about a target's log. */
export interface LogFacts extends LogState {
  readonly sources: Readonly<Partial<Record<LogSource, LogSourceState>>>;
  /** By the name of the pattern. */
  readonly patterns: Readonly<Record<string, PatternFacts>>;
  /** The total size of the files that are read. */
  readonly fileBytes?: number;
  /** Whether they are written faster than they are read. */
  readonly isBehind?: boolean;
  /** How far a node's clock is ahead of ours, by the times in its lines; negative when it is behind. */
  readonly clockAheadMs?: number;
  /** What the container was created with. */
  readonly created?: CreatedSettings;
}

/** The facts of one target, by the kind of prober that obtained them. */
export interface Facts {
  readonly node?: NodeFacts;
  readonly container?: ContainerFacts;
  readonly service?: ServiceFacts;
  readonly page?: PageFacts;
  readonly logs?: LogFacts;
  /** The address by which a node signed when an earlier process of subnetd asked it. */
  readonly addressBefore?: string;
}

/** How many peers a node counts; undefined if it did not count them. */
export const countPeers = ({ node }: Facts): number | undefined =>
  node?.observation.peers?.ok ? node.observation.peers.value.count : undefined;

/** The address by which a node signs: as it last said, even if that was before subnetd was started. */
export const addressOf = ({ node, addressBefore }: Facts): string | undefined =>
  node?.chain?.observation.address ?? addressBefore;

/** A target with its facts. */
export interface KnownTarget {
  readonly target: Target;
  readonly facts: Facts;
}
