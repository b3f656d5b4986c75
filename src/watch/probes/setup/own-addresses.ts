import { existsSync, readdirSync } from 'node:fs';
import { BlockList, isIP } from 'node:net';
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { type Endpoint, toReach } from '../../../model/exposure.ts';

/** An address of this machine refuses a connection at once, unless a firewall drops it. */
export const OWN_WITHIN_MS = 2_000;

/** More are not tried. */
const MAX = 8;

type Interfaces = Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>>;

let listed: Interfaces = {};

/** The network interfaces of this machine; those that were listed last, while the system refuses, as it does without descriptors. */
export function listInterfaces(list: () => Interfaces = networkInterfaces): Interfaces {
  try {
    listed = list();
  } catch {}
  return listed;
}

/** The addresses of this machine at which others can reach it, public ones first. Those of a link alone need its name, and are left out. */
export function listOwnAddresses(): readonly string[] {
  const all = Object.values(listInterfaces()).flatMap((own = []) => own);
  const ips = all.filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0).map(({ address }) => address);
  const isPublic = (ip: string) => toReach(ip) === 'public';
  return [...ips.filter(isPublic), ...ips.filter((ip) => !isPublic(ip))].slice(0, MAX);
}

/** Here Linux lists the network interfaces of this process. */
const INTERFACES = '/sys/class/net';

/**
 * Whether this process has the network of a container: no interface with a device, as that of a machine has, also of a virtual
 * one. False where nobody can say.
 */
export function isInContainerNetwork(folder = INTERFACES): boolean {
  try {
    return !readdirSync(folder).some((name) => existsSync(join(folder, name, 'device')));
  } catch {
    return false;
  }
}

/**
 * The addresses at which others may reach what listens here. The private ones of a container are left out: Docker's published
 * ports, or the network of the cluster, decide who reaches those.
 */
export const listReachedAddresses = (
  all = listOwnAddresses(),
  isContained = isInContainerNetwork(),
): readonly string[] => (isContained ? all.filter((ip) => toReach(ip) === 'public') : all);

const foldersIn = (folder: string): readonly string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** The networks of the bridges of this machine that join no device of it: those of its containers. */
export function listBridges(
  interfaces: Readonly<Record<string, readonly Pick<NetworkInterfaceInfo, 'cidr'>[] | undefined>> = listInterfaces(),
  folder = INTERFACES,
): BlockList {
  const list = new BlockList();
  for (const [name, addresses = []] of Object.entries(interfaces)) {
    const isBridge = existsSync(join(folder, name, 'bridge'));
    const members = foldersIn(join(folder, name, 'brif'));
    if (!isBridge || members.some((member) => existsSync(join(folder, member, 'device')))) continue;
    for (const { cidr } of addresses) {
      const [network = '', prefix] = cidr?.split('/') ?? [];
      if (isIP(network) !== 0) list.addSubnet(network, Number(prefix), isIP(network) === 6 ? 'ipv6' : 'ipv4');
    }
  }
  return list;
}

/** Networks of containers come and go slowly, and every target asks for them. */
const BRIDGES_HOLD_MS = 60_000;

let known: { readonly bridges: BlockList; readonly atMs: number } | undefined;

function findBridges(): BlockList {
  const now = performance.now();
  if (known === undefined || now - known.atMs > BRIDGES_HOLD_MS) known = { bridges: listBridges(), atMs: now };
  return known.bridges;
}

const isOn = (bridges: BlockList, ip: string): boolean =>
  isIP(ip) !== 0 && bridges.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');

/** Where what answers at an address of this machine answers too; `isThere` asks at an IP address. */
export async function findEndpoints(
  answered: Endpoint,
  ownAddresses: () => readonly string[],
  isThere: (ip: string) => Promise<boolean>,
  bridges = findBridges(),
): Promise<readonly Endpoint[]> {
  if (isOn(bridges, answered.ip)) return [{ ...answered, isOnBridge: true }];
  if (toReach(answered.ip) !== 'loopback') return [answered];
  const { port } = answered;
  const others = await Promise.all(ownAddresses().map(async (ip) => ((await isThere(ip)) ? [{ ip, port }] : [])));
  return [answered, ...others.flat()];
}
