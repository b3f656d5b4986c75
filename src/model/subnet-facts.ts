import type { DiskFacts, DiskObservation } from './disk.ts';
import type { DoubleVotes } from './double-vote.ts';
import type { GovernanceObservation } from './governance.ts';
import type { LagFacts } from './lag.ts';
import type { ElectionReading } from './next-set.ts';
import type { ParentFacts, ParentObservation } from './parent-chain.ts';
import type { RelayFacts, RelayObservation } from './relay.ts';
import type { SetupFacts, SetupObservation } from './setup.ts';
import type { Target } from './target.ts';

/** The observation of each kind of probe of a subnet as a whole. */
export interface SubnetObservations {
  readonly parent: ParentObservation;
  readonly relay: RelayObservation;
  readonly governance: GovernanceObservation;
  readonly setup: SetupObservation;
  readonly disks: DiskObservation;
  /** Undefined when no node gave it. */
  readonly election: ElectionReading | undefined;
}

export type SubnetProbeKind = keyof SubnetObservations;

/** What one probe of a subnet as a whole observed. */
export type SubnetObservation<Kind extends SubnetProbeKind = SubnetProbeKind> = {
  readonly [Each in Kind]: {
    readonly kind: Each;
    readonly seen: SubnetObservations[Each];
    /** From the start of this probe to that of the next, where that is not as usual. */
    readonly againMs?: number;
  };
}[Kind];

/** The facts of a subnet as a whole, by the kind of probe that obtained them, and what its nodes show together. */
export interface SubnetFacts {
  readonly parent?: ParentFacts;
  readonly relay?: RelayFacts;
  /** Each part as it was last read. */
  readonly governance?: GovernanceObservation;
  readonly setup?: SetupFacts;
  readonly disks?: readonly DiskFacts[];
  readonly election?: ElectionReading;
  readonly doubleVotes?: DoubleVotes;
  readonly lag?: LagFacts;
}

/** Probes a subnet as a whole, beside its rounds. */
export interface SubnetProber {
  readonly kind: SubnetProbeKind;
  /** From the start of one probe to that of the next, in milliseconds. A probe that takes longer delays only the next one. */
  readonly everyMs: number;
  /** How long the first probe waits after the start, so that it does not disturb the first rounds; by default not at all. */
  readonly firstAfterMs?: number;
  /** A container with this id has started for the target; true if what is known of the target may be wrong now. */
  isOutdatedBy?(target: Target, containerId: string): boolean;
  /** A container of a compose project has come or gone that is of no target; true if the list of that project may be wrong now. */
  isProjectOutdated?(engine: string, project: string | undefined): boolean;
  /** The log of a target shows that something has failed: in how many milliseconds that is worth a probe; undefined if it is not. */
  doubtedAfterMs?(target: Target): number | undefined;
  /** Never rejects, and ends when the signal aborts. */
  probe(signal: AbortSignal): Promise<SubnetObservation>;
  /** Closes what is kept open between two probes. */
  close?(): void;
}
