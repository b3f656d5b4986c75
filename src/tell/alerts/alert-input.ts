import type { WatchedMs } from '../../lib/clock.ts';
import type { FleetView } from '../../model/fleet-view.ts';
import type { Snapshot } from '../../model/snapshot.ts';
import type { RoundName } from '../../model/target.ts';

/** The input of all alert conditions. */
export interface AlertInput {
  readonly snapshot: Snapshot;
  readonly now: WatchedMs;
  /** The name of this subnetd. */
  readonly instance: string;
  /** The current time between two runs of a subnet's round, in milliseconds. */
  readonly intervalMs: (subnet: string, round: RoundName) => number | undefined;
  /** Number of rounds of a subnet that started late since then. */
  readonly lateRounds: (subnet: string, since: WatchedMs) => number;
  /** Number of alerts that an Alertmanager or a channel did not accept since then, counted per attempt. */
  readonly notSent: (since: WatchedMs) => number;
  /** Number of errors since then that only a bug in subnetd explains. */
  readonly internalErrors: (since: WatchedMs) => number;
  /** Does each Docker Engine that a target needs answer? Undefined while that is unknown. */
  readonly enginesUp: ReadonlyMap<string, boolean | undefined>;
  /** The fleet that this subnetd belongs to. */
  readonly fleet?: FleetView | undefined;
  readonly isDatabaseUp: boolean;
  readonly lastReloadSuccessful: boolean;
}
