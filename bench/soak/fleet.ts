import { shardOf } from '../../src/model/shard.ts';

/** How many daemons share the fleet. */
export const SHARDS = 3;
const NODES_OF_A_SHARD = 2_000;
const SMALL = 25;
const LARGE = 100;

/** The first nodes of a subnet are its masternodes: as many as a real network had. */
export const MASTERNODES = 4;
export const INTERVAL_MS = 10_000;
export const TIMEOUT_MS = 5_000;
/** Less than three intervals: a height that was seen to rise late in one is found to be stalled in the fourth. */
export const STALL_MS = 29_000;
export const RPC_PORT = 8_545;

/** A simulated subnet. Its nodes are numbered over the whole fleet, from `first` on. */
export interface SimulatedSubnet {
  readonly name: string;
  /** The index of the shard that owns it. */
  readonly shard: number;
  readonly first: number;
  readonly size: number;
}

/** For each shard one large subnet, and small ones up to 2,000 nodes. */
export function listSubnets(): readonly SimulatedSubnet[] {
  const left = Array.from({ length: SHARDS }, () => NODES_OF_A_SHARD);
  const subnets: SimulatedSubnet[] = [];
  let first = 0;
  for (let index = 0; left.some((nodes) => nodes > 0); index += 1) {
    const name = `net${index}`;
    const shard = shardOf(name, SHARDS);
    const free = left[shard] ?? 0;
    if (free === 0) continue;
    const size = free === NODES_OF_A_SHARD ? LARGE : SMALL;
    subnets.push({ name, shard, first, size });
    left[shard] = free - size;
    first += size;
  }
  return subnets;
}

/** Each node has an address of its own, so that no other program takes its port while it refuses connections. */
export const addressOf = (node: number) => `127.96.${node >> 8}.${node & 255}`;

export const nodeName = (subnet: SimulatedSubnet, node: number): string => `n${node - subnet.first}`;

export const nodesOf = ({ first, size }: SimulatedSubnet): readonly number[] =>
  Array.from({ length: size }, (_, place) => first + place);

/** The inventory, without the nodes that are `unlisted`; a subnet of which none is left is not in it. */
export function toInventory(
  subnets: readonly SimulatedSubnet[],
  unlisted: ReadonlySet<number>,
  alertmanager: string,
): string {
  const checks = {
    rpc: {
      schedule: `every ${INTERVAL_MS / 1_000}s`,
      timeout: `${TIMEOUT_MS / 1_000}s`,
      stallAfter: `${STALL_MS / 1_000}s`,
      maxLag: 1_000,
    },
  };
  const listed = subnets.flatMap((subnet) => {
    const nodes = nodesOf(subnet)
      .filter((node) => !unlisted.has(node))
      .map((node) => ({
        name: nodeName(subnet, node),
        rpc: `http://${addressOf(node)}:${RPC_PORT}`,
        expectedPeers: subnet.size - 1,
      }));
    return nodes.length === 0 ? [] : [{ name: subnet.name, nodes, checks }];
  });
  // JSON is YAML.
  return JSON.stringify({ subnets: listed, alertmanager: { urls: [alertmanager] } }, null, 1);
}
