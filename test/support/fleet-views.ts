import type { FleetSubnet } from '../../src/model/fleet.ts';
import type { ElsewhereSubnet, FleetView, InstanceView, Sight } from '../../src/model/fleet-view.ts';

/** When the views of these tests are seen. */
export const WALL = Date.UTC(2026, 10, 22, 3, 4, 9);

const of = (index: number) => ({ index, total: 3 });

/** A subnet of seven targets whose node n1 is down since a minute, as its instance reported it. */
export const reported = (name: string, over: Partial<FleetSubnet> = {}): FleetSubnet => ({
  ...{ name, isReady: true, keeping: 'now', targets: 7, failing: 2, problemCount: 1 },
  headline: {
    standing: 'warn',
    sentence: `${name} is running, but n1 is down`,
    detail: 'Start n1.',
    since: WALL - 60_000,
  },
  problems: [
    {
      ...{ problem: 'node_down', severity: 'warning', component: 'node', name: 'n1', since: WALL - 60_000 },
      ...{ summary: 'n1 is down', fix: 'start it with `docker start n1`' },
    },
  ],
  ...over,
});

const instance = (index: number, sight: InstanceView['sight'], lastSeen: number): InstanceView => ({
  ...{ instance: `subnetd-${index}`, shard: of(index), isOwn: index === 0, sight, lastSeen },
  ...{ subnets: 1, targets: 7 },
});

/** Three shards as the first sees them: the second watches `east`, and nobody has ever seen the third, which owns `north`. */
export function viewOf(sight: InstanceView['sight'], known: FleetSubnet = reported('east')): FleetView {
  const lastSeen = WALL - (sight === 'seen' ? 4_000 : 90_000);
  const missing: Sight = sight === 'unknown' ? 'unknown' : 'missing';
  const east: ElsewhereSubnet = { name: 'east', shard: of(1), sight, instance: 'subnetd-1', lastSeen, known };
  return {
    ...{ instance: 'subnetd-0', shard: of(0) },
    shards: [
      { shard: of(0), sight: 'seen', lastSeen: WALL, instances: [instance(0, 'seen', WALL)] },
      { shard: of(1), sight, lastSeen, instances: [instance(1, sight, lastSeen)] },
      { shard: of(2), sight: missing, instances: [] },
    ],
    differing: [],
    elsewhere: [east, { name: 'north', shard: of(2), sight: missing }],
  };
}
