import type { WallMs, WatchedMs } from '../lib/clock.ts';
import { type FleetProblem, type FleetSubnet, MOST_FLEET_PROBLEMS } from '../model/fleet.ts';
import { isStanding, type Problem } from '../model/problem.ts';
import { isOfSetup } from '../model/problem-catalog.ts';
import type { Snapshot } from '../model/snapshot.ts';

type ToWall = (at: WatchedMs) => WallMs;

const toFleetProblem = ({ problem, severity, component, name, since, summary, fix }: Problem, toWall: ToWall) =>
  ({
    problem,
    severity,
    since: toWall(since),
    summary,
    fix,
    ...(component !== undefined && { component }),
    ...(name !== undefined && { name }),
  }) satisfies FleetProblem;

/** What an instance writes into its row about the subnets that it watches. Findings about the set-up are left to its own page. */
export const toFleetSubnets = (
  snapshot: Snapshot,
  planned: ReadonlyMap<string, Pick<FleetSubnet, 'isReady' | 'keeping'>>,
  toWall: ToWall,
): readonly FleetSubnet[] =>
  snapshot.map(({ subnet: { name }, targets, problems, headline }) => {
    const standing = problems.filter((one) => isStanding(one) && !isOfSetup(one.problem));
    const since = headline?.since;
    return {
      name,
      isReady: false,
      keeping: 'no',
      ...planned.get(name),
      ...(headline && { headline: { ...headline, ...(since !== undefined && { since: toWall(since) }) } }),
      targets: targets.length,
      failing: targets.filter(({ checks }) => checks.some(({ verdict }) => verdict === 'fail')).length,
      problems: standing.slice(0, MOST_FLEET_PROBLEMS).map((one) => toFleetProblem(one, toWall)),
      problemCount: standing.length,
    };
  });
