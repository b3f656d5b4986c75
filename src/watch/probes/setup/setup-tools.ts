import type { MonitorExposure } from '../../../model/exposure.ts';
import type { SetupResult, TargetSetup } from '../../../model/setup.ts';
import type { ContainerRef, Target } from '../../../model/target.ts';
import type { DockerLinks } from '../../docker/links.ts';

/** So many turns come at once after a pause; of more, each takes its time: 50 a second, for a tenth of a processor. */
const AT_ONCE = 50;
export const EVERY_MS = 20;

/**
 * Gives turns to all who share it, in the order in which they ask: how many milliseconds each has to wait. `now` is any time in
 * milliseconds that is not set back by much.
 */
export function createPace(now: () => number): () => number {
  /** When the next turn would be, had nobody paused. */
  let next = Number.NEGATIVE_INFINITY;
  return () => {
    const at = now();
    next = Math.max(next, at - AT_ONCE * EVERY_MS) + EVERY_MS;
    return Math.max(0, next - at);
  };
}

/** What was last read of a target; in watched time, until when it counts. */
export interface KnownSetup {
  readonly setup: TargetSetup;
  readonly until: number;
}

/** What the probes of the set-up of all subnets share. */
export interface SetupTools {
  readonly docker: Pick<DockerLinks, 'inspectSetup' | 'listProject' | 'listOpenApis'>;
  /** Watched time. */
  readonly now: () => number;
  /** Unix milliseconds. */
  readonly wall: () => number;
  /** All containers that the inventory names. */
  readonly namedContainers: () => readonly ContainerRef[];
  /** What is known of each target. A target that a new inventory leaves as it is stays the same object. */
  readonly known: WeakMap<Target, KnownSetup>;
  /** How many milliseconds to wait before the next target of any subnet is read: rounds may run beside. */
  readonly takeTurn: () => number;
  /** Whether connections are kept between probes: false when there are more targets than connections. */
  readonly keepsConnections: () => boolean;
  /** What subnetd itself shows to anyone; absent where it is not known at which port it listens. */
  readonly readMonitor?: () => Promise<SetupResult<MonitorExposure>>;
}
