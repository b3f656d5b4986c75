import type { Inventory } from '../model/target.ts';

/** The part of an inventory that is watched here; who is notified stays the same. */
export const keepSubnets = (inventory: Inventory, isWatched: (subnet: string) => boolean): Inventory => ({
  ...inventory,
  subnets: inventory.subnets.filter(({ name }) => isWatched(name)),
});
