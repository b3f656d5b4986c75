import type { DoubleVote } from './double-vote.ts';
import type { Exchange } from './exchange.ts';
import type { HistoryChange, Minute } from './history.ts';
import type { ShownLine } from './last-lines.ts';
import type { Planned } from './planned-work.ts';
import type { Acknowledgement, ProblemRef } from './problem.ts';
import type { ProblemName } from './problem-catalog.ts';
import type { ProblemSeverity } from './severity.ts';
import type { Quorum, Vote } from './snapshot.ts';
import type { Component } from './target.ts';
import type { CheckName, Verdict } from './verdict.ts';

/** What was said of a problem at one moment. */
export interface IncidentWords {
  readonly summary: string;
  readonly evidence: string;
  readonly fix: string;
  /** The moment that the fix names (`Problem.restartAt`). */
  readonly restartAt?: number;
  /** When what the last words say was first seen, or read. */
  readonly readAt?: number;
  /** When what the last words say began: what is open at once and comes again begins anew. */
  readonly since?: number;
}

/** An Alertmanager or a channel accepted the alert of an incident, firing or resolved. */
export interface IncidentNotification {
  readonly at: number;
  /** The Alertmanager as it may be shown, or the name of the channel. */
  readonly to: string;
  readonly isChannel?: true;
  readonly phase: 'firing' | 'resolved';
}

/** Why an incident is over: the problem is, its subject left the inventory, or, as earlier versions stored it, it was not found again. */
export type IncidentEnd = 'recovered' | 'removed' | 'not-found-again';

/** The life of a problem from when it is open until it is gone. Times are watched time in memory, wall time elsewhere. */
export interface Incident {
  /** Stable and safe in a URL. */
  readonly id: string;
  readonly subnet: string;
  readonly problem: ProblemName;
  /** Absent for a problem of the whole subnet, as `name` is. */
  readonly component?: Component;
  readonly name?: string;
  /** What its problem consists of, as names. What is about others is another incident. */
  readonly about?: string;
  /** The worst that it had. */
  readonly severity: ProblemSeverity;
  readonly alert: string;
  /** When the problem was first found, before it was confirmed. */
  readonly foundAt: number;
  /** When it was confirmed. */
  readonly startedAt: number;
  /** Since when it is not found any more; it is over when that has lasted. */
  readonly clearSince?: number;
  /** Since when something graver covers it, and what that is: it is not listed by itself, and not known to be over. */
  readonly covered?: { readonly since: number; readonly by: string };
  readonly endedAt?: number;
  readonly end?: IncidentEnd;
  /** What was said at the start, and last. */
  readonly first: IncidentWords;
  readonly last: IncidentWords;
  /** How often it came back within the reopen window of its problem. */
  readonly returns: number;
  /** The incident before this one of the same problem and subject. */
  readonly earlier?: string;
  /** Incidents that brought this one, and those that it brought. */
  readonly causes: readonly string[];
  readonly effects: readonly string[];
  readonly notified: readonly IncidentNotification[];
  /** It began during planned work, so that nobody was notified before that ended. `until` is wall time. */
  readonly planned?: Planned;
}

/** One target at the moment of failing. */
export interface CapsuleTarget {
  readonly component: Component;
  readonly name: string;
  readonly vote?: Vote;
  readonly height?: number;
  readonly committed?: number;
  readonly peers?: number;
  readonly expectedPeers?: number;
  readonly checks: readonly {
    readonly check: CheckName;
    readonly verdict: Verdict;
    readonly reason: string;
    readonly tookMs?: number;
  }[];
  readonly container?: {
    readonly status: string;
    readonly exitCode?: number;
    readonly restarts: number;
    readonly oomKills: number;
    readonly memoryBytes?: number;
    readonly memoryLimitBytes?: number;
    /** In wall time. */
    readonly startedAt?: number;
  };
  /** What was asked and answered last, in wall time, without secrets. */
  readonly exchanges: readonly Exchange[];
}

/** What was known of a subnet when an incident began. Bounded, and without secrets. */
export interface Capsule {
  /** In wall time. */
  readonly at: number;
  readonly quorum?: Quorum;
  readonly reference?: number;
  /** The subject first, then those with problems. */
  readonly targets: readonly CapsuleTarget[];
  /** How many more targets the subnet had. */
  readonly omitted: number;
  /** The last lines of the logs of the subject, or of what may have brought it. */
  readonly logs: readonly {
    readonly name: string;
    readonly lines: readonly ShownLine[];
    /** Why there are none. */
    readonly why?: string;
  }[];
  /** Of an incident about them: both votes of each, with the signatures where a log has them. Times are wall time. */
  readonly doubleVotes?: readonly DoubleVote[];
  /** What the diagnosis was made of, so that `subnetd replay` can make it again. */
  readonly replay?: string;
}

