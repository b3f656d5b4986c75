import { isSameData } from '../../lib/is-same-data.ts';
import type { Subnet } from '../../model/target.ts';
import { findByName } from './find-by-name.ts';

/**
 * The subnet of the new inventory, with unchanged parts as the same objects as before: the subnet itself, or its targets.
 * The board identifies a target by its object.
 */
export function reuseUnchanged(subnet: Subnet, before: Subnet | undefined): Subnet {
  if (before === undefined) return subnet;
  const find = findByName(before.targets);
  const targets = subnet.targets.map((target, index) => {
    const inPlace = before.targets[index];
    if (isSameData(inPlace, target)) return inPlace ?? target;
    const old = find(target);
    return old !== undefined && isSameData(old, target) ? old : target;
  });
  const next = { ...subnet, targets };
  // Its targets are the same objects by now, so that none is compared twice.
  return isSameData(before, next) ? before : next;
}
