import type { Inventory, Subnet, Target } from '../../model/target.ts';
import { findKnownSecrets } from './known-secrets.ts';

/** What the inventory keeps secret, as far as a log of a target's subnet may hold it. */
export interface SubnetSecrets {
  of(target: Target): readonly string[];
  /** Forgets all, as a new inventory may have others. */
  clear(): void;
}

/** Finds the secrets of a subnet once, for the first who needs them. */
export function createSubnetSecrets(
  subnetOf: (name: string) => Subnet | undefined,
  receivers: () => Pick<Inventory, 'alertmanager' | 'channels'>,
): SubnetSecrets {
  const known = new Map<string, readonly string[]>();
  return {
    of: (target) => {
      const before = known.get(target.subnet);
      if (before !== undefined) return before;
      const subnet = subnetOf(target.subnet);
      if (subnet === undefined) return findKnownSecrets({ targets: [target] }, receivers());
      const found = findKnownSecrets(subnet, receivers());
      known.set(subnet.name, found);
      return found;
    },
    clear: () => known.clear(),
  };
}
