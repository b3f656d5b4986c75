import type { WallMs, WatchedMs } from '../lib/clock.ts';
import type { Headline } from './headline.ts';
import type { ProblemSeverity } from './severity.ts';
import type { Shard } from './shard.ts';

/** Stands for the name of an instance in what all instances of a fleet store together. No host has such a name. */
export const FLEET_STATE = '*';

/** A problem as other instances show it. */
export interface FleetProblem {
  readonly problem: string;
  readonly severity: ProblemSeverity;
  readonly component?: string;
  readonly name?: string;
  readonly since: WallMs;
  readonly summary: string;
  readonly fix: string;
}

/**
 * Whether an instance does for a subnet what one of all that watch it does: it keeps its history, and sends through channels.
 * `next`: it would, and waits for the one that does to stop.
 */
export type Keeping = 'now' | 'next' | 'no';

/** A subnet as the instance that watches it sees it. */
export interface FleetSubnet {
  readonly name: string;
  /** Whether that instance can judge it: its nodes were probed, and what is stored of its incidents and alerts was looked for. */
  readonly isReady: boolean;
  readonly keeping: Keeping;
  /** `since` in wall time. */
  readonly headline?: Headline;
  readonly targets: number;
  /** Targets with a failed check. */
  readonly failing: number;
  /** The worst, at most `MOST_FLEET_PROBLEMS`. */
  readonly problems: readonly FleetProblem[];
  /** How many stand in all, without findings about the set-up. */
  readonly problemCount: number;
}

/** How many problems of a subnet are in the row of an instance, which is written and read every few seconds. */
export const MOST_FLEET_PROBLEMS = 10;

/** What an instance last wrote of itself and of the subnets that it watches. */
export interface FleetMember {
  readonly instance: string;
  readonly shard: Shard;
  /** Other than in the write before: a row whose beat does not change is of an instance that is silent. */
  readonly beat: number;
  /** By the clock of the writer. */
  readonly writtenAt: WallMs;
  readonly subnets: readonly FleetSubnet[];
}

/** An instance as another one sees it, by its own clock. */
export interface SeenMember extends FleetMember {
  /** When its beat was last seen to change, or its row was read first. */
  readonly seenAt: WatchedMs;
  /** Its beat was seen to change; until then `writtenAt` says more of when it last wrote than `seenAt`. */
  readonly hasBeaten: boolean;
  /** It was seen to write, and not long ago. */
  readonly isFresh: boolean;
  /** It has not written for so long that it does not run, or reaches no database. Neither is known at first. */
  readonly isSilent: boolean;
}

/**
 * Which instance of its shard decides on the alerts about subnets, as one instance knows it. `unknown`: neither the one that asks
 * nor another one is known to.
 */
export type Decider = 'self' | 'other' | 'unknown';

/** What an instance may do with the subnets that it watches, by their names. */
export interface FleetPart {
  /** The names of those of the inventory that are watched now. */
  readonly subnets: () => readonly string[];
  /** Whether its shard owns a subnet, or no owner is ready yet for one that it watched. It need not be in the inventory. */
  readonly isWatched: (subnet: string) => boolean;
  /** Whether it writes what is kept of a subnet, and sends through channels. */
  readonly keeps: (subnet: string) => boolean;
  /** The one that holds the lock of the shard decides; one that is alone in its shard decides without it. */
  readonly decider: () => Decider;
  /** Another number than before when what others have written of a subnet must be read again. */
  readonly epochOf: (subnet: string) => number;
  /** Whether another instance judges a subnet, and this one has not seen yet what that one knows. */
  readonly isShadowed: (subnet: string) => boolean;
  /** Whether it is the one of all instances that run which sends what all of them see through channels. */
  readonly isSpeaker: () => boolean;
}

/** The part of an instance that runs alone, a fleet of one: it does all for every subnet that it watches. */
export const createWholePart = (part: Pick<FleetPart, 'subnets' | 'isWatched'>): FleetPart => ({
  ...part,
  keeps: part.isWatched,
  decider: () => 'self',
  epochOf: () => 1,
  isShadowed: () => false,
  isSpeaker: () => true,
});

/** The instances of a fleet in their database. Every function rejects when the database fails. */
export interface FleetStore {
  /** Writes or replaces the row of an instance. */
  write(member: FleetMember): Promise<void>;
  /** All rows, by the name of the instance. */
  list(): Promise<readonly FleetMember[]>;
  /** Deletes the rows that were last written before, by the clocks of their writers. */
  trim(before: WallMs): Promise<void>;
}

/** Deletes the subnets that an instance no longer watches from these maps and sets by name. */
export function forgetUnwatched(
  { isWatched }: Pick<FleetPart, 'isWatched'>,
  ...known: readonly Pick<Map<string, unknown>, 'keys' | 'delete'>[]
): void {
  for (const one of known) for (const subnet of one.keys()) if (!isWatched(subnet)) one.delete(subnet);
}

/**
 * The lock of work that one of all instances on a database does. `retention`: to delete what is too old of what every daemon
 * writes. `api-retention`: the same for the platform API. That of a shard: all that is done once for its subnets.
 */
export type Lock = 'retention' | 'api-retention' | `shard-${number}`;

/** Which of the instances that share a database does what is done once: the one that holds the lock of that work. */
export interface Election {
  /**
   * Stands for the lock from now on. The result says whether this instance holds it at that moment: ask before each step of
   * the work. `onChange` is called soon after that has changed.
   */
  standFor(lock: Lock, onChange?: () => void): () => boolean;
  /** The locks that this instance stands for, and whether it holds each. */
  locks(): ReadonlyMap<Lock, boolean>;
}
