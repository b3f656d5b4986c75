import { isDeepStrictEqual } from 'node:util';
import { type Subnet, targetKey } from '../model/target.ts';

/**
 * The subnet of the new inventory, with unchanged parts as the same objects as before: the subnet itself, or its targets.
 * The board identifies a target by its object.
 */
export function reuseUnchanged(subnet: Subnet, before: Subnet | undefined): Subnet {
  if (before === undefined || isDeepStrictEqual(before, subnet)) return before ?? subnet;
  const known = new Map(before.targets.map((target) => [targetKey(target), target]));
  const targets = subnet.targets.map((target) => {
    const old = known.get(targetKey(target));
    return old !== undefined && isDeepStrictEqual(old, target) ? old : target;
  });
  return { ...subnet, targets };
}
