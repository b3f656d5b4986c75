import { BlockList, isIP } from 'node:net';

/** Who can reach an address: only its machine, a private network, or everybody whom no firewall stops. */
export type Reach = 'loopback' | 'private' | 'public';

/** Where something answers. */
export interface Endpoint {
  /** An IP address. */
  readonly ip: string;
  readonly port: number;
  /** On a bridge of this machine that has only containers. */
  readonly isOnBridge?: true;
}

/** Where something is served, by the endpoints that most can reach. */
export interface Where {
  readonly reach: Reach;
  /** The first of the endpoints: `192.0.2.1:8545`. */
  readonly endpoint: string;
  readonly port: number;
  /** In the middle of a sentence, after "at": `192.0.2.1:8545, a public address,`. */
  readonly text: string;
}

/** What the RPC of a node does for anyone without the user name and password of the inventory. */
export interface RpcExposure {
  /** Where it answers: the address of the inventory, and others of this machine. Empty when it wants a password. */
  readonly servedAt: readonly Endpoint[];
  /** The namespaces that it serves, by `rpc_modules`, sorted, with capitals first. */
  readonly modules: readonly string[];
  /** Whether it answers under a host name that is not its own; undefined when that is not known. */
  readonly anyHost?: boolean;
  /** Whether it lets web pages of any origin read its answers. */
  readonly anyOrigin: boolean;
  /** The state of its accounts by `personal_listWallets`, where the inventory allows to ask. */
  readonly wallet?: 'unlocked' | 'locked';
}

/** What the queue page of a relayer does for anyone. */
export interface QueueExposure {
  /** Where it answers, as for the RPC of a node. */
  readonly servedAt: readonly Endpoint[];
  /** The queues whose jobs anybody can change there. The page of a stock relayer is read-only. */
  readonly writable: readonly string[];
}

/** What subnetd itself shows to anyone. */
export interface MonitorExposure {
  /** Where it shows its pages and metrics without a password. */
  readonly servedAt: readonly Endpoint[];
}

/**
 * What subnetd itself is asked without credentials: a route that is for users, if there are any, and costs nothing without a name.
 * Its answers begin so.
 */
export const MONITOR_QUESTION = {
  path: '/safe-to-restart',
  open: 'say which node',
  guarded: 'a user name and password',
} as const;

/** A TCP address at which a Docker Engine serves its API to whoever reaches it. */
export interface OpenDockerApi {
  /** Such as `http://0.0.0.0:2375`. */
  readonly url: string;
  readonly lacks: 'encryption' | 'client certificates';
}

function toBlockList(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, familyOf(network));
  return list;
}

const familyOf = (ip: string): 'ipv4' | 'ipv6' => (isIP(ip) === 6 ? 'ipv6' : 'ipv4');

/** A server that is reached at the unspecified address is on this machine. */
const LOOPBACK = toBlockList([
  ['127.0.0.0', 8],
  ['0.0.0.0', 32],
  ['::1', 128],
  ['::', 128],
]);

/** RFC 1918, RFC 6598 (carriers and overlay networks), RFC 3927, RFC 4193, RFC 4291. */
const PRIVATE = toBlockList([
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['100.64.0.0', 10],
  ['169.254.0.0', 16],
  ['fc00::', 7],
  ['fe80::', 10],
]);

/** Who can reach an IP address. What is no IP address counts as public. */
export function toReach(ip: string): Reach {
  if (isIP(ip) === 0) return 'public';
  const family = familyOf(ip);
  if (LOOPBACK.check(ip, family)) return 'loopback';
  return PRIVATE.check(ip, family) ? 'private' : 'public';
}

/** Who can reach an endpoint. Containers of this machine are on this machine. */
export const reachOf = ({ ip, isOnBridge }: Endpoint): Reach => (isOnBridge ? 'loopback' : toReach(ip));

/** The IPv4 address behind the form in which a server that listens on IPv6 gives it: `::ffff:192.0.2.1`. */
export const unmapIpv4 = (ip: string): string => ip.replace(/^::ffff:(?=[\d.]+$)/i, '');

/** As in an address: `192.0.2.1:8545`, `[::1]:8545`. */
export const formatEndpoint = ({ ip, port }: Endpoint): string => `${isIP(ip) === 6 ? `[${ip}]` : ip}:${port}`;
