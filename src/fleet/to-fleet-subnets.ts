import type { FleetSubnet } from '../model/fleet.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** What an instance tells others of the subnets that it watches. */
export const toFleetSubnets = (
  snapshot: Snapshot,
  isReady: (subnet: string) => boolean,
  isKept: (subnet: string) => boolean,
): readonly FleetSubnet[] =>
  snapshot.map(({ subnet: { name }, targets, problems }) => ({
    name,
    isReady: isReady(name),
    isKept: isKept(name),
    targets: targets.length,
    failing: targets.filter(({ checks }) => checks.some(({ verdict }) => verdict === 'fail')).length,
    problems: [],
    problemCount: problems.length,
  }));
