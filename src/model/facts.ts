import type { LogSource, LogSourceState, Meaning } from './log.ts';
import type { ContainerObservation, NodeObservation, PageObservation, ServiceObservation } from './observation.ts';
import type { Target } from './target.ts';

/** A height as it is followed over many looks; times in Unix milliseconds. */
export interface Progress {
  readonly number: number;
  /** The block's own time in Unix seconds, where the node told it. */
  readonly timestamp?: number;
  /** When the height was last seen to rise; at first, when it was first seen. */
  readonly advancedAt: number;
  /** It was seen to rise. */
  readonly risen: boolean;
  /** Since when it has to rise: the last rise, a first reading, or a re-based fall. */
  readonly standingSince: number;
  readonly lastGoodAt: number;
  /** The last time that the height was lower than before. */
  readonly fall?: Fall;
}

/** A height that went down, as after an unclean stop or on a new chain. */
export interface Fall {
  readonly from: number;
  readonly to: number;
  readonly at: number;
  /** It had fallen shortly before, or had not risen since. */
  readonly repeated: boolean;
}

/** What is known of a node by its JSON-RPC. */
export interface NodeFacts {
  readonly observation: NodeObservation;
  readonly latest?: Progress;
  readonly committed?: Progress;
}

/** How a run ended; the time in Unix milliseconds. */
export interface Exit {
  readonly code: number;
  readonly at: number;
}

/** A run of a container, from its start on; `restartCount` is that of its start. */
export interface ContainerRun {
  readonly id: string;
  readonly startedAt: number;
  readonly restartCount: number;
}

/** What made the last start: the restart policy, a person or program that asked for it, or a new container. */
export type StartedBy = 'policy' | 'order' | 'recreation';

/** What is known of a container; counters start at 0 with the process, times are Unix milliseconds. */
export interface ContainerFacts {
  /** The last look; absent when only events have come so far. */
  readonly observation?: ContainerObservation;
  /** Starts seen after the first, by the restart policy, by hand or as a new container of the same service. */
  readonly restarts: number;
  readonly lastRestartAt?: number;
  readonly lastRestartBy?: StartedBy;
  /** Earlier restarts after an end that nobody had asked for, as far as subnetd has seen them: the last two. */
  readonly earlierCrashes?: readonly number[];
  /** By Docker's own verdict, never by an exit code. */
  readonly oomKills: number;
  readonly lastOomAt?: number;
  /** Of the last run that ended; it stays while the next one runs. */
  readonly lastExit?: Exit;
  /** The last end by SIGKILL that nobody had ordered through Docker: not out of memory by Docker's word, but alike. */
  readonly unorderedKill?: { readonly id: string; readonly at: number };
  /** The last end of any kind that nobody had ordered through Docker. */
  readonly unorderedEnd?: { readonly id: string; readonly at: number };
  /** The last time that Docker was told to signal or stop it. */
  readonly lastOrder?: { readonly id: string; readonly at: number };
  /** Has a look ever told whether the container is there? Before, what is found is history. */
  readonly looked: boolean;
  /** The last run that a look has seen, and the one before it. */
  readonly run?: ContainerRun;
  readonly runBefore?: ContainerRun;
  /** The last `oom` event that was counted; a start since then makes `open` false. */
  readonly oomEvent?: { readonly id: string; readonly at: number; readonly open: boolean };
  /** The last run that an inspection, and no event, showed as out of memory. */
  readonly oomRun?: { readonly id: string; readonly startedAt: number; readonly until: number };
}

/** What is known of a service by its HTTP answers. */
export interface ServiceFacts {
  readonly observation: ServiceObservation;
}

/** What is known of the frontend's page by visits of a browser. */
export interface PageFacts {
  readonly observation: PageObservation;
  /** Errors of all visits since subnetd started; a page that did not open is one. */
  readonly errors: number;
}

/** The modes of the relayer, each with a queue of its own. */
export type RelayerMode = 'full' | 'lite' | 'reverse_full' | 'zero' | 'reverse_zero';

