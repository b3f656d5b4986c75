import type { FleetSubnet } from '../model/fleet.ts';
import type { Snapshot } from '../model/snapshot.ts';

/** What an instance tells others of the subnets that it watches. */
export const toFleetSubnets = (
  snapshot: Snapshot,
  planned: ReadonlyMap<string, Pick<FleetSubnet, 'isReady' | 'keeping'>>,
): readonly FleetSubnet[] =>
  snapshot.map(({ subnet: { name }, targets, problems }) => ({
    ...{ name, isReady: false, keeping: 'no', ...planned.get(name) },
    targets: targets.length,
    failing: targets.filter(({ checks }) => checks.some(({ verdict }) => verdict === 'fail')).length,
    problems: [],
    problemCount: problems.length,
  }));