/** A note of a person, in wall time. */
export interface IncidentNote {
  readonly at: number;
  readonly author: string;
  readonly text: string;
}

/** What changed around an incident, from ten minutes before it to ten minutes after. */
export interface IncidentTimeline {
  /** The oldest first. */
  readonly changes: readonly HistoryChange[];
  readonly minutes: readonly Minute[];
}

/** All that is kept of an incident. */
export interface IncidentRecord {
  readonly incident: Incident;
  readonly capsule?: Capsule;
  readonly timeline?: IncidentTimeline;
  readonly notes: readonly IncidentNote[];
  readonly acknowledged?: Acknowledgement;
}

/** What makes the link of a message genuine: until when it works, in Unix seconds, and a signature. */
export interface AcknowledgeLink {
  readonly until?: string | undefined;
  readonly key?: string | undefined;
}

/** Which incidents to read. */
export interface IncidentQuery {
  readonly subnet?: string | undefined;
  /** Of any of these. */
  readonly subnets?: readonly string[] | undefined;
  readonly problem?: string | undefined;
  readonly alert?: string | undefined;
  readonly component?: string | undefined;
  readonly name?: string | undefined;
  readonly ids?: readonly string[] | undefined;
  /** Only those that page or open a ticket. */
  readonly onlyGrave?: boolean | undefined;
  /** Only those that are listed after this one, in wall time. */
  readonly before?: Pick<Incident, 'startedAt' | 'id' | 'endedAt'> | undefined;
  readonly limit: number;
}

/** The incidents of one instance of subnetd in a database, in wall time. Every function rejects when the database fails. */
export interface IncidentStore {
  /** Writes incidents, new ones and known ones. */
  save(incidents: readonly Incident[]): Promise<void>;
  saveCapsule(id: string, capsule: Capsule): Promise<void>;
  saveTimeline(id: string, timeline: IncidentTimeline): Promise<void>;
  addNote(id: string, note: IncidentNote): Promise<void>;
  /** The first one of an incident stays. */
  acknowledge(id: string, by: Acknowledgement): Promise<void>;
  /** Who is on which open incident, by its id. */
  acknowledgements(): Promise<ReadonlyMap<string, Acknowledgement>>;
  /** Open ones first, then the newest first. */
  list(query: IncidentQuery): Promise<readonly Incident[]>;
  read(id: string): Promise<IncidentRecord | undefined>;
  /** Deletes a slice of what ended before, and of what is too much, of every instance. Resolves to whether there is more. */
  trim(keep: { readonly endedBefore: number; readonly most: number; readonly mostParts: number }): Promise<boolean>;
}

/** Incidents that were listed. */
export interface ListedIncidents {
  readonly incidents: readonly Incident[];
  /** False while the database does not answer: then only those of this process are there. */
  readonly isWhole: boolean;
}

/** What pages read and write of incidents. All times are wall time. */
export interface Incidents {
  list(query: IncidentQuery): Promise<ListedIncidents>;
  /**
   * With what is known of the time around it; undefined when there is no such incident. Rejects with a `DatabaseFailure` when
   * only the database could know it.
   */
  read(id: string): Promise<(IncidentRecord & { readonly isWhole: boolean }) | undefined>;
  /** Rejects with a `DatabaseFailure` when it cannot be stored. `full`: the incident has as many as it may have. */
  addNote(id: string, note: Omit<IncidentNote, 'at'>): Promise<'added' | 'full' | 'unknown'>;
  /** Notes who is on an incident; the first one stays. Rejects with a `DatabaseFailure`. */
  acknowledge(id: string, by: string): Promise<'acknowledged' | 'over' | 'unknown'>;
  /** Whether a link to acknowledge an incident is genuine and not too old. Rejects with a `DatabaseFailure`. */
  isGenuine(id: string, link: AcknowledgeLink): Promise<boolean>;
  /** The id of the open incident of a problem. */
  idOf(subnet: string, problem: ProblemRef): string | undefined;
  /** Whether subnetd itself sends alerts; otherwise Prometheus does, and subnetd does not know whom it notifies. */
  readonly isNotifying: () => boolean;
}