/** What the lines of one mode have told; times are Unix milliseconds. */
export interface RelayerModeFacts {
  /** The first line of the last cycle. */
  readonly cycleAt?: number;
  /** What came last: the cycle's first line, another line of a cycle, an attempt, or its end. */
  readonly phase: 'cycle' | 'working' | 'attempt' | 'done' | 'failed';
  readonly phaseAt: number;
  /** The last success marker after an attempt, or the heartbeat of a zero mode, which is no submission. */
  readonly submittedAt?: number;
  /** An attempt has been printed since the last success marker. */
  readonly attempted: boolean;
  /** The first block of the last attempt: while it rises, a catch-up goes on. */
  readonly startBlock?: number;
  readonly advancedAt?: number;
  /** The pattern of the last error since the last success marker; a cycle's own error line gives way to its cause. */
  readonly error?: { readonly pattern: string; readonly at: number };
  /** The error is of the present cycle, whose own error line is still to come. */
  readonly hasCause?: boolean;
}

/** What the log of the relayer tells. */
export interface RelayerLogFacts {
  readonly startedAt?: number;
  /** As the relayer said at its start, or as its cycles show; empty when it is idle. */
  readonly modes?: readonly RelayerMode[];
  readonly byMode: Readonly<Partial<Record<RelayerMode, RelayerModeFacts>>>;
  readonly died?: { readonly at: number; readonly because?: string };
  readonly redisDiedAt?: number;
  readonly stoppedAt?: number;
  readonly forkAt?: number;
  /** Success markers since subnetd started. */
  readonly submissions: number;
  /** The newest success marker. */
  readonly submittedAt?: number;
  /** Why the last start failed, by its pattern. */
  readonly startError?: string;
}

/** How often and when a pattern matched last. */
export interface PatternFacts {
  readonly means: Meaning;
  readonly count: number;
  /** Unix milliseconds. */
  readonly at: number;
  /** Its place among all hits of the target. */
  readonly order: number;
  /** What it is and what to do: the text of the pack, never of the line. */
  readonly what: string;
  /** It is the operator's own, from the inventory. */
  readonly own: boolean;
}

/** The height in the log of a node. */
export interface NodeLogFacts {
  readonly height?: number;
  /** When the line that raised it was printed, in Unix milliseconds. */
  readonly advancedAt?: number;
  /** The level that the node was started with, 0 to 5. */
  readonly level?: number;
  /** Heights far below `height` that have come since a line near it: the last one, and how many times they rose to it. */
  readonly below?: { readonly height: number; readonly lines: number };
  /** The last fall, from the height of another chain. */
  readonly fall?: { readonly from: number; readonly to: number; readonly at: number };
}

/** Data lines of the stats server; times are Unix milliseconds. */
export interface StatsLogFacts {
  readonly block?: { readonly number: number; readonly at: number; readonly risenAt: number };
  readonly historyAt?: number;
  readonly startedAt?: number;
  /** What is read is the log of the container, which has no data lines. */
  readonly isConsole?: boolean;
}

/** What the lines of a target's log have told, by its component. */
export interface LogState {
  readonly node?: NodeLogFacts;
  /** `host:port` of every node that spoke to the bootnode, with when it did last, the last one at the end. Grows in place. */
  readonly heard?: Map<string, number>;
  readonly relayer?: RelayerLogFacts;
  readonly stats?: StatsLogFacts;
}

/** All that is known of a target's log. */
export interface LogFacts extends LogState {
  readonly sources: Readonly<Partial<Record<LogSource, LogSourceState>>>;
  /** By the name of the pattern. */
  readonly patterns: Readonly<Record<string, PatternFacts>>;
  /** Of the files that are read, all together. */
  readonly fileBytes?: number;
  /** By how much a node's clock is ahead of ours, by the times in its lines; negative when it is behind. */
  readonly clockAheadMs?: number;
  /** What Docker says of the node's container: the level and the p2p address that it was created with. */
  readonly created?: { readonly level?: number; readonly p2p?: string };
}

/** What is known of one target, a part for each round that has looked at it. */
export interface Facts {
  readonly node?: NodeFacts;
  readonly container?: ContainerFacts;
  readonly service?: ServiceFacts;
  readonly page?: PageFacts;
  readonly logs?: LogFacts;
}

/** A target with its facts. */
export interface Known {
  readonly target: Target;
  readonly facts: Facts;
}
