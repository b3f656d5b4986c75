import { networkInterfaces } from 'node:os';
import { toReach } from '../../model/exposure.ts';

/** More are not tried. */
const MAX = 8;

/** The addresses of this machine at which others can reach it, public ones first. Those of a link alone need its name, and are left out. */
export function listOwnAddresses(): readonly string[] {
  const all = Object.values(networkInterfaces()).flatMap((own = []) => own);
  const ips = all.filter(({ internal, scopeid = 0 }) => !internal && scopeid === 0).map(({ address }) => address);
  const isPublic = (ip: string) => toReach(ip) === 'public';
  return [...ips.filter(isPublic), ...ips.filter((ip) => !isPublic(ip))].slice(0, MAX);
}
