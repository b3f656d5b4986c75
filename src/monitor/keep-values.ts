import { isDeepStrictEqual } from 'node:util';
import { type Subnet, targetKey } from '../model/target.ts';

/**
 * A subnet as the new inventory has it, with what did not change as the same values as before: the subnet itself, else its
 * targets. The board knows a target by that.
 */
export function keepValues(subnet: Subnet, before: Subnet | undefined): Subnet {
  if (before === undefined || isDeepStrictEqual(before, subnet)) return before ?? subnet;
  const known = new Map(before.targets.map((target) => [targetKey(target), target]));
  const targets = subnet.targets.map((target) => {
    const old = known.get(targetKey(target));
    return old !== undefined && isDeepStrictEqual(old, target) ? old : target;
  });
  return { ...subnet, targets };
}
