import type { Context } from 'hono';
import type { WallMs } from '../lib/clock.ts';
import { toIso } from '../lib/duration.ts';
import { ascending } from '../lib/numbers.ts';
import type { FleetProblem, FleetSubnet } from '../model/fleet.ts';
import type { ElsewhereSubnet, FleetView, InstanceView, ShardView, Sight } from '../model/fleet-view.ts';
import { type Headline, NOT_DIAGNOSED } from '../model/headline.ts';
import { formatShard } from '../model/shard.ts';
import { sendJson } from './cached-text.ts';

/** `/fleet.json`: times are ISO 8601 in UTC, shards are written as `--shard` takes them. What nobody has reported is left out. */
export interface FleetStatus {
  /** Who answers. */
  readonly instance: string;
  readonly shard: string;
  readonly shards: readonly {
    readonly shard: string;
    readonly state: Sight;
    readonly lastSeen?: string;
    readonly instances: readonly {
      readonly instance: string;
      readonly shard: string;
      readonly state: Sight;
      readonly lastSeen: string;
      readonly subnets: number;
      readonly targets: number;
    }[];
  }[];
  readonly subnets: readonly {
    readonly name: string;
    /** Who watches it, or would. */
    readonly shard: string;
    readonly instance?: string;
    /** Of what follows: `seen` is as of now. */
    readonly state: Sight;
    readonly lastSeen?: string;
    readonly headline?: Omit<Headline, 'since'> & { readonly since?: string };
    readonly targets?: number;
    readonly failing?: number;
    readonly problemCount?: number;
    /** The worst. */
    readonly problems?: readonly (Omit<FleetProblem, 'since'> & { readonly since: string })[];
  }[];
}

type FleetStatusSubnet = FleetStatus['subnets'][number];

const toInstance = ({ instance, shard, sight, lastSeen, subnets, targets }: InstanceView) => ({
  instance,
  shard: formatShard(shard),
  state: sight,
  lastSeen: toIso(lastSeen),
  subnets,
  targets,
});

const toShard = ({ shard, sight, lastSeen, instances }: ShardView): FleetStatus['shards'][number] => ({
  shard: formatShard(shard),
  state: sight,
  ...(lastSeen !== undefined && { lastSeen: toIso(lastSeen) }),
  instances: instances.map(toInstance),
});

function toSummary({ headline = NOT_DIAGNOSED, targets, failing, problemCount, problems }: FleetSubnet) {
  const { since, ...verdict } = headline;
  return {
    headline: { ...verdict, ...(since !== undefined && { since: toIso(since) }) },
    targets,
    failing,
    problemCount,
    problems: problems.map((problem) => ({ ...problem, since: toIso(problem.since) })),
  };
}

const toSubnet = ({ name, shard, instance, sight, lastSeen, known }: ElsewhereSubnet): FleetStatusSubnet => ({
  name,
  shard: formatShard(shard),
  ...(instance !== undefined && { instance }),
  state: sight,
  ...(lastSeen !== undefined && { lastSeen: toIso(lastSeen) }),
  ...(known && toSummary(known)),
});

/** A fleet, if there is one, in the shape of `/fleet.json`, with the subnets that are watched here as of `nowWall`. */
export function toFleetStatus(
  view: FleetView | undefined,
  own: readonly FleetSubnet[],
  nowWall: WallMs,
): FleetStatus | undefined {
  if (view === undefined) return undefined;
  const { instance, shard, shards, elsewhere } = view;
  const toOwn = (known: FleetSubnet): FleetStatusSubnet =>
    toSubnet({ name: known.name, shard, instance, sight: 'seen', lastSeen: nowWall, known });
  const byName = (one: FleetStatusSubnet, other: FleetStatusSubnet) => ascending(one.name, other.name);
  return {
    instance,
    shard: formatShard(shard),
    shards: shards.map(toShard),
    subnets: [...own.map(toOwn), ...elsewhere.map(toSubnet)].toSorted(byName),
  };
}

/** What an instance says that belongs to no fleet. */
const NO_FLEET = 'this subnetd is not part of a fleet; /status.json lists everything it watches\n';

/** `/fleet.json`: every shard, instance and subnet of the fleet. */
export const answerFleet =
  (read: () => FleetStatus | undefined) =>
  async (c: Context): Promise<Response> => {
    const fleet = read();
    return fleet === undefined ? c.text(NO_FLEET, 404) : sendJson(c, fleet);
  };
