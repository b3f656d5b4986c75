import type { Snapshot } from '../model/snapshot.ts';
import type { RoundName } from '../model/target.ts';

/** All that alerts are judged by; times are Unix milliseconds. */
export interface Seen {
  readonly snapshot: Snapshot;
  readonly now: number;
  /** The name of this subnetd. */
  readonly instance: string;
  /** The gap between two runs of a subnet's round as of now. */
  readonly intervalMs: (subnet: string, round: RoundName) => number | undefined;
  /** Rounds of a subnet that did not begin in time since then. */
  readonly lateRounds: (subnet: string, since: number) => number;
  /** Alerts of the push that an Alertmanager did not take since then, counted for each attempt. */
  readonly notSent: (since: number) => number;
  /** Whether each Docker Engine that a target needs answers; undefined while that is not known. */
  readonly enginesUp: ReadonlyMap<string, boolean | undefined>;
  readonly isDatabaseUp: boolean;
  readonly lastReloadSuccessful: boolean;
}
